"""Every exception that a user of aluma can meet, under one base, and what it warns about.

Each is also what Python would call such an error (a ``ValueError``, a ``LookupError``), so code
that catches those goes on working. Messages name the value, the rule it breaks and the way out.
"""

from __future__ import annotations

from math import floor


class AlumaError(Exception):
    """Whatever aluma itself raises; catch this to catch all of it."""


# -- answers -----------------------------------------------------------------------------------


class Conflict(AlumaError, ValueError):
    """Answers that no halfspace can agree with at once.

    Attributes
    ----------
    indices : tuple of int
        An irreducible set of answers, the new one included: take any one of them away and the
        others can be satisfied. Positions in order of adding; for a learner, pool indices.
    """

    def __init__(self, indices: tuple[int, ...], advice: str = "") -> None:
        self.indices, self._advice = tuple(indices), advice
        super().__init__(f"{_contradiction(self.indices)} {advice}".rstrip())

    def __reduce__(self) -> tuple[type[Conflict], tuple[tuple[int, ...], str]]:
        # Exceptions travel between processes by their arguments, and the message is not one.
        return type(self), (self.indices, self._advice)


def _contradiction(indices: tuple[int, ...]) -> str:
    """Return in words what cannot be true."""
    if len(indices) == 1:
        return f"example {indices[0]} was answered otherwise before."
    shown = ", ".join(map(str, indices[:12])) + (", ..." if len(indices) > 12 else "")
    return (
        f"no halfspace agrees with these {len(indices)} answers at once: {shown}. Take any one "
        "away and the others can all be true."
    )


class Undecided(AlumaError, ArithmeticError):
    """Neither a point inside nor a contradiction could be verified in float64."""


class Exhausted(AlumaError, LookupError):
    """Nothing is left to ask: all examples are answered or skipped, or the budget is spent."""


class OutOfReach(Exhausted):
    """More labels would stay wrong than may be: these features do not separate them well enough.

    That is what checks showed at the pace at which errors fell. More answers may separate them in
    the end, as where there are more features than answers; half of the pool is not enough.

    Attributes
    ----------
    estimate : share of the labels that is wrong now, if as many are as the last audit found
    lower_bound : share that was wrong at least when it began
    tolerance : share that may be wrong
    checks, wrong : labels that the last audit checked at random, and how many were wrong, or
        skipped: nobody could say that those are right
    skipped : how many were skipped
    """

    def __init__(
        self,
        estimate: float,
        lower_bound: float,
        tolerance: float,
        checks: int,
        wrong: int,
        skipped: int = 0,
    ) -> None:
        self.estimate, self.lower_bound, self.tolerance = estimate, lower_bound, tolerance
        self.checks, self.wrong, self.skipped = checks, wrong, skipped
        were = f"wrong or skipped ({skipped} skipped)" if skipped else "wrong"
        # Rounded down: at least so much was shown, and no more.
        least = f"{floor(float(lower_bound) * 10_000 + 1e-9) / 10_000:.2%}"
        super().__init__(
            f"these features, as they are, cannot separate the answers well enough: {wrong} of "
            f"{checks} labels checked at random were {were}, so about {estimate:.0%} of all "
            f"would be (at least {least} were when that check began), and {100 * tolerance:.10g}% "
            "may be. Better features (rows seen from their middle, if they are not: Pool.centred) "
            "or the full labelling are the way: set keep_asking = True to go on asking, or allow "
            "for a larger tolerance."
        )

    def __reduce__(self) -> tuple[type[OutOfReach], tuple[float | int, ...]]:
        # Exceptions travel between processes by their arguments, and the message is not one.
        shares = self.estimate, self.lower_bound, self.tolerance
        return type(self), (*shares, self.checks, self.wrong, self.skipped)


# -- examples ----------------------------------------------------------------------------------


class NarrowPool(UserWarning):
    """The examples all point the same way, so halfspaces hardly tell them apart.

    The way out is :meth:`aluma.pool.Pool.centred`.
    """


class Unreadable(AlumaError, OSError):
    """Examples in a file that cannot be read; the message names the file and the chunk."""


class ClusterLost(AlumaError, ConnectionError):
    """The cluster that holds the examples does not answer; all answers so far are as they were."""


# -- sessions ----------------------------------------------------------------------------------


class SessionError(AlumaError):
    """A session cannot be opened, or an answer cannot be kept."""


class NotASession(SessionError):
    """The file is something else."""


class NewerFormat(SessionError):
    """The file was written by a later version of aluma."""


class SessionLocked(SessionError):
    """Another session or program has the file open."""


class SessionDamaged(SessionError):
    """The log of answers is not as it was written."""


class SessionRolledBack(SessionError):
    """The file is an older state of a session that had grown further in its place."""


class WrongPool(SessionError):
    """The session's answers are about other examples."""


# -- what was passed in ------------------------------------------------------------------------


class BadInput(AlumaError, ValueError):
    """A file, a folder or an option that cannot be used; the message says why and what to do."""


class Refused(AlumaError):
    """A request to the labelling page that cannot be carried out; the session is as it was."""


class MissingData(AlumaError, LookupError):
    """A data set that is not there and cannot be fetched; the message says what to do."""


class CorruptData(AlumaError, ValueError):
    """A data set that is not what it should be; the message says what to do."""


class MissingExtra(AlumaError, ModuleNotFoundError):
    """A part of aluma needs a package that is installed with one of its extras.

    Attributes
    ----------
    extra : the extra's name, as in ``pip install 'aluma[label]'``
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.extra = extra
        self._told = what, package, extra
        super().__init__(
            f"{what} needs {package}, which is not installed: pip install 'aluma[{extra}]'.",
            name=package,
        )

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, str]]:
        # Exceptions travel between processes by their arguments, and the message is not one.
        return type(self), self._told
