"""
A teacher who is sometimes wrong
================================

One answer in twelve is the opposite of the truth. ``slack="auto"``, the default, allows for as much
contradiction as the answers need, and ``doubts`` says which of them the boundaries dispute: those
to look at again.
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
# Large marks are answers that most boundaries dispute. Rings are those that were in fact wrong.

figure, axes = plt.subplots(figsize=(6, 5))
axes.scatter(*X.T, s=8, color="#D0D0D0", lw=0)
colours = np.where(said[asked] == 1, "#0072B2", "#D55E00")
axes.scatter(*X[asked].T, s=20 + 160 * doubts, color=colours, alpha=0.75, lw=0)
wrong = asked[flipped[asked]]
axes.scatter(*X[wrong].T, s=260, facecolor="none", edgecolor="k", lw=1.2, label="answered wrong")
axes.set(xlabel="first feature", ylabel="second feature", aspect="equal")
axes.legend(frameon=False, loc="upper left")
