"""Guidelines: Markdown that becomes a tree of harmless elements, whatever it holds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aluma.app.answers import in_words
from aluma.app.guidelines import MOST_BYTES, Node, parsed
from aluma.app.opening import Wanted, opened
from aluma.errors import BadInput
from four_kinds import FOUR, in_file

TEXT = """# What counts

Read the **whole** text,
then *decide*.

- sport: `games`
- politics
  and laws

1. first
2. second

> A quotation
> - with a list

```
<b>code</b>
```
---
See [the handbook](https://example.org/a) or [write](mailto:a@example.org).
"""


def flat(nodes: list[Node]) -> list[Node]:
    """Return all nodes of a tree."""
    return [one for node in nodes for one in (node, *flat(node.children))]


def words(nodes: list[Node]) -> str:
    """Return all text of a tree."""
    return "".join(node.text for node in flat(nodes))


def test_markdown_becomes_elements():
    nodes = parsed(TEXT)
    tags = [node.tag for node in nodes]
    assert tags == ["h3", "p", "ul", "ol", "blockquote", "pre", "hr", "p"]
    assert [len(nodes[place].children) for place in (2, 3)] == [2, 2]
    assert words(nodes[2].children[1:]) == "politics and laws"
    assert nodes[4].children[1].tag == "ul"
    assert nodes[5].text == "<b>code</b>"
    links = [node.href for node in flat(nodes) if node.tag == "a"]
    assert links == ["https://example.org/a", "mailto:a@example.org"]
    assert {"strong", "em", "code"} <= {node.tag for node in flat(nodes)}


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert`1`)",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](vbscript:x)",
        "[x](//evil.example)",
        "[x](/api/undo)",
        "![x](https://evil.example/pixel.png)",
        "<script>alert(1)</script>",
        "<a href='https://evil.example' onclick=alert(1)>x</a>",
    ],
)
def test_what_could_do_harm_is_text(text):
    nodes = flat(parsed(text))
    assert all(node.href is None for node in nodes)
    assert {node.tag for node in nodes} <= {"p", "text", "em", "code"}


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="#*_`[]()!<>-+~ 1.a:/\n\u202e\x00\ud800", max_size=200))
def test_any_text_is_taken(text):
    for node in flat(parsed(text)):
        assert node.href is None or node.href.startswith(("http", "mailto:"))
        node.model_dump_json()


def test_long_texts_take_no_time():
    for piece in ("**", "[a](", "`", "> ", "_a", "![", "- ", "*a "):
        parsed(piece * 20_000)


def test_they_and_the_question_stay_with_the_session_until_others_are_brought(tmp_path):
    in_file(tmp_path / "p.csv")
    (tmp_path / "g.md").write_text("first")

    def seen(**more) -> str:
        given = {"answers": FOUR, "hypotheses": 200, **more}
        found = opened(Wanted(tmp_path / "p.csv", tmp_path / "s.aluma", **given))
        found.desk.close()
        asked.append(found.desk.task.question)
        return words(list(found.desk.task.guidelines))

    asked = []
    assert seen() == ""
    assert seen(guidelines=tmp_path / "g.md", question="What is it?") == "first"
    assert seen() == "first"
    assert asked == [in_words(FOUR), "What is it?", "What is it?"]
    (tmp_path / "g.md").write_text("second")
    assert seen(guidelines=tmp_path / "g.md") == "second"


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "cannot be read"), (b"\xff\xfe\x00", "UTF-8"), (b"a" * (MOST_BYTES + 1), "shorten")],
)
def test_a_wrong_file_is_explained_and_leaves_the_session_free(tmp_path, content, says):
    in_file(tmp_path / "p.csv")
    if content is not None:
        (tmp_path / "g.md").write_bytes(content)
    wanted = {"answers": FOUR, "hypotheses": 200}
    with pytest.raises(BadInput, match=says):
        opened(
            Wanted(tmp_path / "p.csv", tmp_path / "s.aluma", guidelines=tmp_path / "g.md", **wanted)
        )
    opened(Wanted(tmp_path / "p.csv", tmp_path / "s.aluma", **wanted)).desk.close()
