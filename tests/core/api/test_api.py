"""Functions for use from Python: fit, score and compare."""

import functools
import math
import operator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import linkage

import hcbench
from hcbench import Comparisons, Partition, Problem, Tree, ask_oracle
from hcbench.api.data import as_problem
from hcbench.api.uses import named_datasets, takes_rng, use_of_algorithm
from hcbench.errors import DataError, HcbenchError, NotApplicableError, ParameterError

X = np.array([[0.0, 1.0], [0.1, 1.0], [5.0, 1.0], [5.2, 1.0]])
PAIRS = "((0,1),(2,3));"
ASKED = ask_oracle("quadruplet-queries", max, n=4)


def newick(tree: Any) -> str:
    return str(tree.to_newick(lengths=False))


def test_fit_takes_vectors_similarities_sparse_and_problems() -> None:
    tree = hcbench.fit("UPGMA", X)
    assert isinstance(tree, Tree)
    np.testing.assert_allclose(tree.to_linkage(), linkage(X, "average"))
    similarity = -np.abs(X[:, :1] - X[:, :1].T)
    from_similarities = hcbench.fit("upgma", similarity)
    assert isinstance(from_similarities, Tree)
    assert from_similarities.isomorphic(tree)
    assert from_similarities.kind is hcbench.HeightKind.AFFINITY
    cosine = hcbench.fit("UPGMA", sparse.csr_array(X), metric="cosine")
    of_dense = hcbench.fit("UPGMA[metric=cosine]", X)
    assert cosine.isomorphic(of_dense)  # type: ignore[union-attr, arg-type]
    assert hcbench.fit("UPGMA", Problem(n=4, vectors=X)) == tree


def test_parameters_in_a_name_and_as_arguments_are_merged() -> None:
    def middle(i: int, j: int, k: int) -> int:
        return sorted((0, 1, 2), key=lambda at: (i, j, k)[at])[-1]

    for name, given in (("NoisyInsertion", {"p": 0.8}), ("NoisyInsertion[p=0.6]", {"p": 0.8})):
        tree = hcbench.fit(name, n=4, ordinal=middle, strategy="repeat", **given)
        assert tree.n == 4
    with pytest.raises(ParameterError, match=r"means 2, one for each metric"):
        hcbench.fit("UPGMA[metric=[cosine, euclidean]]", X)


def test_fit_takes_specs_and_functions_as_compare_does() -> None:
    X = np.arange(8.0).reshape(4, 2) ** 2
    spec = hcbench.load_registry().algorithms.find("UPGMA").spec
    assert hcbench.fit(spec, X, metric="cosine") == hcbench.fit("UPGMA[metric=cosine]", X)
    assert hcbench.fit(lambda X: np.arange(len(X)), X) == Partition([0, 1, 2, 3])
    with pytest.raises(ParameterError, match="an algorithm is a name, a function or an Algo"):
        hcbench.fit(3, X)  # type: ignore[arg-type]
    for wrong in (None, 5):
        with pytest.raises(ParameterError, match=f"or an AlgorithmSpec: {wrong}"):
            hcbench.compare(wrong, "iris")  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match=f"or a MetricSpec: {wrong}"):
            hcbench.compare("UPGMA", "iris", metrics=wrong)  # type: ignore[arg-type]


def test_fit_takes_comparisons_and_any_other_way_of_answering() -> None:
    answers = Comparisons.from_quadruplets(4, [[0, 1, 1, 2], [2, 3, 1, 2], [0, 1, 0, 3]])
    assert newick(hcbench.fit("4-AL", answers)) in {PAIRS, "((2,3),(0,1));"}
    sampled = hcbench.fit("4-AL", X, oracle="quadruplet-set[p=1,similarity=euclidean]")
    assert newick(sampled) in {PAIRS, "((2,3),(0,1));"}
    labels = [0, 0, 1, 1]
    hinted = hcbench.fit("4-AL", answers, init=2, truth=labels)
    assert isinstance(hinted, Tree)
    assert hinted.cut(2) == Partition(labels)


def test_counts_are_read_from_the_oracle() -> None:
    def closer(i: int, j: int, k: int, l: int) -> bool:  # noqa: E741
        return bool(abs(X[i, 0] - X[j, 0]) < abs(X[k, 0] - X[l, 0]))

    oracle = ask_oracle("quadruplet-queries", closer, n=4)
    assert oracle.ask([[0, 1, 2, 3], [0, 2, 0, 1]]).tolist() == [1, -1]
    assert oracle.ledger.queries == 2


