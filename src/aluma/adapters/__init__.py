"""aluma inside other tools: scikit-activeml, Label Studio, notebooks and ASReview.

Each is one file (see docs/adapters.md), imports its peer when it is imported itself, and names the
extra that brings it.
"""
