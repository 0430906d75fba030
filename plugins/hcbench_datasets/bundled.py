"""Data sets bundled with scikit-learn; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import datasets

from hcbench import DataRequest, Problem
from hcbench_datasets.fetch import sampled_rows
from hcbench_datasets.preparation import standardised


def iris(request: DataRequest, *, standardise: bool, n: int | None) -> Problem:
    """Fisher's iris flowers (150, 4), 3 species."""
    seed = request.seed
    return _problem("iris", datasets.load_iris, seed, standardise, n)


def wine(request: DataRequest, *, standardise: bool, n: int | None) -> Problem:
    """Wines (178, 13) of 3 growers."""
    seed = request.seed
    return _problem("wine", datasets.load_wine, seed, standardise, n)


def digits(request: DataRequest, *, standardise: bool, n: int | None) -> Problem:
    """Handwritten digits (1797, 64), 10 classes."""
    seed = request.seed
    return _problem("digits", datasets.load_digits, seed, standardise, n)


def breast_cancer(request: DataRequest, *, standardise: bool, n: int | None) -> Problem:
    """Tumours (569, 30), benign or malignant."""
    seed = request.seed
    return _problem("breast-cancer", datasets.load_breast_cancer, seed, standardise, n)


def _problem(
    name: str, load: Callable[..., Any], seed: int, standardise: bool, n: int | None
) -> Problem:
    """The data set, or ``n`` of its items in their original order, standardised after sampling."""
    bunch = load()
    rows = sampled_rows(n, len(bunch.data), seed, name)
    vectors = np.ascontiguousarray(bunch.data[rows], dtype=np.float64)
    if standardise:
        vectors = standardised(vectors)
    return Problem(
        n=len(vectors),
        vectors=vectors,
        levels=bunch.target[rows].astype(np.int64, copy=True)[:, None],
        classes=(tuple(map(str, bunch.target_names)),),
    )
