"""Algorithms of other libraries: equal trees of equal methods, and trees known by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage as scipy_linkage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist, pdist
from scipy.stats import rankdata

import hcbench
import hcbench_peers
from hcbench import (
    AlgorithmSpec,
    Answers,
    Comparisons,
    Items,
    NotApplicableError,
    Oracle,
    Partition,
    Suite,
    Tree,
    load_registry,
)
from hcbench.plan.plan import make_plan
from hcbench.registry.fingerprint import installation
from hcbench.testing import checks_of
from hcbench_peers.density import fast_hdbscan
from hcbench_peers.inputs import neighbour_graph, private_of, tree_of_groups
from hcbench_peers.specs import ALGORITHMS
from tests.environments import Environment
from tests.plugins.fitting import cophenetic

POINTS = np.random.default_rng(0).normal(size=(25, 4))
SPECS = {spec.name: spec for spec in ALGORITHMS}
#: Two groups of three on a line, which every method separates first.
LINE = np.array([[0.0], [1.0], [2.5], [20.0], [21.5], [22.5]])
HALVES = Partition([0, 0, 0, 1, 1, 1])
METHODS = {
    "single": "Single",
    "complete": "Complete",
    "average": "UPGMA",
    "weighted": "WPGMA",
    "centroid": "Centroid",
    "median": "Median",
    "ward": "Ward",
}


def fit(name: str, data: object, **params: object) -> Tree:
    """Fit an algorithm, or skip the test if its library is not installed."""
    command = installation(SPECS[name].requires)
    if command:
        pytest.skip(f"{name}: {command}")
    tree = hcbench.fit(name, data, **params)
    assert isinstance(tree, Tree)
    return tree


def heights(name: str, data: object, **params: object) -> np.ndarray:
    return cophenetic(fit(name, data, **params))


@pytest.mark.parametrize("name", ["scipy-linkage", "fc-linkage", "fc-vector", "sk-agglomerative"])
def test_linkages_of_all_libraries_are_the_trees_of_ours(name: str) -> None:
    parameter = SPECS[name].parameters[0]
    for method in parameter.choices:
        ours = cophenetic(hcbench.fit(METHODS[method], POINTS))  # type: ignore[arg-type]
        theirs = heights(name, POINTS, **{parameter.name: method})
        np.testing.assert_allclose(theirs, ours, rtol=1e-9)


@pytest.mark.parametrize(("weighted", "ours"), [(False, "UPGMA"), (True, "WPGMA")])
def test_scikit_bio_has_the_trees_of_ours(weighted: bool, ours: str) -> None:
    expected = cophenetic(hcbench.fit(ours, POINTS))  # type: ignore[arg-type]
    theirs = heights("skbio-upgma", POINTS, weighted=weighted)
    np.testing.assert_allclose(theirs, expected, rtol=1e-9)


def test_linkages_of_similarities_have_their_heights() -> None:
    similarity = 5.0 - cdist(POINTS, POINTS)
    ours = cophenetic(hcbench.fit("UPGMA", similarity))  # type: ignore[arg-type]
    for name in ("scipy-linkage", "fc-linkage"):
        theirs = heights(name, similarity, method="average")
        np.testing.assert_allclose(theirs, ours, rtol=1e-9)
    with pytest.raises(hcbench.NotApplicableError, match="method=ward needs vectors"):
        fit("scipy-linkage", similarity, method="ward")


@pytest.mark.parametrize("metric", ["cosine", "manhattan"])
@pytest.mark.parametrize(
    ("name", "parameter", "methods"),
    [
        ("scipy-linkage", "method", ["centroid", "median", "ward"]),
        ("fc-linkage", "method", ["centroid", "median", "ward"]),
        ("fc-vector", "method", ["centroid", "median", "ward"]),
        ("sk-agglomerative", "linkage", ["ward"]),
    ],
)
def test_euclidean_methods_refuse_other_metrics(
    name: str, parameter: str, methods: list[str], metric: str
) -> None:
    for method in methods:
        why = f"{parameter}={method} is defined for Euclidean distances, not for metric={metric}"
        with pytest.raises(hcbench.NotApplicableError, match=why):
            fit(name, POINTS, **{parameter: method, "metric": metric})


WIDE = np.random.default_rng(8).normal(size=(14, 6))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("scipy-linkage", {"method": "average"}),
        ("fc-linkage", {"method": "complete"}),
        ("fc-vector", {"method": "single"}),
        ("sk-agglomerative", {"linkage": "average"}),
        ("skbio-upgma", {}),
    ],
)
@pytest.mark.parametrize("metric", ["correlation", "spearman"])
def test_linkages_by_correlation_are_those_of_its_distances(
    name: str, params: dict[str, str], metric: str
) -> None:
    rows = rankdata(WIDE, axis=1) if metric == "spearman" else WIDE
    method = params.get("method", params.get("linkage", "average"))
    expected = cophenet(scipy_linkage(pdist(rows, "correlation"), method))
    theirs = heights(name, WIDE, metric=metric, **params)
    np.testing.assert_allclose(theirs, expected, rtol=1e-9)
    with pytest.raises(hcbench.DataError, match="row 0 is constant and has no correlation"):
        fit(name, np.vstack([np.ones(6), WIDE]), metric=metric, **params)


def test_ours_refuse_metrics_that_they_do_not_have() -> None:
    for name in ("Ward", "Centroid", "Median"):
        with pytest.raises(hcbench.ParameterError, match="metric"):
            hcbench.fit(name, POINTS, metric="cosine")


SIMILARITY = 5.0 - cdist(POINTS, POINTS)


@pytest.mark.parametrize(
    "name",
    [
        *("scipy-linkage", "fc-linkage", "sk-hdbscan", "skbio-nj", "skbio-upgma"),
        *("UPGMA", "WPGMA", "Complete", "Single", "HDBSCAN"),
    ],
)
def test_metrics_of_vectors_are_refused_on_similarities(name: str) -> None:
    run = fit if name in SPECS else hcbench.fit
    with pytest.raises(hcbench.NotApplicableError, match="metric=cosine has no effect on simil"):
        run(name, SIMILARITY, metric="cosine")  # type: ignore[operator]


def test_other_choices_without_an_effect_are_refused() -> None:
    with pytest.raises(hcbench.NotApplicableError, match="affinity=cosine has no effect on simil"):
        hcbench.fit("DotProduct", SIMILARITY, affinity="cosine")
    with pytest.raises(hcbench.NotApplicableError, match="depth=5 has no effect for method=hier"):
        fit("skn-louvain", POINTS, method="hierarchy", depth=5)
    with pytest.raises(hcbench.ParameterError, match="r_max=9 has no effect without pca=auto"):
        hcbench.fit("UPGMA", POINTS, r_max=9)
    with pytest.raises(hcbench.ParameterError, match="patience=2 has no effect without pca=auto"):
        hcbench.fit("Ward", POINTS, pca=2, patience=2)


def test_neighbours_are_refused_where_there_is_a_graph() -> None:
    graph = csr_array(np.ones((4, 4)) - np.eye(4))
    problem = hcbench.Problem(n=4, graph=graph)
    for name in ("skn-paris", "skn-louvain"):
        assert fit(name, problem).n == 4
        with pytest.raises(hcbench.NotApplicableError, match="neighbours=3 has no effect on a gr"):
            fit(name, problem, neighbours=3)


def test_a_row_of_zeros_has_no_cosine() -> None:
    with pytest.raises(hcbench.DataError, match="row 0 is zero"):
        fit("scipy-linkage", np.eye(3)[:, 1:] - np.eye(3)[:1, 1:], metric="cosine")


def test_a_graph_of_all_neighbours_changes_no_linkage() -> None:
    free = fit("sk-agglomerative", POINTS, linkage="average")
    bound = fit("sk-agglomerative", POINTS, linkage="average", neighbours=24)
    assert bound.isomorphic(free)
    for linkage in ("single", "complete", "average"):
        expected = cophenetic(hcbench.fit(METHODS[linkage], POINTS))  # type: ignore[arg-type]
        np.testing.assert_allclose(
            heights("higra-bpt", POINTS, linkage=linkage, neighbours=24), expected, rtol=1e-9
        )
    assert fit("higra-bpt", POINTS, linkage="ward", neighbours=24).isomorphic(
        hcbench.fit("Ward", POINTS)  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("name", "samples"),
    [
        ("sk-hdbscan", 4),
        ("fast-plscan", 3),
        pytest.param("fast-hdbscan", 3, marks=pytest.mark.slow),  # compiles for a minute
    ],
)
def test_densities_make_the_spanning_tree_of_mutual_reachability(name: str, samples: int) -> None:
    """The core distance is that to the third other item; scikit-learn counts the item itself."""
    distance = cdist(POINTS, POINTS)
    core = np.sort(distance, axis=1)[:, 3]
    reach = np.maximum(distance, np.maximum.outer(core, core))
    tree = fit(name, POINTS, min_samples=samples)
    assert tree.height is not None
    merged = np.sort(tree.height[tree.n :])
    np.testing.assert_allclose(merged, np.sort(minimum_spanning_tree(reach).data), rtol=1e-5)


def test_fast_hdbscan_takes_no_approximate_neighbours() -> None:
    oracle = Oracle(Answers(kind="vectors", n=5, data=np.zeros((5, 31)), size=155))
    with pytest.raises(NotApplicableError, match="up to 30 dimensions, got 31; use HDBSCAN"):
        fast_hdbscan(
            oracle, Items(n=5), np.random.default_rng(0), min_cluster_size=2, min_samples=None
        )


def test_equal_distances_give_the_same_tree_each_time() -> None:
    points = np.random.default_rng(0).integers(0, 3, (60, 3)).astype(float)
    assert len({tuple(fit("fast-plscan", points).parent) for _ in range(30)}) == 1


@pytest.mark.parametrize(
    "name",
    [
        "sk-birch[threshold=2]",
        "sk-bisecting-kmeans",
        "sk-bisecting-kmeans[n_clusters=all]",
        "skn-louvain[neighbours=2]",
        "skn-paris[neighbours=2]",
        "higra-bpt[neighbours=1]",
        "skbio-nj",
    ],
)
def test_distant_groups_are_separated_first(name: str) -> None:
    base, _, rest = name.rstrip("]").partition("[")
    key, _, value = rest.partition("=")
    params = {key: int(value) if value.isdigit() else value} if rest else {}
    assert fit(base, LINE, **params).cut(2) == HALVES


def test_neighbours_and_the_shortest_edges_between_parts() -> None:
    """Of 0, 1, 2.5 the nearest ones are 1, 0, 1; 2.5 and 20 connect the halves."""
    oracle = Oracle(Answers(kind="vectors", n=6, data=LINE))
    graph = neighbour_graph(oracle, 1)
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert list(zip(graph.first, graph.second, strict=True)) == edges
    assert graph.distance.tolist() == [1.0, 1.5, 17.5, 1.5, 1.0]
    similarity = Oracle(Answers(kind="similarities", n=6, data=-cdist(LINE, LINE)))
    by_similarity = neighbour_graph(similarity, 1)
    assert by_similarity.first.tolist() == graph.first.tolist()
    assert by_similarity.second.tolist() == graph.second.tolist()
    assert by_similarity.distance.tolist() == [0.0, 0.5, 16.5, 0.5, 0.0]  # less max(S) = -1


def test_a_version_without_the_tree_is_named() -> None:
    from sklearn import __version__
    from sklearn.cluster import BisectingKMeans

    message = f"BisectingKMeans of scikit-learn {__version__} does not have _tree, its only record"
    with pytest.raises(hcbench.HcbenchError, match=re.escape(message)):
        private_of(BisectingKMeans(), "_tree")


def test_groups_without_items_are_omitted() -> None:
    """Root 0 has 1 and 2; 1 has 3, of items 0 and 1; 2 has 4, empty, and 5, of 2 and 3."""
    tree = tree_of_groups([3, 3, 5, 5, 0], [-1, 0, 0, 1, 2, 2], names=None)
    assert tree.isomorphic(Tree.from_newick("((0,1),(2,3),4);", [*"01234"]))


def test_neighbour_joining_recovers_an_additive_tree() -> None:
    """The example of Saitou and Nei's method in Wikipedia: ((a, b), c) and (d, e)."""
    distance = np.array(
        [[0, 5, 9, 9, 8], [5, 0, 10, 10, 9], [9, 10, 0, 8, 7], [9, 10, 8, 0, 3], [8, 9, 7, 3, 0]]
    )
    tree = fit("skbio-nj", 10.0 - distance)
    parts = {frozenset(tree.leaves(node).tolist()) for node in range(tree.n, tree.n_nodes)}
    assert frozenset({0, 1}) in parts or frozenset({2, 3, 4}) in parts
    assert frozenset({3, 4}) in parts or frozenset({0, 1, 2}) in parts


