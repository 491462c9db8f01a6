"""Options that several commands read alike."""

from __future__ import annotations

from aluma.cli.terminal import fail


def slack_option(text: str) -> float | str:
    """Return a slack from the command line, or say what it may be and leave."""
    from aluma.representation.lift import checked_slack

    try:
        return text if text == "auto" else checked_slack(float(text))
    except ValueError:
        fail(f"--slack must be auto or a number of at least 0, got {text!r}.")
