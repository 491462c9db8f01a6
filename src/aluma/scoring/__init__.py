"""Which example splits the population of hypotheses best, at the cost of a few dozen of them.

A hypothesis ``w`` votes + on ``x`` when ``<w, x> >= 0``; the split of an example is the product of
its vote shares, ``v+ v-``, and greedy learners ask about the largest (Section 3 of the paper).
Scoring m examples on k hypotheses takes m k inner products; elimination takes far fewer. Each
module needs only those before it:

- :mod:`~aluma.scoring.votes`: what hypotheses say about examples;
- :mod:`~aluma.scoring.tails`: how many of them must be heard to rule an example out;
- :mod:`~aluma.scoring.elimination`: the examples within a factor alpha of the best split;
- :mod:`~aluma.scoring.choice`: of those, the one that leaves the least expected disagreement over
  the pool (approximate greediness put to work);
- :mod:`~aluma.scoring.batch`: several examples that split the population jointly.

All hypotheses are exchangeable here: where a generator is passed in, their order is drawn anew.
"""

from aluma.scoring.batch import choose_batch, separating
from aluma.scoring.choice import Choice, choose, expected_disagreement
from aluma.scoring.elimination import Shortlist, shortlist
from aluma.scoring.votes import askable, vote_shares

__all__ = [
    "Choice",
    "Shortlist",
    "askable",
    "choose",
    "choose_batch",
    "expected_disagreement",
    "separating",
    "shortlist",
    "vote_shares",
]
