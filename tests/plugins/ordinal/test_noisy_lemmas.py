"""Lemmas 5.3, 5.5 and 5.6 of the published strategy, on the queries and walks of its kernel.

Items before the last are inserted by correct answers, so the place of the last one is known; those
about it are wrong with probability 1 - p, and then as a decoy would have them: they agree.
"""

from functools import cache
from math import ceil, log

import numpy as np
import pytest
from scipy.stats import binom

from hcbench import DataRequest, ask_oracle
from hcbench_ordinal.noisy_constants import vertex_repetitions
from hcbench_ordinal.shapes import random_tree
from tests.plugins.ordinal.noisy_answers import Cluster, clusters, odd_one
from tests.plugins.ordinal.test_noisy_paper import P, Published, leaves_below, run_kernel

N, DELTA = 9, 0.3
K = vertex_repetitions(P, "binomial")


def adversary(truth, decoy, rng):
    """Answers that are correct about items before the last, and the list of all."""
    asked = []

    def answer(i, j, k):
        code = int(odd_one(truth.parent, i, j, k))
        if k == N - 1 and rng.random() >= P:
            wrong = int(odd_one(decoy.parent, i, j, k))
            code = wrong if wrong != code else (code + 1 + int(rng.integers(2))) % 3
        asked.append((i, j, k, code))
        return code

    return ask_oracle("ordinal-queries", answer, n=N), asked


@cache
def last_walk(seed, *, below_a_leaf):
    """The walk that finds the last item's place in a tree of N - 1, and that place."""
    rng = np.random.default_rng(seed)
    while True:
        truth = random_tree(DataRequest(seed=int(rng.integers(10**6))), n=N).truth
        home = min((c for c in clusters(truth) if N - 1 in c and len(c) > 1), key=len)
        target = Cluster(home - {N - 1})
        if not below_a_leaf or len(target) == 1:
            break
    oracle, asked = adversary(truth, random_tree(DataRequest(seed=seed), n=N).truth, rng)
    distance, least = 2 / (2 * P - 1), 8 * log(1 / DELTA) / (2 * P - 1) ** 2
    # Multiplicative weights are skipped: the walk is on the whole tree.
    _, tree, _ = run_kernel(
        oracle, N, K, 10**6, skip=True, distance=distance, marked=least, all_marked=least
    )
    twin = Published(asked, [0, 1])
    for x in range(2, N):
        vertices, twin.steps = set(twin.tree), []
        diameter = twin.diameter(vertices)
        steps = ceil(max(distance * (diameter + 1), least))
        twin.insert(x, twin.walk(x, vertices, steps, K))
    assert twin.at == len(asked)
    assert leaves_below(tree[0], N) == twin.tree
    assert len(twin.steps) == steps  # vertex queries, O(D + log(1/delta))
    return twin, vertices, target, twin.tree == clusters(truth)


@pytest.mark.slow
@pytest.mark.parametrize("below_a_leaf", [True, False], ids=["lemma 5.5", "lemma 5.6"])
def test_the_walk_finds_its_target_with_probability_1_minus_delta(below_a_leaf):
    """Leaves of a binary tree, lemma 5.5; any of its vertices, lemma 5.6."""
    runs = 50
    found = sum(last_walk(seed, below_a_leaf=below_a_leaf)[3] for seed in range(runs))
    # Fewer have a probability below 1e-6.
    assert found >= binom.ppf(1e-6, runs, 1 - DELTA)


@pytest.mark.slow
def test_a_simulated_vertex_query_is_right_with_probability_p_lemma_5_3():
    asked = {"root": [], "leaf": [], "inner": []}
    for seed in range(50):
        twin, vertices, target, _ = last_walk(seed, below_a_leaf=False)
        before = Published([], [0, 1])
        before.tree = vertices
        for q, _, response in twin.steps:
            kind = "root" if len(q) == N - 1 else "leaf" if len(q) == 1 else "inner"
            right = target in before.region(q, response)
            asked[kind].append(right)
    for kind, right in asked.items():
        assert len(right) > 100, kind
        # Each is correct with probability at least p, whatever the earlier queries.
        assert sum(right) >= binom.ppf(1e-6, len(right), P), kind
