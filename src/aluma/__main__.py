"""The command ``aluma``, also as ``python -m aluma``; a missing extra is reported in one line."""

from __future__ import annotations

import sys

from aluma.errors import MissingExtra
from aluma.extras import require

#: The exit code for wrong usage, as of every other error of the command line.
WRONG_USAGE = 2


def main() -> None:
    """Run the command line, or say which extra it needs."""
    try:
        require("the command line", "label", "typer", "rich")
        from aluma.cli import app

        app()
    except MissingExtra as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(WRONG_USAGE)


if __name__ == "__main__":
    main()
