"""Where examples live: arrays, sparse matrices, memory maps and data frames under one face."""

from aluma.pool.pool import BLOCK_BYTES, LARGEST_ENTRY, Pool

__all__ = ["BLOCK_BYTES", "LARGEST_ENTRY", "Pool"]
