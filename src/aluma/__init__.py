"""aluma: a pool labelled right with the fewest questions to a person."""

from aluma.version_space import Conflict, VersionSpace

__all__ = ["Conflict", "VersionSpace"]
