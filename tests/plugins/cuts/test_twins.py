"""OTS and WDP make the paper's queries, in plain Python; the current cut is the most likely.

The pseudo-code is that of Gentile et al. 2019 with the corrections of `papers/notes.md`: Q includes
q(i_h), a search ends where y(u) = 1 and y(par(u)) = 0, and found singletons are {j_c}.
"""

from math import log2, prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import DataRequest, Partition, Tree
from hcbench_cuts._path_kernels import _pop, _push
from hcbench_cuts._question_kernels import IN_ORDER, SIZE, WAITING
from hcbench_ordinal.shapes import random_tree
from tests.plugins.cuts.small_cuts import (
    above,
    compiled_oracle,
    cut_by,
    labels_of,
    probability,
    questions_of,
    small_trees,
    tree_of_shape,
)
from tests.plugins.tree_cuts import all_cuts, ancestors

CLOSE = 1e-5  # entropies are stored in 32 bits

LARGER = [
    tree_of_shape(shape)
    for shape in (
        # a node of 4 children beside a caterpillar; a cherry tree of depth 3
        (((), (), ((), ()), ()), ((), ((), ((), ((), ((), ())))))),
        ((((), ()), ((), ())), (((), ()), ((), ()))),
        (((), ((), ())), ((), ()), (((), ()), ((), (), ()))),
    )
]


def down(tree, top):
    """All paths from a node down to the leaves below it."""
    return [
        path[: path.index(top) + 1][::-1]
        for leaf in tree.leaves(top).tolist()
        for path in [ancestors(tree, leaf)]
    ]


def wdp_by_the_book(tree, p, y):
    """Algorithm 1: the queried nodes, and the clusters."""
    queried, clusters, forest = [], [], [tree.root] if tree.n > 1 else []
    p = {**dict.fromkeys(range(tree.n), 1.0), **p}
    while forest:
        paths = []
        for top in forest:
            for path in down(tree, top):
                q = [p[v] * prod(1 - p[u] for u in path[:k]) for k, v in enumerate(path)]
                paths.append((-sum(x * log2(x) for x in q), top, path, q))
        most = max(entropy for entropy, *_ in paths)
        # Of equal paths: the root of largest id, then the children of smallest ids.
        equal = [row for row in paths if row[0] >= most - CLOSE]
        _, top, path, q = min(equal, key=lambda row: (-row[1], row[2]))
        high, low = 0, len(path) - 1  # v and u
        while high < low:
            whole = sum(q[high : low + 1])
            # The queried node is the parent of i_k*: the probabilities below it are summed.
            gaps = [abs(whole / 2 - sum(q[k + 1 : low + 1])) for k in range(high, low)]
            k = high + next(i for i, gap in enumerate(gaps) if gap <= min(gaps) + 1e-9)
            queried.append(path[k])
            if y[path[k]]:
                low = k
            else:
                high = k + 1
        clusters.append(path[low])
        forest.remove(top)
        for k in range(low):
            for child in set(tree.children(path[k]).tolist()) - {path[k + 1]}:
                if child < tree.n:
                    clusters.append(child)
                else:
                    forest.append(child)
    return queried, clusters


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_wdp_makes_the_queries_of_algorithm_1(seed):
    rng = np.random.default_rng(seed)
    for tree in [*list(small_trees(6))[seed::7], *LARGER]:
        inner = range(tree.n, tree.n_nodes)
        if seed == 0:
            p = {v: 1 / len(all_cuts(Tree(_subtree(tree, v)))) for v in inner}
            params = {}
        else:
            p = {v: float(rng.uniform(0.02, 0.98)) for v in inner}
            params = {"prior": tuple(p.values())}
        for cut in all_cuts(tree)[::3]:
            up = above(tree, cut)
            wanted, clusters = wdp_by_the_book(tree, p, [v not in up for v in range(tree.n_nodes)])
            assert set(clusters) == set(cut) or tree.n == 1
            # With a budget, paths are searched in their order.
            assert questions_of("WDP", tree, labels_of(tree, cut), budget=99, **params) == wanted
            assert sorted(questions_of("WDP", tree, labels_of(tree, cut), **params)) == sorted(
                wanted
            )


@pytest.mark.parametrize("shape", ["random", "balanced", "caterpillar", "yule"])
@pytest.mark.parametrize("degree", [2, 4])
def test_wdp_makes_the_queries_of_algorithm_1_on_larger_trees(shape, degree):
    for seed in range(3):
        tree = random_tree(DataRequest(seed=seed), n=45, shape=shape, degree=degree).truth
        rng = np.random.default_rng(seed)
        p = {v: float(rng.uniform(0.02, 0.4)) for v in range(tree.n, tree.n_nodes)}
        reached, cut = [tree.root], []
        while reached:
            v = reached.pop()
            if v < tree.n or rng.random() < p[v]:
                cut.append(v)
            else:
                reached += tree.children(v).tolist()
        up = above(tree, cut)
        wanted, _ = wdp_by_the_book(tree, p, [v not in up for v in range(tree.n_nodes)])
        prior = tuple(p.values())
        assert questions_of("WDP", tree, labels_of(tree, cut), budget=999, prior=prior) == wanted


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.data())
def test_the_heap_gives_the_highest_rank_and_then_the_largest_id(ranks, data):
    rank, heap = np.array(ranks, np.int32), np.empty(len(ranks), np.int64)
    progress, n, waiting = np.zeros(SIZE, np.int64), 7, []
    progress[IN_ORDER] = 1
    for k in range(len(ranks)):
        _push(heap, progress, rank, n, n + k)
        waiting.append((ranks[k], n + k))
        if data.draw(st.booleans()):
            assert _pop(heap, progress) == max(waiting)[1]
            waiting.remove(max(waiting))
    while waiting:
        assert _pop(heap, progress) == max(waiting)[1]
        waiting.remove(max(waiting))
    assert progress[WAITING] == 0


