"""Registered algorithms in scikit-learn's pipelines, and its clusterers in comparisons."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, FeatureAgglomeration, KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import hcbench
from hcbench.errors import HcbenchError, NotApplicableError, ParameterError, UnknownNameError
from hcbench.sklearn import Clusterer, from_estimator

X = np.random.default_rng(0).normal(size=(40, 3)) + 6 * (np.arange(40) % 4)[:, None]
Y = np.arange(40) % 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        Clusterer("UPGMA"),
        Clusterer("Ward"),
        Clusterer("HDBSCAN"),
        Clusterer("InsertionClustering", oracle="ordinal-queries[similarity=euclidean]"),
        Clusterer("4-AL", oracle="quadruplet-set[similarity=euclidean]"),
    ],
)
def test_scikit_learns_own_checks(estimator: Clusterer) -> None:
    check_estimator(estimator, on_skip=None)


def test_it_is_the_algorithm_itself() -> None:
    model = Clusterer("UPGMA", n_clusters=4, metric="cosine").fit(X)
    tree = hcbench.fit("UPGMA", X, metric="cosine")
    assert model.tree_ == tree
    assert np.array_equal(model.labels_, tree.cut(4).labels)
    assert (model.n_leaves_, model.n_clusters_, model.n_features_in_) == (40, 4, 3)


def test_an_integer_random_state_is_the_seed() -> None:
    model = Clusterer("4-AL", random_state=7, oracle="quadruplet-set[p=0.01]").fit(X)
    assert model.tree_ == hcbench.fit("4-AL", X, seed=7, oracle="quadruplet-set[p=0.01]")
    state = np.random.RandomState(3)
    first, second = (Clusterer("4-AL", random_state=state).fit(X).tree_ for _ in range(2))
    assert first != second, "a generator goes on, as scikit-learn has it"


def test_merges_are_those_of_scikit_learn_and_scipy() -> None:
    ours = Clusterer("Ward", n_clusters=4).fit(X)
    theirs = AgglomerativeClustering(n_clusters=4, compute_distances=True).fit(X)
    assert np.array_equal(np.sort(ours.children_, axis=1), np.sort(theirs.children_, axis=1))
    np.testing.assert_allclose(ours.distances_, theirs.distances_)
    np.testing.assert_allclose(ours.distances_, linkage(X, "ward")[:, 2])
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1


def test_affinities_are_turned_into_distances() -> None:
    unit = np.abs(X) / np.linalg.norm(X, axis=1, keepdims=True)
    model = Clusterer("DotProduct").fit(unit)
    affinity = model.tree_.height
    assert affinity is not None
    np.testing.assert_allclose(
        np.sort(model.distances_), np.sort(affinity.max() - affinity[40:]), atol=1e-15
    )
    assert (np.diff(model.distances_) >= 0).all()


def test_a_tree_without_heights_has_children_alone() -> None:
    model = Clusterer("UPGMA").fit(X)
    model.set_params(name="InsertionClustering", oracle="ordinal-queries[ties=break]").fit(X)
    assert hcbench.Tree.from_children(model.children_).isomorphic(model.tree_)
    assert not hasattr(model, "distances_"), "those of the first fit are gone"


def test_a_tree_that_is_not_binary_has_no_children() -> None:
    same = np.repeat(np.eye(2), 3, axis=0)
    model = Clusterer("InsertionClustering", oracle="ordinal-queries").fit(same)
    assert not model.tree_.is_binary
    assert not hasattr(model, "children_")
    assert model.n_clusters_ == 2


def test_parameters_of_the_algorithm_are_parameters() -> None:
    model = Clusterer("UPGMA", metric="cosine")
    assert model.get_params()["metric"] == "cosine"
    assert clone(model).get_params() == model.get_params()
    assert clone(model).set_params(metric="manhattan").get_params()["metric"] == "manhattan"
    assert model.get_params()["metric"] == "cosine"
    assert "metric='cosine'" in repr(model)
    assert model.set_params(name="4-AL", init=3).get_params()["init"] == 3


def test_errors_are_reported() -> None:
    for wrong, error, message in [
        (lambda: Clusterer("UPGMA").set_params(metrik=1), ParameterError, "no parameter 'metrik'"),
        (lambda: Clusterer("UPGMA", metrik=1).fit(X), ParameterError, "no parameter 'metrik'"),
        (lambda: Clusterer("UPGMA", metric="x").fit(X), ParameterError, "must be one of"),
        (lambda: Clusterer("UPGM").fit(X), UnknownNameError, "did you mean UPGMA"),
        (lambda: Clusterer("WDP").fit(X), HcbenchError, "tree"),
        (lambda: Clusterer("CL", budget=3).fit(X), HcbenchError, "budget"),
        (lambda: Clusterer(n_clusters=41).fit(X), ValueError, "41"),
        (lambda: Clusterer(n_clusters=0).fit(X), ValueError, "0"),
        (lambda: Clusterer().fit(X[:1]), ValueError, "minimum of 2"),
        (lambda: Clusterer().fit(np.full((3, 2), np.nan)), ValueError, "NaN"),
    ]:
        with pytest.raises(error, match=message):
            wrong()


def test_it_works_in_a_pipeline_and_in_a_grid_search() -> None:
    stretched = X * [1, 1, 1] + np.random.default_rng(1).normal(size=(40, 3)) * [0, 0, 50]
    pipeline = make_pipeline(StandardScaler(), Clusterer("UPGMA", n_clusters=4))
    scaled = StandardScaler().fit_transform(stretched)
    expected = hcbench.fit("UPGMA", scaled).cut(4).labels
    assert np.array_equal(pipeline.fit_predict(stretched), expected)

    def agreement(model: Any, data: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
        return float(adjusted_rand_score(labels, model.fit_predict(data)))

    grid = {"clusterer__name": ["UPGMA", "Single"], "clusterer__metric": ["cosine", "euclidean"]}
    search = GridSearchCV(pipeline, grid, scoring=agreement, cv=2, error_score="raise")
    search.fit(X, Y)
    assert search.best_score_ == 1
    assert search.best_params_["clusterer__metric"] == "euclidean"


def test_sparse_rows_are_those_of_dense_ones() -> None:
    rows = np.where(X > 5, X, 0)
    rows[:, 0] += 1
    dense = Clusterer("UPGMA", metric="cosine").fit(rows)
    for matrix in (sparse.csr_array(rows), sparse.csc_matrix(rows)):
        assert Clusterer("UPGMA", metric="cosine").fit(matrix).tree_.isomorphic(dense.tree_)


# ---- From scikit-learn ---------------------------------------------------------------------------


def run(spec: hcbench.AlgorithmSpec, data: Any, **params: Any) -> Any:
    """Call the spec's function with vectors or, if it accepts these, similarities."""
    kind = spec.accepts[0]
    oracle = hcbench.Oracle(hcbench.Answers(kind=kind, n=len(data), data=data))
    items = hcbench.Items(n=len(data))
    return spec.load()(oracle, items, np.random.default_rng(0), **spec.resolve(params))


