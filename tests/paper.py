"""The paper's learner: halfspaces that agree with every answer, and no labels spent on checks."""

from functools import partial

from aluma.learners.aluma import ALuMA
from aluma.learners.settings import PAPER

paper = partial(ALuMA, **PAPER)
