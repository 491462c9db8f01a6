"""
The paper's table in small
==========================

Table 1 of the paper counts the labels that five learners need until every example of an octahedron
is labelled right. The printed ones have 10, 12 and 15 dimensions; here they have 4 to 7, which
takes seconds. ``aluma reproduce`` runs all experiments in full size. Needs ``aluma[lab]``.
"""

# %%
# The pool
# --------
# The vertices of the octahedron and the centres of its faces. Exactly one of the 2^d faces is
# positive: whoever looks for it face by face needs about half of them, and whoever asks about
# vertices first needs d questions to know which.

import matplotlib.pyplot as plt
import pandas as pd

from aluma.lab import datasets
from aluma.lab.contest import Contest
from aluma.lab.entrants import ALUMA_PAPER, CAL, ERM, QBC, TK
from aluma.lab.experiments import problems

print(datasets.octahedron(7))

# %%
# The contest
# -----------
# Each learner labels the pools of three seeds until all labels are right. All of them label by
# majority vote, as in the paper.

dimensions, seeds, field = (4, 5, 6, 7), 3, (ALUMA_PAPER, TK, QBC, CAL, ERM)


def needed(entrant, d, seed):
    """Return after how many labels everything was right, or the size of the pool."""
    size = 2**d + 2 * d
    contest = Contest(
        name="octahedron", problem=lambda seed: problems.octahedron(d, seed), entrants=field,
        seeds=seeds, marks=range(1, size + 1), hypotheses=300, until_right=True,
    )  # fmt: skip
    return contest.run(entrant, seed)["labels"][-1]


rows = {
    entrant.paper: {
        d: pd.Series([needed(entrant, d, seed) for seed in range(seeds)]).median()
        for d in dimensions
    }
    for entrant in field
}
table = pd.DataFrame(rows).astype(int)
table.index.name = "d"
table

# %%
# The same, drawn
# ---------------
# What the aggressive learner needs grows slowly with d. What random order (ERM) and CAL need grows
# with the number of faces, which doubles with every step. The full table, and where it differs from
# the printed one, is in :doc:`the report </reproduction>`.

figure, axes = plt.subplots(figsize=(6.5, 4))
colours = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7F7F7F")
for (name, counts), colour in zip(table.items(), colours, strict=True):
    axes.plot(counts.index, counts, marker="o", color=colour, label=name)
axes.set(xlabel="d", ylabel="labels until everything is right", yscale="log")
axes.set_xticks(dimensions)
axes.set_yticks([10, 30, 100], ["10", "30", "100"])
axes.legend(frameon=False)