def test_an_oracle_answers_about_the_given_data() -> None:
    tree, labels = Tree.from_newick(PAIRS), [0, 0, 1, 1]
    asked = ask_oracle("pair-queries", lambda i, j: labels[i] == labels[j], n=4)
    assert hcbench.fit("BF", tree, oracle=asked) == Partition(labels)
    assert asked.ledger.queries == 3, "the root and the nodes below it"
    with pytest.raises(DataError, match=r"^the oracle answers about 4 items, and the data have 1$"):
        hcbench.fit("BF", Tree([-1]), oracle=asked)
    with pytest.raises(ParameterError, match="BF accepts pair-queries; this oracle is quadruplet"):
        hcbench.fit("BF", tree, oracle=ASKED)


def test_an_algorithm_without_queries_needs_no_oracle() -> None:
    tree = Tree.from_newick(PAIRS)
    assert hcbench.fit("cut-at-K", tree, K=2) == Partition([0, 0, 1, 1])
    with pytest.raises(DataError, match=r"^cut-at-K needs truth"):
        hcbench.fit("cut-at-K", tree)


def test_a_mistake_is_one_line() -> None:
    for arguments, message in [
        ({"name": "UPGM", "data": X}, "did you mean UPGMA"),
        ({"name": "UPGMA"}, "needs data"),
        ({"name": "UPGMA", "data": X, "metrik": "cosine"}, "no parameter 'metrik'"),
        ({"name": "UPGMA", "data": np.array([[0.0, np.nan], [1.0, 2.0]])}, "NaN"),
        ({"name": "UPGMA", "data": [[1, 2], [3]]}, "different lengths"),
        ({"name": "UPGMA", "data": ["a", "b"]}, "numeric matrix"),
        ({"name": "UPGMA", "data": pd.Series([1.0, 2.0])}, r"numeric matrix .* got shape \(2,\)"),
        ({"name": "UPGMA", "data": "iris"}, "numeric matrix .* got 'iris'"),
        ({"name": "UPGMA", "data": (X, ["a", None, "b", "b"])}, "the label of item 1 is missing"),
        ({"name": "UPGMA", "data": (X, [0.0, 0.0, 1.0, math.nan])}, "the label of item 3 is"),
        ({"name": "UPGMA", "data": np.empty((0, 2))}, "at least one item"),
        ({"name": "4-AL", "quadruplet": max, "n": 4}, "accepts quadruplet-set"),
        ({"name": "4-AL", "quadruplet": max, "ordinal": max}, "only one can answer"),
        ({"name": "4-AL", "quadruplet": max}, "give the number of items"),
        ({"name": "4-AL", "data": ASKED, "budget": 3}, "budget= has no effect.*ask_oracle"),
        ({"name": "4-AL", "data": ASKED, "oracle": "quadruplet-set"}, "oracle= has no effect"),
        ({"name": "4-AL", "data": ASKED, "n": 4}, "n= has no effect"),
        ({"name": "4-AL", "data": ASKED, "ordinal": max}, "ordinal= has no effect"),
        ({"name": "BF", "data": X, "oracle": ASKED, "budget": 3}, "budget= has no effect"),
        ({"name": "BF", "data": X, "oracle": ASKED, "ordinal": max}, "ordinal= has no effect"),
        ({"name": "4-AL", "data": ASKED, "oracle": ASKED}, "oracle= has no effect"),
        ({"name": "4-AL", "ordinal": max, "n": 4, "oracle": "vectors"}, "both answer"),
        ({"name": "UPGMA", "data": X, "n": 4}, "n= is for a callable without data"),
        ({"name": "4-AL", "data": X, "init": 2}, "needs truth"),
        ({"name": "4-AL", "data": X, "oracle": "quadruplet-set[p=2]"}, r"in \(0, 1\], got 2"),
        ({"name": "HDBSCAN", "data": Comparisons.from_triplets(3, [[0, 1, 2]])}, "accepts vectors"),
    ]:
        name, data = arguments.pop("name"), arguments.pop("data", None)
        with pytest.raises(HcbenchError, match=message) as caught:
            hcbench.fit(name, data, **arguments)
        assert "\n" not in str(caught.value)


