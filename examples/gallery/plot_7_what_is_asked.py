"""
What the learner wants to know
==============================

The first questions about threes and eights, beside examples in random order. A question is an image
on which the boundaries that are left disagree most, so soon it is one that people hesitate about.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import aluma

digits = load_digits()
few = (digits.target == 3) | (digits.target == 8)
images, y = digits.images[few], digits.target[few]
pool = aluma.Pool.centred(images.reshape(len(images), -1), scale=False)

learner = aluma.ALuMA(pool, classes=(3, 8), bias=True, promise="credible")
aluma.run(learner, y, budget=24)
random = np.random.default_rng(0).permutation(len(y))[:24]

figure, rows = plt.subplots(4, 12, figsize=(9, 3.6))
for name, first, chosen in (("asked by ALuMA", 0, learner.answered), ("at random", 2, random)):
    for axes, i in zip(rows[first : first + 2].ravel(), chosen, strict=True):
        axes.imshow(images[i], cmap="Greys", interpolation="nearest")
        axes.set(xticks=[], yticks=[])
        for side in axes.spines.values():
            side.set(visible=True, color="#0072B2" if y[i] == 3 else "#D55E00", lw=1.6)
    rows[first, 0].set_title(name, fontsize=11, loc="left")

print(f"after these {learner.n_answers}, {(learner.predict() != y).mean():.1%} is labelled wrong")
