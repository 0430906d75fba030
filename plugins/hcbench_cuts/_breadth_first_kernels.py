"""The loop of BF (Gentile et al. 2019, section 3): from the root down, level by level."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_cuts._question_kernels import (
    ABOVE,
    BELOW,
    LABEL,
    NODE,
    PROGRESS,
    SERVED,
    SHAPE,
    WAITING,
    aim,
    are_together,
    is_decided,
    next_pair,
)


@njit(cache=True)
def start_breadth(progress: Any, shape: Any, label: Any) -> None:
    """Ask about the root."""
    root = len(label) - 1
    if label[root] != BELOW:
        aim(progress, shape, np.int64(root))


@njit(cache=True)
def learn_breadth(progress: Any, shape: Any, label: Any, queue: Any, together: Any) -> None:
    """Label the node, and ask about the next in the queue."""
    v = progress[NODE]
    if together:
        label[v] = BELOW
    else:
        label[v] = ABOVE
        children = shape.children
        for index in range(shape.child_start[v], shape.child_start[v + 1]):
            child = children[index]
            if label[child] != BELOW:
                queue[progress[WAITING]] = child
                progress[WAITING] += 1
    progress[NODE] = -1
    if progress[SERVED] < progress[WAITING]:
        aim(progress, shape, np.int64(queue[progress[SERVED]]))
        progress[SERVED] += 1


@njit(types.void(ASK, STATE, types.int64, PROGRESS, SHAPE, LABEL, types.int32[::1]), cache=True)
def breadth_first(
    ask: Any,
    state: Any,
    limit: int,
    progress: NDArray[np.int64],
    shape: Any,
    label: NDArray[np.int8],
    queue: NDArray[np.int32],
) -> None:
    """Ask about the nodes from the root down, level by level, up to ``limit`` queries.

    O(children) for each node that is asked about. ``queue`` (m-n,) is filled in: all nodes that
    were to be asked about, of which the first `SERVED` are done.
    """
    while progress[NODE] >= 0 and limit > 0:
        i, j = next_pair(progress, shape)
        limit -= 1
        if is_decided(progress, ask(state, i, j, 0, 0)):
            learn_breadth(progress, shape, label, queue, are_together(progress))
