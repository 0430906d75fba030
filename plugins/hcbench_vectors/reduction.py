"""The input of an algorithm: vectors, also reduced to principal components, or similarities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from hcbench import NotApplicableError, Oracle, ParameterError
from hcbench_vectors.algorithm_specs import MOST_COMPONENTS
from hcbench_vectors.components import principal_scores

if TYPE_CHECKING:
    from hcbench.model import Vectors


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
    r = reduction["pca"]
    if r is None:
        return vectors
    if isinstance(r, str):  # "auto"
        # Imported where it is used: scipy.optimize takes long.
        from hcbench_vectors.wasserstein import wasserstein_dimension

        r = wasserstein_dimension(vectors, reduction["r_max"], reduction["patience"])
    n, p = vectors.shape
    most = min(n, p)
    if r > most:
        raise ParameterError(
            f"{algorithm}: pca={r}, but {n} vectors of {p} features have {most} components; "
            f"use pca={most} or fewer, or pca=auto"
        )
    return principal_scores(vectors, r)


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
