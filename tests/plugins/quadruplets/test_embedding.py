"""tSTE-AL and FORTE-AL: input, results, and errors."""

import warnings

import numpy as np
import pytest
from scipy.cluster.hierarchy import average
from scipy.spatial.distance import pdist, squareform

import hcbench_quadruplets
from hcbench import (
    AllComparisons,
    Answers,
    Comparisons,
    HeightKind,
    Items,
    ModelWarning,
    NotApplicableError,
    Oracle,
    Tree,
    fit,
)
from hcbench_quadruplets.embedding import cosines, tree_of_points
from hcbench_quadruplets.embedding_triplets import in_canonical_order, triplets_of

SPECS = {spec.name: spec for spec in hcbench_quadruplets.hcbench_algorithms()}
BOTH = pytest.mark.parametrize("name", ["tSTE-AL", "FORTE-AL"])


def planted_similarity(seed: int = 0) -> np.ndarray:
    """Two times two groups of five, with little noise."""
    group = np.arange(20) // 5
    apart = (group[:, None] != group).astype(float) + (group[:, None] // 2 != group // 2)
    noise = np.triu(np.random.default_rng(seed).normal(size=apart.shape), 1)
    return 0.05 * (noise + noise.T) - apart


def run(name: str, comparisons, kind: str = "triplet-set", seed: int = 0, **params) -> Tree:
    spec = SPECS[name]
    assert kind in spec.accepts
    size = len(comparisons)
    oracle = Oracle(Answers(kind=kind, n=comparisons.n, data=comparisons, size=size))
    items = Items(n=comparisons.n)
    return spec.load()(oracle, items, np.random.default_rng(seed), **spec.resolve(params))


def groups(tree: Tree, k: int) -> set[frozenset[int]]:
    labels = tree.cut(k).labels
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("d", [2, 3, 30])
def test_planted_groups_are_recovered(name: str, d: int) -> None:
    tree = run(name, AllComparisons.from_similarity(planted_similarity()), "quadruplet-set", d=d)
    blocks = [frozenset(range(5 * g, 5 * g + 5)) for g in range(4)]
    assert groups(tree, 2) == {blocks[0] | blocks[1], blocks[2] | blocks[3]}
    if d > 2:  # in the plane, cosines depend only on angles
        assert groups(tree, 4) == set(blocks)


@BOTH
def test_noisy_answers_are_outvoted(name: str) -> None:
    triplets = AllComparisons.from_similarity(planted_similarity()).materialise().only_triplets()
    wrong = np.random.default_rng(1).random(len(triplets)) < 0.2
    noisy = triplets.select(~wrong) + triplets.select(wrong).flip()
    blocks = {frozenset(range(10)), frozenset(range(10, 20))}
    assert groups(run(name, noisy), 2) == blocks


@pytest.mark.slow
@BOTH
def test_one_seed_one_tree(name: str) -> None:
    triplets = AllComparisons.from_similarity(planted_similarity()).materialise().only_triplets()
    some = triplets.select(np.arange(0, len(triplets), 7))
    first = run(name, some, seed=3, restarts=2, d=4)
    assert first == run(name, some, seed=3, restarts=2, d=4)
    assert np.array_equal(first.linkage, run(name, some, seed=3, restarts=2, d=4).linkage, True)


@pytest.mark.slow
@BOTH
def test_new_names_of_the_items_change_only_names(name: str) -> None:
    w = planted_similarity(2)
    order = np.random.default_rng(0).permutation(20)
    tree = run(name, AllComparisons.from_similarity(w), "quadruplet-set", d=3)
    moved = run(
        name, AllComparisons.from_similarity(w[np.ix_(order, order)]), "quadruplet-set", d=3
    )
    renamed = {frozenset(order[list(block)].tolist()) for block in groups(moved, 4)}
    assert renamed == groups(tree, 4)


@pytest.mark.slow
@BOTH
def test_all_comparisons_give_the_tree_of_their_triplets(name: str) -> None:
    all_comparisons = AllComparisons.from_similarity(planted_similarity(1))
    stored = all_comparisons.materialise()
    for comparisons in (stored, stored.only_triplets()):
        assert groups(run(name, comparisons, d=3), 4) == groups(run(name, all_comparisons, d=3), 4)


def test_the_triplets_of_all_comparisons_are_those_that_share_an_item() -> None:
    w = np.round(planted_similarity(4) * 5)  # with ties
    all_comparisons = AllComparisons.from_similarity(w)
    triplets = triplets_of(all_comparisons, np.random.default_rng(0))
    assert triplets.unique() == all_comparisons.materialise().only_triplets().unique()
    assert not triplets.duplicates()


@pytest.mark.parametrize("ties", [False, True])
def test_a_random_sample_of_too_many_triplets_is_used_with_a_note(ties: bool) -> None:
    w = planted_similarity(4)
    all_comparisons = AllComparisons.from_similarity(np.round(w * 5) if ties else w)
    stored = all_comparisons.materialise().only_triplets()
    for comparisons in (all_comparisons, stored):
        with pytest.warns(ModelWarning, match=r"of \d+ triplets, 900 are used"):
            part = triplets_of(comparisons, np.random.default_rng(0), most=900)
        assert len(part & stored) == len(part.unique()) > 300
        if not ties:
            assert len(part) == 900


@pytest.mark.filterwarnings("ignore:of 12 triplets, 9 are used:hcbench.ModelWarning")
def test_the_drawn_triplets_are_uniform() -> None:
    all_comparisons = AllComparisons(4, np.arange(6))
    draws = [0] * 12
    keys = {tuple(row): at for at, row in enumerate(triplets_of(all_comparisons, None).triplets())}
    for seed in range(400):
        for row in triplets_of(all_comparisons, np.random.default_rng(seed), most=9).triplets():
            draws[keys[tuple(row)]] += 1
    assert sum(draws) == 3600
    assert max(abs(number - 300) for number in draws) < 6 * np.sqrt(300)


@pytest.mark.parametrize("name", ["tSTE-AL", "FORTE-AL", "tK-AL"])
def test_comparisons_without_a_common_item_are_refused_in_one_line(name: str) -> None:
    comparisons = Comparisons.from_quadruplets(6, [[0, 1, 2, 3], [2, 3, 4, 5]])
    with pytest.raises(NotApplicableError, match="none of the 2 comparisons is a triplet") as error:
        run(name, comparisons, "quadruplet-set")
    assert "\n" not in str(error.value)


@BOTH
@pytest.mark.parametrize("d", [1, 2, 9])
def test_an_empty_set_gives_a_tree_and_a_note(name: str, d: int) -> None:
    with pytest.warns(ModelWarning, match="no comparison at all"):
        tree = run(name, Comparisons(5, [], []), d=d)
    assert tree.n == 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert tree == run(name, Comparisons(5, [], []), d=d)


@BOTH
def test_an_item_without_triplets_is_noted(name: str) -> None:
    comparisons = Comparisons.from_quadruplets(5, [[0, 1, 0, 2], [0, 1, 3, 4], [1, 2, 2, 3]])
    with pytest.warns(ModelWarning, match="item 4 was never compared"):
        run(name, comparisons, "quadruplet-set")


@BOTH
@pytest.mark.parametrize("d", [1, 2, 5])
def test_one_two_and_three_items(name: str, d: int) -> None:
    assert run(name, Comparisons(1, [], []), d=d).parent.tolist() == [-1]
    assert run(name, Comparisons(2, [], []), d=d).parent.tolist() == [2, 2, -1]
    rows = [[0, 1, 2], [1, 0, 2]]  # 0 and 1 are closest
    tree = run(name, Comparisons.from_triplets(3, rows), d=d)
    assert tree.parent.tolist() == [3, 3, 4, 4, -1]
    assert tree.kind is HeightKind.ORDER


@BOTH
@pytest.mark.filterwarnings("ignore:there is no comparison:hcbench.ModelWarning")
def test_equal_similarities_give_no_comparison(name: str) -> None:
    assert run(name, AllComparisons(4, np.zeros(6, int)), "quadruplet-set").n == 4


@BOTH
def test_fit_takes_triplets(name: str) -> None:
    w = planted_similarity()
    triplets = AllComparisons.from_similarity(w).materialise().only_triplets().triplets()
    tree = fit(name, Comparisons.from_triplets(20, triplets), d=3)
    assert groups(tree, 2) == {frozenset(range(10)), frozenset(range(10, 20))}


def test_cosines_by_hand() -> None:
    """The mean is (1, 1): three points are at 225, 315 and 90 degrees, the fourth at the mean."""
    points = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [1.0, 1.0]])
    half = np.sqrt(0.5)
    expected = [[1, 0, -half, 0], [0, 1, -half, 0], [-half, -half, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(cosines(points), expected, atol=1e-15)


def test_the_tree_is_scipys_average_linkage_of_cosine_distances() -> None:
    points = np.random.default_rng(0).normal(size=(40, 3)) + 5.0
    tree = tree_of_points(points)
    theirs = average(pdist(points - points.mean(axis=0), "cosine"))
    np.testing.assert_allclose(1 - tree.linkage[40:], theirs[:, 2], atol=1e-12)
    assert groups(tree, 7) == groups(Tree.from_linkage(theirs), 7)


def test_by_distance_the_tree_is_scipys_average_linkage_of_distances() -> None:
    points = np.random.default_rng(0).normal(size=(40, 3))
    tree = tree_of_points(points, "distance")
    theirs = average(pdist(points))
    np.testing.assert_allclose(-tree.linkage[40:], theirs[:, 2], atol=1e-12)
    assert groups(tree, 7) == groups(Tree.from_linkage(theirs), 7)


def test_a_canonical_order_does_not_depend_on_the_numbers_of_the_items():
    rng = np.random.default_rng(0)
    distances = squareform(pdist(rng.normal(size=(9, 2))))
    shuffled = rng.permutation(9)
    triplets = triplets_of(AllComparisons.from_similarity(-distances), rng)
    others = triplets_of(AllComparisons.from_similarity(-distances[shuffled][:, shuffled]), rng)
    one, order = in_canonical_order(triplets)
    other, other_order = in_canonical_order(others)
    np.testing.assert_array_equal(one.closer, other.closer)
    np.testing.assert_array_equal(one.farther, other.farther)
    np.testing.assert_array_equal(order, shuffled[other_order])
    # The triplets are the same, of items with other numbers.
    renumbered = order[one.quadruplets()]
    assert _pairs_of_pairs(renumbered) == _pairs_of_pairs(triplets.quadruplets())


def _pairs_of_pairs(quadruplets):
    return {(frozenset(row[:2]), frozenset(row[2:])) for row in quadruplets.tolist()}
