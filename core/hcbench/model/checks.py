"""Checks for mistakes in a user's data: levels in the wrong order, distances as similarities."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import DataError, ModelWarning


def check_levels(levels: ArrayLike, names: Sequence[str], where: str, correction: str = "") -> None:
    """Refuse levels from fine to coarse, and warn of levels that cross.

    Parameters
    ----------
    levels : (n, L) labels
        Column 0 is meant to be the coarsest.
    names : L str
        Of the levels, for messages.
    where : str
        The file or argument.
    correction : str
        How to give the levels in the right order, with "{}" for their names; by default a sentence.

    Raises
    ------
    DataError
        If each class of a level lies in one class of the next, but not the other way round: the
        next level would then add nothing.

    Warns
    -----
    ModelWarning
        If classes of a level lie in several classes of the level before.
    """
    columns = [np.unique(column, return_inverse=True)[1].ravel() for column in np.asarray(levels).T]
    sizes = [int(column.max()) + 1 for column in columns]
    for k, (coarse, fine) in enumerate(pairwise(columns)):
        pairs = np.unique(np.column_stack([coarse, fine]), axis=0)
        if len(pairs) == sizes[k] > sizes[k + 1]:
            order = [names[i] for i in np.argsort(sizes, kind="stable")]
            listed = ", ".join(f"'{name}'" for name in order)
            way_out = correction.format(listed) if correction else f"give them as {listed}"
            raise DataError(
                f"{where}: the levels are from fine to coarse, as each class of {names[k]!r} lies "
                f"in one class of {names[k + 1]!r}; {way_out}"
            )
        crossing = int((np.bincount(pairs[:, 1]) > 1).sum())
        if crossing:
            warnings.warn(
                f"{crossing} of the {sizes[k + 1]} classes of {names[k + 1]} lie in several "
                f"classes of {names[k]}, and count as a class of their own in each",
                ModelWarning,
                stacklevel=3,
            )


def looks_like_distances(matrix: NDArray[Any]) -> bool:
    """Whether a symmetric matrix (n, n) has the form of distances.

    Zeros on the diagonal, which are its smallest values, and two items at distance 0 have equal
    distances to all others. Similarities have their largest values there; the weights of a graph
    are 0 between many vertices that differ.
    """
    if not len(matrix) or matrix.diagonal().any() or matrix.min() < 0 or not matrix.any():
        return False
    first, second = np.nonzero(np.triu(matrix == 0, 1))
    return bool(np.isclose(matrix[first], matrix[second]).all())
