"""`aluma bench`: the programs of aluma.lab.bench."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Annotated

import typer

from aluma.cli.terminal import console, fail
from aluma.extras import LAB, require


def bench(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which one; by default all.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes: a minute, rough.")] = False,
    results: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep finished runs here, and go on from them."),
    ] = None,
    rows: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Of scale: examples of the pool.")
    ] = None,
    features: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Of scale: columns of the pool.")
    ] = None,
    answers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Of scale: answers in a run.")
    ] = None,
    places: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...", help="Of scale: memory, npy, zarr, parquet, dask, killed; or draws."
        ),
    ] = None,
) -> None:
    """Measure aluma against the packages that people would use instead, and print ratios.

    The exit code is 1 if a ratio falls short of what aluma promises.
    """
    require("aluma bench", "lab", *LAB)
    programs = benchmarks()
    if name is not None and name not in programs:
        fail(f"There is no benchmark {name!r}: choose one of {', '.join(programs)}.")
    keeping = {
        one for one, program in programs.items() if "results" in signature(program).parameters
    }
    if results is not None and name not in keeping:
        fail(f"--results needs a benchmark that keeps its runs: {', '.join(sorted(keeping))}.")
    sizes = {"rows": rows, "features": features, "answers": answers, "places": places}
    sizes = {option: size for option, size in sizes.items() if size is not None}
    if sizes and (name is None or not {*sizes} <= {*signature(programs[name]).parameters}):
        fail(f"--{' and --'.join(sizes)} need a benchmark that has them, as in: aluma bench scale.")
    met = [
        programs[one](console, quick, **({"results": results} if one in keeping else {}), **sizes)
        for one in (programs if name is None else [name])
    ]
    if not all(met):
        raise typer.Exit(1)


def benchmarks() -> dict[str, Callable[..., bool]]:
    """Return the programs in aluma.lab.bench: every module there that has a function ``run``."""
    package = importlib.import_module("aluma.lab.bench")
    found = {
        module.name: importlib.import_module(f"aluma.lab.bench.{module.name}")
        for module in pkgutil.iter_modules(package.__path__)
    }
    return {name: module.run for name, module in found.items() if hasattr(module, "run")}
