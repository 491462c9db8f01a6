"""Packages that only a part of aluma needs: imported when it is used, named when they are missing.

The core needs NumPy, SciPy, scikit-learn, Numba and threadpoolctl. Everything else comes with an
extra, as in ``pip install 'aluma[label]'``, and is asked for here, so that a missing one is always
the same error with the same way out.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from aluma.errors import MissingExtra

#: Packages that are imported by another name than they are installed by.
INSTALLED_AS = {"PIL": "pillow", "skactiveml": "scikit-activeml"}

#: What every command of the laboratory needs, by the names that are imported; packages that aluma
#: is compared with are asked for where that happens.
LAB = ("matplotlib", "pandas", "pooch", "requests", "rich")


def needed(module: str, extra: str, what: str) -> Any:
    """Import a module that comes with an extra, or raise :class:`MissingExtra`.

    Parameters
    ----------
    module : its name, for instance "rich.progress"
    extra : the extra that brings it
    what : the part of aluma that needs it, as the error's subject
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # A package that is there but lacks one of its own is another trouble: let it be seen.
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingExtra(what, INSTALLED_AS.get(package, package), extra) from error


def require(what: str, extra: str, *packages: str) -> None:
    """Raise :class:`MissingExtra` if a package is not installed; nothing is imported."""
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtra(what, INSTALLED_AS.get(package, package), extra)
