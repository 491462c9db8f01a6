"""Normal numbers in float32 follow the normal law, and are independent of each other."""

import numpy as np
import pytest
from scipy.stats import binom, chi2, kstest, norm

from aluma.arrays import Floats
from aluma.sampling.normals import LOGARITHM, _box_muller, normals
from evidence import caught, generator, holds, stream, two_sided


def drawn(seed: int, more: int, rows: int = 400, columns: int = 501) -> Floats:
    return normals(stream(seed), (rows * more, columns)).astype(np.float64)


def tails(x: Floats) -> list[float]:
    """Return p-values of how many numbers are beyond some limits."""
    limits = np.array([1.0, 2.0, 3.0, 4.0])
    found = np.array([(np.abs(x) > one).sum() for one in limits])
    law = binom(x.size, 2 * norm.sf(limits))
    return np.minimum(1.0, 2 * np.minimum(law.cdf(found), law.sf(found - 1))).tolist()


def fits(x: Floats) -> list[float]:
    variance = chi2(x.size).cdf((x**2).sum())
    return [kstest(x.ravel(), "norm").pvalue, 2 * min(variance, 1 - variance), *tails(x)]


def test_they_are_normal() -> None:
    holds(lambda seed, more: fits(drawn(seed, more)))


def test_a_law_that_is_wider_by_half_a_percent_would_be_seen() -> None:
    caught(lambda seed, more: fits(1.005 * drawn(seed, more, rows=1600)))


def test_partners_know_nothing_of_each_other() -> None:
    """The cosine and the sine of one angle, and neighbours; also their squares and signs."""

    def look(seed: int, more: int) -> list[float]:
        x = drawn(seed, more).ravel()
        half = len(x) // 2
        found = []
        for one, other in ((x[:half], x[half:]), (x[:-1], x[1:])):
            for change in (lambda a: a, lambda a: a**2 - 1, np.sign):
                a, b = change(one), change(other)
                found.append(a @ b / np.sqrt((a**2).sum() * (b**2).sum() / len(a)))
        return two_sided(np.array(found)).tolist()

    holds(look)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 5), (256, 100)])
def test_shapes(shape: tuple[int, int]) -> None:
    found = normals(generator(0), shape)
    assert found.shape == shape
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, normals(generator(0), shape))


def test_they_are_what_the_bits_say() -> None:
    """Against float64: the ends of the range, its middle, and whatever lies between."""
    assert len(LOGARITHM) == 8
    rng = generator(1)
    bits, turns = rng.integers(0, 2**32, (2, 100_000), dtype=np.uint32)
    bits[:4] = 0, 2**32 - 1, 2**31, 2**31 - 1
    one, other = np.empty((2, len(bits)), dtype=np.float32)
    _box_muller(bits, turns, one, other)
    u = ((bits >> 9) + 0.5) / 2**23
    length = np.sqrt(-2 * np.log(u))
    np.testing.assert_allclose(np.hypot(one.astype(float), other), length, rtol=2e-6)
    angle = ((turns & 0x7FFFFF) + 0.5 - 2**22) / 2**23 * np.pi / 2
    crosswise = (turns >> 23) & 1 == 1
    cosine = np.where(crosswise, np.sin(angle), np.cos(angle))
    sine = np.where(crosswise, np.cos(angle), np.sin(angle))
    signs = 1.0 - 2.0 * ((turns >> 24) & 1), 1.0 - 2.0 * ((turns >> 25) & 1)
    np.testing.assert_allclose(one, signs[0] * length * cosine, atol=2e-6)
    np.testing.assert_allclose(other, signs[1] * length * sine, atol=2e-6)
