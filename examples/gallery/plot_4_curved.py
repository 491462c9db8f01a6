"""
A curved boundary, by a kernel
==============================

Two rings: no straight line separates them. With ``kernel="rbf"`` the learner cuts the halfspaces of
the kernel's features, and those are curved in the plane. The background is the share of votes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

import aluma

X, y = make_circles(400, noise=0.09, factor=0.5, random_state=0)
learner = aluma.ALuMA(X, kernel={"name": "rbf", "gamma": 2.0}, classes=(0, 1), promise="credible")

# %%
# The same learner after 8, 16 and 32 answers. Open circles were asked about: they gather where the
# boundary must be.

across = np.linspace(-1.6, 1.6, 60)
grid = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)

figure, row = plt.subplots(1, 3, figsize=(10, 3.6))
for axes, answers in zip(row, (8, 16, 32), strict=True):
    aluma.run(learner, y, budget=answers - learner.n_answers)
    share = learner.predict_proba(grid)[:, 1].reshape(60, 60)
    axes.contourf(across, across, share, levels=np.linspace(0, 1, 11), cmap="RdBu", alpha=0.5)
    axes.contour(across, across, share, levels=[0.5], colors="k", linewidths=1)
    axes.scatter(*X.T, s=6, c=np.where(y == 1, "#08519C", "#A63603"), lw=0)
    axes.scatter(*X[learner.answered].T, s=46, facecolor="none", edgecolor="k", lw=1.1)
    wrong = (learner.predict() != y).mean()
    axes.set_title(f"{learner.n_answers} answers, {wrong:.1%} wrong", fontsize=11)
    axes.set(xticks=[], yticks=[], aspect="equal")
