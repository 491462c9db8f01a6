"""A page that checks a file, in a process of its own: it can be killed, and starts fast."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

from aluma.app import check_file
from aluma.app.check_api import check_application
from aluma.app.check_desk import CheckDesk
from aluma.app.check_log import CheckLog
from aluma.app.server import serve, take
from aluma.promises.audit import Audit


def desk(path: Path, **settings: Any) -> CheckDesk:
    """Return the desk at which a file is checked."""
    column, answers = settings.pop("column", "label"), settings.pop("answers", ())
    images, blind = settings.pop("images", None), settings.pop("blind", False)
    file = check_file.read(path, column, answers)
    audit = Audit(file.labels, known=file.known, classes=answers or None, **settings)
    examples = file.examples(images)
    log = CheckLog(path.with_name(path.name + ".checks.jsonl"), about(file), audit)
    return CheckDesk(log, file, examples, blind=blind)


def about(file: check_file.CheckFile) -> dict[str, Any]:
    """Return what `aluma check` writes about a file, with its usual settings."""
    settings = {"seed": 0, "by_doubt": False, "tolerance": 0.05, "answers": list(file.answers)}
    return {"file": file.digest, "column": file.column, **settings}


def command(path: Path, token: str, port: int | str = 0) -> list[str]:
    """Return a command that serves the page, and prints its link first."""
    return [sys.executable, __file__, str(path), token, str(port)]


def main(path: str, token: str, port: str) -> None:
    """Serve the page that checks a file until it is killed."""
    place = take(port=int(port), token=token)
    found = desk(Path(path))
    sys.stdout.write(f"{place.link}\n")
    sys.stdout.flush()
    serve(partial(check_application, found), found, place)


if __name__ == "__main__":
    main(*sys.argv[1:])
