"""Units of columns: a table has many of them, embeddings and components have one.

The scale of a column says how much it is expected to matter. Where columns are a length, a weight
and a price, that is an accident of their units, and each is better divided by its deviation. Where
they are coordinates of one thing (embeddings, principal components, pixels), small columns are
small because little happens there: divided by their deviations, noise would count as much as
everything else.
"""

from __future__ import annotations

import numpy as np

from aluma.arrays import Bools, Floats

#: Columns have units of their own if the largest deviation is more than so many times the median.
#: Two tables have 390 (wine) and 7,800 (breast cancer), coordinates of one thing 1.2 to 3.9:
#: embeddings, 50 components of digits, directions of words, pixels, lengths of flowers in cm.
UNLIKE = 30.0


def divisors(deviations: Floats, varies: Bools, scale: bool | str) -> Floats:
    """Return what columns are divided by.

    Parameters
    ----------
    deviations : standard deviations of the columns
    varies : which of them are not constant
    scale : True for each by its own deviation, False for none; "whole" for all by one number, so
        that their variance is 1 on average; "auto" for True where columns have units of their own
        and "whole" elsewhere

    Examples
    --------
    >>> divisors(np.array([3.0, 1.0, 0.0]), np.array([True, True, False]), "auto").round(2).tolist()
    [1.83, 1.83, 1.83]
    >>> divisors(np.array([300.0, 1.0, 2.0]), np.ones(3, bool), "auto").tolist()
    [300.0, 1.0, 2.0]
    """
    if scale == "auto":
        scale = True if have_own_units(deviations[varies]) else "whole"
    if scale == "whole":
        return np.full(len(deviations), float(np.sqrt(np.mean(deviations**2))) or 1.0)
    return np.where(varies & bool(scale), deviations, 1.0)


def have_own_units(deviations: Floats) -> bool:
    """Say whether columns with these deviations, none of them 0, are measured in unlike units."""
    if not len(deviations):
        return False
    return bool(deviations.max() > UNLIKE * np.median(deviations))
