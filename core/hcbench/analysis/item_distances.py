"""The distances of the items of a problem, for cuts, silhouettes and figures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import NotApplicableError
from hcbench.model.arrays import is_sparse
from hcbench.model.problem import Problem
from hcbench.model.similarity import similarity_of_vectors

#: By the value of a parameter ``metric`` of an algorithm, the name in `scipy.spatial.distance`.
_IN_SCIPY = {"manhattan": "cityblock", "correlation": "correlation", "cosine": "cosine"}
#: The metric for an algorithm that has none, or one that is no distance.
DEFAULT = "euclidean"
#: The most items whose n x n distances are computed.
MOST_ITEMS = 20_000


def distances_of_problem(problem: Problem, metric: str = DEFAULT) -> NDArray[np.float64]:
    """The distances (n, n) of the items.

    Parameters
    ----------
    problem : Problem
    metric : str
        Of vectors: ``euclidean``, ``manhattan``, ``cosine``, ``correlation`` or ``spearman``, as
        of linkages; any other one is Euclidean.

    Returns
    -------
    (n, n) float64
        Of similarities s, the largest similarity of two items minus s.

    Raises
    ------
    NotApplicableError
        If the problem has neither vectors nor similarities, or more items than `MOST_ITEMS`.

    Examples
    --------
    >>> problem = hcbench.Problem(n=3, vectors=np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    >>> distances_of_problem(problem)[0].tolist()
    [0.0, 5.0, 1.0]
    >>> distances_of_problem(problem, "manhattan")[0].tolist()
    [0.0, 7.0, 1.0]
    """
    if problem.n > MOST_ITEMS:
        raise NotApplicableError(
            f"the distances of {problem.n:,} items take too much memory; {MOST_ITEMS:,} is the most"
        )
    if problem.vectors is not None:
        return _distances_of_vectors(problem, metric)
    if problem.similarity is None:
        raise NotApplicableError("the data have neither vectors nor similarities")
    similarity = np.asarray(problem.similarity, dtype=np.float64)
    # An item is often more similar to itself than to any other, at no meaningful distance.
    off_diagonal = ~np.eye(problem.n, dtype=np.bool_)
    largest = 0.0
    if problem.n > 1:
        largest = similarity[off_diagonal].max(initial=0.0)
    distances: NDArray[np.float64] = largest - similarity
    np.fill_diagonal(distances, 0.0)
    return distances


def _distances_of_vectors(problem: Problem, metric: str) -> NDArray[np.float64]:
    from scipy.spatial.distance import pdist, squareform
    from scipy.stats import rankdata

    vectors: Any = problem.vectors
    if metric != "spearman" and metric not in _IN_SCIPY:
        return -similarity_of_vectors(vectors, "euclidean")
    if is_sparse(vectors):
        vectors = vectors.toarray()
    dense = np.asarray(vectors, dtype=np.float64)
    # Spearman's correlation is that of the ranks.
    if metric == "spearman":
        dense = rankdata(dense, axis=1)
        metric = "correlation"
    # Rows without any variance have no correlation: they are as far from others as unrelated ones.
    name: Any = _IN_SCIPY[metric]  # scipy's types list each name
    pairs = np.nan_to_num(pdist(dense, name), nan=1.0)
    distances: NDArray[np.float64] = squareform(np.maximum(pairs, 0.0))
    return distances