def test_score_accepts_common_formats() -> None:
    tree = Tree.from_newick(PAIRS)
    labels = [0, 0, 1, 1]
    assert hcbench.score("AARI", tree, labels) == 1
    assert hcbench.score("AARI", linkage(X, "average"), tree) == 1
    assert hcbench.score("kendall-tau-b", tree, np.array([[0, 0], [0, 0], [1, 1], [1, 1]])) == 1
    ones = np.ones((4, 4))
    assert hcbench.score("dasgupta", tree, ones) == (4**3 - 4) / 3
    assert hcbench.score("dasgupta", tree, X, similarity="dot") == pytest.approx(
        2 * (X[0] @ X[1] + X[2] @ X[3]) + 4 * ((X[0] + X[1]) @ (X[2] + X[3]))
    )
    with pytest.raises(NotApplicableError, match="heights"):
        hcbench.score("merge-distortion", tree, labels)
    with pytest.raises(NotApplicableError, match="partition"):
        hcbench.score("AARI", labels, labels)
    with pytest.raises(ValueError, match="the tree has 3 items, and the truth 4"):
        hcbench.score("AARI", Tree.from_newick("(a,(b,c));"), labels)


def test_a_finished_tree_has_no_cost() -> None:
    for cost in ["seconds", "queries", "peak-memory", "oracle-seconds", "processor-seconds"]:
        with pytest.raises(NotApplicableError, match=f"^{cost} is a cost of the call") as caught:
            hcbench.score(cost, Tree.from_newick(PAIRS), [0, 0, 1, 1])
        assert "\n" not in str(caught.value)


def test_a_sparse_matrix_is_accepted_as_a_sparse_array() -> None:
    matrix, array = sparse.csr_matrix(X), sparse.csr_array(X)
    assert hcbench.fit("UPGMA", matrix, metric="cosine") == hcbench.fit(
        "UPGMA", array, metric="cosine"
    )


def test_a_list_of_rows_is_one_data_set_and_a_list_of_names_several() -> None:
    rows = X.tolist()
    assert named_datasets(rows) == [("data1", rows)]
    assert named_datasets((rows, [0, 0, 1, 1])) == [("data1", (rows, [0, 0, 1, 1]))]
    assert named_datasets(["iris", "wine"]) == ["iris", "wine"]
    assert named_datasets([]) == []


def test_a_square_symmetric_matrix_counts_as_similarities() -> None:
    assert as_problem(np.eye(3)).similarity is not None
    assert as_problem(np.arange(9.0).reshape(3, 3)).vectors is not None
    with_labels = as_problem((X, ["a", "a", "b", "b"]))
    assert with_labels.levels is not None
    assert with_labels.levels.ravel().tolist() == [0, 0, 1, 1]
    with pytest.raises(DataError, match="shape"):
        as_problem(X, truth=np.zeros((2, 2, 2)))


def test_compare_reports_unsupported_arguments(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with pytest.raises(ParameterError, match="a name, a function or an AlgorithmSpec"):
        hcbench.compare([42], [X], store=store)  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="a name, a function or a MetricSpec"):
        hcbench.compare(["UPGMA"], [X], metrics=[42], store=store)  # type: ignore[list-item]
    with pytest.raises(HcbenchError, match="repetitions must be a whole number from 1"):
        hcbench.compare(["UPGMA"], [X], repetitions=0, store=store)


def test_everything_public_can_be_imported_and_is_documented() -> None:
    for name in hcbench.__all__:
        assert getattr(hcbench, name) is not None
        if callable(getattr(hcbench, name)) and not name.isupper():
            assert getattr(hcbench, name).__doc__ or name in {"Params", "Vectors", "hookimpl"}
    with pytest.raises(AttributeError, match="nothing"):
        hcbench.nothing  # noqa: B018


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_what_a_caller_lists_twice_runs_once_and_is_told(tmp_path: Path) -> None:
    def clustering(X: Any) -> Any:
        return linkage(X)

    def height(scored: Any) -> float:
        return float(scored.result.heights.max())

    points = np.arange(12.0).reshape(6, 2) ** 2
    listed = {
        "algos": [clustering, "UPGMA", clustering, "upgma"],
        "datasets": [points, points.copy()],
        "metrics": [height, height],
    }
    store = tmp_path / "s.sqlite"
    with pytest.warns(hcbench.errors.RepeatedEntryWarning) as warned:
        results = hcbench.compare(**listed, budget=[7, 7], repetitions=1, store=store)
    assert [str(warning.message).partition(": ")[2] for warning in warned] == [
        "algorithms clustering; datasets data2 (the same as data1); metrics height",
        "algorithms upgma (the same as UPGMA); budgets 7",
    ]
    assert [(row["algorithm"], row["dataset"]) for row in results.rows] == [
        ("UPGMA", "data1"),
        ("clustering", "data1"),
    ]
    named = hcbench.compare("UPGMA", {"one": points, "other": points}, repetitions=1, store=store)
    assert [row["dataset"] for row in named.rows] == ["one", "other"], "their names differ"


