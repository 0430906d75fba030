"""The published strategy, query by query, against algorithms 3, 5 and 6 on sets."""

from fractions import Fraction
from math import ceil, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench_ordinal import _noisy_kernels as kernels, _noisy_paper_kernels as paper
from hcbench_ordinal.bounds import weight_rounds
from hcbench_ordinal.noisy_constants import vertex_repetitions
from tests.plugins.ordinal.noisy_answers import Replay, clusters, fit, random_truth, scripted

HERE, UP = "here", "up"
P = 0.75
"""Weights are powers of 3 over powers of 4, which are exact in floating point."""


class Published(Replay):
    """Algorithm 5, multiplicative weights and algorithm 6, with sets of vertices."""

    def __init__(self, asked, first):
        super().__init__(asked, first)
        self.steps = []
        self.responses = []

    def majority(self, pivot, x, times):
        answers = []
        for _ in range(times):
            asked, answer = self.next(x)
            assert asked == pivot
            answers.append(answer)
        return next((a for a in set(answers) if 2 * answers.count(a) > times), "no majority")

    def vertex_query(self, v, x, k):
        response = self._vertex_query(v, x, k)
        self.responses.append((v, response))
        return response

    def _vertex_query(self, v, x, k):
        above = self.parent(v)
        if above is None:
            return self.majority(v, x, 1) or HERE
        if len(v) == 1:
            return HERE if self.majority(above, x, 1) == v else UP
        below = self.majority(v, x, k)
        if below is None:
            return HERE if self.majority(above, x, k) == v else UP
        return UP if below == "no majority" else below

    def region(self, v, response):
        """The vertices that agree with a response to a vertex query."""
        if response == HERE:
            return {v}
        if response == UP:
            return {u for u in self.tree if not u <= v}
        return {u for u in self.tree if u <= response}

    def centroid(self, weights):
        """The highest vertex whose removal leaves no part with more than half of the weight."""
        half = Fraction(sum(weights.values())) / 2
        fitting = [
            v
            for v in self.tree
            if all(
                sum(weights[u] for u in self.region(v, r)) <= half for r in (UP, *self.children(v))
            )
        ]
        return max(fitting, key=len)

    def multiplicative_weights(self, x, rounds, k):
        weights, marked = dict.fromkeys(self.tree, Fraction(1)), set()

        def mark():
            while sum(weights.values()) > 0:
                v = max(weights, key=weights.__getitem__)
                v = self.centroid(weights) if 2 * weights[v] >= sum(weights.values()) else None
                if v is None or 2 * weights[v] < sum(weights.values()):
                    return
                marked.add(v)
                weights[v] = Fraction(0)

        mark()
        for _ in range(rounds):
            if not any(weights.values()):
                break
            q = self.centroid(weights)
            consistent = self.region(q, self.vertex_query(q, x, k))
            for v in weights:
                weights[v] *= Fraction(P) if v in consistent else 1 - Fraction(P)
            mark()
        return marked or {self.centroid(weights)}

    def virtual(self, marked):
        """The marked vertices and the lowest common ancestors of pairs."""
        return {min((c for c in self.tree if c >= a | b), key=len) for a in marked for b in marked}

    def neighbour(self, virtual, q, response):
        if response == UP:
            return min((v for v in virtual if v > q), key=len, default=None)
        return max((v for v in virtual if v <= response), key=len, default=None)

    def diameter(self, virtual):
        return max(self.distance(virtual, a, b) for a in virtual for b in virtual)

    def distance(self, virtual, a, b):
        top = min((c for c in self.tree if c >= a | b), key=len)
        return sum(1 for v in virtual if v < top and (v >= a or v >= b))

    def walk(self, x, virtual, steps, k):
        q, counter = max(virtual, key=len), 0
        for _ in range(steps):
            response = self.vertex_query(q, x, k)
            self.steps.append((q, counter, response))
            if response == HERE:
                counter += 1
                continue
            to = self.neighbour(virtual, q, response)
            if to is not None and counter > 0:
                counter -= 1
            elif to is not None:
                q = to
        return q


def run_kernel(oracle, n, k, rounds, *, skip, distance, marked, all_marked):
    tree = kernels.Topology(*(np.empty(2 * n - 1, np.int64) for _ in range(4)))
    rule = paper.PublishedRule(
        p=P,
        repetitions=k,
        rounds=np.full(n, rounds),
        skip=skip,
        walk_distance=distance,
        walk_marked=marked,
        walk_all=all_marked,
    )
    counts = np.zeros(paper.N_COUNTS, np.int64)
    skipped = oracle.run(paper.insert_all_as_published, np.arange(n), rule, tree, counts)
    return skipped, tree, counts.tolist()


def leaves_below(parent, n):
    found = [set() for _ in parent]
    for x in range(n):
        v = x
        while v >= 0:
            found[v].add(x)
            v = parent[v]
    return {frozenset(s) for s in found}


