"""Markov chains that draw hypotheses from a version space, and how well they do it."""
