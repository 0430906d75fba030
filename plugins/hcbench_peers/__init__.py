"""Hierarchical clustering of other libraries, to be compared with.

`specs` declares the algorithms; each of the other modules calls libraries of one kind, which are
imported when one of its algorithms runs. `inputs` reads vectors, distances and graphs for them.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, hookimpl
from hcbench_peers.specs import ALGORITHMS


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Return the algorithms of other libraries, installed or not."""
    return ALGORITHMS