@pytest.mark.slow
@given(
    st.integers(3, 9),
    st.integers(0, 10**6),
    st.sampled_from([1, 3]),
    st.integers(0, 14),
    st.booleans(),
)
def test_every_query_is_the_published_one(n, seed, k, rounds, skip):
    oracle, asked = scripted(n, seed, P, random_truth(n, seed))
    skipped, tree, counts = run_kernel(
        oracle, n, k, rounds, skip=skip, distance=1.5, marked=4.2, all_marked=9.0
    )
    twin = Published(asked, [0, 1])
    left_out = queries = agree = candidates = missed = 0
    for x in range(2, n):
        if skip and rounds >= len(twin.tree):
            marked, virtual, least = set(twin.tree), set(twin.tree), 9.0
            left_out += 1
        else:
            marked = twin.multiplicative_weights(x, rounds, k)
            virtual, least = twin.virtual(marked), 4.2
            candidates = max(candidates, len(marked))
        steps = ceil(max(1.5 * (twin.diameter(virtual) + 1), least))
        place = twin.walk(x, virtual, steps, k)
        missed += place not in marked
        queries += len(twin.responses)
        agree += sum(place in twin.region(v, response) for v, response in twin.responses)
        twin.responses = []
        twin.insert(x, place)
    assert twin.at == len(asked)
    assert leaves_below(tree[0], n) == twin.tree
    assert skipped == left_out
    assert counts == [queries, agree, candidates, missed]


@given(st.integers(3, 8), st.integers(0, 10**6), st.integers(0, 6))
def test_steps_that_agree_with_a_vertex_lower_its_potential_lemma_b_1(n, seed, rounds):
    oracle, asked = scripted(n, seed, P, random_truth(n, seed))
    run_kernel(oracle, n, 1, rounds, skip=False, distance=3.0, marked=20.0, all_marked=20.0)
    twin = Published(asked, [0, 1])
    for x in range(2, n):
        virtual = twin.virtual(twin.multiplicative_weights(x, rounds, 1))
        twin.steps = []
        end = twin.walk(x, virtual, ceil(max(3 * (twin.diameter(virtual) + 1), 20)), 1)
        for t in virtual:
            potential = [
                twin.distance(virtual, t, q) + (-counter if q == t else counter)
                for q, counter, _ in twin.steps
            ]
            for i, (q, _, response) in enumerate(twin.steps[:-1]):
                change = potential[i + 1] - potential[i]
                assert change == -1 if t in twin.region(q, response) else change <= 1
        twin.insert(x, end)


def test_defaults_are_the_papers():
    # Two insertions, of 3 and 5 vertices; multiplicative weights would take more rounds.
    p, delta, n = 0.8, 0.1, 4
    oracle, asked = scripted(n, 1, p, random_truth(n, 1))
    result = fit(oracle, p, delta=delta, strategy="paper", order="given")
    assert min(weight_rounds(p, delta / n / 2, 0.5, vertices) for vertices in (3, 5)) > 5
    twin = Published(asked, [0, 1])
    for x in (2, 3):
        steps = max(2 * (twin.diameter(twin.tree) + 1) / 0.6, 8 * log(n / delta) / 0.36)
        twin.insert(x, twin.walk(x, set(twin.tree), ceil(steps), 13))
    assert vertex_repetitions(p, "hoeffding") == 13
    assert twin.at == len(asked)
    assert clusters(result) == twin.tree


def growth(parent, left, right):
    """A tree of the kernels from its arrays."""
    m = len(parent)
    size = np.ones(m, np.int64)
    return kernels.Growth(
        np.array(parent), np.array(left), np.array(right), np.arange(m), size,
        np.ones(m), np.ones(m), np.ones(m), np.full(m, -1), np.array([m - 1]),
    )  # fmt: skip


# Caterpillar of five: ((((0,1)5,2)6,3)7,4)8.
CATERPILLAR = ([5, 5, 6, 7, 8, 6, 7, 8, -1], [-1] * 5 + [0, 5, 6, 7], [-1] * 5 + [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("marked", "edges", "diameter"),
    [
        # One vertex alone.
        ({6}, {}, 0),
        # One above the other; vertices between them are excluded.
        ({8, 0}, {0: (8, "left")}, 1),
        # Two leaves, and their lowest common ancestor 7, although it is not marked.
        ({1, 3}, {1: (7, "left"), 3: (7, "right")}, 2),
        # Nothing is marked right of 6 and of 8.
        ({8, 6, 0, 3}, {7: (8, "left"), 6: (7, "left"), 3: (7, "right"), 0: (6, "left")}, 3),
    ],
)
def test_a_virtual_tree_has_marked_vertices_and_their_common_ancestors(marked, edges, diameter):
    tree = growth(*CATERPILLAR)
    chosen = np.zeros(9, np.bool_)
    chosen[list(marked)] = True
    near = np.empty((3, 9), np.int64)
    root, found = paper.virtual_tree(tree, chosen, np.empty(9, np.int64), near)
    assert found == diameter
    right, left, up = near
    assert {v: int(up[v]) for v in range(9) if up[v] >= 0} == {v: u for v, (u, _) in edges.items()}
    below = {(int(c), v): side for side, row in (("left", left), ("right", right))
             for v, c in enumerate(row) if c >= 0}  # fmt: skip
    assert below == {(v, u): side for v, (u, side) in edges.items()}
    assert root not in edges
