"""Robinson-Foulds distance by hand and by sets, and properties of all measures of two trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hcbench import HeightKind, NotApplicableError, Problem, Scored, Tree
from hcbench.model import Cost
from hcbench.registry.parameters import Interval
from hcbench_metrics.recovery import robinson_foulds
from hcbench_metrics.tree_specs import TREES
from tests.core.trees import leaf_sets, trees
from tests.plugins.scoring import CHAIN, PAIR, SINGLE, STAR, TWO_PAIRS, scored, two_trees

# ---- Robinson-Foulds -----------------------------------------------------------------------------


def clusters(tree):
    return set(leaf_sets(tree)[tree.n : tree.root])


def test_robinson_foulds_by_hand():
    # Chain: {0,1}, {0,1,2}; two pairs: {0,1}, {2,3}.
    score = scored(CHAIN, truth=TWO_PAIRS)
    assert robinson_foulds(score) == 2 / 4
    assert robinson_foulds(score, normalised=False) == 2.0
    assert robinson_foulds(scored(STAR, truth=CHAIN)) == 1.0
    assert robinson_foulds(scored(STAR, truth=CHAIN), normalised=False) == 2.0


@pytest.mark.parametrize("tree", [SINGLE, PAIR, STAR])
def test_trees_without_clusters_do_not_differ(tree):
    assert robinson_foulds(scored(tree, truth=tree)) == 0.0
    assert robinson_foulds(scored(tree, truth=tree), normalised=False) == 0.0


@given(two_trees())
def test_robinson_foulds_agrees_with_sets_of_clusters(pair):
    result, truth = pair
    one, other = clusters(result), clusters(truth)
    score = scored(result, truth=truth)
    assert robinson_foulds(score, normalised=False) == len(one ^ other)
    assert robinson_foulds(score) == len(one ^ other) / max(1, len(one) + len(other))
    assert (robinson_foulds(score) == 0) == result.isomorphic(truth)
    assert robinson_foulds(scored(truth, truth=result)) == robinson_foulds(score)


# ---- All measures --------------------------------------------------------------------------------

VARIANTS = [
    ("dendrogram-purity", {}),
    ("dendrogram-purity", {"ties": "expected"}),
    ("triplet-agreement", {}),
    ("triplet-agreement", {"count": "resolved-in-truth"}),
    ("triplet-agreement", {"count": "resolved-in-both"}),
    ("quartet-distance", {}),
    ("quartet-distance", {"count": "resolved-in-truth"}),
    ("tree-knn", {"k": 2}),
    ("robinson-foulds", {}),
    ("robinson-foulds", {"normalised": False}),
    ("fowlkes-mallows", {}),
    ("fowlkes-mallows", {"k": 2}),
    ("baker-gamma", {}),
    ("baker-gamma", {"correlation": "spearman"}),
    ("cophenetic-correlation-with-truth", {}),
    ("entanglement", {}),
    ("entanglement", {"L": 1.0}),
]
SYMMETRIC = ["robinson-foulds", "fowlkes-mallows", "baker-gamma"]
BY_ORDER = ["dendrogram-purity", "fowlkes-mallows", "baker-gamma"]
SPEC = {spec.name: spec for spec in TREES}


def value_of(name, options, score):
    """The value, or None if there is none."""
    try:
        return SPEC[name].load()(score, **SPEC[name].resolve(options))
    except NotApplicableError:
        return None


def same(value, other):
    return value == other if value is None else value == pytest.approx(other, abs=1e-10)


def with_other_ids(tree, rng):
    """The tree with another numbering of inner nodes, and another order of children."""
    new_id = np.arange(tree.n_nodes)
    free = [v for v in range(tree.n, tree.n_nodes) if all(c < tree.n for c in tree.children(v))]
    done: list[int] = []
    while free:
        v = free.pop(int(rng.integers(len(free))))
        done.append(v)
        p = int(tree.parent[v])
        if p >= 0 and all(c < tree.n or c in done for c in tree.children(p)):
            free.append(p)
    new_id[done] = np.arange(tree.n, tree.n_nodes)
    old = np.argsort(new_id)
    parent = tree.parent[old]
    parent[:-1] = new_id[parent[:-1]]
    return Tree(parent, None if tree.height is None else tree.height[old], tree.kind)


def test_all_measures_are_tested():
    assert {name for name, _ in VARIANTS} == set(SPEC)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), VARIANTS)
@settings(max_examples=25)
@given(data=st.data())
def test_values_are_in_range_whatever_the_names_of_the_leaves(name, options, data):
    result, truth = data.draw(two_trees())
    order = np.array(data.draw(st.permutations(range(truth.n))), dtype=np.int64)
    value = value_of(name, options, scored(result, truth=truth))
    relabelled = scored(result.relabel(order), truth=truth.relabel(order))
    assert same(value, value_of(name, options, relabelled))
    assert value is None or value in Interval(SPEC[name].interval)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [v for v in VARIANTS if v[0] != "entanglement"])
@settings(max_examples=25)
@given(data=st.data())
def test_the_order_of_children_does_not_matter(name, options, data):
    # No tied heights, as cuts break ties by node ids.
    kind = HeightKind.ORDER if name == "fowlkes-mallows" else None
    result, truth = data.draw(two_trees(kind=kind))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    value = value_of(name, options, scored(result, truth=truth))
    other = scored(with_other_ids(result, rng), truth=with_other_ids(truth, rng))
    assert same(value, value_of(name, options, other))


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@settings(max_examples=25)
@given(tree=trees(kind=HeightKind.DISTANCE, min_leaves=2))
def test_a_tree_agrees_best_with_itself(name, options, tree):
    value = value_of(name, options, scored(tree, truth=tree))
    if name not in ("dendrogram-purity", "tree-knn") and value is not None:
        assert value == pytest.approx(1.0 if SPEC[name].direction == "higher" else 0.0, abs=1e-12)


@pytest.mark.parametrize(("name", "options"), [v for v in VARIANTS if v[0] in SYMMETRIC])
@settings(max_examples=25)
@given(pair=two_trees())
def test_result_and_truth_may_change_places(name, options, pair):
    one, other = (value_of(name, options, scored(a, truth=b)) for a, b in (pair, reversed(pair)))
    if None not in (one, other):
        assert one == pytest.approx(other, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [v for v in VARIANTS if v[0] in BY_ORDER])
@settings(max_examples=25)
@given(pair=two_trees(kind=HeightKind.DISTANCE, monotone=False))
def test_only_the_order_of_heights_matters(name, options, pair):
    score = scored(pair[0], truth=pair[1])
    stretched = [Tree(t.parent, np.expm1(t.height / 2), HeightKind.DISTANCE) for t in pair]
    turned = [Tree(t.parent, -(t.height**3), HeightKind.AFFINITY) for t in pair]
    value = value_of(name, options, score)
    for result, truth in (stretched, turned, (stretched[0], turned[1])):
        assert value_of(name, options, scored(result, truth=truth)) == value


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_a_measure_needs_the_named_truth(name, options):
    heights = Tree(PAIR.parent, [0, 0, 1], HeightKind.DISTANCE)
    metric = SPEC[name].load()
    with pytest.raises(NotApplicableError, match="no true hierarchy"):
        metric(scored(heights), **options)
    with pytest.raises(NotApplicableError, match="no truth 'other'; its truths are truth"):
        metric(scored(heights, truth=heights), truth="other", **options)


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_another_truth_can_be_named(name, options):
    heights = [0, 0, 0, 0, 1, 2, 3]
    tree, other = (Tree(t.parent, heights, HeightKind.DISTANCE) for t in (CHAIN, TWO_PAIRS))
    problem = Problem(n=4, truths={"first": other, "second": tree})
    score = Scored(problem=problem, result=tree, cost=Cost(seconds=1.0))
    found = value_of(name, {**options, "truth": "second"}, score)
    assert same(value_of(name, options, scored(tree, truth=tree)), found)
