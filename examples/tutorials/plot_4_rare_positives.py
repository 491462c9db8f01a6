"""
Screen for rare positives
=========================

Two thousand records, of which a few dozen are what you look for: papers for a review, complaints,
faults. You want to read as few as possible, and to know how many you have missed at most.
"""

# %%
# A pool with few positives
# -------------------------
# Made up: 30 numbers a record, as an embedding has them, about one in thirty relevant.

import matplotlib.pyplot as plt
import numpy as np

import aluma

rng = np.random.default_rng(11)
relevant = rng.random(2000) < 1 / 30
X = rng.standard_normal((2000, 30)) + np.outer(relevant, np.r_[np.full(6, 1.4), np.zeros(24)])
truth = np.where(relevant, "relevant", "other")
print(f"{relevant.sum()} of {len(truth)} are relevant, which nobody knows")

# %%
# Learn what to look for
# ----------------------
# 50 questions. ``promise="credible"`` spends none of them on checks: we check afterwards, and for
# what matters here. Begin with one record that you know to be relevant.

learner = aluma.ALuMA(X, classes=("other", "relevant"), bias=True, promise="credible")
known = int(np.flatnonzero(relevant)[0])
learner.tell(known, "relevant")
aluma.run(learner, truth, budget=50)
found = learner.predict() == "relevant"
print(f"{found.sum()} records are labelled relevant after {learner.n_answers} answers")

# %%
# Read what was found
# -------------------
# Whoever screens reads the records that were found anyway. From then on a person has answered for
# them.

labels = learner.predict().astype(object)
read = np.union1d(learner.answered, np.flatnonzero(found))
labels[read] = truth[read]
print(f"{len(read)} read, {(labels == 'relevant').sum()} of them relevant")

# %%
# How many were missed?
# ---------------------
# An audit of the rest. ``missed("relevant")`` is how many relevant records can still be among those
# labelled otherwise; it is right with 95% probability, whatever the data, and whatever the model.
# With ``doubt``, records that votes are less sure about are drawn more often. That finds more of
# what was missed. Where next to nothing was, drawing evenly proves it sooner.

doubt = learner.predict_proba()[:, 1]
bounds = {}
for name, doubts in (("drawn evenly", None), ("drawn by doubt", doubt)):
    audit = aluma.Audit(labels, known=read, doubt=doubts, delta=0.05, random_state=0)
    course = []
    for _ in range(400):
        i = audit.ask()
        audit.tell(i, truth[i])
        have = (audit.labels == "relevant").sum()
        course.append(have / (have + audit.missed("relevant")))
    bounds[name] = np.array(course)
    print(f"{name}: recall is at least {course[-1]:.1%} after 400 checks, {have} found")

# %%
# Recall, proven
# --------------
# The more records are checked the higher the share that is surely found. Stop where it is enough
# for you: the bound holds at every moment at once.

figure, axes = plt.subplots(figsize=(7, 4))
for (name, course), colour in zip(bounds.items(), ("#7F7F7F", "#0072B2"), strict=True):
    axes.plot(np.arange(1, 401), 100 * course, color=colour, label=name, lw=1.8)
recall = (labels[relevant] == "relevant").mean()
axes.axhline(100 * recall, color="k", lw=1, ls=":", label="true recall before the checks")
axes.set(xlabel="records checked", ylabel="recall is at least, %", ylim=(0, 102))
axes.legend(frameon=False, loc="lower right")
print(f"read and checked together: {len(read) + 400} of {len(truth)}")
