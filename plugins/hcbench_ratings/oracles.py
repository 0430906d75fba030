"""Oracles that rate pairs, and that find the odd one out of many items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import QUERY_KINDS, Answers, NotApplicableError, Problem, QueryKind, similarity_matrix
from hcbench.compiled import uniform
from hcbench.oracle import Choice, Code, Queries

Keys = NDArray[np.uint64]
Times = NDArray[np.int64]
_WHO, _WHICH = 0x6A09E667F3BCC909, 0x3C6EF372FE94F82B  # apart from the seed of the noise


def rating_queries(
    problem: Problem,
    seed: int,
    _budget: int | None,
    *,
    noise: float,
    whole: bool,
    annotators: int,
    bias: float,
    persistent: bool,
    similarity: str,
) -> Answers:
    """Rate how alike two items are, from 0 for the least similar pair to 9 for the most similar.

    In between ratings are linear in the similarity. Normal noise and the annotator's own bias are
    added, and what leaves the scale is cut off; an item and itself are rated 9. `Oracle.details`
    name the annotators. O(n^2) memory; a microsecond an answer.
    """
    low, high = QUERY_KINDS["rating-queries"].scale or (0.0, 9.0)
    w = np.asarray(similarity_matrix(problem, similarity), dtype=np.float64)
    pairs = w[np.triu_indices(problem.n, 1)]
    width = np.ptp(pairs) if pairs.size else 0.0
    right = low + (high - low) * (w - pairs.min(initial=np.inf)) / width if width else w * 0 + high
    np.fill_diagonal(right, high)
    biases = np.random.default_rng(seed).normal(0.0, bias, annotators)

    def answer(queries: Queries, keys: Keys, times: Times) -> Code:
        from scipy.special import ndtri

        ratings = right[queries.min(axis=1), queries.max(axis=1)]
        if noise:
            ratings = ratings + noise * ndtri(_uniform(seed, keys, times))
        told = np.empty(len(ratings), [("code", "f8"), ("annotator", "i8")])
        if annotators:
            told["annotator"] = _uniform(seed ^ _WHO, keys, times) * annotators
            ratings = ratings + biases[told["annotator"]]
        ratings = np.clip(ratings, low, high)
        told["code"] = np.rint(ratings) if whole else ratings
        return told if annotators else told["code"]

    timed = not persistent and (noise > 0 or annotators > 0)
    return Answers(kind="rating-queries", n=problem.n, arity=2, answer=answer, timed=timed)


def odd_of_many(
    problem: Problem, seed: int, _budget: int | None, *, k: int, noise: float, similarity: str
) -> Answers:
    """Answer which of k items is the odd one out, by its position, from 0.

    It is the one whose similarities to the others have the least sum, the one of the smallest
    number if several have; or, with probability ``noise``, another one. A repeated query has the
    same answer. O(k^2) an answer.

    Raises
    ------
    NotApplicableError
        If there are fewer than k items.
    """
    if problem.n < k:
        raise NotApplicableError(f"k={k}: there are only {problem.n} items; take a smaller k")
    w = np.array(similarity_matrix(problem, similarity), dtype=np.float64)
    np.fill_diagonal(w, 0.0)

    def answer(queries: Queries, keys: Keys, times: Times) -> Code:
        items = np.sort(queries, axis=1)
        odd = w[items[:, :, None], items[:, None, :]].sum(axis=2).argmin(axis=1)
        if noise:
            wrong = _uniform(seed, keys, times) < noise
            other = 1 + (_uniform(seed ^ _WHICH, keys, times) * (k - 1)).astype(np.int64)
            odd = np.where(wrong, (odd + other) % k, odd)
        found = items[np.arange(len(items)), odd]
        positions: NDArray[Any] = (queries == found[:, None]).argmax(axis=1)
        return positions

    kind = kind_of_many(k=k)
    return Answers(
        kind=kind.name, n=problem.n, arity=k, query_kind=kind, answer=answer, timed=False
    )


def kind_of_many(*, k: int, **_others: object) -> QueryKind:
    """The question about k items, as a person is asked; its choices are their positions from 1."""
    return QueryKind(
        name="odd-of-many",
        arity=k,
        symmetry="unordered",
        argument="",
        text="Which one is the odd one out?",
        choices=tuple(Choice(str(position + 1), position) for position in range(k)),
    )


def _uniform(seed: int, keys: Keys, times: Times) -> NDArray[np.float64]:
    """A number in [0, 1) for each query (m,), which depends on nothing else."""
    asked = zip(keys, times.tolist(), strict=True)
    return np.array([uniform(seed, key, time) for key, time in asked], dtype=np.float64)
