"""What others wrote is printed as text, and steers nothing."""

import pytest
from rich.console import Console

from aluma.cli.terminal import plain


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[2Jx", r"\x1b[2Jx"),
        ("\x9b31m", r"\x9b31m"),
        ("a\u202egnp", r"a\u202egnp"),
        ("a\rb", r"a\rb"),
        ("a\ud800b", r"a\ud800b"),
        ("[bold]x[/bold]", "[bold]x[/bold]"),
        ("zwei\nZeilen\tä €", "zwei\nZeilen\tä €"),
    ],
)
def test_text_is_made_visible(text: str, seen: str) -> None:
    console = Console(width=200, highlight=False)
    with console.capture() as printed:
        console.print(plain(text))
    assert printed.get().expandtabs() == f"{seen}\n".expandtabs()
