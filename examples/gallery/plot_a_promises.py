"""
What is believed, what is checked, and what is true
===================================================

Two overlapping clouds. While it learns, a learner can only say what it expects if its assumption
holds; checks at random show what is the case. The lower line is the truth, which nobody sees in
real use.
"""

import matplotlib.pyplot as plt
import numpy as np

from aluma import ALuMA

rng = np.random.default_rng(8)
y = rng.integers(0, 2, 800)
X = rng.standard_normal((800, 10)) + np.outer(y, np.r_[4.0, np.zeros(9)])

learner = ALuMA(X, classes=(0, 1), bias=True, tolerance=0.1)
wrong, bound, phase = [], [], []
while not learner.finished and learner.n_answers < 300:
    i = learner.ask()
    phase.append(learner.phase)
    learner.tell(i, y[i])
    wrong.append((learner.predict() != y).mean())
    bound.append(learner.audit.bound if learner.audit is not None else np.nan)

# %%
# Shaded: labels are checked. The bound falls with every check that finds a label right.

figure, axes = plt.subplots(figsize=(7.5, 4))
answers = np.arange(1, len(wrong) + 1)
checking = np.array(phase) == "checking"
axes.fill_between(answers, 0, 60, where=checking, color="#EEF3F8", lw=0, step="mid")
axes.plot(
    answers, 100 * np.array(bound), color="#0072B2", lw=1.8, label="bound by checks, 95% sure"
)
axes.plot(answers, 100 * np.array(wrong), color="k", lw=1.4, label="truth")
axes.axhline(10, color="#D55E00", lw=0.9, ls=":", label="tolerance")
axes.set(xlabel="answers", ylabel="of the pool labelled wrong, %", ylim=(0, 60))
axes.legend(frameon=False)
print(learner.certificate())
