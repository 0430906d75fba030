"""Objectives by similarities and dissimilarities: by hand, by definition, by other libraries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform

from hcbench import HeightKind, NotApplicableError, Tree
from hcbench_metrics import objective_specs
from hcbench_metrics.dissimilarities import (
    cohen_addad,
    cohen_addad_normalised,
    cophenetic_correlation,
)
from hcbench_metrics.objectives import (
    dasgupta,
    dasgupta_normalised,
    moseley_wang,
    moseley_wang_normalised,
)
from hcbench_metrics.sampling import tree_sampling_divergence
from tests.core.trees import trees
from tests.plugins.scoring import CHAIN, PAIR, SINGLE, STAR, TWO_PAIRS, random_tree, scored

W = np.array([[9.0, 3, 1], [3, 9, 2], [1, 2, 9]])
THREE = {(0, 1): [3, 3, 4, 4, -1], (0, 2): [3, 4, 3, 4, -1], (1, 2): [4, 3, 3, 4, -1]}
COHEN_ADDAD = next(s for s in objective_specs.OBJECTIVES if s.name == "cohen-addad")
METRICS = next(p for p in COHEN_ADDAD.parameters if p.name == "metric").choices
OF_SPARSE = ("cosine", "euclidean", "sqeuclidean", "cityblock")


def symmetric(n, seed, *, positive=False):
    w = np.random.default_rng(seed).normal(size=(n, n))
    w = w + w.T
    return np.abs(w) if positive else w


def pairs(n):
    return list(itertools.combinations(range(n), 2))


def by_definition(tree, d):
    """Sum over pairs of d_ij times the leaves below their lowest common ancestor."""
    return sum(d[i, j] * tree.sizes[tree.lca(i, j)] for i, j in pairs(tree.n))


def some_vectors(n, p, seed):
    """Positive vectors, for which every distance is defined, with more than one column."""
    return np.random.default_rng(seed).uniform(0.5, 2, size=(n, p))


# ---- Rounding errors -----------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_proportion_of_rounding_errors_is_refused(make):
    """Parallel rows: every cosine distance is 0, and what is computed is a rounding error."""
    rows = make(np.outer(np.random.default_rng(0).uniform(0.1, 9, 7), [0.1, 0.7, 0.3]))
    chain = Tree(
        [7, 7, 8, 9, 10, 11, 12, 8, 9, 10, 11, 12, -1], np.arange(13.0), HeightKind.DISTANCE
    )
    judged = scored(chain, vectors=rows)
    for metric in (cohen_addad_normalised, cophenetic_correlation):
        with pytest.raises(NotApplicableError, match="all rows are parallel"):
            metric(judged, metric="cosine")
    assert abs(cohen_addad(judged, metric="cosine")) < 1e-12


def test_similarities_whose_sum_is_a_rounding_error_are_not_normalised():
    w = np.array([[0, 0.1, 0.2], [0.1, 0, -0.3], [0.2, -0.3, 0]])
    assert w.sum() != 0  # 0.1 + 0.2 - 0.3 is 5.6e-17
    for metric in (dasgupta_normalised, moseley_wang_normalised):
        with pytest.raises(NotApplicableError, match="positive sum"):
            metric(scored(Tree(THREE[0, 1]), similarity=w))


@pytest.mark.parametrize("rule", ["cosine", "dot"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_orthogonal_rows_are_not_normalised(make, rule):
    """Every product is 0, and so is their sum at each node, up to rounding errors."""
    rows = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    assert not (rows @ rows.T == np.eye(3)).all()
    for metric in (dasgupta_normalised, moseley_wang_normalised):
        for tree in THREE.values():
            with pytest.raises(NotApplicableError, match="positive sum"):
                metric(scored(Tree(tree), vectors=make(1e3 * rows)), similarity=rule)


def test_bray_curtis_of_one_zero_row_is_defined():
    """Of the zero row and another it is 1; only of two zero rows it is 0 / 0."""
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 1.0]])
    tree = Tree(THREE[1, 2])
    # d_12 = 2 / 6 merges at size 2, and the two distances of 1 at size 3.
    assert cohen_addad(scored(tree, vectors=rows), metric="braycurtis") == pytest.approx(2 / 3 + 6)
    with pytest.raises(NotApplicableError, match="not defined for all"):
        cohen_addad(scored(tree, vectors=rows * [[1.0], [0.0], [1.0]]), metric="braycurtis")


# ---- Revenue -------------------------------------------------------------------------------------


def test_revenue_by_hand():
    # The pair that merges first leaves one item outside.
    for first, w in {(0, 1): 3, (0, 2): 1, (1, 2): 2}.items():
        assert moseley_wang(scored(Tree(THREE[first]), similarity=W)) == w
        normalised = moseley_wang_normalised(scored(Tree(THREE[first]), similarity=W))
        assert normalised == pytest.approx(w / 6, abs=1e-15)
    assert moseley_wang(scored(STAR, similarity=symmetric(4, 0))) == 0.0
    assert moseley_wang(scored(PAIR, similarity=W[:2, :2])) == 0.0
    assert moseley_wang(scored(SINGLE, similarity=W[:1, :1])) == 0.0
    assert moseley_wang_normalised(scored(PAIR, similarity=W[:2, :2])) == 1.0
    assert moseley_wang_normalised(scored(SINGLE, similarity=W[:1, :1])) == 1.0


@given(trees(), st.integers(0, 99))
def test_revenue_agrees_with_its_definition_and_is_the_dual_of_the_cost(tree, seed):
    n, w = tree.n, symmetric(tree.n, seed)
    score = scored(tree, similarity=w)
    expected = sum(w[i, j] * (n - tree.sizes[tree.lca(i, j)]) for i, j in pairs(n))
    assert moseley_wang(score) == pytest.approx(expected, abs=1e-9)
    total = sum(w[i, j] for i, j in pairs(n))
    assert moseley_wang(score) + dasgupta(score) == pytest.approx(n * total, abs=1e-9)


@given(trees(min_leaves=3), st.integers(0, 99))
def test_normalised_revenue_is_a_proportion_and_equivalent_to_the_normalised_cost(tree, seed):
    score = scored(tree, similarity=symmetric(tree.n, seed, positive=True))
    value = moseley_wang_normalised(score)
    assert -1e-12 <= value <= 1 + 1e-12
    assert value == pytest.approx(1 - 2 / 3 * dasgupta_normalised(score), abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "mean"), [(moseley_wang_normalised, 1 / 3), (cohen_addad_normalised, 2 / 3)]
)
def test_the_mean_over_all_orders_of_the_leaves_is_what_the_docstring_says(metric, mean):
    w = symmetric(5, 0, positive=True)
    for tree in (random_tree(5, np.random.default_rng(seed)) for seed in range(3)):
        values = [
            metric(scored(tree.relabel(order), similarity=w))
            for order in itertools.permutations(range(5))
        ]
        assert np.mean(values) == pytest.approx(mean)


@pytest.mark.parametrize("metric", [moseley_wang_normalised, cohen_addad_normalised])
def test_a_normalised_objective_needs_a_positive_sum(metric):
    with pytest.raises(NotApplicableError, match="positive sum"):
        metric(scored(Tree(THREE[0, 1]), similarity=np.zeros((3, 3))))


# ---- Value by dissimilarities --------------------------------------------------------------------


def test_value_by_hand():
    # d = 3 - w: 0, 2 and 1 for the pairs 01, 02 and 12.
    values = {(0, 1): 0 * 2 + 3 * 3, (0, 2): 2 * 2 + 1 * 3, (1, 2): 1 * 2 + 2 * 3}
    for first, value in values.items():
        score = scored(Tree(THREE[first]), similarity=W)
        assert cohen_addad(score) == value
        assert cohen_addad_normalised(score) == pytest.approx((value - 6) / 3, abs=1e-15)
    star = scored(Tree([3, 3, 3, -1]), similarity=W)
    assert cohen_addad(star) == 9
    assert cohen_addad_normalised(star) == 1.0
    assert cohen_addad(scored(PAIR, similarity=W[:2, :2]), offset=10) == 2 * 7
    assert cohen_addad(scored(SINGLE, similarity=W[:1, :1])) == 0.0
    for tree in (PAIR, SINGLE):
        score = scored(tree, similarity=W[: tree.n, : tree.n])
        assert cohen_addad_normalised(score) == 1.0


@pytest.mark.slow
def test_the_offset_is_the_largest_of_a_pair_and_not_of_the_diagonal():
    w = np.array([[9.0, -5, -1], [-5, 9, -7], [-1, -7, 9]])
    score = scored(Tree(THREE[0, 1]), similarity=w)
    assert cohen_addad(score) == cohen_addad(score, offset=-1.0) == 2 * 4 + 3 * (0 + 6)
    fortran = scored(Tree(THREE[0, 1]), similarity=np.asfortranarray(w))
    assert cohen_addad(fortran) == cohen_addad(score)


@given(trees(binary=True, min_leaves=2), st.integers(0, 99), st.floats(-5, 5))
def test_an_offset_adds_a_constant_to_all_binary_trees(tree, seed, offset):
    score = scored(tree, similarity=symmetric(tree.n, seed))
    expected = offset * (tree.n**3 - tree.n) / 3 - dasgupta(score)
    assert cohen_addad(score, offset=offset) == pytest.approx(expected, abs=1e-8)


@given(trees(min_leaves=1), st.integers(0, 99), st.sampled_from(METRICS))
def test_value_agrees_with_its_definition_by_scipys_distances(tree, seed, metric):
    vectors = some_vectors(tree.n, 3, seed)
    d = squareform(pdist(vectors, metric)) if tree.n > 1 else np.zeros((1, 1))
    found = cohen_addad(scored(tree, vectors=vectors), metric=metric)
    assert found == pytest.approx(by_definition(tree, d), rel=1e-9, abs=1e-12)
    if metric in OF_SPARSE:
        found = cohen_addad(scored(tree, vectors=sparse.csr_array(vectors)), metric=metric)
        assert found == pytest.approx(by_definition(tree, d), rel=1e-6, abs=1e-6)
    else:
        with pytest.raises(NotApplicableError, match="sparse"):
            cohen_addad(scored(tree, vectors=sparse.csr_array(vectors)), metric=metric)


def test_sparse_vectors_need_not_be_sorted_nor_without_repeats():
    dense = np.array([[3.0, 1, 0], [1, 2, 0], [0, 1, 4], [2, 0, 1]])
    indptr, indices = [0, 3, 5, 7, 9], [1, 0, 0, 1, 0, 2, 1, 2, 0]
    data = [1.0, 2, 1, 2, 1, 4, 1, 1, 2]
    messy = sparse.csr_array((data, indices, indptr), shape=(4, 3))
    assert not messy.has_canonical_format
    tree = Tree(CHAIN.parent, [0, 0, 0, 0, 1, 2, 4], HeightKind.DISTANCE)
    for metric, options in (
        (cohen_addad, {"metric": "sqeuclidean"}),
        (cohen_addad, {"metric": "euclidean"}),
        (cophenetic_correlation, {"metric": "cosine"}),
        (tree_sampling_divergence, {"similarity": "dot"}),
        (tree_sampling_divergence, {"similarity": "dot", "normalised": False}),
    ):
        found = metric(scored(tree, vectors=messy.copy()), **options)
        assert found == pytest.approx(metric(scored(tree, vectors=dense), **options), rel=1e-7)


def test_distances_far_from_the_origin_do_not_cancel():
    tree = random_tree(40, np.random.default_rng(0))
    vectors = some_vectors(40, 3, 1)
    near = cohen_addad(scored(tree, vectors=vectors), metric="sqeuclidean")
    far = cohen_addad(scored(tree, vectors=vectors + 1e6), metric="sqeuclidean")
    assert far == pytest.approx(near, rel=1e-8)


def test_an_undefined_distance_is_refused():
    vectors = np.array([[1.0, 1], [2, 2], [3, 1]])  # the first two rows have no correlation
    with pytest.raises(NotApplicableError, match="correlation distances are not defined"):
        cohen_addad(scored(Tree(THREE[0, 1]), vectors=vectors), metric="correlation")
    vectors[0] = 0
    with pytest.raises(NotApplicableError, match="row 0 is zero"):
        cohen_addad(scored(Tree(THREE[0, 1]), vectors=vectors))


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_many_items_and_columns_which_are_read_in_blocks(metric):
    Z = linkage(some_vectors(1500, 7, 0), "average")
    vectors = some_vectors(1500, 1500, 1)
    distances = pdist(vectors, metric)
    # The size of the lowest common cluster of each pair: scipy reads it as its height.
    sizes = cophenet(np.column_stack([Z[:, :2], Z[:, 3], Z[:, 3]]))
    score = scored(Tree.from_linkage(Z), vectors=vectors)
    assert cohen_addad(score, metric=metric) == pytest.approx(sizes @ distances, rel=1e-9)
    expected = np.corrcoef(cophenet(Z), distances)[0, 1]
    assert cophenetic_correlation(score, metric=metric) == pytest.approx(expected, rel=1e-6)
    thin = scored(Tree.from_linkage(Z), vectors=sparse.csr_array(vectors))
    assert cophenetic_correlation(thin, metric=metric) == pytest.approx(expected, rel=1e-6)


@given(trees(), st.integers(0, 99), st.booleans())
def test_objectives_do_not_depend_on_names_nor_on_the_order_of_children(tree, seed, dense):
    order = np.random.default_rng(seed).permutation(tree.n)
    given_as = (
        {"similarity": symmetric(tree.n, seed, positive=True)}
        if dense
        else {"vectors": some_vectors(tree.n, 3, seed)}
    )
    inverse = np.argsort(order)
    renamed = {
        name: data[np.ix_(inverse, inverse)] if dense else data[inverse]
        for name, data in given_as.items()
    }
    for metric in (moseley_wang, cohen_addad, tree_sampling_divergence):
        try:
            value = metric(scored(tree, **given_as))
        except NotApplicableError:
            continue
        again = metric(scored(tree.relabel(order), **renamed))
        assert again == pytest.approx(value, rel=1e-9, abs=1e-9)


# ---- Cophenetic correlation ----------------------------------------------------------------------


def test_cophenetic_correlation_by_hand():
    tree = Tree(CHAIN.parent, [0, 0, 0, 0, 1, 2, 4], HeightKind.DISTANCE)
    vectors = np.array([[0.0], [1], [3], [6]])
    d = [1, 3, 6, 2, 5, 3]  # of the pairs 01, 02, 03, 12, 13, 23
    height = [1, 2, 4, 2, 4, 4]
    expected = np.corrcoef(d, height)[0, 1]
    assert cophenetic_correlation(scored(tree, vectors=vectors)) == pytest.approx(expected)


@pytest.mark.parametrize("method", ["single", "complete", "average", "centroid", "ward"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "sqeuclidean", "cityblock"])
def test_cophenetic_correlation_is_scipys(method, metric):
    vectors = np.random.default_rng(0).normal(size=(30, 4))
    Z = linkage(vectors, method)  # centroid linkage is not monotone
    expected, _ = cophenet(Z, pdist(vectors, metric))
    tree = Tree.from_linkage(Z)
    for given_as in (
        {"vectors": vectors},
        {"vectors": sparse.csr_array(vectors)},
        {"similarity": 3 - squareform(pdist(vectors, metric))},
    ):
        found = cophenetic_correlation(scored(tree, **given_as), metric=metric)
        assert found == pytest.approx(expected, abs=1e-6)


@given(trees(min_leaves=3, kind=HeightKind.DISTANCE, monotone=False), st.integers(0, 9))
def test_affinities_correlate_like_distances(tree, seed):
    score = scored(tree, vectors=some_vectors(tree.n, 2, seed))
    affinities = Tree(tree.parent, 7 - tree.height, HeightKind.AFFINITY)
    other = scored(affinities, vectors=score.problem.vectors)
    if np.ptp(tree.height[tree.n :]) == 0:
        with pytest.raises(NotApplicableError, match="merge heights are equal"):
            cophenetic_correlation(score)
        return
    value = cophenetic_correlation(score)
    assert cophenetic_correlation(other) == pytest.approx(value, abs=1e-9)
    assert -1 <= value <= 1
    scaled = Tree(tree.parent, 3 * tree.height + 5, HeightKind.DISTANCE)
    again = cophenetic_correlation(scored(scaled, vectors=score.problem.vectors))
    assert again == pytest.approx(value, abs=1e-9)


def test_only_an_ultrametric_correlates_perfectly():
    tree = Tree(CHAIN.parent, [0, 0, 0, 0, 1, 2, 4], HeightKind.DISTANCE)
    ultrametric = tree.merge_height(*np.indices((4, 4)))
    assert cophenetic_correlation(scored(tree, similarity=-ultrametric)) == pytest.approx(1)
    other = scored(tree.relabel([0, 2, 1, 3]), similarity=-ultrametric)
    assert cophenetic_correlation(other) < 0.99


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (CHAIN, "are missing"),
        (Tree(CHAIN.parent, [0, 0, 0, 0, 1, 2, 3], HeightKind.ORDER), "order of merging"),
        (Tree(CHAIN.parent, [0, 0, 0, 0, 1, 2, np.inf], HeightKind.DISTANCE), "infinite"),
        (Tree(CHAIN.parent, [0, 0, 0, 0, 2, 2, 2], HeightKind.DISTANCE), "heights are equal"),
        (Tree(PAIR.parent, [0, 0, 1], HeightKind.DISTANCE), "one or two items"),
        (Tree(SINGLE.parent, [0], HeightKind.DISTANCE), "one or two items"),
    ],
)
def test_unsuitable_heights_are_reported(tree, reason):
    with pytest.raises(NotApplicableError, match=reason):
        cophenetic_correlation(scored(tree, vectors=some_vectors(tree.n, 2, 0)))


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_equal_distances_have_no_correlation(metric):
    tree = Tree(CHAIN.parent, [0, 0, 0, 0, 1, 2, 4], HeightKind.DISTANCE)
    simplex = scored(tree, vectors=np.eye(4) + 0.1)
    with pytest.raises(NotApplicableError, match="distances are equal"):
        cophenetic_correlation(simplex, metric=metric)
    with pytest.raises(NotApplicableError, match="distances are equal"):
        cophenetic_correlation(scored(tree, similarity=np.full((4, 4), 0.1)))


def test_a_small_spread_of_distances_is_not_cancelled():
    tree = Tree.from_linkage(linkage(some_vectors(20, 3, 0), "average"))
    w = symmetric(20, 0)
    expected = cophenetic_correlation(scored(tree, similarity=w))
    shifted = cophenetic_correlation(scored(tree, similarity=w + 1e6))
    assert shifted == pytest.approx(expected, abs=1e-8)


# ---- Tree sampling divergence --------------------------------------------------------------------


def divergence(tree, w, pi, self_pairs, *, normalised):
    """From the definition, pair by pair."""
    n = tree.n
    p_of, q_of = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    edges = w - np.diag(np.diag(w))
    edges = edges / edges.sum()
    for i, j in itertools.product(range(n), repeat=2):
        v = int(tree.lca(i, j))
        if i == j and self_pairs == "parent":
            v = int(tree.parent[i])
        p_of[v] += edges[i, j]
        q_of[v] += pi[i] * pi[j]
    value = sum(p * np.log(p / q) for p, q in zip(p_of, q_of, strict=True) if p > 0)
    whole = sum(
        edges[i, j] * np.log(edges[i, j] / (pi[i] * pi[j]))
        for i, j in itertools.product(range(n), repeat=2)
        if edges[i, j] > 0
    )
    return value / whole if normalised else value


def graph(n, seed):
    """Weights of which some are 0, without isolated items; the diagonal is ignored."""
    rng = np.random.default_rng(seed)
    w = rng.random((n, n)) * (rng.random((n, n)) < 0.5)
    w = w + w.T + 0.01 * (np.abs(np.subtract.outer(range(n), range(n))) == 1)
    np.fill_diagonal(w, 9)
    return w


@given(
    trees(min_leaves=2),
    st.integers(0, 99),
    st.sampled_from(["degree", "uniform"]),
    st.sampled_from(["parent", "leaf"]),
    st.booleans(),
)
def test_divergence_agrees_with_its_definition(tree, seed, weights, self_pairs, normalised):
    w = graph(tree.n, seed)
    degree = (w - np.diag(np.diag(w))).sum(axis=0)
    pi = degree / degree.sum() if weights == "degree" else np.full(tree.n, 1 / tree.n)
    expected = divergence(tree, w, pi, self_pairs, normalised=normalised)
    score = scored(tree, similarity=w)
    options = {"weights": weights, "normalised": normalised, "self_pairs": self_pairs}
    found = tree_sampling_divergence(score, **options)
    assert found == pytest.approx(expected, abs=1e-12)
    assert 0 <= found <= (1 if normalised else np.inf)


@given(
    trees(binary=True, min_leaves=2, kind=HeightKind.DISTANCE),
    st.integers(0, 99),
    st.sampled_from(["degree", "uniform"]),
    st.booleans(),
)
def test_divergence_is_scikit_networks(tree, seed, weights, normalised):
    sknetwork = pytest.importorskip("sknetwork.hierarchy")  # not there for the newest Python
    w = graph(tree.n, seed)
    np.fill_diagonal(w, 0)  # there a loop is an edge
    expected = sknetwork.tree_sampling_divergence(
        sparse.csr_matrix(w), tree.to_linkage(), weights=weights, normalized=normalised
    )
    found = tree_sampling_divergence(
        scored(tree, similarity=w), weights=weights, normalised=normalised
    )
    assert found == pytest.approx(expected, abs=1e-9)


@given(trees(min_leaves=2), st.integers(0, 99), st.sampled_from(["cosine", "dot"]), st.booleans())
def test_divergence_of_vectors_is_that_of_their_similarities(tree, seed, rule, normalised):
    vectors = np.random.default_rng(seed).random((tree.n, 3)) + 0.01
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if rule == "cosine" else vectors
    expected = tree_sampling_divergence(
        scored(tree, similarity=rows @ rows.T), normalised=normalised
    )
    for data in (vectors, sparse.csr_array(vectors)):
        found = tree_sampling_divergence(
            scored(tree, vectors=data), similarity=rule, normalised=normalised
        )
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_two_groups_of_a_graph_retain_all_information_between_them():
    # Two edges and none between: ((0,1),(2,3)) has the full information about the edges.
    w = np.zeros((4, 4))
    w[0, 1] = w[1, 0] = w[2, 3] = w[3, 2] = 1.0
    score = scored(TWO_PAIRS, similarity=w)
    # p = 1/2 at each pair's node, q = 1/8 without self pairs and 1/4 with them.
    assert tree_sampling_divergence(score, normalised=False) == pytest.approx(np.log(2))
    at_leaf = tree_sampling_divergence(score, normalised=False, self_pairs="leaf")
    assert at_leaf == pytest.approx(np.log(4))
    assert tree_sampling_divergence(score, self_pairs="leaf") == pytest.approx(1)
    assert tree_sampling_divergence(scored(STAR, similarity=w)) == pytest.approx(0, abs=1e-15)


def test_invalid_graphs_have_no_divergence():
    for tree, w in ((PAIR, np.zeros((2, 2))), (SINGLE, np.ones((1, 1)))):
        with pytest.raises(NotApplicableError, match="positive similarity"):
            tree_sampling_divergence(scored(tree, similarity=w))
    with pytest.raises(NotApplicableError, match="the smallest is -1"):
        tree_sampling_divergence(scored(PAIR, similarity=-np.ones((2, 2))))
    vectors = np.array([[1.0, 0], [-1, 0]])
    for normalised in (True, False):
        with pytest.raises(NotApplicableError, match="similarities >= 0"):
            tree_sampling_divergence(scored(PAIR, vectors=vectors), normalised=normalised)


@pytest.mark.parametrize(
    "metric", [moseley_wang, cohen_addad, tree_sampling_divergence, cophenetic_correlation]
)
def test_objectives_need_data(metric):
    tree = Tree(CHAIN.parent, [0, 0, 0, 0, 1, 2, 4], HeightKind.DISTANCE)
    with pytest.raises(NotApplicableError, match="neither similarities nor vectors"):
        metric(scored(tree))
