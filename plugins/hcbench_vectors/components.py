"""The input vectors of an algorithm, unchanged or as principal component scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, svds

from hcbench import NotApplicableError, Oracle, ParameterError
from hcbench_vectors.algorithm_specs import MOST_COMPONENTS

if TYPE_CHECKING:
    from hcbench import Vectors

    Floats = NDArray[np.float64]

#: Up to this order a symmetric matrix is decomposed completely; above it, iteratively.
_SMALL = 1024


class Reduction(TypedDict):
    """The parameters of dimension reduction that all algorithms share."""

    pca: int | str | None
    r_max: int
    patience: int | None


def read_vectors(
    oracle: Oracle, rng: np.random.Generator, algorithm: str, reduction: Reduction
) -> Vectors:
    """Return the oracle's vectors in float64, or their principal component scores with ``pca``.

    Raises
    ------
    ParameterError
        If ``pca`` exceeds the number of components, or choices of ``pca="auto"`` are made without
        it.
    """
    _refuse_unused(algorithm, reduction)
    read: Any = oracle.read()
    vectors: Vectors = read.astype(np.float64, copy=False)
    r, most = reduction["pca"], min(vectors.shape)
    if r is None:
        return vectors
    if isinstance(r, str):  # "auto"
        from hcbench_vectors.wasserstein import wasserstein_dimension

        r = wasserstein_dimension(vectors, reduction["r_max"], reduction["patience"], rng)
    if r > most:
        n, p = vectors.shape
        raise ParameterError(
            f"{algorithm}: pca={r}, but {n} vectors of {p} features have {most} components; "
            f"use pca={most} or fewer, or pca=auto"
        )
    return principal_scores(vectors, r, rng)


def _refuse_unused(algorithm: str, reduction: Reduction) -> None:
    if reduction["pca"] == "auto":
        return
    for name, default in (("r_max", MOST_COMPONENTS), ("patience", None)):
        value = reduction.get(name)
        if value != default:
            raise ParameterError(
                f"{algorithm}: {name}={value} has no effect without pca=auto; add pca=auto or omit "
                f"{name}"
            )


def read_similarities(
    oracle: Oracle, algorithm: str, reduction: Reduction, *, of_vectors: str = ""
) -> NDArray[np.floating[Any]]:
    """Return the oracle's similarities.

    Parameters
    ----------
    oracle : Oracle
    algorithm : str
        For messages.
    reduction : dict
    of_vectors : str
        A choice that has an effect on vectors only, such as "metric=cosine"; "" if there is none.

    Raises
    ------
    NotApplicableError
        If ``pca`` is given, as similarities have no components, or another choice of vectors.
    """
    if of_vectors:
        name = of_vectors.partition("=")[0]
        raise NotApplicableError(
            f"{algorithm}: {of_vectors} has no effect on similarities; omit {name}"
        )
    if reduction["pca"] is not None:
        raise NotApplicableError(
            f"{algorithm}: pca={reduction['pca']} needs vectors, not similarities"
        )
    similarity: NDArray[np.floating[Any]] = oracle.read()
    return similarity


def principal_scores(vectors: Vectors, r: int, rng: np.random.Generator) -> Floats:
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
    rng : Generator
        Start of the iteration.

    Returns
    -------
    (n, r) array
        With m = min(n, p): O(n p m + m^3) time and O(m^2) memory if m is small or r is not small;
        otherwise a multiple of O(r nnz + r^2 (n + p)) time (ARPACK), O(r (n + p)) memory.
    """
    scores = _decomposed(vectors, r, rng, of_rows=True)
    # The score of a zero row is exactly zero: rounding must not give it a direction.
    scores[np.asarray((vectors * vectors).sum(axis=1)).ravel() == 0] = 0.0
    return scores


def principal_axes(vectors: Vectors, r: int, rng: np.random.Generator) -> Floats:
    """V (p, r') itself, r' <= r the numerical rank; time and memory as `principal_scores`."""
    return _decomposed(vectors, r, rng, of_rows=False)


def _decomposed(vectors: Vectors, r: int, rng: np.random.Generator, *, of_rows: bool) -> Floats:
    most = min(vectors.shape)
    if most > max(_SMALL, 8 * r):
        try:
            return _iterated(vectors, r, rng, of_rows=of_rows)
        except ArpackError:  # for example if all vectors are zero
            pass
    by_rows = most == vectors.shape[0]
    product: Any = vectors @ vectors.T if by_rows else vectors.T @ vectors
    square = product if isinstance(product, np.ndarray) else product.toarray()
    squares, found = eigh(square, subset_by_index=(most - r, most - 1))
    values, found = np.sqrt(np.maximum(squares[::-1], 0)), found[:, ::-1]
    if of_rows:
        return np.asarray(found * values if by_rows else vectors @ found, dtype=np.float64)
    # The square of a matrix gives singular values only to the square root of the precision.
    found = found[:, values > values[0] * np.sqrt(_noise(vectors))]
    axes: Floats = np.linalg.qr(np.asarray(vectors.T @ found))[0] if by_rows else found
    return axes


def _iterated(vectors: Vectors, r: int, rng: np.random.Generator, *, of_rows: bool) -> Floats:
    found: Any = svds(vectors, k=r, v0=rng.standard_normal(min(vectors.shape)))
    left, values, right = found
    falling = np.argsort(-values, kind="stable")
    if not of_rows:
        falling = falling[values[falling] > values.max() * _noise(vectors)]
    result: Floats = (left * values)[:, falling] if of_rows else right[falling].T
    return result


def _noise(vectors: Vectors) -> float:
    return float(max(vectors.shape) * np.finfo(np.float64).eps)
