"""
Cross-validate an active learner
================================

:class:`aluma.ActiveClassifier` is an estimator of scikit-learn. ``fit(X, y)`` looks only at the
labels it asks for, so cross-validation answers: how good would a model be after so many labels?
"""

# %%
# One line
# --------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aluma import ActiveClassifier

X, y = load_breast_cancer(return_X_y=True)
folds = StratifiedKFold(3, shuffle=True, random_state=0)
scores = cross_val_score(ActiveClassifier(budget=30), X, y, cv=folds)
print(f"accuracy on examples never seen, after 30 labels: {scores.mean():.3f}")

# %%
# How much does each label bring?
# -------------------------------
# Budgets side by side, with questions that are chosen and with examples in random order. The dotted
# line is logistic regression with all 379 labels of a fold.

budgets = [5, 15, 40]
figure, axes = plt.subplots(figsize=(7, 4))
for strategy, colour, name in (("aluma", "#0072B2", "ALuMA"), ("passive", "#7F7F7F", "random")):
    found = [
        cross_val_score(ActiveClassifier(strategy, budget=budget), X, y, cv=folds)
        for budget in budgets
    ]
    mean, spread = np.mean(found, axis=1), np.std(found, axis=1)
    axes.errorbar(budgets, mean, spread, color=colour, marker="o", capsize=3, label=name)
everything = make_pipeline(StandardScaler(), LogisticRegression())
axes.axhline(cross_val_score(everything, X, y, cv=folds).mean(), color="k", ls=":", lw=1)
axes.set(xlabel="labels looked at", ylabel="accuracy on new examples", xscale="log")
axes.set_xticks(budgets, map(str, budgets))
axes.minorticks_off()
axes.legend(frameon=False, loc="lower right")

# %%
# Parameters, searched
# --------------------
# ``get_params``, ``clone`` and grids work as ever.

search = GridSearchCV(ActiveClassifier(budget=10), {"strategy": ["aluma", "passive"]}, cv=folds)
search.fit(X, y)
print(search.best_params_, round(search.best_score_, 3))

# %%
# What it says about its own labels
# ---------------------------------
# With ``tolerance`` it spends labels on checks at random until it can promise something about the
# pool, whatever the data are.

model = ActiveClassifier(budget=300, tolerance=0.05).fit(X, y)
print(f"{model.n_queries_} of {len(y)} labels looked at")
print(model.promise_)
