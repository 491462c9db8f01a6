"""The paper's bounds as plain functions.

Theorems and lemmas go by their numbers in Gonen, Sabato and Shalev-Shwartz, "Efficient Active
Learning of Halfspaces: an Aggressive Approach" (JMLR 14, 2013); a table of them is in
docs/bounds.md. What the paper leaves open or states loosely (the constant of the random projection,
the run-time check of Algorithm 2, the vertex in Lemma 10) is proved there.

A margin is always the normalised one, min over the pool of y <w, x> / (|w| |x|), except where a
slack comes with it: there rows lie in the unit ball and the margin is that of y <w, x>.
"""

import math
import operator
from collections.abc import Callable
from numbers import Real
from typing import SupportsIndex

ALUMA_ALPHA = 4.0
"""Greedy factor of Algorithm 1 (Lemma 13, greedy by estimated volumes)."""

ALUMA_BETA = 2 / 3
"""Level of Algorithm 1's approximate majority vote (Lemma 15, the vote by sampling)."""

LARGEST_LAMBDA = 1 / math.sqrt(32)
"""From here on not even a perfectly even split passes `verified_factor`."""

MOST_BITS = 100_000
"""Whole numbers of more bits than this are not worked out: it would take hours."""


def budget(
    opt_max: float,
    *,
    probability: float | None = None,
    log_probability: float | None = None,
    margin: float | None = None,
    dimension: SupportsIndex | None = None,
    alpha: float = ALUMA_ALPHA,
    beta: float = ALUMA_BETA,
    greedy_every: SupportsIndex = 1,
) -> int:
    """Labels after which an approximately greedy learner must have the whole pool right.

    Theorem 5 (labels that greed needs): T >= alpha (2 ln(1/P(h)) + ln(beta / (1 - beta))) OPT_max.
    Given a margin and a dimension instead of P(h), Corollary 9 (labels by the margin): P(h) is
    replaced by the lower bound of Lemma 8 (volume by the margin), which at the defaults is
    T >= 4 (2 d ln(2/gamma) + ln 2) OPT_max.

    Parameters
    ----------
    opt_max : float
        Labels that the best learner needs in its worst case on this pool, or an upper bound.
    probability, log_probability : float, optional
        P(h), the share of the unit ball that labels the pool as the target does, or its logarithm.
    margin, dimension : float and int, optional
        The target's margin and the number of coordinates.
    alpha : float
        Greedy factor of the learner: 4 for Algorithm 1, 2 for a verified Algorithm 2.
    beta : float
        Purity from which the learner's vote is right; 2/3 for Algorithm 1.
    greedy_every : int
        The first question is alpha-approximately greedy, and then every so many-th; those between
        may be any. 1 for the paper's learners, 4 for ALuMA with its default alpha, which asks three
        of four questions nearest to the centre once a pool is settled, and 8 with its default slack
        as well, which allows for noise in seven of eight late questions. Only greedy questions
        count towards the theorem, and no others take anything back; proof in docs/bounds.md.

    Returns
    -------
    int
        The smallest whole T. ALuMA's own failure probability delta comes on top.
    """
    by_margin = margin is not None or dimension is not None
    given = (probability is not None) + (log_probability is not None) + by_margin
    if given != 1 or (by_margin and (margin is None or dimension is None)):
        raise ValueError(
            f"got probability={probability!r}, log_probability={log_probability!r}, "
            f"margin={margin!r}, dimension={dimension!r}, but P(h) must be known in exactly one "
            "way: pass probability, or log_probability, or both margin and dimension"
        )
    if margin is not None and dimension is not None:
        log_p = log_volume_lower_bound(margin, dimension)
    else:
        log_p = _log_probability(probability, log_probability)
    _check_greedy(alpha, opt_max)
    _require(
        lambda x: 0.5 < x < 1, "beta", beta, "above 1/2 and below 1", "2/3 is Algorithm 1's level"
    )
    every = _every(greedy_every)
    greedy = math.ceil(alpha * (-2 * log_p + math.log(beta / (1 - beta))) * opt_max)
    return every * (greedy - 1) + 1


