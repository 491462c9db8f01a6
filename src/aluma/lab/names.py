"""What learners are called in tables and figures, and the colour they have there: the one list."""

from __future__ import annotations

from typing import NamedTuple

from aluma.lab import palette


class Look(NamedTuple):
    """The title of a learner, and its colour."""

    title: str
    colour: str = palette.INK


#: By the name of a strategy, as users choose it. CAL and IWAL share a colour, and never a figure.
LEARNERS = {
    "aluma": Look("ALuMA", palette.BLUE),
    "simple_margin": Look("SVM margin", palette.VERMILION),
    "qbc": Look("committee", palette.GREEN),
    "cal": Look("CAL", palette.PURPLE),
    "iwal": Look("IWAL", palette.PURPLE),
    "passive": Look("random order", palette.GREY),
}

#: By the key of an entrant, as experiments and benchmarks have them: here learners go by the names
#: that the paper gives them, and one learner may enter with several settings.
ENTRANTS = {
    "aluma": LEARNERS["aluma"],
    "aluma-paper": Look("ALuMA α=1", palette.SKY),
    "aluma-auto": Look("ALuMA, slack auto", palette.BLUE),
    "aluma-lifted": Look("ALuMA lifted", palette.BLUE),
    "aluma-projected": Look("ALuMA projected", palette.SKY),
    "tk": Look("TK", LEARNERS["simple_margin"].colour),
    "svm-margin": LEARNERS["simple_margin"],
    "qbc": Look("QBC", LEARNERS["qbc"].colour),
    "cal": LEARNERS["cal"],
    "iwal": LEARNERS["iwal"],
    "iwal-bold": Look("IWAL, c=0.1", LEARNERS["iwal"].colour),
    "erm": Look("ERM", LEARNERS["passive"].colour),
    "soft-svm": Look("soft-SVM", LEARNERS["passive"].colour),
    "logistic": Look("logistic margin", palette.ORANGE),
    "skactiveml": Look("skactiveml Falcun", palette.BROWN),
}

#: In words, what labels the pool where a learner does not vote: by its rule, or its strategy.
LABELLED_BY = {"svm": "SVM", "iwal": "the least weighted loss"}


def title(strategy: str) -> str:
    """Return what a strategy is called; one that is not in the list goes by its own name."""
    return LEARNERS[strategy].title if strategy in LEARNERS else strategy


def colour(key: str) -> str:
    """Return the colour of a strategy or an entrant; what is in no list is drawn in ink."""
    look = ENTRANTS.get(key) or LEARNERS.get(key)
    return palette.INK if look is None else look.colour
