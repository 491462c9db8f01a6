"""A passive learner, found by what CAL reads."""

import numpy as np

from aluma import CAL
from aluma.lab import datasets
from aluma.lab.construct import construct
from aluma.lab.play import play
from aluma.lab.problem import Problem
from aluma.lab.reading import as_read, with_reading
from aluma.spaces.version_space import VersionSpace
from aluma.strategies.order import given_order


def test_what_cal_has_read_leaves_what_all_those_labels_would() -> None:
    data = datasets.octahedron(5, 2)
    problem, m = Problem(data.X, data.y > 0), len(data.X)
    cal = play(construct(CAL, {}, problem, 64, 7), problem, list(range(1, m + 1)))
    order = given_order(None, 7, m)
    passive = as_read(with_reading(cal, order))
    assert passive["train"] == cal["train"]
    assert passive["labels"][-1] <= m
    signs = np.where(problem.positive, 1, -1)
    for asked, read in list(zip(cal["labels"], passive["labels"], strict=True))[::8]:
        few, many = (VersionSpace(6) for _ in range(2))
        few.add(data.X[cal["asked"][:asked]], signs[cal["asked"][:asked]])
        many.add(data.X[order[:read]], signs[order[:read]])
        assert np.array_equal(few.determined(data.X), many.determined(data.X))
    assert len(cal["asked"]) < passive["labels"][-1]
