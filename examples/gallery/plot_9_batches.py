"""
Several questions at once
=========================

Where answers come slowly, ask for a batch. ``ask(8)`` gives eight examples that are informative
together. The eight most even splits, each chosen by itself, ask in part the same thing twice.
"""

import matplotlib.pyplot as plt
import numpy as np

import aluma

rng = np.random.default_rng(2)
X = rng.standard_normal((500, 2))
y = X @ [0.9, -0.5] > 0.3
# A bias of 1, so that a boundary is where w[0] x + w[1] y + w[2] = 0.
learner = aluma.ALuMA(X, classes=(False, True), bias=1.0, promise="credible", slack=0)
aluma.run(learner, y, budget=3)

batch = learner.ask(8)
yes = learner.predict_proba()[:, 1]
even = np.argsort(np.abs(yes - 0.5))[:8]


def expected_left(chosen):
    """Return the share of the boundaries that is expected to agree with all answers."""
    W = learner.population.hypotheses()
    said = W @ np.hstack([X[chosen], np.ones((len(chosen), 1))]).T > 0
    counts = np.unique(said, axis=0, return_counts=True)[1]
    return ((counts / len(W)) ** 2).sum()


# %%
# Rings are the questions, lines some of the boundaries that are left.

figure, row = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True)
across = np.array([-3.5, 3.5])
for axes, chosen, name in zip(
    row, (even, batch), ("the eight most even splits", "ask(8)"), strict=True
):
    for w in learner.population.hypotheses()[:40]:
        axes.plot(across, -(w[0] * across + w[2]) / w[1], color="#E0E0E0", lw=0.8, zorder=1)
    points = axes.scatter(*X.T, s=12, c=yes, cmap="RdBu", vmin=0, vmax=1, lw=0, zorder=2)
    axes.scatter(*X[chosen].T, s=110, facecolor="none", edgecolor="k", lw=1.5, zorder=3)
    axes.set_title(f"{name}: {expected_left(chosen):.0%} left", fontsize=11)
    axes.set(xlim=(-3.2, 3.2), ylim=(-3.2, 3.2), xticks=[], yticks=[], aspect="equal")
figure.colorbar(points, ax=row, label="share of votes for yes", shrink=0.8)