def quotient(
    t: SupportsIndex,
    alpha: float,
    opt_max: float,
    probability: float | None = None,
    *,
    log_probability: float | None = None,
    greedy_every: SupportsIndex = 1,
) -> float:
    """Lower bound on the purity P(h) / P(V_t) after t queries (Corollary 31).

    P(h)^2 / (exp(-t / (alpha OPT_max)) + P(h)^2), for every alpha-approximately greedy learner.
    The logarithm of P(h) may be given instead, for when P(h) itself underflows. With
    ``greedy_every``, as for `budget`, t is replaced by the number of greedy queries among the t.
    """
    queries = -(-_whole("t", t, 0, "count the queries made so far") // _every(greedy_every))
    _check_greedy(alpha, opt_max)
    log_p = _log_probability(probability, log_probability)
    log_odds = queries / (alpha * opt_max) + 2 * log_p
    # The larger term of the fraction is divided out, so that neither exponential overflows.
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    return math.exp(log_odds) / (1 + math.exp(log_odds))


def volume_lower_bound(margin: float, d: SupportsIndex) -> float:
    """P(h) >= (gamma / 2)^d for a target of margin gamma (Lemma 8).

    Zero once it underflows (d = 784 at any margin below 0.77): use `log_volume_lower_bound` there.
    """
    _check_margin(margin)
    return (margin / 2) ** _dimension(d)


def log_volume_lower_bound(margin: float, d: SupportsIndex) -> float:
    """Logarithm of `volume_lower_bound`: d ln(gamma / 2) (Lemma 8)."""
    _check_margin(margin)
    return _dimension(d) * math.log(margin / 2)


def grid_margin(c: float, d: SupportsIndex) -> float:
    """Smallest margin of any halfspace on a grid: at least (c / sqrt d)^(d + 2) (Lemma 10).

    For pools of non-zero examples with coordinates in {-1, -1 + c, ..., 1}, where 1/c is whole.
    The paper's proof derives more than its statement, 1 / (sqrt d (sqrt d / c)^(d + 1)), and
    bounds one column of +-1 as if it held entries of size 1/c; put right it gives
    1 / (d (sqrt d / c)^d). All three hold and agree at c = 1. This is the statement, the
    smallest; ``grid_margin(c, d) / c**2`` is the sharpest. Zero once it underflows: use
    `log_grid_margin` there.
    """
    _check_step(c)
    size = _dimension(d)
    return (c / math.sqrt(size)) ** (size + 2)


def log_grid_margin(c: float, d: SupportsIndex) -> float:
    """Logarithm of `grid_margin`: (d + 2) ln(c / sqrt d) (Lemma 10)."""
    _check_step(c)
    size = _dimension(d)
    return (size + 2) * (math.log(c) - math.log(size) / 2)


def lifted_margin(margin: float, slack: float, *, projected: bool = True) -> float:
    """Margin of a non-separable pool after Algorithm 3's preprocessing (Theorem 17).

    gamma / (2 + 2 sqrt H) after the random projection, gamma / (1 + sqrt H) before it.

    Parameters
    ----------
    margin : float
        gamma, for rows scaled into the unit ball.
    slack : float
        H >= sum of max(0, gamma - y <w, x>)^2 over the pool, for some w of the unit ball.
    projected : bool
        Whether the pool is also projected to `projection_dimension` coordinates.
    """
    _require(lambda x: 0 <= x < math.inf, "slack", slack, "finite and at least 0", "0 if separable")
    _require(
        lambda x: 0 < x <= 1 + math.sqrt(slack),
        "margin",
        margin,
        f"above 0 and at most 1 + sqrt(slack) = {1 + math.sqrt(slack):g}",
        "no vector of the unit ball reaches more; lower margin or raise slack",
    )
    lifted = margin / (1 + math.sqrt(slack))
    return lifted / 2 if projected else lifted


def projection_dimension(margin: float, slack: float, m: SupportsIndex, delta: float) -> int:
    """Coordinates k that keep half the lifted margin of m examples (Theorem 17).

    With a k-row matrix of random signs divided by sqrt k, the projected pool has margin
    `lifted_margin(margin, slack)` or more with probability 1 - delta or more. The paper says
    k = O((H + 1) ln(m / delta) / gamma^2); docs/bounds.md proves
    k = 4 ln(2 m / delta) / (tau^2 - 2 tau^3 / 3) with tau = eta / (2 - eta^2) and
    eta = gamma / (1 + sqrt H), which is about 16 ln(2 m / delta) / eta^2 and never above
    48 (H + 1) ln(2 m / delta) / gamma^2, rounded up. A k above the number of coordinates at hand
    means that projecting gains nothing.
    """
    size = _whole("m", m, 1, "count the pool's examples")
    _check_delta(delta)
    eta = lifted_margin(margin, slack, projected=False)
    tau = eta / (2 - eta**2)
    return math.ceil(4 * (math.log(2 * size) - math.log(delta)) / (tau**2 - 2 * tau**3 / 3))


def sample_size(delta: float, lam: float, T: SupportsIndex, m: SupportsIndex) -> int:
    """Hypotheses that Algorithm 2 draws each round: ceil(ln(8 T m / delta) / (2 lambda^2)).

    Over T rounds and m examples every vote share is then within lambda of its expectation except
    with probability delta / 4 (Hoeffding, Theorem 16), and within 2 lambda of its
    volume share if the draws are lambda-uniform. The fallback's volume estimates spend another
    delta / 4, the vote the remaining delta / 2.
    """
    _check_delta(delta)
    _check_lambda(lam)
    rounds = _whole("T", T, 1, "give the budget of labels")
    size = _whole("m", m, 1, "count the pool's examples")
    return math.ceil((math.log(8 * rounds * size) - math.log(delta)) / (2 * lam**2))


def vote_size(delta: float) -> int:
    """Hypotheses in Algorithm 1's final vote: M = ceil(72 ln(2 / delta)) (Lemma 15).

    delta is the algorithm's confidence parameter, of which the vote spends half.
    """
    _check_delta(delta)
    return math.ceil(72 * (math.log(2) - math.log(delta)))


def greedy_factor(q: float, lam: float, *, best: float | None = None) -> float:
    """Smallest factor for which Algorithm 2's choice is surely approximately greedy.

    u (1 - u) / ((q - 2 lambda) (1 - q + 2 lambda)) with u = min(1/2, best + 2 lambda), provided
    that all vote shares are within 2 lambda of their volume shares; infinite if q <= 2 lambda.
    It takes the place of the run-time check of Theorem 16; proof in docs/bounds.md.

    Parameters
    ----------
    q : float
        The smaller of the two vote shares of the chosen example.
    lam : float
        lambda, as given to `sample_size`.
    best : float, optional
        The largest such q in the pool, if the choice was not made by the most even vote.
    """
    _check_lambda(lam)
    _require(
        lambda x: 0 <= x <= 0.5, "q", q, "at least 0 and at most 1/2", "give the smaller vote share"
    )
    top = q if best is None else best
    _require(
        lambda x: q <= x <= 0.5,
        "best",
        top,
        f"between q={q!r} and 1/2",
        "give the pool's largest q",
    )
    least, most = q - 2 * lam, min(0.5, top + 2 * lam)
    return math.inf if least <= 0 else most * (1 - most) / (least * (1 - least))


def verified_factor(q: float, lam: float, *, best: float | None = None) -> bool:
    """Whether Algorithm 2's choice is surely 2-approximately greedy; see `greedy_factor`."""
    return greedy_factor(q, lam, best=best) <= 2


def smallest_verified_split(lam: float) -> float:
    """Smallest q for which `verified_factor` holds: about 6 lambda, 0.086 at lambda = 1/64.

    (1 + 12 lambda - sqrt(1 + 128 lambda^2)) / 2 while that is at most 1/2 - 2 lambda, and
    2 lambda + (1 - sqrt(1/2)) / 2 beyond; derived in docs/bounds.md.
    """
    _check_lambda(lam)
    off = 2 * lam
    # The root with its cancellation multiplied out, exact to rounding for tiny lambda too.
    split = (6 * off + 2 * off**2) / (1 + 6 * off + math.sqrt(1 + 32 * off**2))
    return split if split + off <= 0.5 else off + (1 - math.sqrt(0.5)) / 2


def cal_octahedron(d: SupportsIndex) -> int:
    """Labels that CAL needs on the octahedron with probability 1/e or more (Theorem 23).

    (2^d + d) / (2 d + 3), rounded up, where d labels suffice for an aggressive learner.
    """
    size = _whole("d", d, 3, "the theorem is about three dimensions or more")
    if size > MOST_BITS:
        raise ValueError(
            f"d is {size}, and the number of labels would have about {size * 0.301:.3g} digits: "
            f"it is worked out up to d={MOST_BITS}, beyond that take 2**d / (2 * d) for it."
        )
    return -(-((1 << size) + size) // (2 * size + 3))


def _require(
    holds: Callable[[float], bool], name: str, value: float, rule: str, way_out: str
) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}, but it must be a number {rule}: {way_out}")
    if not holds(value):
        raise ValueError(f"{name} is {value!r}, but it must be {rule}: {way_out}")


def _whole(name: str, value: SupportsIndex, least: int, way_out: str) -> int:
    rule = f"a whole number, at least {least}"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, but it must be {rule}: {way_out}") from None
    _require(lambda x: x >= least, name, number, rule, way_out)
    return number


def _every(greedy_every: SupportsIndex) -> int:
    return _whole("greedy_every", greedy_every, 1, "1 if every question is greedy")


def _dimension(d: SupportsIndex) -> int:
    return _whole("d", d, 1, "count the coordinates of an example, a bias included")


def _log_probability(probability: float | None, log_probability: float | None) -> float:
    if probability is not None and log_probability is None:
        way_out = "if it underflowed to 0, pass log_probability instead"
        _require(lambda x: 0 < x <= 1, "probability", probability, "in (0, 1]", way_out)
        return math.log(probability)
    if log_probability is not None and probability is None:
        way_out = "it is the natural logarithm of a probability"
        _require(
            lambda x: -math.inf < x <= 0,
            "log_probability",
            log_probability,
            "finite and at most 0",
            way_out,
        )
        return log_probability
    raise ValueError(
        f"got probability={probability!r} and log_probability={log_probability!r}, but P(h) must "
        "be known in exactly one way: pass one of the two"
    )


def _check_greedy(alpha: float, opt_max: float) -> None:
    exact = "1 is exactly greedy, 4 is Algorithm 1"
    _require(lambda x: 1 <= x < math.inf, "alpha", alpha, "finite and at least 1", exact)
    way_out = "a pool with one possible labelling needs no label"
    _require(lambda x: 1 <= x < math.inf, "opt_max", opt_max, "finite and at least 1", way_out)


def _check_delta(delta: float) -> None:
    _require(
        lambda x: 0 < x < 1, "delta", delta, "above 0 and below 1", "0.05 allows 1 failure in 20"
    )


def _check_lambda(lam: float) -> None:
    rule = f"above 0 and below 1/sqrt(32) = {LARGEST_LAMBDA:.4f}"
    way_out = "no split can be verified from there on; the paper's proof has 1/64"
    _require(lambda x: 0 < x < LARGEST_LAMBDA, "lam", lam, rule, way_out)


def _check_margin(margin: float) -> None:
    way_out = "measure it as y <w, x> / (|w| |x|)"
    _require(lambda x: 0 < x <= 1, "margin", margin, "above 0 and at most 1", way_out)


def _check_step(c: float) -> None:
    # 1/c of a true 1/n is off by rounding; 1e-9 still tells 1/3 from 0.333.
    def whole(x: float) -> bool:
        return 1e-300 < x <= 1 and math.isclose(1 / x, round(1 / x), rel_tol=1e-9)

    _require(whole, "c", c, "1/n for a whole n >= 1", "take the next finer grid of that form")
