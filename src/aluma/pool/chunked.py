"""Examples that are read in pieces, when they are wanted: from a file, or by computing them.

A :class:`Source` knows how its numbers are cut into pieces and reads one. :class:`Chunked` makes a
store of it. It holds the first pieces that were read, as many as fit in a fixed room, since
decoding takes as long as the votes it is for; and some rows that somebody asked it to keep, since a
single row costs the whole piece that it is in.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Singles
from aluma.pool.dense import Dense
from aluma.pool.side_by_side import in_threads
from aluma.pool.store import Selection, T, Together, check_numbers, rows_per_block

#: Rows that were wanted last are kept, if they are no more.
RECENT = 4096
#: Bytes of pieces that are kept once they have been read. All are read in the same order again and
#: again, so the first stay: to drop the oldest would mean to read every one each time. They are
#: fewer by what labels and masks of all rows need elsewhere, so that memory grows little with them.
KEPT_BYTES, FOR_EACH_ROW = 2**29, 16


class Source(Protocol):
    """Numbers in pieces.

    Attributes
    ----------
    shape, dtype : of all of them
    columns : names of the columns, or None
    pieces : rows that are read together, in order and without a gap; worked on side by side
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    columns: tuple[Hashable, ...] | None
    pieces: Sequence[slice]

    def read(self, piece: int, step: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows of a piece in order, about ``step`` at a time if it can do so.

        What cannot be read is an :class:`aluma.errors.Unreadable` that names it.
        """

    def where(self, piece: int) -> str:
        """Return the file and the chunk that a piece is in, in words."""


class Chunked:
    """Rows of a source."""

    kind = "dense"
    preamble = b""
    is_resident = False

    def __init__(self, source: Source) -> None:
        check_numbers(source)
        self.source = source
        self.index: Any = range(source.shape[0])
        self.columns = source.columns
        self._starts = np.array([piece.start for piece in source.pieces], dtype=np.int64)
        nothing = np.empty(0, dtype=np.int64), np.empty((0, source.shape[1]), source.dtype)
        #: Rows that are kept, and those that were wanted last: a question is looked at repeatedly.
        self._kept, self._recent = nothing, nothing
        #: Pieces that are kept, and the bytes that are left for others.
        self._pieces: dict[int, npt.NDArray[Any]] = {}
        self._room = max(0, KEPT_BYTES - FOR_EACH_ROW * int(source.shape[0]))
        self._lock = threading.Lock()

    @property
    def data(self) -> Any:
        """Refuse: the numbers are not in memory."""
        raise AttributeError(
            "the pool is read in pieces and is nowhere in memory as a whole: use rows(), blocks() "
            "or margins()."
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return self.source.dtype

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.source.shape[0]), int(self.source.shape[1])

    @property
    def bytes_per_row(self) -> int:
        """What a row needs at most when it is read."""
        return 8 * self.shape[1]

    def keep(self, rows: Ints, store: Dense) -> None:
        """Keep these rows, ascending, besides those that are kept already."""
        all_rows = np.concatenate([self._kept[0], rows])
        order = np.unique(all_rows, return_index=True)[1]
        numbers = np.concatenate([self._kept[1], store.data])
        self._kept = all_rows[order], numbers[order]

    def where(self, row: int) -> str:
        """Return where a row is, in words."""
        return self.source.where(self._piece_of(row))

    def held(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows, read now."""
        return self.dense(selection)

    def dense(self, selection: Selection) -> npt.NDArray[Any]:
        """Return rows, read now or kept."""
        if isinstance(selection, slice):
            return self._between(*selection.indices(self.shape[0])[:2])
        out = np.empty((len(selection), self.shape[1]), self.dtype)
        missing = np.ones(len(selection), dtype=bool)
        for rows, numbers in (self._kept, self._recent):
            places = np.searchsorted(rows, selection)
            known = places < len(rows)
            known[known] = rows[places[known]] == selection[known]
            out[known] = numbers[places[known]]
            missing &= ~known
        if missing.any():
            rows, back = np.unique(selection[missing], return_inverse=True)
            numbers = self._fetched(rows)
            out[missing] = numbers[back]
            self._remember(rows, numbers)
        return out

    def _remember(self, rows: Ints, numbers: npt.NDArray[Any]) -> None:
        """Keep rows that were read, ascending, with those before them if they are not too many."""
        if len(rows) > RECENT:
            return
        if len(rows) + len(self._recent[0]) <= RECENT:
            rows = np.concatenate([self._recent[0], rows])
            numbers = np.concatenate([self._recent[1], numbers])
            order = np.argsort(rows)
            rows, numbers = rows[order], numbers[order]
        self._recent = rows, numbers

    def operand(self, weights: Singles) -> Singles:
        """Return hypotheses prepared for products."""
        return weights.T

    def product(
        self, selection: Selection, operand: Singles, out: Singles | None = None
    ) -> Singles:
        """Return the products of rows with prepared hypotheses."""
        return self.part(selection).product(slice(None), operand, out)

    def first_wrong(self, part: slice) -> tuple[int, int] | None:
        """Return the first entry that is no usable number, or None."""
        found = self.part(part).first_wrong(slice(0, part.stop - part.start))
        return None if found is None else (part.start + found[0], found[1])

    def zero_rows(self, part: slice) -> Bools:
        """Say which rows hold nothing but 0 in float32."""
        return self.part(part).zero_rows(slice(None))

    def squares(self, part: slice) -> Floats:
        """Return the squared lengths of rows."""
        return self.part(part).squares(slice(None))

    def feed(self, digest: hashlib.blake2b, part: slice) -> None:
        """Let rows into a digest."""
        self.part(part).feed(digest, slice(None))

    def part(self, selection: Selection) -> Dense:
        """Return some rows as a store of their own, in memory."""
        return Dense(self.dense(selection), columns=self.columns)

    def stream(self, step: int) -> Iterator[tuple[int, Dense]]:
        """Yield all rows in order, with the number of the first."""
        for piece in range(len(self.source.pieces)):
            yield from self._read(piece, step)

    def each(
        self,
        work: Callable[..., T],
        step: int,
        shared: tuple[Any, ...],
        together: Together[T] | None = None,
    ) -> Iterator[T]:
        """Yield what is made of each block of rows; pieces are read side by side."""
        del together
        one = partial(self._worked, work, step, shared)
        for found in in_threads(one, range(len(self.source.pieces))):
            yield from found

    def _worked(
        self, work: Callable[..., T], step: int, shared: tuple[Any, ...], piece: int
    ) -> list[T]:
        return [work(start, rows, *shared) for start, rows in self._read(piece, step)]

    def _read(self, piece: int, step: int) -> Iterator[tuple[int, Dense]]:
        """Yield the rows of a piece, no more than about ``step`` at a time."""
        start = self.source.pieces[piece].start
        for rows in self._blocks_of(piece, step):
            for at in range(0, len(rows), step):
                yield start + at, Dense(rows[at : at + step], columns=self.columns)
            start += len(rows)

    def _blocks_of(self, piece: int, step: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows of a piece as they are read or kept; keep them if there is room."""
        if (kept := self._pieces.get(piece)) is not None:
            yield kept
            return
        rows = self.source.pieces[piece]
        size = (rows.stop - rows.start) * self.shape[1] * self.dtype.itemsize
        with self._lock:
            fits = size <= self._room
            self._room -= size if fits else 0
        found: list[npt.NDArray[Any]] = []
        try:
            for block in self.source.read(piece, step):
                if fits:
                    found.append(block)
                yield block
            if fits and piece not in self._pieces:
                self._pieces[piece] = found[0] if len(found) == 1 else np.concatenate(found)
                size = 0
        finally:
            # Whoever stops in the middle, or reads what another thread has read, gives it back.
            if fits:
                with self._lock:
                    self._room += size

    def _between(self, start: int, stop: int) -> npt.NDArray[Any]:
        out = np.empty((max(0, stop - start), self.shape[1]), self.dtype)
        if stop <= start:
            return out
        step = rows_per_block(self.bytes_per_row)
        for piece in range(self._piece_of(start), self._piece_of(stop - 1) + 1):
            for first, rows in self._read(piece, step):
                if first >= stop:
                    break
                low, high = max(first, start), min(first + len(rows.data), stop)
                if low < high:
                    out[low - start : high - start] = rows.data[low - first : high - first]
        return out

    def _fetched(self, rows: Ints) -> npt.NDArray[Any]:
        """Return rows, ascending and all different, read now; pieces are read side by side."""
        out = np.empty((len(rows), self.shape[1]), self.dtype)

        def pick(wanted: tuple[int, slice]) -> None:
            piece, places = wanted
            for first, block in self._read(piece, rows_per_block(self.bytes_per_row)):
                low, high = np.searchsorted(rows[places], (first, first + len(block.data)))
                here = slice(places.start + low, places.start + high)
                out[here] = block.data[rows[here] - first]

        for _ in in_threads(pick, self._by_piece(rows)):
            pass
        return out

    def _by_piece(self, rows: Ints) -> Iterator[tuple[int, slice]]:
        """Yield pieces with the places of the ascending rows that are in them."""
        of = np.searchsorted(self._starts, rows, side="right") - 1
        pieces, starts = np.unique(of, return_index=True)
        stops = [*starts[1:].tolist(), len(rows)]
        for piece, start, stop in zip(pieces.tolist(), starts.tolist(), stops, strict=True):
            yield piece, slice(start, stop)

    def _piece_of(self, row: int) -> int:
        return int(np.searchsorted(self._starts, row, side="right")) - 1