@pytest.mark.slow
def test_an_estimators_tree_is_that_of_scipy() -> None:
    for method in ["ward", "average", "complete", "single"]:
        tree = run(from_estimator(AgglomerativeClustering(linkage=method, n_clusters=3)), X)
        np.testing.assert_allclose(tree.to_linkage()[:, 2], linkage(X, method)[:, 2])
        assert tree.isomorphic(hcbench.Tree.from_linkage(linkage(X, method)))


@pytest.mark.slow
def test_parameters_of_an_estimator_are_those_of_the_algorithm() -> None:
    spec = from_estimator(AgglomerativeClustering(linkage="single", memory=None))
    assert run(spec, X, linkage="ward").isomorphic(hcbench.Tree.from_linkage(linkage(X, "ward")))
    assert {p.name: p.default for p in spec.parameters}["linkage"] == "single"
    assert spec.requires == ("scikit-learn",)
    mean = from_estimator(FeatureAgglomeration())
    assert "pooling_func" not in {p.name for p in mean.parameters}, "a function has no name"


@pytest.mark.slow
def test_a_precomputed_metric_gets_distances_of_similarities() -> None:
    similarity = X @ X.T
    spec = from_estimator(AgglomerativeClustering(metric="precomputed", linkage="average"))
    distance = (similarity[~np.eye(40, dtype=bool)].max() - similarity)[np.triu_indices(40, 1)]
    expected = hcbench.Tree.from_linkage(linkage(distance, "average"))
    assert run(spec, similarity).isomorphic(expected)


@pytest.mark.slow
def test_labels_are_a_partition_and_outliers_are_alone() -> None:
    points = np.array([[0.0], [0.1], [5.0], [5.1], [50.0], [90.0]])
    spec = from_estimator(DBSCAN(eps=1.0, min_samples=2), returns="partition")
    assert run(spec, points) == hcbench.Partition([0, 0, 1, 1, 2, 3])


@pytest.mark.slow
def test_a_random_state_that_is_open_comes_from_the_cells_seed() -> None:
    spec = from_estimator(KMeans(n_clusters=12, n_init=1, init="random"), returns="partition")
    assert run(spec, X) == run(spec, X)
    assert run(spec, X, random_state=1) != run(spec, X, random_state=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (KMeans(n_clusters=2), "KMeans makes no tree: it has no children_"),
        (FeatureAgglomeration(), r"no tree of the 40 items: children_ has the shape \(2, 2\)"),
    ],
)
def test_an_estimator_without_a_tree_is_reported(estimator: Any, message: str) -> None:
    with pytest.raises(NotApplicableError, match=message):
        run(from_estimator(estimator), X)


@pytest.mark.parametrize("wrong", [AgglomerativeClustering, "UPGMA", 3])
def test_other_objects_than_estimators_are_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="takes an estimator of scikit-learn"):
        from_estimator(wrong)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_estimators_and_algorithms_are_compared(tmp_path: Path) -> None:
    theirs = from_estimator(AgglomerativeClustering(linkage="average"), name="sk-average")
    results = hcbench.compare(
        ["UPGMA", theirs, from_estimator(AgglomerativeClustering())],
        {"four": (X, Y)},
        metrics=["AARI", "cophenetic-correlation"],
        repetitions=1,
        n_jobs=1,
        store=tmp_path / "store.sqlite",
    )
    values = {row["algorithm"]: row["metrics"] for row in results.rows}
    assert values["sk-average"] == pytest.approx(values["UPGMA"])
    assert values["AgglomerativeClustering"]["AARI"] == 1


def test_names_come_through_transformers_whose_output_is_pandas() -> None:
    frame = pd.DataFrame(np.arange(8.0).reshape(4, 2), index=list("pqrs"), columns=["x", "y"])
    pipeline = make_pipeline(StandardScaler(), Clusterer("UPGMA"))
    pipeline.set_output(transform="pandas").fit(frame)
    assert pipeline[-1].tree_.names == ("p", "q", "r", "s")
    assert pipeline[-1].feature_names_in_.tolist() == ["x", "y"]
    assert not hasattr(Clusterer, "set_output")  # it is no transformer
