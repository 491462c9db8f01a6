"""
A teacher who is sometimes wrong
================================

One answer in twelve is the opposite of the truth. ``slack="auto"``, the default, allows for as much
contradiction as the answers need (it says when it begins to), and ``doubts`` says which of them the
boundaries dispute: those to look at again.
"""

import matplotlib.pyplot as plt
import numpy as np

import aluma

rng = np.random.default_rng(5)
X = rng.standard_normal((400, 2))
truth = np.where(X @ [1.0, 0.7] > 0.2, 1, 0)
flipped = rng.random(400) < 1 / 12
said = np.where(flipped, 1 - truth, truth)

learner = aluma.ALuMA(X, classes=(0, 1), bias=True, promise="credible", stopping="nothing_left")
aluma.run(learner, said, budget=60)

asked, doubts = learner.answered, learner.doubts()
print(f"{flipped[asked].sum()} of {len(asked)} answers were wrong")
print(f"{(learner.predict() != truth).mean():.1%} of the labels are wrong")

# %%
# Left: the background is the share of votes, faint where the boundaries disagree; rings are answers
# that were in fact wrong. Right: all answers, the most disputed first. Most wrong ones are in
# front, so looking at a dozen of sixty finds them.

BLUE, RED = "#0072B2", "#D55E00"
across = np.linspace(-3.2, 3.2, 80)
grid = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
share = learner.predict_proba(grid)[:, 1].reshape(80, 80)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), width_ratios=(1, 1.25))
left.contourf(across, across, share, levels=np.linspace(0, 1, 11), cmap="RdBu", alpha=0.4)
left.scatter(*X.T, s=5, color="#9A9A9A", lw=0)
left.scatter(*X[asked].T, s=26, color=np.where(said[asked] == 1, BLUE, RED), lw=0)
wrong = flipped[asked]
left.scatter(*X[asked[wrong]].T, s=150, facecolor="none", edgecolor="k", lw=1.3)
left.set(xticks=[], yticks=[], xlim=(-3.2, 3.2), ylim=(-3.2, 3.2), aspect="equal")
left.set_title("60 answers, rings were wrong", fontsize=11)

order = np.argsort(-doubts, kind="stable")
right.bar(np.arange(1, 61), 100 * doubts[order], color=np.where(wrong[order], "k", "#B8CFE0"))
right.set(xlabel="answers, by how disputed they are", ylabel="boundaries against it, %")
right.bar(0, 0, color="k", label="was wrong")
right.bar(0, 0, color="#B8CFE0", label="was right")
right.legend(frameon=False)