def test_an_algorithm_without_its_library_is_reported_with_the_command(tmp_path: Path) -> None:
    file = tmp_path / "absent.py"
    file.write_text(
        "from hcbench import AlgorithmSpec, hookimpl\n"
        "@hookimpl\n"
        "def hcbench_algorithms():\n"
        "    yield AlgorithmSpec(name='Absent', function='absent:f', doc='', "
        "accepts=('vectors',), requires=('scipy', 'no-such-thing'))\n"
    )
    suite = Suite(name="", algorithms=("Absent", "Single"), datasets=("iris",), repetitions=1)
    plan = make_plan(suite, load_registry([file]))
    reason = "Absent needs what is not installed: pip install no-such-thing"
    assert [(each.algorithm, each.reason) for each in plan.inapplicable] == [("Absent", reason)]
    assert [cell.algorithm.label for cell in plan.cells] == ["Single"]
    found = {check.run() for check in checks_of(["Absent"], plugins=[file])}
    assert {(each.status, each.reason) for each in found} == {("not applicable", reason)}


@pytest.mark.parametrize("spec", ALGORITHMS, ids=lambda spec: spec.name)
def test_each_spec_names_the_licence_and_a_source_with_a_link(spec: AlgorithmSpec) -> None:
    assert re.search("BSD|GPL|CECILL", spec.licence)
    assert spec.paper is not None
    assert {"doi", "url", "volume"} & set(spec.paper.fields)


