"""scikit-network's hierarchies of the graph of nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sknetwork.hierarchy import LouvainIteration, Paris

from hcbench import Items, Oracle, Tree


def paris(
    oracle: Oracle, items: Items, _rng: np.random.Generator, *, k: int, edges: str, weights: str
) -> Tree:
    """Merge the clusters a, b of largest p(a, b) / (p(a) p(b)): Bonald et al. 2018, section 4.

    Heights are the inverse of that ratio; unconnected parts of the graph merge at infinity.
    """
    return _tree(Paris(weights=weights), neighbour_graph(oracle.read(), k, edges), items.n)


def louvain_iteration(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    k: int,
    edges: str,
    depth: int,
    resolution: float,
) -> Tree:
    """Split by modularity (Blondel et al. 2008), then each part by its own, ``depth`` times."""
    seed = int(rng.integers(np.iinfo(np.int32).max))
    model = LouvainIteration(depth, resolution, shuffle_nodes=True, random_state=seed)
    return _tree(model, neighbour_graph(oracle.read(), k, edges), items.n)


def neighbour_graph(similarity: NDArray[np.float64], k: int, edges: str) -> sparse.csr_matrix:
    """Join every item to the k that are most similar to it; symmetric. O(n^2) time, O(n k) memory.

    Edges of weight 0 are omitted.
    """
    n = len(similarity)
    others = np.array(similarity, dtype=np.float64)
    np.fill_diagonal(others, np.inf)
    least = min(others.min(initial=0.0), 0.0)
    np.fill_diagonal(others, -np.inf)
    k = min(k, n - 1)
    column = np.argpartition(-others, k - 1, axis=1)[:, :k] if k else np.empty((n, 0), np.int64)
    row = np.repeat(np.arange(n), k)
    column = column.ravel()
    weight = others[row, column] - least if edges == "similarity" else np.ones(n * k)
    directed = sparse.csr_matrix((weight, (row, column)), shape=(n, n))
    graph = directed.maximum(directed.T).tocsr()
    graph.eliminate_zeros()
    return graph


def _tree(model: Any, graph: sparse.csr_matrix, n: int) -> Tree:
    if n == 1:
        return Tree([-1])
    return Tree.from_linkage(model.fit_predict(graph))
