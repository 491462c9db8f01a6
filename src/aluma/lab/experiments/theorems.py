"""The paper's theory as experiments, each a declaration."""

from __future__ import annotations

from aluma.lab.entrants import ALUMA, ALUMA_PAPER, CAL, ERM, QBC, TK
from aluma.lab.experiments import problems
from aluma.lab.experiments.declaration import Calculation, Scale, Size, Tournament
from aluma.lab.experiments.theory import guarantee, line

MANY: dict[Scale, int] = {"full": 10, "quick": 2, "tiny": 2}
FIVE: dict[Scale, int] = {"full": 5, "quick": 2, "tiny": 2}
ONCE: dict[Scale, int] = {"full": 1, "quick": 1, "tiny": 1}

LINE = Calculation(
    name="line",
    title="Thresholds on the line: three ways to search",
    where="Theorem 18, Section 6.1",
    claim="Binary search needs ⌈log m⌉ labels; volume-greedy needs O(log 1/γ), so it wins where "
    "the margin is wide and loses where it is tiny.",
    notes="Exact: version spaces are intervals. Wide: a gap of half the line around the target. "
    "Halving: points at 1/2, 1/4, 1/8, ..., the target below them. Scattered: uniform points and "
    "target. The adversary takes the leftmost point that 2-approximate greediness allows.",
    seeds={"full": 200, "quick": 20, "tiny": 2},
    compute=line.compare_rules,
    parameter="pool",
    values={
        "full": tuple(
            f"{family}-{2**i}" for family in ("wide", "halving", "scattered") for i in range(2, 11)
        ),
        "quick": tuple(
            f"{family}-{2**i}" for family in ("wide", "halving", "scattered") for i in (2, 4, 6, 8)
        ),
        "tiny": ("wide-8", "halving-8", "scattered-8"),
    },
)
MARGINS = Calculation(
    name="margins",
    title="Thresholds on the line: labels against the margin",
    where="Theorem 18, Section 6.1",
    claim="Exact greedy needs at most 2 log(1/P(h)) / log(3/2) labels, whatever the pool.",
    notes="Targets all over pools whose points crowd at 0, from the narrowest gap to the widest.",
    seeds={"full": 10, "quick": 3, "tiny": 1},
    compute=line.margins,
    parameter="m",
    values={"full": (1000,), "quick": (300,), "tiny": (30,)},
)
APPROXIMATE = Calculation(
    name="approximate",
    title="Approximate greed, with and without the majority vote",
    where="Theorems 5 and 6, Section 4",
    claim="An α-approximately greedy learner may need m labels although P(h) = 1/2 and "
    "OPT_max = ⌈log m⌉; if it outputs a majority vote, O(α log(1/P(h)) OPT_max) always suffice.",
    notes="The pool and the adversary of the proof, exactly.",
    seeds=ONCE,
    compute=line.with_and_without_vote,
    parameter="α, m",
    values={
        "full": tuple(f"{a}-{2**i}" for a in ("1.5", "2", "4") for i in range(3, 10)),
        "quick": tuple(f"{a}-{2**i}" for a in ("2", "4") for i in (3, 5, 7)),
        "tiny": ("2-8",),
    },
)
TWO_CIRCLES = Tournament(
    name="two-circles",
    title="Two circles: what a few helpful points are worth",
    where="Theorem 20, Section 6.1",
    claim="With enough unlabelled points ALuMA needs O(log² 1/ε) labels, CAL Ω(1/ε).",
    notes="The support of D_ε, met in the order of an i.i.d. sample; the top circle is all "
    "positive. Counted are labels until every label of the top circle follows from the answers, "
    "which is what CAL asks for, and until the vote has it right. All positive is the most "
    "probable labeling, so the vote has it right almost at once, whoever asks.",
    seeds=FIVE,
    problem=problems.two_circles,
    parameter="1/ε",
    entrants=(ALUMA, ALUMA_PAPER, TK, QBC, CAL, ERM),
    sizes={
        "full": Size((10, 22, 46, 94, 190, 382), 2000),
        "quick": Size((10, 22, 46), 92, hypotheses=300),
        "tiny": Size((10,), 20, hypotheses=100),
    },
    prove=True,
    summarised=False,
)
CIRCLE = Tournament(
    name="circle",
    title="Dasgupta's circle: nobody can do well",
    where="Example 1, Section 2",
    claim="To tell all negative from all but one, any learner asks about every point.",
    notes="One point, random for every seed, is positive. A learner that asks about half of the "
    "points before it meets the odd one does as well as any.",
    seeds=MANY,
    problem=problems.top_circle,
    parameter="points",
    entrants=(ALUMA, ALUMA_PAPER, TK, QBC, CAL, ERM),
    sizes={
        "full": Size((10, 22, 46, 94, 190), 200),
        "quick": Size((10, 22), 22, hypotheses=300),
        "tiny": Size((10,), 10, hypotheses=100),
    },
    until_right=True,
    every=500,
    summarised=False,
)
GAP = Tournament(
    name="octahedron-gap",
    title="Octahedron: the exponential gap of CAL",
    where="Theorem 23, Section 6.1",
    claim="d labels suffice; CAL needs at least (2^d + d) / (2d + 3) with probability 1/e or more.",
    notes="As in the experiment, with negative vertices and all halfspaces as hypotheses; labels "
    "until everything is right.",
    seeds=FIVE,
    problem=problems.octahedron,
    parameter="d",
    entrants=(ALUMA, ALUMA_PAPER, QBC, CAL),
    sizes={
        "full": Size((4, 5, 6, 7, 8, 9, 10, 11), 2070),
        "quick": Size((4, 5, 6), 76, hypotheses=300),
        "tiny": Size((3, 4), 24, hypotheses=100),
    },
    until_right=True,
    every=500,
    growth=1.02,
    summarised=False,
)
LOWER_BOUND = Tournament(
    name="lower-bound",
    title="The pool where greed asks about everything",
    where="Theorem 11, Section 4 and appendix",
    claim="An exact greedy learner needs Ω(log 1/γ) labels, the best only O(log log 1/γ).",
    notes="m points at angles π/2^i on a grid, m about ln(1/γ); the target has the smallest "
    "margin. Labels until everything is right, and until it is certain.",
    seeds=MANY,
    problem=problems.lower_bound,
    parameter="m",
    entrants=(ALUMA, ALUMA_PAPER, TK, QBC, CAL, ERM),
    sizes={
        "full": Size((2, 4, 8, 16, 32), 32),
        "quick": Size((2, 4, 8), 8, hypotheses=300),
        "tiny": Size((4,), 4, hypotheses=100),
    },
    prove=True,
    summarised=False,
)
GUARANTEE = Calculation(
    name="guarantee",
    title="Greedy against the best possible learner, exactly",
    where="Theorem 5, Section 4",
    claim="α (2 ln(1/P(h)) + ln(β / (1-β))) OPT_max labels always suffice.",
    notes="OPT_max by dynamic programming over all version spaces; P(h) by angles and areas; "
    "α = 1, β = 2/3. Tiny pools have bounds above m, which say nothing; the line has not.",
    seeds={"full": 10, "quick": 2, "tiny": 1},
    compute=guarantee.label_bound,
    parameter="class",
    values={
        "full": (
            *("line-1000", "plane-12", "plane-24", "space-8", "space-10", "space-12"),
            *("octahedron-4", "octahedron-6", "circle-8", "circle-12", "halving-16"),
        ),
        "quick": ("line-300", "plane-12", "space-8", "octahedron-4", "circle-8", "halving-8"),
        "tiny": ("line-30", "plane-6", "space-5", "octahedron-3", "circle-4"),
    },
)
FACTOR = Calculation(
    name="greedy-factor",
    title="The greedy factor: stated and true",
    where="Lemma 13 and Theorem 16, Section 5",
    claim="Algorithm 1 is 4-approximately greedy; Algorithm 2, where verified, 2-approximately.",
    notes="Small pools whose splits are known exactly, random targets; the factor of a run is the "
    "worst of its questions.",
    seeds={"full": 10, "quick": 2, "tiny": 1},
    compute=guarantee.greedy_factor,
    parameter="estimate, pool",
    values={
        "full": tuple(
            f"{estimate}-{pool}"
            for estimate in ("sampling", "verified", "volume")
            for pool in ("plane-24", "space-12")
        ),
        "quick": ("sampling-plane-12", "verified-plane-12", "sampling-space-8"),
        "tiny": ("sampling-plane-6",),
    },
)
