"""
A version space being cut
=========================

Sixty examples in the plane, a straight boundary nobody knows, and the questions ALuMA asks. A
boundary with a bias is three numbers, and only their direction counts: a point on a sphere. So all
boundaries that agree with the answers can be seen, as a region of the sphere. Each answer cuts it
along a great circle, and the question is the one that cuts it most evenly.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from aluma import ALuMA

BLUE, RED, FAINT = "#0072B2", "#D55E00", "#D9D9D9"

rng = np.random.default_rng(4)
X = rng.uniform(-1, 1, size=(60, 2))
target = np.array([0.8, 0.6, 0.1])
y = np.where(X @ target[:2] + target[2] > 0, "yes", "no")
# A bias of 1, so that a boundary is where w[0] x + w[1] y + w[2] = 0.
learner = ALuMA(X, classes=("no", "yes"), bias=1.0, alpha=1, slack=0, n_hypotheses=2000)

# %%
# The sphere is looked at from the side where the right boundary is; the dots are the two
# thousand boundaries that the learner keeps, drawn evenly from all that agree with the answers.

axes_of_view = np.linalg.svd(target[None])[2][1:]


def draw_pool(axes, learner, asked):
    """Show the examples, a few boundaries that are still possible, and the next question."""
    across = np.array([-1.1, 1.1])
    for w in learner.population.hypotheses()[:40]:
        axes.plot(across, -(w[0] * across + w[2]) / w[1], color=FAINT, lw=0.8, zorder=1)
    axes.scatter(*X.T, s=14, color="white", edgecolor="#9A9A9A", lw=0.8, zorder=2)
    for i, label in zip(learner.answered, learner.answers, strict=True):
        axes.scatter(*X[i], s=34, color=BLUE if label == "yes" else RED, zorder=3)
    axes.scatter(*X[asked], s=130, marker="o", facecolor="none", edgecolor="k", lw=1.6, zorder=4)
    axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xticks=[], yticks=[], aspect="equal")


def draw_sphere(axes, learner, asked):
    """Show the boundaries that are left, and where the next question cuts."""
    W = learner.population.hypotheses()
    W = W / np.linalg.norm(W, axis=1, keepdims=True)
    near = W @ target > 0
    axes.add_patch(plt.Circle((0, 0), np.linalg.norm(target), color="#F5F5F5", zorder=0))
    scale = np.linalg.norm(target)
    says_yes = W @ np.append(X[asked], 1.0) > 0
    for side, colour in ((says_yes, BLUE), (~says_yes, RED)):
        seen = W[side & near] @ axes_of_view.T * scale
        axes.scatter(*seen.T, s=2, color=colour, alpha=0.5, lw=0)
    axes.plot(0, 0, "k+", ms=8)
    axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
    axes.axis("off")


# %%
# Above: the pool, answers in colour, the next question ringed. Below: what is still possible, blue
# where it would say yes to that question and red where no. After eight answers next to nothing is
# left to decide.

shown = (0, 1, 2, 4, 8)
figure, rows = plt.subplots(2, len(shown), figsize=(11, 4.8), layout="constrained")
for answers in range(max(shown) + 1):
    asked = learner.ask()
    if answers in shown:
        column = shown.index(answers)
        rows[0, column].set_title("no answer" if not answers else f"{answers} answers", fontsize=11)
        draw_pool(rows[0, column], learner, asked)
        draw_sphere(rows[1, column], learner, asked)
    learner.tell(asked, y[asked])
rows[0, 1].set_title("1 answer", fontsize=11)

if len(sys.argv) > 1:  # for docs/how-it-works.md: python plot_1_version_space.py PICTURE
    figure.savefig(sys.argv[1], dpi=150)
