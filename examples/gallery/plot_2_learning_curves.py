"""
How few labels are enough
=========================

Handwritten threes and eights, which come with scikit-learn. The labels are known here and hidden
from the learners, so that it can be seen how much of the pool is labelled wrong after each answer.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from aluma.lab.comparison import compare
from aluma.lab.names import colour, title

digits = load_digits()
few = (digits.target == 3) | (digits.target == 8)
X, y = digits.data[few] - digits.data[few].mean(axis=0), digits.target[few]

names = ["aluma", "simple_margin", "passive"]
found = compare(X, y, names, repeats=2, budget=60)

# %%
# One line a run, with a dot where all labels are right. Both learners that choose their questions
# get there within some thirty labels; examples in random order leave a few per cent wrong after
# sixty. ALuMA is the steadier one in the first ten.

figure, axes = plt.subplots(figsize=(8, 4))
for run in found.runs:
    tone, wrong = colour(run.strategy), 100 * run.errors
    label = title(run.strategy) if run.seed == 0 else None
    axes.plot(range(1, len(wrong)), wrong[1:], color=tone, label=label, lw=2.2, alpha=0.8)
    if not wrong[-1]:
        axes.plot((wrong > 0).nonzero()[0][-1] + 1, 0, "o", color=tone, clip_on=False, zorder=3)
axes.set(xlabel="labels", ylabel="of the pool labelled wrong, %", ylim=(0, 25), xlim=(0, 60))
axes.grid(axis="y")
axes.legend(frameon=False)

for name in names:
    print(f"{title(name)}: at most 1% wrong after {found.needed(name, 0.01)} labels, by run")
