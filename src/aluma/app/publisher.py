"""What is to be seen, as a snapshot that is replaced whole, and those who wait for the next one.

Reading the snapshot never waits for anything.
"""

from __future__ import annotations

import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from aluma.app.shapes import Shown

if TYPE_CHECKING:
    from aluma.app.server import Place

S = TypeVar("S", bound=Shown)


class Publisher(ABC, Generic[S]):
    """Draws what is to be seen whenever it is told to, and tells who listens."""

    def __init__(self) -> None:
        self._drawing, self._boot, self._ticks = threading.Lock(), secrets.token_hex(4), 0
        self._listeners: set[Callable[[], None]] = set()
        self._board: S
        self._encoded: tuple[S | None, bytes] = (None, b"")
        #: Whether the server is about to end.
        self.ending = False

    @property
    def state(self) -> S:
        """What is to be seen now."""
        return self._board

    @property
    def encoded(self) -> bytes:
        """The state as JSON; the same for everybody who asks, so it is written once."""
        board = self._board
        if self._encoded[0] is not board:
            self._encoded = board, board.model_dump_json(by_alias=True).encode()
        return self._encoded[1]

    def listen(self, listener: Callable[[], None]) -> None:
        """Call back whenever the state changes, from any thread."""
        self._listeners.add(listener)

    def unlisten(self, listener: Callable[[], None]) -> None:
        """Do not call back any more."""
        self._listeners.discard(listener)

    def release(self) -> None:
        """Let nobody wait for another state: the server is about to end."""
        self.ending = True
        self._publish()

    def links(self, place: Place) -> dict[str, str]:
        """Return the links that let people in, by their names; one without a name is for all."""
        return {"": place.link}

    @abstractmethod
    def close(self) -> None:
        """Finish what is being written, and let go of the files."""

    # -- inside --------------------------------------------------------------------------------

    @abstractmethod
    def _drawn(self) -> S:
        """Return what is to be seen, with the present tick."""

    @property
    def _tick(self) -> str:
        """The name of the present moment; another one after a restart."""
        return f"{self._boot}.{self._ticks}"

    def _publish(self) -> None:
        with self._drawing:
            self._ticks += 1
            self._board = self._drawn()
        for listener in list(self._listeners):
            listener()
