"""Every experiment that can be reproduced."""

from __future__ import annotations

from aluma.lab.experiments import paper, theorems
from aluma.lab.experiments.declaration import Experiment

#: In the order of the report.
CATALOGUE: tuple[Experiment, ...] = (
    paper.OCTAHEDRON,
    paper.OCTAHEDRON_15,
    paper.MNIST_35,
    paper.MNIST_47,
    paper.QBC_VOTE,
    paper.PCMAC,
    paper.UNIFORM_10,
    paper.UNIFORM_100,
    paper.COMPONENTS_35,
    paper.COMPONENTS_47,
    paper.W1A,
    paper.IWAL_SCALE,
    paper.IWAL_CONSTANTS,
    paper.IWAL_STEPS,
    paper.PROJECTED_MARGIN,
    theorems.LINE,
    theorems.MARGINS,
    theorems.APPROXIMATE,
    theorems.TWO_CIRCLES,
    theorems.SAMPLED_CIRCLES,
    theorems.OPPOSITE,
    theorems.CIRCLE,
    theorems.PACKING,
    theorems.GAP,
    theorems.LOWER_BOUND,
    theorems.GUARANTEE,
    theorems.EARLIER,
    theorems.FACTOR,
    theorems.DETERMINING,
)
