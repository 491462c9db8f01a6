"""Questions about several classes, against sums that are written out."""

from itertools import permutations

import numpy as np

from aluma.pool import Pool
from aluma.scoring.many import (
    choose_among_classes,
    choose_classes_batch,
    class_counts,
    expected_disagreement,
    split_of,
)
from evidence import generator


def test_disagreement_left_is_the_mean_over_answers_witnesses_and_pairs() -> None:
    rng = generator(1)
    candidates, witnesses = rng.integers(0, 3, (5, 12)), rng.integers(0, 3, (4, 12))
    found = expected_disagreement(candidates, witnesses, 3)
    for row, votes in enumerate(candidates):
        total = 0.0
        for answer in range(3):
            kept = np.flatnonzero(votes == answer)
            pairs = list(permutations(kept, 2))
            differ = [np.mean([w[a] != w[b] for w in witnesses]) for a, b in pairs]
            # Of a single hypothesis nothing is known to differ, and it counts as if all did.
            total += len(kept) / 12 * (np.mean(differ) if pairs else float(len(kept) > 0))
        np.testing.assert_allclose(found[row], total, rtol=1e-5)


def test_of_two_classes_the_split_is_that_of_the_paper() -> None:
    p = np.linspace(0, 1, 11)
    np.testing.assert_allclose(split_of(np.stack([p, 1 - p], axis=1)), p * (1 - p))
    assert split_of(np.array([[0.4, 0.4, 0.2]])) == 0.25


def test_the_greedy_choice_is_the_nearest_tie() -> None:
    rng = generator(2)
    X, matrices = rng.standard_normal((60, 3)), rng.standard_normal((80, 4, 3)).astype(np.float32)
    pool, eligible = Pool(X), np.ones(60, dtype=bool)
    eligible[:10] = False
    choice = choose_among_classes(pool, matrices, eligible, generator(3), alpha=1.0)
    splits = split_of(class_counts(pool, matrices) / 80)
    assert choice.index >= 10
    assert splits[choice.index] == splits[10:].max()
    loose = choose_among_classes(pool, matrices, eligible, generator(3), alpha=1.2)
    assert 1.2 * splits[loose.index] >= splits[10:].max()


def test_a_batch_holds_no_copies() -> None:
    rng = generator(4)
    X = np.repeat(rng.standard_normal((10, 3)), 4, axis=0)
    matrices = rng.standard_normal((60, 3, 3)).astype(np.float32)
    eligible = np.ones(40, dtype=bool)
    batch = choose_classes_batch(Pool(X), matrices, eligible, 6, generator(5), first=8)
    assert batch[0] == 8
    assert len({int(i) // 4 for i in batch}) == 6
