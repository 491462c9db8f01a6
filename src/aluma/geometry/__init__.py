"""The geometry of halfspaces: cones, points inside them, separators, distances."""