def _subtree(tree, v):
    """Parents of T(v), renumbered in their order, leaves first."""
    below = [u for u in range(tree.n_nodes) if v in ancestors(tree, u)]
    number = {u: k for k, u in enumerate(below)}
    return [number.get(int(tree.parent[u]), -1) for u in below]


def ots_by_the_book(tree, y, backbone):
    """Appendix B.1 with the version space as a list of cuts: the queried nodes."""
    spaces = [frozenset(above(tree, cut)) for cut in all_cuts(tree)]
    known, queried, forest = {}, [], [tree.root]

    def is_open(v):
        return v >= tree.n and v not in known

    def length(v):
        return max([1 + length(c) for c in tree.children(v).tolist() if is_open(c)], default=0)

    while forest:
        top = forest.pop()
        while is_open(top):
            path = [top]
            while fits := [c for c in tree.children(path[-1]).tolist() if is_open(c)]:
                path.append(max(fits, key=lambda c: (backbone == "longest" and length(c), c)))
            lowest = next(
                v
                for v in path[::-1]
                if sum(v not in up for up in spaces) <= 2 * sum(v in up for up in spaces)
            )
            queried.append(lowest)
            spaces = [up for up in spaces if (lowest not in up) == y[lowest]]
            if y[lowest]:
                known.update({u: 1 for u in range(tree.n_nodes) if lowest in ancestors(tree, u)})
                continue
            stop = path.index(lowest)
            for k, v in enumerate(path[: stop + 1]):
                known[v] = 0
                nexts = path[k + 1] if k < len(path) - 1 else None
                forest += [c for c in tree.children(v).tolist() if is_open(c) and c != nexts]
            if stop + 1 == len(path):
                break
            top = path[stop + 1]
    assert len(spaces) == 1
    return queried


@pytest.mark.slow
@pytest.mark.parametrize("backbone", ["any", "longest"])
def test_ots_makes_the_queries_of_appendix_b1(backbone):
    for tree in [*list(small_trees(6))[::5], *LARGER[1:]]:
        if tree.n == 1:
            continue
        for cut in all_cuts(tree)[::2]:
            up = above(tree, cut)
            y = [v not in up for v in range(tree.n_nodes)]
            asked = questions_of("OTS", tree, labels_of(tree, cut), backbone=backbone)
            assert asked == ots_by_the_book(tree, y, backbone)


@pytest.mark.parametrize("prior", ["uniform", 0.2, 0.5, "random"])
@pytest.mark.parametrize("undecided", ["apart", "together"])
def test_the_current_cut_of_wdp_is_the_most_likely_one(prior, undecided):
    rng = np.random.default_rng(3)
    for tree in [*list(small_trees(6, 3))[-60::6], LARGER[1]]:
        cuts = all_cuts(tree)
        inner = range(tree.n, tree.n_nodes)
        p = {v: float(prior) if isinstance(prior, float) else 0.5 for v in inner}
        if prior == "random":
            p = {v: float(rng.uniform(0.1, 0.9)) for v in inner}
        how = {"prior": tuple(p.values()) if prior == "random" else prior, "undecided": undecided}
        chances = [1.0 if prior == "uniform" else probability(tree, cut, p) for cut in cuts]
        truth = cuts[int(rng.integers(len(cuts)))]
        labels = labels_of(tree, truth)
        total = len(questions_of("WDP", tree, labels, **how))
        for budget in range(total + 1):
            asked = questions_of("WDP", tree, labels, budget=budget, **how)
            up = above(tree, truth)
            fits = [
                (chance, cut)
                for chance, cut in zip(chances, cuts, strict=True)
                if all((v in above(tree, cut)) == (v in up) for v in asked)
            ]
            most = max(chance for chance, _ in fits)
            likeliest = [cut for chance, cut in fits if chance >= most * (1 - 1e-9)]
            sign = -1 if undecided == "apart" else 1
            wanted = min(likeliest, key=lambda cut: sign * len(cut))
            found = cut_by("WDP", tree, compiled_oracle(labels, budget), **how)
            assert found == Partition(labels_of(tree, wanted))


@pytest.mark.parametrize("name", ["BF", "OTS"])
@pytest.mark.parametrize("undecided", ["apart", "together"])
def test_the_current_cut_is_the_finest_or_the_coarsest_that_agrees(name, undecided):
    for tree in LARGER[1:]:
        cuts = all_cuts(tree)
        for truth in cuts[::9]:
            labels, up = labels_of(tree, truth), above(tree, truth)
            for budget in range(len(questions_of(name, tree, labels)) + 1):
                asked = questions_of(name, tree, labels, budget=budget)
                fits = [
                    cut for cut in cuts if all((v in above(tree, cut)) == (v in up) for v in asked)
                ]
                wanted = (max if undecided == "apart" else min)(fits, key=len)
                found = cut_by(name, tree, compiled_oracle(labels, budget), undecided=undecided)
                assert found == Partition(labels_of(tree, wanted))
