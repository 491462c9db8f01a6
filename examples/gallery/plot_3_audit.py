"""
How many labels are wrong, as checks come in
============================================

Ten thousand labels of unknown quality, four kinds of them, and a person who checks some drawn at
random. The bound holds at every moment at once, so one may stop at the first look that satisfies.
"""

import matplotlib.pyplot as plt
import numpy as np

from aluma import Audit

truth = np.zeros(10_000, dtype=int)

figure, axes = plt.subplots(figsize=(7, 4))
for share, colour in ((0.0, "#0072B2"), (0.01, "#009E73"), (0.03, "#E69F00"), (0.1, "#D55E00")):
    labels = truth.copy()
    labels[np.random.default_rng(1).permutation(len(labels))[: int(share * len(labels))]] = 1
    audit = Audit(labels, tolerance=0.05, random_state=3)
    bounds = []
    while not (audit.passed or audit.failed or audit.asked >= 600):
        i = audit.ask()
        audit.tell(i, truth[i])
        bounds.append(audit.bound)
    end = "passed" if audit.passed else "failed" if audit.failed else "open"
    name = f"{share:.0%} wrong: {end} after {audit.asked}"
    axes.plot(range(1, len(bounds) + 1), 100 * np.array(bounds), color=colour, lw=1.8, label=name)
    axes.plot(len(bounds), 100 * bounds[-1], "o", color=colour)
    print(audit)

axes.axhline(5, color="#222222", lw=0.8, ls=":")
axes.set(xlabel="labels checked", ylabel="at most so many are wrong, %", ylim=(0, 40), xscale="log")
axes.set_xticks([10, 30, 100, 300], ["10", "30", "100", "300"])
axes.set_xlim(5, 800)
axes.legend(frameon=False)
