"""The data set: items and their true hierarchy.

Where the items are a public file, `hcbench.datasets.data_file` finds or downloads it.
"""

import numpy as np
from hcbench import DataRequest, Problem


def branching_points(
    request: DataRequest, *, depth: int, members: int, dimensions: int, spread: float
) -> Problem:
    """Points around the leaves of a binary tree whose branches, half as long each time, are random.

    The levels of the tree are the truth. The same seed gives the same data. The items are in
    random order, so that their numbers tell nothing about the truth.
    """
    rng = np.random.default_rng(request.seed)
    centres = np.zeros((1, dimensions))
    for level in range(depth):
        centres = np.repeat(centres, 2, axis=0)
        centres += rng.normal(scale=0.5**level, size=centres.shape)
    leaf = rng.permutation(np.repeat(np.arange(len(centres)), members))
    vectors = centres[leaf] + rng.normal(scale=spread, size=(len(leaf), dimensions))
    levels = np.column_stack([leaf >> below for below in reversed(range(depth))])
    return Problem(n=len(leaf), vectors=vectors, levels=levels)
