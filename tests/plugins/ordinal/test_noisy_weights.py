"""The weights of a growing tree, with deferred factors, against fractions for each vertex."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench_ordinal import _noisy_kernels as kernels, _noisy_paper_kernels as paper
from hcbench_ordinal.bounds import weight_rounds

RIGHT, LEFT, UP, HERE = range(4)


class Twin:
    """The same tree with explicit sets of vertices; n items, inserted beside random vertices."""

    def __init__(self, n, rng, grown=None):
        m = 2 * n - 1
        topology = kernels.Topology(*(np.empty(m, np.int64) for _ in range(4)))
        self.tree = kernels.pair_up(topology, 0, 1)
        self.n, self.items = n, 2
        while self.items < (grown or n):
            self.insert(int(rng.choice(self.vertices())))
        self.weights = dict.fromkeys(self.vertices(), Fraction(1))

    def vertices(self):
        return [*range(self.items), *range(self.n, self.n + self.items - 1)]

    def insert(self, v):
        kernels.attach(self.tree, self.items, v, self.n + self.items - 1)
        self.items += 1
        self.weights = dict.fromkeys(self.vertices(), Fraction(1))

    def below(self, v):
        if self.tree.left[v] < 0:
            return {int(v)}
        return {int(v)} | self.below(self.tree.left[v]) | self.below(self.tree.right[v])

    def region(self, v, response):
        if response == HERE:
            return {int(v)}
        if response == UP:
            return set(self.vertices()) - self.below(v)
        child = (self.tree.right if response == RIGHT else self.tree.left)[v]
        return self.below(child) if child >= 0 else set()

    def weight(self, vertices):
        return sum((self.weights[v] for v in vertices), Fraction(0))

    def weigh(self, v, factors):
        for response, factor in enumerate(factors):
            for u in self.region(v, response):
                self.weights[u] *= factor
        right, left, up, here = (float(f) for f in factors)
        kernels.weigh(self.tree, v, left, right, here, up)


@given(st.integers(2, 12), st.integers(0, 10**6), st.data())
def test_the_heaviest_vertex_has_the_largest_weight(n, seed, data):
    rng = np.random.default_rng(seed)
    twin = Twin(n, rng, grown=data.draw(st.integers(2, n)))
    for _ in range(data.draw(st.integers(1, 12))):
        v, _, _ = kernels.centroid(twin.tree, 7)
        u = v if twin.tree.parent[v] < 0 or data.draw(st.booleans()) else twin.tree.parent[v]
        twin.weigh(u, [data.draw(factors) for _ in range(4)])
        weights = twin.weights
        found = int(kernels.heaviest(twin.tree, 7))
        assert weights[found] >= max(weights.values()) * (1 - Fraction(1, 10**9))


factors = st.sampled_from([Fraction(1, 4), Fraction(3, 4), Fraction(1), Fraction(1, 1024)])


@given(st.integers(2, 12), st.integers(0, 10**6), st.data())
def test_no_part_without_the_centroid_has_more_than_half_of_the_weight(n, seed, data):
    rng = np.random.default_rng(seed)
    twin = Twin(n, rng, grown=data.draw(st.integers(2, n)))
    for insertion in range(2):
        for _ in range(data.draw(st.integers(1, 12))):
            v, above, below = kernels.centroid(twin.tree, insertion)
            total = twin.weight(twin.vertices())
            parts = [twin.weight(twin.region(v, r)) for r in (RIGHT, LEFT, UP)]
            assert max(parts) <= total / 2 * (1 + Fraction(1, 10**9))
            scale = twin.tree.weight[v] / float(twin.weights[v]) if twin.weights[v] else 1.0
            # Exact even for a tiny part of the whole, without differences.
            assert above == pytest.approx(float(parts[UP]) * scale, rel=1e-12, abs=0)
            assert below == pytest.approx(
                float(parts[RIGHT] + parts[LEFT]) * scale, rel=1e-12, abs=0
            )
            u = v if twin.tree.parent[v] < 0 or data.draw(st.booleans()) else twin.tree.parent[v]
            twin.weigh(u, [data.draw(factors) for _ in range(4)])
        if twin.items == n:
            break
        twin.insert(int(rng.choice(twin.vertices())))
        assert twin.tree.size[twin.tree.root[0]] == 2 * twin.items - 1


def test_weights_survive_answers_that_would_underflow():
    # 4^-1000 underflows; ratios are preserved.
    twin = Twin(3, np.random.default_rng(0))
    root = int(twin.tree.root[0])
    for _ in range(1000):
        kernels.centroid(twin.tree, 0)
        twin.weigh(root, [Fraction(1, 4)] * 4)
    twin.weigh(root, [Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), Fraction(3, 4)])
    v, above, below = kernels.centroid(twin.tree, 0)
    assert (v, above) == (root, 0)
    assert below / twin.tree.weight[root] == pytest.approx(4 / 3)


def test_heavy_vertices_are_marked_until_none_remains():
    # Weights 1, 2, 4 of three vertices: each has half of what is left or more.
    twin = Twin(2, np.random.default_rng(0))
    kernels.centroid(twin.tree, 0)
    kernels.weigh(twin.tree, 2, 1.0, 2.0, 4.0, 1.0)
    marked = np.zeros(3, np.bool_)
    assert paper.mark_heavy(twin.tree, 0, marked) == -1
    assert marked.all()
    # Weights 1, 1, 1: none has.
    marked[:] = False
    assert paper.mark_heavy(twin.tree, 1, marked) == 2
    assert not marked.any()


@pytest.mark.slow
def test_multiplicative_weights_mark_the_target_as_often_as_lemma_5_4_says():
    # A vertex query is correct with probability p, else it points to a decoy if possible.
    p, delta, n, runs = 0.8, 0.3, 16, 200
    rng = np.random.default_rng(5)
    rounds = weight_rounds(p, delta, 0.5, 2 * n - 1)
    found = marks = 0
    twin = Twin(n, rng)
    for run in range(runs):
        target, decoy = (int(v) for v in rng.choice(twin.vertices(), 2, replace=False))
        marked = np.zeros(2 * n - 1, np.bool_)
        q = paper.mark_heavy(twin.tree, run, marked)
        for _ in range(rounds):
            if q < 0:
                break
            right = next(r for r in range(4) if target in twin.region(q, r))
            wrong = next(r for r in range(4) if decoy in twin.region(q, r))
            if wrong == right:
                others = [r for r in range(4) if r != right and twin.region(q, r)]
                wrong = int(rng.choice(others))
            paper.update(twin.tree, q, right if rng.random() < p else wrong, p)
            q = paper.mark_heavy(twin.tree, run, marked)
        found += marked[target]
        marks += marked.sum()
    # Of 200 runs with a probability of 0.7 each, fewer than 108 succeed with probability 1e-6.
    assert found >= 108
    assert marks / runs <= np.log2(2 * n - 1) + rounds