def test_the_plugin_of_the_readme_runs_genie(tmp_path: Path) -> None:
    readme = Path(hcbench_peers.__path__[0]) / "README.md"
    file = tmp_path / "genie.py"
    file.write_text(readme.read_text().partition("```python\n")[2].partition("```")[0])
    (use,) = load_registry([file]).use_algorithms("Genie")
    command = installation(use.spec.requires)
    if command:
        pytest.skip(f"Genie: {command}")
    findings = [check.run() for check in checks_of(["Genie"], plugins=[file])]
    assert [each.reason for each in findings if each.status == "failed"] == []


#: In place of cblearn: it demands the triplets below, and puts the items on a line.
STAND_IN = """
import numpy as np

class SOE:
    def __init__(self, *, n_components, n_init, random_state):
        assert n_components == 2
    def fit(self, triplets, *, n_objects):
        assert triplets.tolist() == [[0, 1, 2], [2, 1, 3]], triplets
        self.embedding_ = np.arange(n_objects, dtype=float)[:, None] ** 2
"""


@pytest.mark.slow
def test_the_program_of_the_readme_gives_cblearn_triplets(tmp_path: Path) -> None:
    readme = (Path(hcbench_peers.__path__[0]) / "README.md").read_text()
    for name, kind in (("soe.toml", "toml"), ("soe.py", "text")):
        text = readme.rpartition(f"```{kind}\n")[2].partition("```")[0]
        (tmp_path / name).write_text(text)
    environment = Environment.make(tmp_path)
    (cblearn,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (cblearn / "cblearn").mkdir()
    (cblearn / "cblearn" / "__init__.py").touch()
    (cblearn / "cblearn" / "embedding.py").write_text(STAND_IN)
    assert environment.python == tmp_path / "env" / "bin" / "python", "as soe.toml has it"
    # 0 is closer to 1 than to 2, 2 to 1 than to 3; the last pairs share no item.
    comparisons = Comparisons.from_quadruplets(4, [[0, 1, 0, 2], [2, 1, 3, 2], [0, 1, 2, 3]])
    (use,) = load_registry([tmp_path / "soe.toml"]).use_algorithms("cblearn-soe[dimensions=2]")
    tree = hcbench.fit(use, comparisons)
    assert isinstance(tree, Tree)
    assert tree.merge_height([0, 0, 0], [1, 2, 3]).tolist() == [1, 3.5, 22 / 3]


@pytest.mark.parametrize("scale", [1e155, 1e300, 1e-170, 1e-300])
def test_vectors_whose_squares_are_no_numbers_are_refused_at_once(scale: float) -> None:
    for name in sorted(SPECS):
        spec = SPECS[name]
        if "vectors" not in spec.accepts or installation(spec.requires):
            continue
        with pytest.raises(hcbench.DataError, match=r"divide the vectors by 1e-?\d+$") as error:
            hcbench.fit(name, POINTS * scale)
        divisor = float(str(error.value).rpartition(" ")[2])
        assert 0.1 < np.abs(POINTS * scale / divisor).max() < 100


def test_values_that_are_too_large_for_single_precision() -> None:
    with pytest.raises(hcbench.DataError, match="not in the range of single precision"):
        fit("fast-plscan", POINTS * 1e20)


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_vectors_far_from_the_origin_have_the_same_clusters(offset: float) -> None:
    moved = POINTS + offset
    exactly = moved - offset  # the same numbers, rounded as these are
    for name in ("fast-plscan", "sk-birch", "sk-hdbscan", "fc-vector", "scipy-linkage"):
        if not installation(SPECS[name].requires):
            assert fit(name, moved).isomorphic(fit(name, exactly)), name
