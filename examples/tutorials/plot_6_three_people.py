"""
A team with three people
========================

Three people share the work, and one of them is in a hurry. On the page it is ``aluma label
messages.csv --people anna,ben,carl``: each has a link, nobody waits for anybody, and the page shows
where they disagree. Here the same is done in Python, with answers that are made up. See
:doc:`several people at one session </people>`.
"""

# %%
# Three people, and how often they err
# ------------------------------------
# Anna errs in 2 of 100, Ben in 5, Carl in 25. Nobody knows that.

from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np

from aluma import Session
from aluma.app.people.agreement import alpha, answers_by_example, pairs
from aluma.app.people.reliability import reliability

rng = np.random.default_rng(3)
X = rng.standard_normal((600, 8))
truth = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.2, "yes", "no")
errs = {"anna": 0.02, "ben": 0.05, "carl": 0.25}
people = list(errs)


def says(who, i):
    """Return what a person answers."""
    wrong = rng.random() < errs[who]
    return str(truth[i]) if not wrong else "no" if truth[i] == "yes" else "yes"


# %%
# Questions that tell most together
# ---------------------------------
# ``ask(3)`` is one question for each. What a person says is in the session's file, with the name,
# before anything is done with it. Every other question is put to a second person too. The learner
# is told one answer an example: here the first, on the page that of the more reliable person. Soon
# Carl's mistakes contradict the rest; the learner says so, and allows for it from then on.

path = Path(mkdtemp()) / "team.aluma"
session = Session.create(path, X, classes=("no", "yes"), bias=True, promise="credible")
for turn in range(30):
    for who, i in zip(people, session.ask(3), strict=True):
        answer = says(who, i)
        session.say(who, i, answer)
        if i % 2 == 0:
            second = people[(people.index(who) + 1 + turn % 2) % 3]
            session.say(second, i, says(second, i))
        session.tell(i, answer)

print(f"{session.n_answers} examples answered, {len(session.voices)} answers given")

# %%
# Agreement
# ---------
# Over the examples that two have answered. Kappa is 1 for full agreement and 0 for chance; alpha is
# the same for all of them together.

given = answers_by_example(session.voices)
for pair in pairs(given, people):
    print(f"{pair.one} and {pair.other}: {pair.same} of {pair.both} alike, kappa {pair.kappa:.2f}")
print(f"all: alpha {alpha(given.values()):.2f}")

# %%
# Who errs how often
# ------------------
# An estimate by Dawid and Skene's model, from nothing but who said what. Bars are where 95% of it
# lies; crosses are how often they were in fact wrong.

found = reliability(given, ("no", "yes"))
figure, axes = plt.subplots(figsize=(6.5, 3))
for row, who in enumerate(people):
    error = found.errors[who]
    axes.plot([100 * error.low, 100 * error.high], [row, row], color="#0072B2", lw=5, alpha=0.4)
    axes.plot(100 * error.mean, row, "o", color="#0072B2", label="" if row else "estimated")
    mine = [(i, by[who]) for i, by in given.items() if who in by]
    fact = np.mean([answer != truth[i] for i, answer in mine])
    axes.plot(100 * fact, row, "kx", ms=9, label="" if row else "in fact")
axes.set_yticks(range(3), people)
axes.set(xlabel="of the answers wrong, %", xlim=(0, 50), ylim=(2.6, -0.6))
axes.legend(frameon=False)

# %%
# Look at these again
# -------------------
# Whoever is asked settles it: ``resolve`` says which answer is right, and by whom.

disputed = [i for i, by in given.items() if len(set(by.values())) > 1]
for i in disputed:
    session.resolve("anna", i, str(truth[i]))
    if session.answers[list(session.answered).index(i)] != truth[i]:
        session.change(i, str(truth[i]))
print(f"{len(disputed)} disagreements resolved")
print(f"{(session.predict() != truth).mean():.1%} of the 600 labels are wrong")
session.close()