def drawn(X: Any, *, rng: np.random.Generator) -> Any:
    """A random tree of the rows."""
    return linkage(rng.normal(size=(len(X), 2)))


def logged(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    return wrapper


def with_its_own_rng(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(X: Any) -> Any:
        return function(X, rng=np.random.default_rng(7))

    return wrapper


class Drawing:
    def __init__(self, columns: int = 2) -> None:
        self.columns = columns

    def __call__(self, X: Any, rng: np.random.Generator) -> Any:
        return drawn(X, rng=rng)

    def fit(self, X: Any, rng: np.random.Generator | None = None) -> Any:
        assert rng is not None
        return drawn(X, rng=rng)

    @classmethod
    def draw(cls, X: Any, rng: np.random.Generator) -> Any:
        return drawn(X, rng=rng)

    @staticmethod
    def draw_rows(X: Any, rng: np.random.Generator) -> Any:
        return drawn(X, rng=rng)


def scaled(factor: float, X: Any, rng: np.random.Generator) -> Any:
    return drawn(factor * X, rng=rng)


@pytest.mark.parametrize(
    "function",
    [
        drawn,
        logged(drawn),
        logged(logged(drawn)),
        functools.partial(scaled, 2.0),
        functools.partial(logged(scaled), 2.0),
        logged(functools.partial(scaled, 2.0)),
        Drawing(),
        logged(Drawing().fit),
        Drawing().fit,
        Drawing.draw,
        Drawing.draw_rows,
        functools.singledispatch(drawn),
        lambda X, rng: drawn(X, rng=rng),
        lambda X, *, rng=None: drawn(X, rng=rng),
    ],
)
def test_a_function_gets_its_generator_however_it_is_wrapped(function: Any) -> None:
    X = np.zeros((6, 3))
    expected = Tree.from_linkage(drawn(X, rng=np.random.default_rng(3)))
    assert hcbench.fit(function, X, seed=3) == expected


@pytest.mark.parametrize(
    "function",
    [
        linkage,
        with_its_own_rng(drawn),
        functools.partial(drawn, rng=np.random.default_rng(5)),
        lambda X, **options: linkage(X, **options),
        operator.itemgetter(slice(1, None)),  # a callable of C
    ],
)
def test_a_function_that_takes_no_generator_gets_none(function: Any) -> None:
    X = np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    assert hcbench.fit(function, X).n == 4


def test_a_compiled_function_gets_its_generator() -> None:
    @numba.njit  # type: ignore[untyped-decorator]
    def compiled(X: Any, rng: Any) -> Any:
        return X

    assert takes_rng(compiled)
    assert not takes_rng(numba.njit(lambda X: X))


def test_a_partial_is_named_like_its_function() -> None:
    use = use_of_algorithm(functools.partial(scaled, 2.0))
    assert use.label == "scaled"


def test_one_oracle_and_one_plugin_file_need_no_list(tmp_path: Path) -> None:
    results = hcbench.compare(
        "UPGMA", "iris[n=12]", oracles="vectors", metrics="AARI", repetitions=1, store=":memory:"
    )
    assert [row["oracle"] for row in results.flat_rows] == ["vectors"]
    file = tmp_path / "mine.py"
    file.write_text("from hcbench import hookimpl\n")
    for files in (file, str(file)):
        assert hcbench.load_registry(files).plugins.files == (file,)


def test_results_in_memory_are_reported_and_drawn(tmp_path: Path) -> None:
    results = hcbench.compare(
        ["UPGMA"], ["iris[n=12]"], metrics=["AARI"], repetitions=1, store=":memory:"
    )
    results.report(tmp_path / "report.html")
    assert "iris[n=12]" in (tmp_path / "report.html").read_text()
    assert results.tree().n == 12
    (tree,) = results.results_of(results.outcomes)
    assert isinstance(tree, Tree)


def test_columns_of_one_name_are_asked_about() -> None:
    frame = pd.DataFrame(np.c_[X, X[:, :1]], columns=["a", "b", "a"])
    for call in (
        lambda: hcbench.fit("UPGMA", frame),
        lambda: hcbench.compare(["UPGMA"], [(frame, "a")], repetitions=1, store=":memory:"),
    ):
        with pytest.raises(DataError, match="several columns called 'a'; rename them, or keep"):
            call()
    first = frame.loc[:, ~frame.columns.duplicated()]  # what the message says
    assert hcbench.fit("UPGMA", first) == hcbench.fit("UPGMA", X)
