"""The table at the top: read off the sections, those of an earlier run included."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from aluma.lab.experiments.catalogue import CATALOGUE
from aluma.lab.experiments.report.publish import MARK, TOP, publish
from aluma.lab.experiments.report.verdicts import (
    anchor,
    day,
    sections_of,
    verdict_lines,
    verdict_table,
)
from aluma.lab.experiments.verdicts import VERDICTS

DOCS = Path(__file__).parents[4] / "docs"

CIRCLE = """## Dasgupta's circle: nobody can do well

Example 1; `aluma reproduce circle`

> The paper: all.

Labels until everything is right:

| points | ALuMA | ALuMA α=1 | TK |
| --- | ---: | ---: | ---: |
| 10 | 8 | 8 (7 to 10) | 8 |
| 22 | 18 | **13 (10 to 22)** | 18 (12 to 22) |
| 22, paper | | 9 | 9 |
"""
PCMAC = """## PCMAC: posts about PCs and Macs

Figure 5; `aluma reproduce pcmac`

> The paper: best.

ALuMA labels the least wrong. Training error after
1,000 labels: TK 0.50%, ALuMA α=1 1.71%. More of it.
"""


def test_what_we_find_is_read_off_the_sections() -> None:
    found = {row[0]: row[2] for row in verdict_table(sections_of(CIRCLE + PCMAC)).rows}
    assert found == {
        "[Dasgupta's circle](#dasguptas-circle-nobody-can-do-well)": "points 22: ALuMA 13, TK 18",
        "[PCMAC](#pcmac-posts-about-pcs-and-macs)": "after 1,000 labels: ALuMA 1.71%, TK 0.50%",
    }


def test_a_column_can_be_read_down() -> None:
    text = """## Uniform on the sphere, d = 10

Figure 6; `aluma reproduce uniform-10`

| learner | 5% | 1% |
| --- | ---: | ---: |
| ALuMA | 27 | 44 |
| ALuMA α=1 | 28 | **45 (39 to 48)** |
| CAL | 51 | 96 |
"""
    (row,) = verdict_table(sections_of(text)).rows
    assert row[2] == "until 1% is wrong: ALuMA 45, CAL 96"


def test_every_experiment_has_a_verdict_and_no_other() -> None:
    assert {experiment.name for experiment in CATALOGUE} == set(VERDICTS)


def test_every_line_of_the_page_leads_to_a_section() -> None:
    page = (DOCS / "reproduction.md").read_text("utf-8").partition(MARK)[2]
    sections = sections_of(page)
    headings = {anchor(line[3:]) for line in page.splitlines() if line.startswith("## ")}
    rows = verdict_table(sections).rows
    assert len(rows) == len(sections)
    assert all(str(row[0]).partition("](#")[2].removesuffix(")") in headings for row in rows)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    earlier = f"Facts.\n\n- made: before\n\n## Who needs the fewest labels?\n\nNobody.\n\n{CIRCLE}"
    (tmp_path / "reproduction.md").write_text(f"# By hand\n\n{MARK}\n\n{earlier}", "utf-8")
    (tmp_path / "figures").mkdir()
    return tmp_path


def test_a_run_of_some_experiments_keeps_the_sections_of_others(docs: Path) -> None:
    facts = "- command:\n  `aluma a long one`\n- runs: 1,111, 5 seeds a case\n- made: today\n"
    (docs / "report.md").write_text(f"# Title\n\n{facts}\n{PCMAC}", "utf-8")
    for _ in range(2):
        publish(docs, docs)
        page = (docs / "reproduction.md").read_text("utf-8")
        assert page.count("## Dasgupta's circle") == page.count("## PCMAC") == 1
        assert page.index("## PCMAC") < page.index("## Dasgupta's circle")
        assert "- made: before" in page
        when = "today; `aluma a long one`; 1,111 runs, 5 seeds a case"
        assert f"*Made apart: {when}.*" in page
        # What the paper says is as it is declared now, in sections that were kept too.
        assert "any learner asks about every point" in " ".join(page.split())
        assert "points 22: ALuMA 13, TK 18" in page
        assert page.index("| we find |") < page.index("Nobody.")
        # Each line has the date of the run that it is from.
        lines = [line.split("|") for line in page.split("\n") if line.startswith("| [")]
        assert [cells[-2].strip() for cells in lines] == ["today", "before"], page


def test_a_run_of_some_experiments_keeps_the_summary_of_all_of_them(docs: Path) -> None:
    images = docs / "images" / "reproduction"
    images.mkdir(parents=True)
    (images / "summary.png").write_bytes(b"of all")
    for name in ("summary", "pcmac"):
        Image.new("RGB", (4, 4)).save(docs / "figures" / f"{name}.png")
    (docs / "report.md").write_text(f"# Title\n\n- made: today\n\n{PCMAC}", "utf-8")
    publish(docs, docs)
    assert (images / "summary.png").read_bytes() == b"of all"
    assert (images / "pcmac.png").exists()
    (docs / "report.md").write_text(f"# Title\n\n- made: today\n\n{PCMAC}\n{CIRCLE}", "utf-8")
    publish(docs, docs)
    assert (images / "summary.png").read_bytes() != b"of all"


def test_the_table_has_a_place_above_what_is_written_by_hand(docs: Path) -> None:
    page = docs / "reproduction.md"
    by_hand = f"# By hand\n\n{TOP[0]}\n{TOP[1]}\n\nMore."
    page.write_text(page.read_text("utf-8").replace("# By hand", by_hand), "utf-8")
    (docs / "report.md").write_text(f"# Title\n\n- made: today\n\n{PCMAC}", "utf-8")
    for _ in range(2):
        publish(docs, docs)
        text = page.read_text("utf-8")
        assert text.count("| we find |") == 1
        assert text.index(TOP[0]) < text.index("| we find |") < text.index(TOP[1])
        assert text.index(TOP[1]) < text.index("More.") < text.index(MARK)


def test_learners_that_the_paper_does_not_have_are_left_out() -> None:
    text = PCMAC.replace("TK 0.50%", "logistic margin 0.10%, TK 0.50%")
    text = text.replace("1.71%.", "1.71%, skactiveml Falcun 2.84%.")
    (row,) = verdict_table(sections_of(text)).rows
    assert row[2] == "after 1,000 labels: ALuMA 1.71%, TK 0.50%"


def test_dates_have_few_letters() -> None:
    assert [day("2026-11-06"), day("2026-11-16"), day("before")] == ["6 Nov", "16 Nov", "before"]


def test_the_table_fits_on_a_screen() -> None:
    """Few words to a line: what does not fit here belongs into its section."""
    page = (DOCS / "reproduction.md").read_text("utf-8").partition(MARK)[2]
    for line in verdict_lines(sections_of(page)):
        assert sum(map(len, line.cells)) <= 190, line


def test_a_run_of_everything_takes_the_place_of_all(docs: Path) -> None:
    whole = CIRCLE.replace("| 22 | 18", "| 22 | 17")
    (docs / "report.md").write_text(f"# Title\n\n- made: today\n\n{whole}", "utf-8")
    publish(docs, docs)
    page = (docs / "reproduction.md").read_text("utf-8")
    assert "before" not in page
    assert "apart" not in page
