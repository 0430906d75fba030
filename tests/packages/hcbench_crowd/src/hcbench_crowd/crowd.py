"""Queries about two items, each answered by several annotators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hcbench import Answers, ParameterError, Problem, finest_partition
from hcbench.compiled import uniform

#: Separates these random numbers from those that decide whether a vote is wrong.
WHO = np.uint64(0x6A09E667F3BCC909)
VOTES, ANNOTATORS, SEED, ANEW, HEADER = range(5)


@njit(cache=True)
def votes_on(rates: Any, ints: Any, key: Any, time: Any) -> Any:
    """The annotator with the last vote on a query, and how many votes are wrong."""
    votes, wrong, who = ints[VOTES], 0, -1
    first = votes * time if ints[ANEW] else 0
    for vote in range(first, first + votes):
        who = int(uniform(ints[SEED], key ^ WHO, vote) * ints[ANNOTATORS])
        wrong += uniform(ints[SEED], key, vote) < rates[who]
    return who, wrong


@njit(cache=True)
def answer_by_majority(
    rates: Any, ints: Any, i: Any, j: Any, _k: Any, _l: Any, key: Any, time: Any
) -> Any:
    """1 if most of the selected annotators answer that i and j belong together, else 0.

    The selection, and whether an annotator errs, depends only on the query and, if annotators are
    selected anew, on how often it was asked before. O(votes).

    Parameters
    ----------
    rates : (annotators,) float64
        Error rates.
    ints : votes, annotators, seed, anew, labels (n,)
    """
    together = ints[HEADER + i] == ints[HEADER + j]
    if i == j:
        return 1
    _, wrong = votes_on(rates, ints, key, time)
    return int(together != (2 * wrong > ints[VOTES]))


def crowd(
    problem: Problem,
    seed: int,
    _budget: int | None,
    *,
    annotators: int,
    votes: int,
    noise: float,
    anew: bool,
    level: int | None,
    details: bool,
) -> Answers:
    """Answer whether two items belong together, by the majority of ``votes`` annotators.

    With ``details``, the confidence is the share of the votes for the answer, and the annotator is
    named if there is one vote; such answers are not compiled.

    Raises
    ------
    ParameterError
        If the number of votes is even, as there may be no majority.
    """
    if votes % 2 == 0:
        raise ParameterError(f"votes={votes} may be split evenly; take an odd number")
    rates = np.random.default_rng(seed).uniform(0, 2 * noise, annotators)
    header = np.array([votes, annotators, seed % 2**63, anew], dtype=np.int64)
    ints = np.concatenate([header, finest_partition(problem, level).labels])
    same = {"kind": "pair-queries", "n": problem.n, "arity": 2, "timed": anew}
    if not details:
        return Answers(compiled=answer_by_majority, floats=rates, ints=ints, **same)

    def answer(queries: Any, keys: Any, times: Any) -> Any:
        told = np.empty(len(queries), [("code", "i1"), ("confidence", "f8"), ("annotator", "i8")])
        asked = zip(queries.tolist(), keys, times.tolist(), strict=True)
        for row, ((i, j), key, time) in enumerate(asked):
            code = answer_by_majority(rates, ints, i, j, 0, 0, key, time)
            together = ints[HEADER + i] == ints[HEADER + j]
            who, wrong = votes_on(rates, ints, key, time)
            share = wrong / votes if code != together else 1 - wrong / votes
            told[row] = code, share if i != j else 1.0, who if votes == 1 else -1
        return told

    return Answers(answer=answer, **same)
