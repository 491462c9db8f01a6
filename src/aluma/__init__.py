"""aluma: a pool labelled right with the fewest questions to a person."""

from aluma import bounds
from aluma.learners.aluma import ALuMA
from aluma.learners.base import Exhausted
from aluma.pool import Pool
from aluma.running import Trace, run
from aluma.version_space import Conflict, VersionSpace

__all__ = ["ALuMA", "Conflict", "Exhausted", "Pool", "Trace", "VersionSpace", "bounds", "run"]
