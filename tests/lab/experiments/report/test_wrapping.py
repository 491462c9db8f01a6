import pytest

from aluma.lab.experiments.report.wrapping import wrapped

PROSE = " ".join(f"word{n}" for n in range(40))


@pytest.mark.parametrize("opening", ["", "- ", "12. ", "> "])
def test_prose_is_wrapped_and_keeps_its_words(opening: str) -> None:
    lines = wrapped(f"{opening}{PROSE}\n", 60).splitlines()
    further = "> " if opening == "> " else " " * len(opening)
    assert lines[0].startswith(opening)
    assert all(line.startswith(further) for line in lines[1:])
    assert max(map(len, lines)) <= 60
    assert min(map(len, lines[:-1])) > 50
    words = [line.removeprefix(opening if n == 0 else further) for n, line in enumerate(lines)]
    assert " ".join(words) == PROSE


@pytest.mark.parametrize(
    "verbatim",
    [
        f"| {PROSE} |",
        f"## {PROSE}",
        f"![{PROSE}](figure.png)",
        f"<!-- {PROSE} -->",
        f"    {PROSE}",
        f"```\n{PROSE}\n- one\ntwo\n```",
    ],
)
def test_what_is_no_prose_stays(verbatim: str) -> None:
    text = f"Above.\n\n{verbatim}\n\nBelow.\n"
    assert wrapped(text, 60) == text


def test_no_word_at_the_beginning_of_a_line_opens_something_else() -> None:
    text = " ".join(["- 3 + 4 | 5 # 6 > 7 8. = 9"] * 20)
    lines = wrapped(f"Sum {text}\n", 40).splitlines()
    assert len(lines) > 10
    assert all(line[0].isalnum() and not line.startswith("8.") for line in lines)


@pytest.mark.parametrize("whole", ["`a b c d e f`", "[a b](c.md)"])
def test_code_and_links_are_not_broken(whole: str) -> None:
    text = wrapped(f"one two three four {whole} five\n", 22)
    assert text == f"one two three four\n{whole} five\n"


def test_wrapping_again_changes_nothing() -> None:
    text = (
        f"# Title\n\n{PROSE}\n\n- {PROSE}\n- {PROSE}\n  1. {PROSE}\n\n> {PROSE}\n\n| a |\n| - |\n"
    )
    once = wrapped(text, 60)
    assert wrapped(once, 60) == once
