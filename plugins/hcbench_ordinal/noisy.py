"""Insertion if each answer is correct with probability p: three strategies."""

from __future__ import annotations

import warnings
from math import inf, log
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import HeightKind, Items, ModelWarning, Oracle, Tree
from hcbench_ordinal import _noisy_kernels, _noisy_paper_kernels as paper_kernels
from hcbench_ordinal._noisy_kernels import Rule, Topology
from hcbench_ordinal._noisy_paper_kernels import PublishedRule
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
    items: Items,
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
    n = items.n
    if n == 1:
        return Tree([-1], names=items.names)
    if order == "random":
        insertion_order = rng.permutation(n)
    else:
        insertion_order = np.arange(n)
    topology = _new_topology(n)
    if strategy == "paper":
        published_rule = PublishedRule(
            p=p,
            repetitions=vertex_repetitions(p, repetitions),
            rounds=_rounds_of_weights(p, delta / n * share, margin, n),
            skip=skip,
            walk_distance=walk_distance / (2 * p - 1),
            walk_marked=walk_confidence * _walk_length(p, delta / n * (1 - share)),
            walk_all=walk_confidence * _walk_length(p, delta / n),
        )
        _insert_as_published(oracle, insertion_order, published_rule, topology)
    elif strategy == "repeat":
        rule = _rule_of_repetitions(p, delta, n, stop)
        oracle.run(_noisy_kernels.insert_all, insertion_order, rule, topology)
    else:
        rule = _rule_of_weights(p, delta, n, wrong, patience)
        n_stopped: Any = oracle.run(_noisy_kernels.insert_all, insertion_order, rule, topology)
        if n_stopped:
            warnings.warn(
                f"{n_stopped} of {n} insertions were not decided after {patience:g} times the "
                f"expected number of queries, and used the most likely place; p={p:g} may exceed "
                "the proportion of correct answers",
                ModelWarning,
                stacklevel=2,
            )
    return Tree(_sorted_parents(topology), None, HeightKind.NONE, items.names)


def _new_topology(n: int) -> Topology:
    m = 2 * n - 1
    return Topology(
        parent=np.empty(m, np.int64),
        left=np.empty(m, np.int64),
        right=np.empty(m, np.int64),
        size=np.empty(m, np.int64),
    )


def _sorted_parents(topology: Topology) -> NDArray[np.int64]:
    """Parents of vertices, renumbered so that larger subtrees have larger numbers."""
    n = (topology.parent.size + 1) // 2
    inner = n + np.argsort(topology.size[n:], kind="stable")
    # The vertex that gets each number, and the number of each vertex.
    vertices = np.concatenate((np.arange(n), inner))
    number = np.empty_like(vertices)
    number[vertices] = np.arange(vertices.size)
    parent = number[topology.parent[vertices]]
    # The root has no parent.
    parent[-1] = -1
    return parent


def _rule_of_weights(p: float, delta: float, n: int, wrong: str, patience: float) -> Rule:
    """Of "bayes": each query is asked once."""
    wrong_answer = 1 - p
    if wrong == "random":
        # For each of the two wrong answers.
        wrong_answer = (1 - p) / 2
    return Rule(
        right_answer=p,
        wrong_answer=wrong_answer,
        tolerance=delta / n,
        repetitions=1,
        lead=_NO_LEAD,
        patience=patience / capacity(p),
    )


def _rule_of_repetitions(p: float, delta: float, n: int, stop: str) -> Rule:
    """Of "repeat": places that contradict an answer are excluded."""
    failure = delta / max(noiseless_queries(n), 1)
    repetitions = majority_exactly(p, failure)
    lead = _NO_LEAD
    if stop == "lead":
        repetitions = majority_exactly(p, failure / 2)
        lead = lead_of_majority(p, failure / 2)
    return Rule(
        right_answer=1.0,
        wrong_answer=0.0,
        tolerance=0.0,
        repetitions=repetitions,
        lead=lead,
        patience=inf,
    )


def _rounds_of_weights(p: float, failure: float, margin: float, n: int) -> NDArray[np.int64]:
    """K (n,) of the multiplicative weights for the tree of the i-th item, of 2i - 1 vertices."""
    rounds = []
    for i in range(n):
        vertices = max(2 * i - 1, 1)
        rounds.append(weight_rounds(p, failure, margin, vertices))
    return np.array(rounds)


def _walk_length(p: float, failure: float) -> float:
    """ln(1/failure) / (2p-1)^2: a walk of this order fails with this probability."""
    return log(1 / failure) / (2 * p - 1) ** 2


def _insert_as_published(
    oracle: Oracle,
    insertion_order: NDArray[np.int64],
    rule: PublishedRule,
    topology: Topology,
) -> None:
    """Insert the items, and report how it went."""
    counts = np.zeros(paper_kernels.N_COUNTS, np.int64)
    oracle.run(paper_kernels.insert_all_as_published, insertion_order, rule, topology, counts)
    queries = int(counts[paper_kernels.VERTEX_QUERIES])
    if queries == 0:
        return
    oracle.report(
        vertex_queries=queries / (len(insertion_order) - 2),
        correct=int(counts[paper_kernels.CORRECT]) / queries,
    )
    oracle.report(
        candidates=int(counts[paper_kernels.CANDIDATES]), missed=int(counts[paper_kernels.MISSED])
    )
