"""Stopping rules that ask nothing of the labels: when no question is left, or none is wanted."""

from __future__ import annotations

from typing import Any

from aluma.promises.promise import Promise
from aluma.promises.stopping import Stopping
from aluma.spaces.situation import Situation


class NothingLeft(Stopping):
    """When everything is answered, skipped or undecidable."""

    def finished(self, at: Situation[Any], promise: Promise[Any]) -> bool:
        """Say whether nothing can be asked about."""
        del promise
        return not at.eligible.any()


class NothingWanted(Stopping):
    """When a strategy that reads a stream wants no label of a whole pass through its order."""

    def finished(self, at: Situation[Any], promise: Promise[Any]) -> bool:
        """Say whether there is no next question."""
        del promise
        return at.next_question() is None
