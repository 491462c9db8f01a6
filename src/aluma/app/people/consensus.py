"""The answer that counts, of what several people say about an example.

If somebody has resolved it, that. Else each answer weighs as much as those who gave it are reliable
(:mod:`aluma.app.people.reliability`), and the heaviest counts; a skip says nothing. The answer that
counted before, or else the first that was given, yields only to one that is clearly heavier: which
counts must turn neither with every estimate nor with how soon the first was learnt from. While
labels are checked, what counted before yields to a resolution only.

No model has a say in this: labels are checked against what people answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aluma.session.voices import Voice

#: How much heavier another answer must be, in log-odds, to take the place of one that counted.
CLEARLY = 0.5


def counting(
    said: Mapping[str, str | None],
    weight: Callable[[str], float],
    *,
    before: str | None = None,
    settled: bool = False,
) -> str | None:
    """Return the answer that counts of one example, or None if everybody skipped it.

    Parameters
    ----------
    said : what each person says, in the order in which they said it
    weight : how much a person's answer counts
    before : the answer that counted before
    settled : whether that one stays until somebody resolves it
    """
    votes: dict[str, float] = {}
    for who, label in said.items():
        if label is not None:
            votes[label] = votes.get(label, 0.0) + weight(who)
    if not votes:
        return None
    if before in votes and settled:
        return before
    heaviest = max(votes, key=lambda label: votes[label])
    standing = before if before in votes else next(iter(votes))
    return standing if votes[heaviest] - votes[standing] < CLEARLY else heaviest


def by_example(voices: list[Voice]) -> dict[int, dict[str, str | None]]:
    """Return who says what about each example; None is a skip."""
    found: dict[int, dict[str, str | None]] = {}
    for voice in voices:
        label = None if voice.label is None else str(voice.label)
        found.setdefault(voice.example, {})[voice.who] = label
    return found


def disputed(said: Mapping[str, str | None]) -> bool:
    """Say whether people gave different answers."""
    return len({label for label in said.values() if label is not None}) > 1
