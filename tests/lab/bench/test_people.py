"""The benchmark of people, small: what it measures can fail, and the consensus is worth having."""

import io

import numpy as np
from rich.console import Console

from aluma.lab.bench import people


def quiet() -> Console:
    return Console(file=io.StringIO())


def test_the_likeliest_answers_are_righter_than_the_first():
    made = [people.made_up(seed, 2) for seed in range(3)]
    first = np.mean([people.wrong(one, people.first_answers(one)) for one in made])
    likely = np.mean([people.wrong(one, people.likeliest(one)) for one in made])
    # Of 250 examples about 8% are wrong at first, and about half of that in the end.
    assert 0.04 < first < 0.14
    assert likely < first


def found(errors):
    estimates = [
        {"name": who, "error": {"mean": e, "low": max(e - 0.05, 0), "high": e + 0.05}}
        for who, e in errors.items()
    ]
    pairs = [{"one": "five", "other": "twenty", "both": 40, "same": 31, "kappa": 0.5}]
    return {"people": estimates, "pairs": pairs, "alpha": 0.7}


def test_errors_and_agreement_that_were_not_put_in_are_noticed():
    rng = np.random.default_rng(0)
    given = [
        people.Pressed(who, i, "yes", bool(rng.random() >= error))
        for who, error in people.ERRORS.items()
        for i in range(200)
    ]
    assert people._as_put_in(quiet(), found(people.ERRORS), given)
    swapped = dict(zip(people.ERRORS, reversed(people.ERRORS.values()), strict=True))
    assert not people._as_put_in(quiet(), found(swapped), given)
    never = found(people.ERRORS)
    never["pairs"][0]["same"] = 3
    assert not people._as_put_in(quiet(), never, given)
