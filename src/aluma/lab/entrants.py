"""The learners that take part in experiments and benchmarks, by the names of their strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from aluma.lab.names import ENTRANTS
from aluma.lab.paper_figures import (
    IWAL_NORM,
    SOFT_SVM_REGULARIZATION,
    W1A_LONGEST,
    Softness,
)
from aluma.lab.play import Measure, errors
from aluma.learners.learner import Learner
from aluma.learners.registry import ENTRIES, strategy
from aluma.learners.settings import accepted

#: What people use today, for comparisons only: module, class, and the package behind it, which may
#: be missing.
BASELINES = {
    "logistic_margin": ("aluma.learners.baselines", "LogisticMargin", "sklearn"),
    "skactiveml": ("aluma.learners.baselines", "SkactivemlLearner", "skactiveml"),
}


@dataclass(frozen=True, eq=False)
class Entrant:
    """A learner as a contest uses it.

    Attributes
    ----------
    key : its name in files, and in the list of titles and colours
    strategy : its name in :data:`aluma.learners.registry.ENTRIES` or :data:`BASELINES`
    settings : what it is constructed with
    paper : its name in the paper, or "" for a learner that the paper does not have
    measure : what is measured of it, see :func:`aluma.lab.play.play`
    read_off : it has no runs of its own: its labels are what the learner of this key has read,
        see :mod:`aluma.lab.reading`
    """

    key: str
    strategy: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    paper: str = ""
    measure: Measure = errors
    read_off: str = ""

    @property
    def title(self) -> str:
        """Its name in tables and figures."""
        return ENTRANTS[self.key].title if self.key in ENTRANTS else self.key

    @property
    def available(self) -> bool:
        """Whether this version of aluma, and what is installed, can run it."""
        if self.strategy in BASELINES:
            return all(find_spec(package) is not None for package in BASELINES[self.strategy][::2])
        entry = ENTRIES.get(self.strategy)
        return entry is not None and set(self.settings) <= accepted(entry.learner)

    @property
    def learner(self) -> Callable[..., Learner]:
        """The class of the learner."""
        if self.strategy not in BASELINES:
            return strategy(self.strategy)
        module, name, _ = BASELINES[self.strategy]
        found: Callable[..., Learner] = getattr(import_module(module), name)
        return found


ALUMA = Entrant("aluma", "aluma")
ALUMA_PAPER = Entrant("aluma-paper", "aluma", {"alpha": 1.0}, paper="ALuMA")
TK = Entrant("tk", "simple_margin", {"predict_with": "vote"}, paper="TK")
QBC = Entrant("qbc", "qbc", paper="QBC")
CAL = Entrant("cal", "cal", paper="CAL")
ERM = Entrant("erm", "passive", {"predict_with": "vote"}, paper="ERM")
#: CAL with thousands of answers: its separator labels, which costs next to nothing.
CAL_SVM = Entrant("cal", "cal", {"predict_with": "svm"}, paper="CAL")
#: Passive learning of very large pools, by the examples that CAL reads.
ERM_READ = Entrant("erm", "cal", paper="ERM", read_off="cal")

#: The greedy rule that Section 2 leaves open, without and with help where it cannot tell.
DETERMINED = Entrant("determined", "determined")
DETERMINED_SPLIT = Entrant("determined-split", "determined", {"ties": "split"})

#: The heuristic of Tong and Koller as people use it: its separator labels.
SVM_MARGIN = Entrant("svm-margin", "simple_margin", {"predict_with": "svm"})
#: What people use today.
LOGISTIC = Entrant("logistic", "logistic_margin")
#: scikit-activeml's uncertainty sampling asks what logistic margin asks; this one weighs diversity.
SKACTIVEML = Entrant("skactiveml", "skactiveml", {"strategy": "Falcun"})

#: The paper's five, ALuMA both as the paper has it and by default, and today's baselines.
FIELD = (ALUMA, ALUMA_PAPER, TK, QBC, CAL, ERM, LOGISTIC, SKACTIVEML)

SOFT_SVM = Entrant(
    "soft-svm",
    "passive",
    {"predict_with": "soft_svm", "regularization": SOFT_SVM_REGULARIZATION},
    paper="soft-SVM",
)
IWAL = Entrant("iwal", "iwal", {"norm": IWAL_NORM}, paper="IWAL")
IWAL_LESS = Entrant("iwal-less", "iwal", {"norm": IWAL_NORM, "deviation": 0.3})
IWAL_BOLD = Entrant("iwal-bold", "iwal", {"norm": IWAL_NORM, "deviation": 0.1})

#: Our IWAL bounds the norm for rows divided by the longest, our soft-SVM takes rows as they are.
#: The same for both: the norm times that length, or the regularisation times its square.
IWAL_WIDE = Entrant("iwal-wide", "iwal", {"norm": IWAL_NORM * W1A_LONGEST})
SOFT_SVM_TIGHT = Entrant(
    "soft-svm-tight",
    "passive",
    {"predict_with": "soft_svm", "regularization": SOFT_SVM_REGULARIZATION * W1A_LONGEST**2},
)


def lifted(softness: Softness) -> tuple[Entrant, ...]:
    """Return the field of Section 6.3 for one data set: ALuMA projected, and without projection."""
    return (
        Entrant("aluma-lifted", "aluma", {"slack": softness.slack}),
        Entrant("aluma-projected", "aluma", {**softness._asdict(), "alpha": 1.0}, paper="ALuMA"),
        IWAL,
        SOFT_SVM,
        LOGISTIC,
    )
