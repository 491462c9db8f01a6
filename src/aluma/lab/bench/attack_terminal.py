"""The terminal: commands about files whose names, columns, texts and labels mean harm.

Nothing that is printed may steer a terminal, and no command may end in a traceback. The commands
run in a process of their own, one after the other.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from aluma.lab.bench.attack_tally import Tally
from aluma.visible import STEERING

#: Runs commands, with what is typed, and writes what they print.
CODE = """
import contextlib, io, json, sys
from aluma.cli import app

for line in sys.stdin:
    words, typed = json.loads(line)
    printed, before, sys.stdin = io.StringIO(), sys.stdin, io.StringIO(typed)
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            app(words)
        except SystemExit:
            pass
        except BaseException as error:
            printed.write(f"TRACEBACK {type(error).__name__}: {error}")
    sys.stdin = before
    print(json.dumps(printed.getvalue()), flush=True)
"""
#: Characters of a name of a file.
LONGEST_NAME = 60


def terminal(folder: Path, texts: Sequence[str]) -> Tally:
    """Run all commands about every text."""
    tally = Tally("hostile names, texts and labels in the terminal")
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, text in enumerate(texts):
            for words, typed in _commands(folder / str(number), text):
                process.stdin.write(json.dumps([words, typed]) + "\n")
                process.stdin.flush()
                _judge(tally, words, process.stdout.readline())
    return tally


def _judge(tally: Tally, words: list[str], line: str) -> None:
    printed = json.loads(line) if line else "TRACEBACK the process is gone"
    steering = {one for one in printed if unicodedata.category(one) in STEERING} - {"\n", "\t"}
    if not printed or "TRACEBACK" in printed or "Traceback" in printed:
        tally.fail(f"{words[0]}: {printed[-300:]!r}")
    elif steering:
        tally.fail(f"{words[0]} printed {sorted(steering)} of {words[1][-30:]!r}")
    else:
        tally.count("made visible")


def _commands(folder: Path, text: str) -> Iterator[tuple[list[str], str]]:
    """Yield commands about a table that is called so, has such columns, texts and labels."""
    folder.mkdir(parents=True)
    name = "".join(one for one in text if one not in "/\0")[:LONGEST_NAME]
    path = folder / f"x{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"c{text}", "label", "truth"])
        for i in range(12):
            writer.writerow([f"{i} {text}", text if i % 2 else "other", "other"])
    there, missing = str(path), str(folder / f"no{name}.csv")
    yield ["check", there, "--truth-column", "truth"], ""
    line = " ".join(text.split())[:200]
    yield ["check", there, "--blind"], f"{line}\n{line}\n:u\n:q\n"
    yield ["check", there, f"--label-column={text}"], ""
    yield ["run", there, f"--label-column={text}"], ""
    yield ["label", missing, "--no-browser"], ""
    yield ["recover", there], ""
