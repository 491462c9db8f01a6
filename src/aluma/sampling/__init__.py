"""Markov chains on version spaces, and what they are worth."""
