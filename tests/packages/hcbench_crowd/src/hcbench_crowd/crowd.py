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
    votes, wrong = ints[VOTES], 0
    first = votes * time if ints[ANEW] else 0
    for vote in range(first, first + votes):
        who = int(uniform(ints[SEED], key ^ WHO, vote) * ints[ANNOTATORS])
        wrong += uniform(ints[SEED], key, vote) < rates[who]
    return int(together != (2 * wrong > votes))


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
) -> Answers:
    """Answer whether two items belong together, by the majority of ``votes`` annotators.

    Raises
    ------
    ParameterError
        If the number of votes is even, as there may be no majority.
    """
    if votes % 2 == 0:
        raise ParameterError(f"votes={votes} may be split evenly; take an odd number")
    rates = np.random.default_rng(seed).uniform(0, 2 * noise, annotators)
    header = np.array([votes, annotators, seed % 2**63, anew], dtype=np.int64)
    return Answers(
        kind="pair-queries",
        n=problem.n,
        arity=2,
        compiled=answer_by_majority,
        floats=rates,
        ints=np.concatenate([header, finest_partition(problem, level).labels]),
        timed=anew,
    )
