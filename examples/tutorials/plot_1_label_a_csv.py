"""
Label a CSV
===========

A table of messages, a yes/no question about each, and a person who answers. ``aluma label
messages.csv`` does all of this in the browser; here it is done step by step in Python, which is
what you want when the answers come from somewhere else. Needs ``pip install 'aluma[label]'``.
"""

# %%
# A file of examples
# ------------------
# The demonstration's messages to a parcel service, written to a file with one column. Some are
# complaints. Which ones is known here, so that a person can be played.

from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from aluma import Pool, Session
from aluma.app.demo import messages

folder = Path(mkdtemp())
frame, truth = messages()
frame.to_csv(folder / "messages.csv", index=False)
truth = list(truth)

frame = pd.read_csv(folder / "messages.csv")
frame.head(3)

# %%
# Texts as vectors
# ----------------
# Words and pairs of words, brought down to 40 directions. ``aluma label`` makes its features like
# this; better features mean fewer questions, so with a model at hand use its embeddings instead.

texts = frame.iloc[:, 0]
words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(texts)
X = TruncatedSVD(40, random_state=0).fit_transform(words)
pool = Pool.centred(X, scale=False)

# %%
# Ask and tell, in a file
# -----------------------
# A session is a learner whose answers are on the disk before they are used. Here the program is
# interrupted after twenty answers; opening the file again goes on with the same question.

path = folder / "messages.aluma"
with Session.create(path, pool, classes=("other", "complaint"), bias=True) as session:
    for _ in range(20):
        i = session.ask()
        session.tell(i, truth[i])
    question = session.ask()

session = Session.open(path, pool)
print(f"{session.n_answers} answers are there, and the same question comes: ", end="")
print(session.ask() == question)
print(texts[question])

# %%
# Until it can be promised
# ------------------------
# ``finished`` is true when labels drawn at random have been checked, and few enough were wrong.
# ``phase`` says what a question is for.

history = []
while not session.finished:
    i = session.ask()
    history.append((session.n_answers, session.phase, (session.predict() != truth).mean()))
    session.tell(i, truth[i])

print(session.certificate())
print(f"In truth {(session.predict() != truth).mean():.2%} of the labels are wrong.")

# %%
# Nobody sees the truth while labelling. Here it is, beside what the answers were for.

seen = pd.DataFrame(history, columns=["answers", "phase", "wrong"])
figure, axes = plt.subplots(figsize=(7, 3.6))
checks = seen[seen["phase"] == "checking"]
axes.axvspan(checks["answers"].min(), seen["answers"].max(), color="#EEF3F8", lw=0)
axes.plot(seen["answers"], 100 * seen["wrong"], color="#0072B2")
axes.set(xlabel="answers", ylabel="of 400 labels wrong, %", ylim=(0, None))
axes.text(
    checks["answers"].min() + 2, axes.get_ylim()[1] * 0.9, "checks at random", color="#5A5A5A"
)

# %%
# The labels, with who gave them
# ------------------------------

frame["label"] = session.predict()
frame["label_by"] = "vote"
frame.loc[session.answered, "label_by"] = "person"
frame.to_csv(folder / "messages-labelled.csv", index=False)
session.close()
frame.groupby(["label", "label_by"]).size().unstack()
