"""Principal components of dense and sparse vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import svd
from scipy.sparse.linalg import ArpackError, svds

if TYPE_CHECKING:
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]

Decomposition: TypeAlias = Literal["auto", "complete", "iterative"]

#: Up to this number of rows or columns dense vectors are decomposed completely, and others
#: iteratively.
_SMALL = 1024
#: The same for sparse vectors, whose products cost less than their complete decomposition.
_SMALL_SPARSE = 128

#: Floats in a block of vectors that are decomposed completely: 32 MB.
_BLOCK_SIZE = 1 << 22


def principal_scores(vectors: Vectors, r: int, method: Decomposition = "auto") -> Floats:
    """Scores ``zeta_i = V' Y_i`` of the first r principal components, not centred.

    The columns of V are orthonormal eigenvectors of ``sum_i Y_i Y_i'`` for its r largest
    eigenvalues (Gray et al. 2023, section 2.2). Their signs are arbitrary and do not change dot
    products or distances.

    Parameters
    ----------
    vectors : (n, p) array or csr_array
        Sparse ones stay sparse.
    r : int
        At most min(n, p).
    method : {"auto", "complete", "iterative"}
        How the vectors are decomposed; by default completely where that takes less time.

    Returns
    -------
    (n, r) array
        With m = min(n, p): O(n p m + m^3) time and O(m^2) memory if m is small or r is not small;
        otherwise a multiple of O(r nnz + r^2 (n + p)) time (ARPACK), O(r (n + p)) memory. Errors
        are of the order of the rounding of the largest singular value.
    """
    scores = _decomposed(vectors, r, method, of_rows=True)
    # The score of a zero row is exactly zero: rounding must not give it a direction.
    sizes: Any = abs(vectors)
    scores[np.asarray(sizes.sum(axis=1)).ravel() == 0] = 0.0
    return scores


def principal_axes(vectors: Vectors, r: int, method: Decomposition = "auto") -> Floats:
    """V (p, r') itself, r' <= r the numerical rank; time and memory as `principal_scores`."""
    return _decomposed(vectors, r, method, of_rows=False)


def _decomposed(vectors: Vectors, r: int, method: Decomposition, *, of_rows: bool) -> Floats:
    """Scores if ``of_rows``, otherwise axes."""
    if method == "auto":
        method = _faster_method(vectors, r)
    if method == "iterative":
        try:
            return _iterated(vectors, r, of_rows=of_rows)
        except ArpackError:  # for example if all vectors are zero
            pass
    return _complete(vectors, r, of_rows=of_rows)


def _faster_method(vectors: Vectors, r: int) -> Decomposition:
    """Completely if there are few rows or columns, or r is not small beside their number."""
    small = _SMALL_SPARSE
    if isinstance(vectors, np.ndarray):
        small = _SMALL
    if min(vectors.shape) <= max(small, 8 * r):
        return "complete"
    return "iterative"


def _complete(vectors: Vectors, r: int, *, of_rows: bool) -> Floats:
    """By the singular values of a triangle; roots of eigenvalues would lose half of the digits.

    With ``X' = Q R`` or ``X = Q R``, the singular values of X are those of R, and its vectors on
    the shorter side as well.
    """
    n, p = vectors.shape
    if n > p:
        # X = Q R: the right singular vectors of R are those of X.
        _, values, right_vectors = svd(_triangle(vectors))
        axes = right_vectors[:r].T
        if of_rows:
            return np.asarray(vectors @ axes, dtype=np.float64)
        is_distinct = values[:r] > values[0] * _noise(vectors)
        return np.asarray(axes[:, is_distinct], dtype=np.float64)
    # X' = Q R: the left singular vectors of R' are those of X.
    left_vectors, values, _ = svd(_triangle(vectors.T).T)
    left_vectors = left_vectors[:, :r]
    if of_rows:
        return np.asarray(left_vectors * values[:r], dtype=np.float64)
    # X' U is V times the singular values, up to rounding: its columns are made orthonormal.
    is_distinct = values[:r] > values[0] * _noise(vectors)
    orthonormal, _ = np.linalg.qr(np.asarray(vectors.T @ left_vectors[:, is_distinct]))
    return np.asarray(orthonormal, dtype=np.float64)


def _triangle(tall: Any) -> Floats:
    """R (m, m) of ``tall = Q R``, by blocks of rows, so that no copy of all rows is needed."""
    n_rows, m = tall.shape
    if not isinstance(tall, np.ndarray):
        tall = tall.tocsr()
    step = max(m, _BLOCK_SIZE // m)
    triangle = np.empty((0, m))
    for first in range(0, n_rows, step):
        block = tall[first : first + step]
        if not isinstance(block, np.ndarray):
            block = block.toarray()
        # The triangle of the rows so far stands for them.
        stacked = np.vstack([triangle, block])
        triangle = np.asarray(np.linalg.qr(stacked, mode="r"))
    return triangle


def _iterated(vectors: Vectors, r: int, *, of_rows: bool) -> Floats:
    """By ARPACK, whose components are in no order."""
    # Any start that is not orthogonal to the components leads to them, up to rounding. With the
    # same one in each call, the same vectors have the same components to the last digit.
    start = np.random.default_rng(0).standard_normal(min(vectors.shape))
    decomposition: Any = svds(vectors, k=r, v0=start)
    left_vectors, values, right_vectors = decomposition
    falling = np.argsort(-values, kind="stable")
    if of_rows:
        scores: Floats = (left_vectors * values)[:, falling]
        return scores
    falling = falling[values[falling] > values.max() * _noise(vectors)]
    axes: Floats = right_vectors[falling].T
    return axes


def _noise(vectors: Vectors) -> float:
    """The relative size of singular values that are only rounding errors."""
    return float(max(vectors.shape) * np.finfo(np.float64).eps)
