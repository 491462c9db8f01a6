"""aluma: a pool labelled right with the fewest questions to a person."""

from aluma import bounds
from aluma.errors import Conflict, Exhausted
from aluma.estimator import ActiveClassifier
from aluma.learners.aluma import ALuMA
from aluma.learners.cal import CAL
from aluma.learners.committee import QueryByCommittee
from aluma.learners.iwal import IWAL
from aluma.learners.learner import Learner
from aluma.learners.passive import Passive
from aluma.learners.simple_margin import SimpleMargin
from aluma.pool import Pool
from aluma.promises.certificate import Certificate
from aluma.running import Trace, run
from aluma.spaces.version_space import VersionSpace

__all__ = [
    "CAL",
    "IWAL",
    "ALuMA",
    "ActiveClassifier",
    "Certificate",
    "Conflict",
    "Exhausted",
    "Learner",
    "Passive",
    "Pool",
    "QueryByCommittee",
    "SimpleMargin",
    "Trace",
    "VersionSpace",
    "bounds",
    "run",
]
