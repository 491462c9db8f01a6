"""
Embeddings, in a notebook
=========================

Whatever your examples are, a network can turn them into vectors: sentence embeddings, the last
layer of an image model, anything. Here it is a small network that was trained to tell the digits 0
to 4 apart, and we use what it has learnt to label digits it has never seen, 5 to 9.
"""

# %%
# A network that was trained for something else
# ---------------------------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neural_network import MLPClassifier

import aluma

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00")

digits = load_digits()
images, target = digits.data / 16, digits.target
old, new = target < 5, target >= 5
network = MLPClassifier((64,), max_iter=60, tol=0.01, random_state=0).fit(images[old], target[old])

embeddings = np.maximum(0, images[new] @ network.coefs_[0] + network.intercepts_[0])
truth = target[new]
print(f"{embeddings.shape[0]} examples, each {embeddings.shape[1]} numbers")

# %%
# Centre, do not scale
# --------------------
# Embeddings are rarely centred: all of them point somewhat the same way, and halfspaces through the
# origin see little difference. ``Pool.centred`` moves the origin to their middle, without a copy.
# Their scales mean something, so they are left alone.

pool = aluma.Pool.centred(embeddings, scale=False)
learner = aluma.ALuMA(pool, bias=True, tolerance=0.1)

# %%
# Five answers are possible, and the learner need not be told which: it meets them as they are
# given. ``aluma.run`` plays the person; with a real one this is a loop of ``ask`` and ``tell``.

trace = aluma.run(learner, truth, budget=260)
print(learner.certificate())
print(f"In truth {(learner.predict() != truth).mean():.1%} are wrong, after {len(trace)} answers.")

# %%
# Where it asked
# --------------
# The pool in the plane of its two main directions, which shows a part of its 64. Checks were drawn
# at random; what was learnt from was chosen.

flat = PCA(2, random_state=0).fit_transform(embeddings)
check = np.array([event.check > 0 for event in learner.history])
asked = learner.answered

figure, axes = plt.subplots(figsize=(7.5, 5))
for digit, colour in zip(range(5, 10), COLOURS, strict=True):
    axes.scatter(*flat[truth == digit].T, s=12, color=colour, alpha=0.5, lw=0, label=str(digit))
learnt = flat[asked[~check]].T
axes.scatter(*learnt, s=44, facecolor="none", edgecolor="k", lw=1, label="learnt from")
axes.scatter(*flat[asked[check]].T, s=24, marker="x", color="k", lw=0.8, label="checked")
axes.axis("off")
axes.legend(frameon=False, ncols=2, fontsize=9)

# %%
# A person at the keys
# --------------------
# This page is a notebook too: download it below. There the last line of a cell may be a widget
# (``pip install 'aluma[notebook]'``): it shows the image, takes an answer by a key, draws the curve
# and puts up the stop sign when the labels have passed their checks. Nobody is at the keys while
# this page is built, so they are pressed for them.

from aluma.adapters.notebook import Labeller

mine = aluma.ALuMA(pool, classes=(5, 6, 7, 8, 9), bias=True)
labeller = Labeller(mine, digits.images[new], question="Which digit is it?")
for _ in range(12):  # in a notebook: labeller, as the last line of the cell
    labeller.answer(truth[labeller.state["card"]["example"]])
print(f"{mine.n_answers} answers. {labeller.state['headline']}")

# %%
# .. image:: /images/jupyterlab.png
#    :alt: The widget in JupyterLab, here about points in the plane
#
# Look at ``mine.predict()`` or ``mine.certificate()`` in other cells whenever you like. With a
# :class:`aluma.Session` in place of the learner, every answer is on the disk as well.
#
# From a file of embeddings to the page
# -------------------------------------
# Saved with ``np.save("embeddings.npy", embeddings)``, the same is
#
# .. code-block:: bash
#
#    aluma label embeddings.npy --table texts.csv --answers 5,6,7,8,9
#
# which shows the rows of ``texts.csv`` and learns from the embeddings.
