"""
More than two answers
=====================

Three kinds of wine in the plane of their two main components. There is one version space for all
classes together, so a question about two of them tells something about the third.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

import aluma

X, y = load_wine(return_X_y=True)
X = PCA(2, random_state=0).fit_transform(scale(X))
names = np.array(["barolo", "grignolino", "barbera"])

learner = aluma.ALuMA(X, classes=tuple(names), bias=True, promise="credible")
aluma.run(learner, names[y], budget=18)
print(f"{(learner.predict() != names[y]).mean():.1%} wrong after {learner.n_answers} answers")

# %%
# The colour is a mixture by the shares of votes; grey is where the boundaries disagree.

colours = np.array([[0, 114, 178], [0, 158, 115], [213, 94, 0]]) / 255
low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
across, up = (np.linspace(low[k], high[k], 70) for k in range(2))
grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
mixed = (learner.predict_proba(grid) @ colours).reshape(70, 70, 3)

figure, axes = plt.subplots(figsize=(7, 4.6))
axes.imshow(0.45 * mixed + 0.55, origin="lower", extent=(low[0], high[0], low[1], high[1]))
for k, name in enumerate(names):
    axes.scatter(*X[y == k].T, s=14, color=colours[k], label=name, lw=0)
axes.scatter(*X[learner.answered].T, s=70, facecolor="none", edgecolor="k", lw=1.2, label="asked")
axes.set(xlabel="first component", ylabel="second component", aspect="equal")
axes.legend(loc="lower right", frameon=False)
