"""The paper's theory as experiments, each a declaration."""

from __future__ import annotations

from functools import partial

from aluma.lab.entrants import (
    ALUMA,
    ALUMA_PAPER,
    CAL,
    DETERMINED,
    DETERMINED_SPLIT,
    ERM,
    QBC,
    TK,
)
from aluma.lab.experiments import problems
from aluma.lab.experiments.declaration import Calculation, Scale, Size, Tournament
from aluma.lab.experiments.theory import circles, earlier, guarantee, line, packing

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
SAMPLED_CIRCLES = Tournament(
    name="sampled-circles",
    title="Two circles: a small sample holds no helpful points",
    where="Theorem 20, part 1, Section 6.1",
    claim="From m = O(1/ε) unlabelled examples, any active learner needs Ω(1/ε) labels.",
    notes="The distinct points of m draws from D_ε, 1/ε = 46, the top circle all positive. Labels "
    "until every label of the top circle in the pool follows. Of the bottom circle, m draws hold "
    "0.001 m points in the mean: none of them, usually, until m is about 20/ε.",
    seeds={"full": 5, "quick": 1, "tiny": 1},
    problem=partial(problems.sampled_circles, 46),
    parameter="m",
    entrants=(ALUMA, ALUMA_PAPER, TK, QBC, CAL, ERM),
    sizes={
        "full": Size((46, 460, 4600, 46_000, 460_000), 92),
        "quick": Size((46, 4600), 92, hypotheses=300),
        "tiny": Size((46,), 46, hypotheses=100),
    },
    prove=True,
    summarised=False,
)
OPPOSITE = Calculation(
    name="opposite-points",
    title="Two circles: two labels above settle the top circle",
    where="Lemma 21, Section 6.1",
    claim="Given the bottom circle, if the two opposite points of the top circle that are farthest "
    "along it have one label, then all of the top circle has.",
    notes="How many labels of the top circle follow from the answers, by linear programs; "
    "one less is without the second of the two (a minus farthest right leaves no room for a plus).",
    seeds=ONCE,
    compute=circles.opposite_points,
    parameter="1/ε",
    values={
        "full": (10, 22, 46, 94, 190, 382),
        "quick": (10, 22),
        "tiny": (10,),
    },
)
PACKING = Calculation(
    name="packing",
    title="A margin alone is not enough",
    where="Example 2, Section 2",
    claim="For any m = O(1/γ^d) there are m points on the sphere, each of which a halfspace cuts "
    "off with margin γ: if all are positive, all m must be asked.",
    notes="Evenly spaced in the plane, otherwise drawn at random and kept if far enough apart. "
    "That everything must be asked holds. The size does not: caps around the points do not "
    "overlap, so that m is at most of the order of γ^(-(d-1)/2); claimed is 1/γ^d.",
    seeds={"full": 5, "quick": 1, "tiny": 1},
    compute=packing.margin_packing,
    parameter="d, γ",
    values={
        "full": ("2-0.1", "2-0.01", "2-0.001", "3-0.2", "3-0.1", "3-0.05", "3-0.02", "4-0.2"),
        "quick": ("2-0.1", "2-0.01", "3-0.1"),
        "tiny": ("2-0.1",),
    },
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
EARLIER = Calculation(
    name="earlier-bounds",
    title="The bounds before: Dasgupta, Golovin and Krause",
    where="Section 3 and Section 4",
    claim="Earlier bounds depend on p_min, the least probable labeling; where the target is far "
    "more probable, the paper's is stronger.",
    notes="OPT_avg and OPT_max by dynamic programming. Dasgupta: 4 OPT_avg ln(1/p_min) on average; "
    "Golovin and Krause: 2 OPT_max ln(1/p_min) in the worst case; the paper: Theorem 5, for the "
    "likeliest target, in the mean over targets, and for the least likely one. All at α = 1. On "
    "the grid, ln p_min is to be compared with ln (c/d)^(d²).",
    seeds={"full": 5, "quick": 1, "tiny": 1},
    compute=earlier.compare_bounds,
    parameter="class",
    values={
        "full": (
            *("line-60", "plane-12", "plane-24", "space-8", "octahedron-4", "circle-8"),
            *("halving-8", "halving-16"),
        ),
        "quick": ("line-30", "plane-12", "octahedron-3", "halving-8"),
        "tiny": ("line-10", "plane-6"),
    },
)
DETERMINING = Tournament(
    name="determining",
    title="The open question: ask what determines most labels",
    where="Section 2",
    claim="It is unclear whether a query whose answer would determine most labels can be "
    "competitive; an important topic for future work.",
    notes="Octahedra, spheres with 300 directions in d dimensions, and 500 digits (4 vs 7, by 25 "
    "principal components, labelled by a halfspace fitted to them). A label counts as determined "
    "when 1,000 hypotheses agree on it. Where all questions determine as much, the random order "
    "decides, or the most even split.",
    seeds={"full": 5, "quick": 1, "tiny": 1},
    problem=problems.to_determine,
    parameter="example",
    entrants=(ALUMA_PAPER, TK, DETERMINED, DETERMINED_SPLIT, CAL, ERM),
    sizes={
        "full": Size(
            ("octahedron-6", "octahedron-8", "sphere-5", "digits", "sphere-20", "octahedron-10"),
            (76, 272, 300, 300, 300, 400),
        ),
        "quick": Size(("octahedron-5", "sphere-5"), 40, hypotheses=300),
        "tiny": Size(("octahedron-3",), 14, hypotheses=100),
    },
    until_right=True,
    every=500,
    summarised=False,
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
