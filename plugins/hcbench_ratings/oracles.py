"""Oracles that rate pairs, and that find the odd one out of many items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    QUERY_KINDS,
    AnswerRequest,
    Answers,
    NotApplicableError,
    OracleRequest,
    Problem,
    QueryKind,
    similarity_matrix,
)
from hcbench.compiled import uniform
from hcbench.oracle import Choice, Code

Floats = NDArray[np.float64]
# Seeds of numbers that must not depend on the noise differ from its seed in these bits.
_WHO = 0x6A09E667F3BCC909
_WHICH = 0x3C6EF372FE94F82B


def rating_queries(
    request: OracleRequest,
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
    problem = request.problem
    seed = request.seed
    low, high = QUERY_KINDS["rating-queries"].scale or (0.0, 9.0)
    exact = _exact_ratings(problem, similarity, low, high)
    biases = np.random.default_rng(seed).normal(0.0, bias, annotators)

    def answer(request: AnswerRequest) -> Code:
        from scipy.special import ndtri

        # A pair has one rating, in whatever order it is asked.
        queries = request.queries
        ratings = exact[queries.min(axis=1), queries.max(axis=1)]
        if noise:
            # Normal quantiles of uniform numbers are normal numbers.
            ratings = ratings + noise * ndtri(_uniform(seed, request))
        rated = np.empty(len(ratings), [("code", "f8"), ("annotator", "i8")])
        if annotators:
            rated["annotator"] = _uniform(seed ^ _WHO, request) * annotators
            ratings = ratings + biases[rated["annotator"]]
        ratings = np.clip(ratings, low, high)
        # The ends of the scale are whole numbers, so that rounding stays on it.
        if whole:
            ratings = np.rint(ratings)
        rated["code"] = ratings
        if annotators:
            return rated
        return rated["code"]

    # Without noise and annotators, the same query has the same answer anyway.
    timed = not persistent and (noise > 0 or annotators > 0)
    return Answers(kind="rating-queries", n=problem.n, arity=2, answer=answer, timed=timed)


def _exact_ratings(problem: Problem, similarity: str, low: float, high: float) -> Floats:
    """The rating of each pair without noise (n, n): the least similar one has the lowest."""
    similarities = np.asarray(similarity_matrix(problem, similarity), dtype=np.float64)
    of_pairs = similarities[np.triu_indices(problem.n, 1)]
    width = 0.0
    if of_pairs.size:
        width = np.ptp(of_pairs)
    if width:
        ratings: Floats = low + (high - low) * (similarities - of_pairs.min()) / width
    else:
        # All pairs are equally similar.
        ratings = np.full_like(similarities, high)
    np.fill_diagonal(ratings, high)
    return ratings


def odd_of_many(request: OracleRequest, *, k: int, noise: float, similarity: str) -> Answers:
    """Answer which of k items is the odd one out, by its position, from 0.

    It is the one whose similarities to the others have the least sum, the one of the smallest
    number if several have; or, with probability ``noise``, another one. A repeated query has the
    same answer. O(k^2) an answer.

    Raises
    ------
    NotApplicableError
        If there are fewer than k items.
    """
    problem = request.problem
    seed = request.seed
    if problem.n < k:
        raise NotApplicableError(f"k={k}: there are only {problem.n} items; take a smaller k")
    similarities = np.array(similarity_matrix(problem, similarity), dtype=np.float64)
    # An item's similarity to itself is in no sum.
    np.fill_diagonal(similarities, 0.0)

    def answer(request: AnswerRequest) -> Code:
        queries = request.queries
        # In the order of their numbers, as the first one wins ties.
        items = np.sort(queries, axis=1)
        sums = similarities[items[:, :, None], items[:, None, :]].sum(axis=2)
        odd_place = sums.argmin(axis=1)
        if noise:
            is_wrong = _uniform(seed, request) < noise
            # From the right place to one of the k - 1 others, each as likely.
            shift = 1 + (_uniform(seed ^ _WHICH, request) * (k - 1)).astype(np.int64)
            odd_place = np.where(is_wrong, (odd_place + shift) % k, odd_place)
        odd_item = items[np.arange(len(items)), odd_place]
        positions: NDArray[Any] = (queries == odd_item[:, None]).argmax(axis=1)
        return positions

    kind = kind_of_many(k=k)
    return Answers(
        kind=kind.name, n=problem.n, arity=k, query_kind=kind, answer=answer, timed=False
    )


def kind_of_many(*, k: int, **_other_parameters: object) -> QueryKind:
    """The question about k items, as a person is asked; its choices are their positions from 1."""
    choices = [Choice(key=str(position + 1), code=position) for position in range(k)]
    return QueryKind(
        name="odd-of-many",
        arity=k,
        symmetry="unordered",
        argument="",
        text="Which one is the odd one out?",
        choices=tuple(choices),
    )


def _uniform(seed: int, request: AnswerRequest) -> Floats:
    """A number in [0, 1) for each query (m,), which depends on nothing else."""
    numbers = np.empty(len(request.keys))
    # The compiled hash takes numpy's unsigned keys, and times as numbers of Python.
    asked = zip(request.keys, request.times.tolist(), strict=True)
    for row, (key, time) in enumerate(asked):
        numbers[row] = uniform(seed, key, time)
    return numbers
