"""Where the probability of failure of Algorithm 4 goes: one line for each thing that may fail.

Algorithm 4 gives half of delta to the projection and half to ALuMA, which gives half of its own to
the splits and half to the vote. If nothing fails, Corollary 9 says how many labels suffice.
"""

from __future__ import annotations

from dataclasses import dataclass

#: What the splits spend of a learner's delta, by the way they are estimated, and what for.
SPLITS = {
    "volume": ((1 / 2, "volumes, by which questions are 4-approximately greedy (Lemma 13)"),),
    "verified": (
        (1 / 4, "votes, by which verified questions are 2-approximately greedy (Theorem 16)"),
        (1 / 4, "volumes where votes did not do, 4-approximately greedy (Lemma 13)"),
    ),
}


@dataclass(frozen=True)
class Ledger:
    """What may fail, and with what probability.

    Attributes
    ----------
    delta : the whole
    learners : how many share it: one, or one for each class against the rest
    estimate : how splits are estimated
    hypotheses : how many vote
    dimension : what the pool is projected to, or None
    by_theorem : whether that is as much as Theorem 17 asks for
    checked : whether labels are checked at random
    """

    delta: float
    learners: int = 1
    estimate: str = "sampling"
    hypotheses: int = 0
    dimension: int | None = None
    by_theorem: bool = False
    checked: bool = False

    @property
    def projection(self) -> float:
        """What one projection may fail with: half of a learner's part, or nothing."""
        return self.delta / (2 * self.learners) if self.by_theorem else 0.0

    @property
    def each(self) -> float:
        """What one learner may fail with, once its pool has been projected."""
        return self.delta / self.learners - self.projection

    @property
    def lines(self) -> list[tuple[float, str]]:
        """What is spent, in all learners together, and on what; it adds up to delta."""
        spent: list[tuple[float, str]] = []
        if self.by_theorem:
            margin = f"the projection to {self.dimension:,} dimensions, which keeps half the margin"
            spent.append((self.projection * self.learners, f"{margin} (Theorem 17)"))
        left = self.each * self.learners
        if self.estimate not in SPLITS:
            return [*spent, (left, "the checks" if self.checked else "that bound")]
        spent += [(share * left, what) for share, what in SPLITS[self.estimate]]
        return [*spent, (left / 2, f"the vote of {self.hypotheses:,} hypotheses (Lemma 15)")]

    def __str__(self) -> str:
        """Return where delta went, in a few sentences."""
        lines = [f"{share:.4g} for {what}" for share, what in self.lines]
        said = f"Of delta = {self.delta:g}: {', '.join(lines)}."
        if self.learners > 1:
            said += f" Each is for {self.learners} learners together."
        if self.estimate in SPLITS:
            what = "checks" if self.checked else "bound on the labels"
            said += f" The {what} may fail with {self.each:.4g} by itself: it needs none of these."
        else:
            said += " Splits were estimated by votes that nothing is proven of."
        if self.dimension is not None and not self.by_theorem:
            said += f" Nothing is proven of the projection to {self.dimension:,} dimensions."
        return said
