"""What became of attacks of one kind."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Tally:
    """How often something was tried, and how it ended.

    Attributes
    ----------
    what : what was tried
    ends : how often it ended how, in words
    broken : what went wrong, one line each; there should be none
    """

    what: str
    ends: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    @property
    def tried(self) -> int:
        """How often it was tried."""
        return sum(self.ends.values())

    def count(self, end: str, number: int = 1) -> None:
        """Count an end."""
        self.ends[end] = self.ends.get(end, 0) + number

    def fail(self, how: str) -> None:
        """Count something that must not happen."""
        self.count("FAILED")
        self.broken.append(how)
