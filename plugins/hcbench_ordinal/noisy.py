"""Insertion if each answer is correct with probability p: three strategies."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import inf, log
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Given, HeightKind, ModelWarning, Oracle, Tree
from hcbench_ordinal import _noisy_kernels, _noisy_paper_kernels
from hcbench_ordinal.bounds import capacity, noiseless_queries, weight_rounds
from hcbench_ordinal.noisy_constants import (
    check_right_answers,
    lead_of_majority,
    majority_exactly,
    vertex_repetitions,
)

_NO_LEAD = np.iinfo(np.int64).max


def noisy_insertion(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    p: float,
    delta: float = 0.05,
    strategy: Literal["bayes", "repeat", "paper"] = "bayes",
    order: Literal["random", "given"] = "random",
    wrong: Literal["adversarial", "random"] = "adversarial",
    patience: float = 100.0,
    stop: Literal["majority", "lead"] = "majority",
    repetitions: str | int = "hoeffding",
    margin: float = 0.5,
    share: float = 0.5,
    skip: bool = True,
    walk_distance: float = 2.0,
    walk_confidence: float = 8.0,
) -> Tree:
    """Insert one item after another beside the vertex that noisy answers indicate.

    Section 5 of Emamjomeh-Zadeh & Kempe 2018. Each answer is correct with probability at least p,
    whatever the other queries and answers are, and an adversary may choose wrong ones: then the
    result is the true tree with probability at least 1 - delta. Queries are repeated, so there is
    no guarantee if repeated queries always get the same answer.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries.
    p : float
        In (1/2, 1), at least 0.50005.
    delta : float
        In (0, 1). Each of the n - 2 insertions may fail with probability delta / n.
    strategy : {"bayes", "repeat", "paper"}
        See the notes.
    order : {"random", "given"}
        Order of insertion: random, or by item number.
    wrong : {"adversarial", "random"}
        For bayes: assumption about wrong answers. "random" assumes that both are equally likely,
        which saves queries and has no guarantee otherwise.
    patience : float
        For bayes: an insertion ends with the most likely vertex after this many times
        log2(|V| n |V| / delta) / (1 - H(p)) queries, so it ends for any answers. If p is correct,
        this limit is not reached in practice.
    stop : {"majority", "lead"}
        For repeat.
    repetitions : {"hoeffding", "binomial"} or int
        For paper: k_p, such that a majority is correct with probability sqrt(p), by Hoeffding's
        inequality as published or exactly; or an odd number.
    margin : float
        For paper: lambda as a fraction of its upper limit C / log2(p / (1-p)); see `weight_rounds`.
    share : float
        For paper: fraction of delta / n for the multiplicative weights; the walk has the rest. Not
        specified in the paper.
    skip : bool
        For paper: whether to skip the multiplicative weights if they would take at least as many
        rounds as there are vertices, and to walk on the whole tree, with all of delta / n.
    walk_distance, walk_confidence : float
        For paper: with probability delta' of failure and a virtual tree of diameter D, the walk
        takes max(walk_distance (D+1) / (2p-1), walk_confidence ln(1/delta') / (2p-1)^2) steps.

    Returns
    -------
    Tree
        Binary, of kind NONE.

    Raises
    ------
    ParameterError
        If ``repetitions`` is even, or p is out of range or too close to 1/2.
    NotApplicableError
        If an answer is NONE: the tree must be binary.
    BudgetExceededError
        If the budget is exhausted before the tree is complete.

    Warns
    -----
    ModelWarning
        If ``patience`` was exceeded.

    Notes
    -----
    "paper": multiplicative weights reduce the candidates to a few vertices, among which a random
    walk finds the correct one; both use simulated vertex queries of up to 2 k_p queries each.
    O(log(n / delta)) queries per insertion, with large constants. It reports the mean number of
    vertex queries per insertion; the proportion that was answered by or towards the place that was
    found, which if the tree is the true one is that of correct responses; the largest number of
    vertices that the weights left as candidates; and how many items were not inserted beside one.

    "repeat": binary search (algorithm 4), each query repeated k times, the smallest odd number for
    which a majority is correct with probability 1 - d for d = delta / sum_i floor(log2(2i-3)), by
    the binomial distribution; it stops when one answer has more than k/2, or, with "lead", when it
    leads by log(4/d) / log(p / (1-p)), which is wrong with probability d/2 at any time, with k for
    d/2. O(log n log(n / delta)) queries.

    "bayes": all vertices v of the tree have a weight, initially 1; an answer multiplies it by p if
    v agrees, else by 1-p. The pivot minimises the largest weight of an answer. The heaviest vertex
    is used when all others together weigh at most delta / (n |V|) times as much. Let t be the
    correct one and R the sum of w(v) / w(t) over the others. A correct answer multiplies a ratio by
    (1-p)/p if v disagrees with it, else by 1; a wrong one by p/(1-p) if v agrees with it, else by
    at most 1. For any adversary, the expected factor is at most p (1-p)/p + (1-p) p/(1-p) = 1 for
    those v whose answer differs from that of t, and 1 for the others: R is a supermartingale, and
    by Ville's inequality it ever reaches n |V| / delta with probability at most (|V| - 1) delta /
    (n |V|) < delta / n, which is necessary for an insertion beside another vertex than t. Time is
    O(depth of the pivot) for each query. A weight of 1e-300 of the whole may become 0.
    """
    check_right_answers(p)
    if given.n == 1:
        return Tree([-1], names=given.names)
    items = rng.permutation(given.n) if order == "random" else np.arange(given.n)
    growth = _Arrays.of(given.n)
    if strategy == "paper":
        constants = _published_constants(p, delta, given.n, repetitions, margin, share, skip)
        walk = (walk_distance / (2 * p - 1), *(walk_confidence * x for x in constants.walk))
        oracle.run(
            _noisy_paper_kernels.insert_all_as_published,
            items,
            p,
            constants.repetitions,
            constants.rounds,
            skip,
            *walk,
            *growth.all,
            counts := np.zeros(4, np.int64),
        )
        queries, correct, candidates, missed = counts.tolist()
        if queries:
            oracle.report(vertex_queries=queries / (given.n - 2), correct=correct / queries)
            oracle.report(candidates=candidates, missed=missed)
    elif strategy == "repeat":
        times, lead = _repetitions_and_lead(p, delta, given.n, stop)
        _insert(oracle, items, (1.0, 0.0, 0.0), times, lead, inf, growth)
    else:
        weights = (p, (1 - p) / 2 if wrong == "random" else 1 - p, delta / given.n)
        n_stopped = _insert(oracle, items, weights, 1, _NO_LEAD, patience / capacity(p), growth)
        if n_stopped:
            warnings.warn(
                f"{n_stopped} of {given.n} insertions were not decided after {patience:g} times "
                f"the expected number of queries, and used the most likely place; p={p:g} may "
                "exceed the proportion of correct answers",
                ModelWarning,
                stacklevel=2,
            )
    return Tree(growth.parents(), None, HeightKind.NONE, given.names)


@dataclass(frozen=True, slots=True, eq=False)
class _Arrays:
    """The arrays that the kernels write: see `_noisy_kernels.Growth`."""

    parent: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    size: NDArray[np.int64]

    @classmethod
    def of(cls, n: int) -> _Arrays:
        return cls(*(np.empty(2 * n - 1, np.int64) for _ in range(4)))

    @property
    def all(self) -> tuple[NDArray[np.int64], ...]:
        return self.parent, self.left, self.right, self.size

    def parents(self) -> NDArray[np.int64]:
        """Parents of vertices, renumbered so that larger subtrees have larger numbers."""
        n = (self.parent.size + 1) // 2
        vertices = np.concatenate((np.arange(n), n + np.argsort(self.size[n:], kind="stable")))
        number = np.empty_like(vertices)
        number[vertices] = np.arange(vertices.size)
        parent = number[self.parent[vertices]]
        parent[-1] = -1
        return parent


@dataclass(frozen=True, slots=True, eq=False)
class _Published:
    """Constants of section 5: k_p, K for each insertion, and ln(1/delta') / (2p-1)^2.

    ``walk`` has the last one after multiplicative weights, and without them.
    """

    repetitions: int
    rounds: NDArray[np.int64]
    walk: tuple[float, float]


def _published_constants(
    p: float,
    delta: float,
    n: int,
    repetitions: str | int,
    margin: float,
    share: float,
    skip: bool,
) -> _Published:
    failure = delta / n
    rounds = [weight_rounds(p, failure * share, margin, max(2 * i - 1, 1)) for i in range(n)]
    steepness = (2 * p - 1) ** 2
    after = log(1 / (failure * (1 - share))) / steepness
    return _Published(
        vertex_repetitions(p, repetitions), np.array(rounds), (after, log(1 / failure) / steepness)
    )


def _repetitions_and_lead(p: float, delta: float, n: int, stop: str) -> tuple[int, int]:
    """Maximum number of repetitions of a query, and the lead that ends them."""
    failure = delta / max(noiseless_queries(n), 1)
    if stop == "majority":
        return majority_exactly(p, failure), _NO_LEAD
    return majority_exactly(p, failure / 2), lead_of_majority(p, failure / 2)


def _insert(
    oracle: Oracle,
    items: NDArray[np.int64],
    weights: tuple[float, float, float],
    times: int,
    lead: int,
    patience: float,
    growth: _Arrays,
) -> int:
    n_stopped: Any = oracle.run(
        _noisy_kernels.insert_all, items, *weights, times, lead, patience, *growth.all
    )
    return int(n_stopped)
