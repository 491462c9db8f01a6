"""What the paper says in a line, what to look for in our results, and why the two differ.

The first and the last are written by hand; what we find is read off the report, never typed in. All
of it together is to fit on one screen, so a line has few words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Sentences of the report that say what was found.
TRAINING_ERROR = r"Training error (after [\d,]+ labels: .*?%)\.(?= |$)"


@dataclass(frozen=True)
class Verdict:
    """A line of the table at the top of the report.

    Attributes
    ----------
    name : the experiment, in a few words; they lead to its section
    says : the paper, in a few words
    why : what explains a difference, or that nothing does
    look : a pattern whose group is what was found; without one it is a row of a table
    table, row : which, counted from 0; by default the last row of the first table
    columns : of that row, which; of a sentence, whose figures; all by default
    down : instead of a row, the column of that name, for the learners in ``columns``
    """

    name: str
    says: str
    why: str
    look: str = ""
    table: int = 0
    columns: tuple[str, ...] = ()
    row: int = -1
    down: str = ""


FIVE = ("ALuMA α=1", "TK", "QBC", "CAL", "ERM")
SOFT = ("ALuMA projected", "ALuMA lifted", "IWAL", "soft-SVM")
SAME = "as the paper"

#: By the name of the experiment.
VERDICTS: Mapping[str, Verdict] = {
    "octahedron": Verdict(
        "Octahedron",
        "ALuMA 55, TK 959, QBC 150, CAL 2,401, ERM >20,000",
        "d = 10, 12: as the paper; QBC and CAL here: next line",
        columns=FIVE,
    ),
    "octahedron-15": Verdict(
        "Octahedron, 10,000 faces",
        "the same, with all 32,768 faces",
        "all but ERM fit our ranges; ERM fits all faces only",
        columns=("ALuMA α=1", "TK", "CAL", "ERM"),
        row=0,
    ),
    "mnist-3-5": Verdict(
        "MNIST 3 vs 5",
        "ALuMA, TK: error 0 within 1,000; CAL as ERM",
        "no halfspace separates this pair",
        TRAINING_ERROR,
        columns=FIVE,
    ),
    "mnist-4-7": Verdict(
        "MNIST 4 vs 7",
        "ALuMA, TK: error 0 within 1,000; CAL as ERM",
        "near it; how the paper scaled pixels is not said",
        TRAINING_ERROR,
        columns=FIVE,
    ),
    "qbc-vote": Verdict(
        "QBC's vote",
        "a random hypothesis errs more than the vote",
        SAME,
        r"averaged over the table: (.*? times; QBC: .*? times)",
    ),
    "pcmac": Verdict("PCMAC", "ALuMA and TK do best", SAME, TRAINING_ERROR, columns=FIVE),
    "uniform-10": Verdict(
        "Sphere, d = 10", "ALuMA and TK ahead of QBC and CAL", SAME, columns=FIVE, down="1%"
    ),
    "uniform-100": Verdict(
        "Sphere, d = 100", "the same, and more so", SAME, columns=FIVE, down="1%"
    ),
    "components-3-5": Verdict(
        "3 vs 5, 25 components",
        "ALuMA improves faster than IWAL",
        "level in between; the projection costs margin",
        TRAINING_ERROR,
        columns=SOFT,
    ),
    "components-4-7": Verdict(
        "4 vs 7, 25 components",
        "ALuMA improves faster than IWAL",
        SAME,
        TRAINING_ERROR,
        columns=SOFT,
    ),
    "w1a": Verdict(
        "W1A",
        "ALuMA and IWAL alike, both ahead of soft-SVM",
        "unexplained; one reading of several agrees",
        TRAINING_ERROR,
        columns=SOFT,
    ),
    "iwal-scale": Verdict(
        "W1A, rows on one scale",
        "nothing on the scale",
        "both scaled, ahead by test errors only",
        TRAINING_ERROR,
    ),
    "iwal-constants": Verdict(
        "W1A, IWAL's constant", "nothing on it", "it does not matter here", TRAINING_ERROR
    ),
    "iwal-steps": Verdict(
        "W1A, by a few steps",
        "nothing on how it was solved",
        "steps leave the order; in %, halfspaces alone",
        columns=("iwal", "scaled", "soft svm"),
    ),
    "projected-margin": Verdict(
        "The projection's margin",
        "240 and 260 dimensions do",
        "far below what Theorem 17 asks for",
        columns=("kept", "theorem"),
        row=2,
    ),
    "line": Verdict(
        "Three ways to search",
        "volume-greedy wins where margins are wide",
        SAME,
        columns=("volume-greedy", "binary search"),
        row=8,
    ),
    "margins": Verdict(
        "Margins on the line",
        "O(log 1/γ) labels",
        SAME,
        r"targets: (greedy needs .*? never more than \d+\.\d+)",
    ),
    "approximate": Verdict(
        "Greed without the vote",
        "may ask about everything",
        SAME,
        columns=("careless output", "majority vote", "bound with vote"),
    ),
    "two-circles": Verdict(
        "Two circles", "ALuMA O(log² 1/ε), CAL Ω(1/ε)", SAME, table=1, columns=FIVE
    ),
    "sampled-circles": Verdict(
        "Two circles, few draws",
        "from m = O(1/ε) all need Ω(1/ε)",
        SAME,
        table=1,
        columns=FIVE,
        row=1,
    ),
    "opposite-points": Verdict(
        "Two circles, the lemma",
        "two labels settle the top circle",
        SAME,
        columns=("determined plus", "points"),
    ),
    "circle": Verdict("Dasgupta's circle", "nobody can do well", SAME, columns=FIVE),
    "packing": Verdict(
        "Margin packing",
        "O(1/γ^d) points, all must be asked",
        "all must; but only γ^(-(d-1)/2) fit",
        columns=("points", "claimed"),
        row=1,
    ),
    "octahedron-gap": Verdict("The gap of CAL", "CAL needs exponentially many", SAME, columns=FIVE),
    "lower-bound": Verdict(
        "Greed at its worst", "greed needs log 1/γ, the best log log", SAME, columns=FIVE
    ),
    "guarantee": Verdict(
        "Theorem 5",
        "always holds",
        SAME,
        r"(no labeling uses more than .*? allows; [\d,]+ bounds are broken)",
    ),
    "earlier-bounds": Verdict(
        "The bounds before",
        "weaker where the target is likely",
        "so it is; stronger where all are as likely",
        columns=("dasgupta mean", "golovin krause worst", "ours likeliest"),
    ),
    "greedy-factor": Verdict(
        "The greedy factor", "2 or 4 times off at most", SAME, columns=("median", "worst", "stated")
    ),
    "determining": Verdict(
        "Most labels determined",
        "open: can it be competitive?",
        "behind ALuMA, ahead of CAL; how ties fall is no matter",
        columns=("ALuMA α=1", "TK", "most determined"),
        row=3,
    ),
}
