"""Where examples live: arrays, frames, files and clusters under one face."""

from aluma.pool.pool import Pool
from aluma.pool.store import BLOCK_BYTES, LARGEST_ENTRY

__all__ = ["BLOCK_BYTES", "LARGEST_ENTRY", "Pool"]
