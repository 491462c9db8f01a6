"""The learners that take part in experiments, by the names of their strategies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from aluma.lab.experiments.construct import accepted
from aluma.learners.learner import Learner
from aluma.learners.registry import STRATEGIES, strategy

#: What people use today, for comparisons only: module, class, and the package behind it, which may
#: be missing.
BASELINES = {
    "logistic_margin": ("aluma.learners.baselines", "LogisticMargin", "sklearn"),
    "skactiveml": ("aluma.learners.baselines", "SkactivemlLearner", "skactiveml"),
}


@dataclass(frozen=True, eq=False)
class Entrant:
    """A learner as an experiment uses it.

    Attributes
    ----------
    key : its name in files
    title : its name in tables and figures
    strategy : its name in :data:`aluma.learners.registry.STRATEGIES` or :data:`BASELINES`
    settings : what it is constructed with
    paper : its name in the paper, or "" for a learner that the paper does not have
    """

    key: str
    title: str
    strategy: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    paper: str = ""

    @property
    def available(self) -> bool:
        """Whether this version of aluma, and what is installed, can run it."""
        if self.strategy in BASELINES:
            return all(find_spec(package) is not None for package in BASELINES[self.strategy][::2])
        kind = STRATEGIES.get(self.strategy)
        return kind is not None and set(self.settings) <= accepted(kind)

    @property
    def learner(self) -> type[Learner]:
        """The class of the learner."""
        if self.strategy not in BASELINES:
            return strategy(self.strategy)
        module, name, _ = BASELINES[self.strategy]
        found: type[Learner] = getattr(import_module(module), name)
        return found


ALUMA = Entrant("aluma", "ALuMA", "aluma")
ALUMA_PAPER = Entrant("aluma-paper", "ALuMA α=1", "aluma", {"alpha": 1.0}, paper="ALuMA")
TK = Entrant("tk", "TK", "simple_margin", {"predict_with": "vote"}, paper="TK")
QBC = Entrant("qbc", "QBC", "qbc", paper="QBC")
CAL = Entrant("cal", "CAL", "cal", paper="CAL")
ERM = Entrant("erm", "ERM", "passive", {"predict_with": "vote"}, paper="ERM")

#: What people use today.
LOGISTIC = Entrant("logistic", "logistic margin", "logistic_margin")
#: scikit-activeml's uncertainty sampling asks what logistic margin asks; this one weighs diversity.
SKACTIVEML = Entrant("skactiveml", "skactiveml Falcun", "skactiveml", {"strategy": "Falcun"})

#: The paper's five, ALuMA both as the paper has it and by default, and today's baselines.
FIELD = (ALUMA, ALUMA_PAPER, TK, QBC, CAL, ERM, LOGISTIC, SKACTIVEML)

#: Section 6.3: the slack H and the dimension after preprocessing differ by data set.
SOFT_SVM = Entrant(
    "soft-svm",
    "soft-SVM",
    "passive",
    {"predict_with": "soft_svm", "regularization": 1e-3},
    paper="soft-SVM",
)
IWAL = Entrant("iwal", "IWAL", "iwal", {"norm": 1000**0.5}, paper="IWAL")


def lifted(slack: float, dimension: int) -> tuple[Entrant, ...]:
    """Return the field of Section 6.3 for one data set: ALuMA projected, and without projection."""
    return (
        Entrant("aluma-lifted", "ALuMA lifted", "aluma", {"slack": slack}),
        Entrant(
            "aluma-projected",
            "ALuMA projected",
            "aluma",
            {"slack": slack, "dimension": dimension, "alpha": 1.0},
            paper="ALuMA",
        ),
        IWAL,
        SOFT_SVM,
        LOGISTIC,
    )
