"""Learners: who is asked next, and what the answers so far say about the rest."""
