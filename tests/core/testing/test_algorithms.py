"""Each check of algorithms, and no other, detects an algorithm with that error."""

from __future__ import annotations

import os
import random
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from hcbench import (
    AlgorithmSpec,
    Answers,
    BudgetExceededError,
    Items,
    Oracle,
    OracleRequest,
    Parameter,
    Partition,
    Problem,
    Reference,
    Tree,
)
from hcbench.testing import checks_of
from hcbench.testing.planted import make_items
from hcbench.testing.recording import record, renumbered, replay, replayed
from tests.core.testing.checking import failed, passed, skipped

PAPER = Reference("me2026", "misc", {"author": "Me", "title": "It", "year": "2026"})


def distances(oracle: Oracle) -> np.ndarray:
    from scipy.spatial.distance import pdist

    X = oracle.read()
    return pdist(X.toarray() if hasattr(X, "toarray") else np.asarray(X))


def average(oracle, items, rng, *, method="average"):
    """Average linkage.

    Parameters
    ----------
    oracle, items, rng
    method : str
        Method of scipy.
    """
    from scipy.cluster.hierarchy import linkage

    if items.n == 1:
        return Tree([-1], names=items.names)
    return Tree.from_linkage(linkage(distances(oracle), method), names=items.names)


METHOD = Parameter("method", "average", "Method of scipy.")
LINKAGE = AlgorithmSpec(
    name="Linkage",
    function=average,
    doc="Average linkage.",
    accepts=("vectors",),
    parameters=(METHOD,),
    paper=PAPER,
)


def together(oracle, items, rng):
    """Query which items are together with the first one."""
    pairs = [(0, item) for item in range(1, items.n)]
    codes = oracle.ask(np.array(pairs, dtype=np.int64).reshape(-1, 2))
    return Partition(np.append(1, codes).astype(np.int64))


PAIRS = AlgorithmSpec(
    name="Star",
    function=together,
    doc="Those that are together with the first item, and the others.",
    accepts=("pair-queries",),
    returns="partition",
    paper=PAPER,
    queries=lambda n: (n - 1, True),
)


def wrong(function, **changes):
    function.__doc__ = function.__doc__ or "Average linkage, with a fault."
    return replace(LINKAGE, function=function, **{"parameters": (), **changes})


def wrong_pairs(function, **changes):
    function.__doc__ = function.__doc__ or "Those together with the first item, with a fault."
    return replace(PAIRS, function=function, **changes)


@pytest.mark.slow
def test_valid_plugins_pass_all_checks():
    assert failed(LINKAGE) == {}
    assert {"renumbered_items", "another_process", "sparse", "truth_unseen"} <= passed(LINKAGE)
    assert set(skipped(LINKAGE)) == {
        *("queries", "anytime", "budget", "graph_parts", "declared_randomness", "key")
    }


@pytest.mark.slow
def test_valid_plugins_with_queries_fail_only_checks_that_do_not_apply():
    """With another first item, other items are together with it."""
    assert set(failed(PAIRS)) == {"renumbered_items"}
    assert {"budget", "queries", "anytime", "needs"} <= passed(PAIRS)


# ---- Results -------------------------------------------------------------------------------------


def one_leaf_less(oracle, items, rng):
    return average(oracle, items, rng).restrict(np.arange(items.n - 1))


def a_partition(oracle, items, rng):
    return Partition(np.arange(items.n))


def other_names(oracle, items, rng):
    tree = average(oracle, items, rng)
    return Tree(tree.parent, names=[f"x{i}" for i in range(items.n)])


def centres_in_place(oracle, items, rng):
    X = oracle.read()
    if isinstance(X, np.ndarray) and X.flags.writeable:
        X -= X.mean(axis=0)
    return average(oracle, items, rng)


def makes_it_writeable(oracle, items, rng):
    X = oracle.read()
    tree = average(oracle, items, rng)
    try:
        X.setflags(write=True)
    except (ValueError, AttributeError):
        return tree
    X[0, 0] += 1e-3
    return tree


def by_process(oracle, items, rng):
    tree = average(oracle, items, rng)
    if tree.height is None:
        return tree
    return Tree(tree.parent, tree.height + os.getpid() * 1e-6, tree.kind, tree.names)


def by_number(oracle, items, rng):
    if items.n == 1:
        return Tree([-1])
    inner = np.arange(items.n, 2 * items.n - 1)
    return Tree.from_parents(np.concatenate([inner[:1], inner, inner[1:], [-1]]))


def unseeded(oracle, items, rng):
    if items.n == 1:
        return Tree([-1])
    order = np.random.default_rng().permutation(items.n)
    return by_number(oracle, items, rng).restrict(order)


@pytest.mark.slow
def test_results() -> None:
    for check, function, sentence in [
        ("valid_result", one_leaf_less, "returned 11 leaves for 12 items"),
        ("valid_result", a_partition, "declares a tree and returns a partition"),
        ("valid_result", other_names, "'x0', 'x1', 'x2' and 9 more are not among"),
        ("input_unchanged", centres_in_place, "changes the vectors it reads"),
        ("input_unchanged", makes_it_writeable, "changes the data of the problem"),
        ("another_process", by_process, "another result of the same data and seed in another"),
        ("renumbered_items", by_number, "other clusters where the same items come in another"),
    ]:
        found = failed(wrong(function))
        assert set(found) == {check}
        assert sentence in found[check]


def a_star(oracle, items, rng):
    return Tree.from_parents([*[items.n] * items.n, -1]) if items.n > 1 else Tree([-1])


@pytest.mark.slow
def test_binary_only() -> None:
    spec = wrong(a_star)
    assert "valid_result" not in failed(spec)
    found = failed(replace(spec, binary_only=True))
    assert "declares binary trees only and returns another one of 12" in found["valid_result"]


@pytest.mark.slow
def test_same_seed():
    """Checks that compare with an earlier result fail, too."""
    found = failed(wrong(unseeded))
    assert "another result of the same data and the same seed" in found["same_seed"]
    assert "renumbered_items" not in found  # as it is random


def seeded(oracle, items, rng):
    if items.n == 1:
        return Tree([-1])
    return by_number(oracle, items, rng).restrict(rng.permutation(items.n))


@pytest.mark.slow
def test_declared_randomness() -> None:
    assert "declared_randomness" in skipped(LINKAGE)  # it declares nothing
    assert "declared_randomness" in passed(replace(LINKAGE, random=False))
    found = failed(wrong(seeded, random=False))
    assert "returns another result for another seed" in found["declared_randomness"]


# ---- Few and equal items -------------------------------------------------------------------------


def crash_if(condition):
    def crash(oracle, items, rng):
        X = oracle.read()
        if isinstance(X, np.ndarray) and condition(X):
            raise ZeroDivisionError("division by zero")
        return average(oracle, items, rng)

    return crash


def distinct(X):
    return len(np.unique(X, axis=0))


@pytest.mark.slow
def test_degenerate_items() -> None:
    for check, condition, where in [
        ("few_items", lambda X: len(X) == 1, "on 1 item:"),
        ("few_items", lambda X: len(X) == 2, "on 2 items:"),
        (
            "duplicates",
            lambda X: X.shape == (12, 12) and distinct(X) == 6,
            "on duplicate items",
        ),
        ("ties", lambda X: X.shape == (12, 2), "on items with many equal distances"),
        ("constant_data", lambda X: len(X) > 3 and distinct(X) == 1, "on identical items"),
    ]:
        found = failed(wrong(crash_if(condition)))
        assert set(found) == {check}
        assert where in found[check]
        assert "ZeroDivisionError" in found[check]


@pytest.mark.slow
def test_an_algorithm_that_needs_more_items_is_told_how_to_say_so() -> None:
    def reason(n: int, min_items: int) -> str:
        spec = replace(wrong(crash_if(lambda X: len(X) == n)), min_items=min_items)
        (check,) = (check for check in checks_of(spec) if check.name == "few_items")
        return check.run().reason

    assert reason(1, 1).endswith("; if it needs more items, declare min_items=2")
    assert reason(2, 2).endswith("; if it needs more items, declare min_items=3")
    assert reason(1, 2) == ""
    assert "min_items" not in reason(2, 1), "one item is enough"


@pytest.mark.slow
def test_nan_heights_are_not_a_valid_result():
    def nan(oracle, items, rng):
        tree = average(oracle, items, rng)
        if tree.height is None or tree.height.max() > 0:
            return tree
        return Tree(tree.parent, tree.height / tree.height.max(), tree.kind)

    found = failed(wrong(nan))
    assert set(found) == {"constant_data"}
    assert "NaN" in found["constant_data"]


# ---- Types and memory ----------------------------------------------------------------------------


def no_float32(oracle, items, rng):
    assert oracle.read().dtype == np.float64
    return average(oracle, items, rng)


def memory_order(oracle, items, rng):
    X = oracle.read()
    if items.n == 1 or not isinstance(X, np.ndarray):
        return average(oracle, items, rng)
    from scipy.cluster.hierarchy import linkage

    flat = np.frombuffer(X.tobytes(order="A"), X.dtype).reshape(X.shape)
    return Tree.from_linkage(linkage(flat, "average"), names=items.names)


def dense_only(oracle, items, rng):
    from scipy.cluster.hierarchy import linkage

    X = oracle.read()
    return average(oracle, items, rng) if items.n == 1 else linkage(X, "average")


def contiguous_only(oracle, items, rng):
    X = oracle.read()
    if isinstance(X, np.ndarray) and not X.flags.forc:
        raise ValueError("not contiguous")
    return average(oracle, items, rng)


def no_stored_zeros(oracle, items, rng):
    X = oracle.read()
    if not isinstance(X, np.ndarray) and (X.data == 0).any():
        raise ValueError("a zero")
    return average(oracle, items, rng)


def by_dot_products(oracle, items, rng):
    """Average linkage of distances by norms and dot products, which cancel far from the origin."""
    from scipy.cluster.hierarchy import linkage

    X = oracle.read()
    if items.n == 1 or not isinstance(X, np.ndarray):
        return average(oracle, items, rng)
    i, j = np.triu_indices(items.n, 1)
    squares = (X.astype(float) ** 2).sum(axis=1)
    found = squares[i] + squares[j] - 2 * (X[i].astype(float) * X[j]).sum(axis=1)
    merges = linkage(np.sqrt(np.maximum(found, 0.0)), "average")
    return Tree.from_linkage(merges, names=items.names)


def with_tolerance(oracle, items, rng):
    """Average linkage, in which small distances are 0."""
    from scipy.cluster.hierarchy import linkage

    if items.n == 1:
        return average(oracle, items, rng)
    found = distances(oracle)
    found[found < 1e-8] = 0.0
    return Tree.from_linkage(linkage(found, "average"), names=items.names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "function", "sentence"),
    [
        ("float32", no_float32, "fails on an array of single precision"),
        (
            "fortran_order",
            memory_order,
            "other clusters of the same numbers in an array in",
        ),
        ("sparse", dense_only, "fails on an array that is sparse (rows)"),
        ("sparse", no_stored_zeros, "fails on an array that is sparse (rows with stored zeros)"),
        ("strided", contiguous_only, "fails on an array that is not contiguous"),
        ("offset", by_dot_products, "returns other clusters of the same vectors moved by"),
        ("scale", with_tolerance, "returns other clusters of the same vectors times 7.9e-31"),
    ],
)
def test_layouts(check, function, sentence):
    found = failed(wrong(function))
    assert set(found) == {check}
    assert sentence in found[check]


@pytest.mark.slow
def test_an_algorithm_that_refuses_sparse_data_passes():
    from hcbench import NotApplicableError

    def honest(oracle, items, rng):
        if not isinstance(oracle.read(), np.ndarray):
            raise NotApplicableError("dense arrays only")
        return average(oracle, items, rng)

    assert failed(wrong(honest)) == {}
    assert "dense arrays only" in skipped(wrong(honest))["sparse"]


# ---- Honesty -------------------------------------------------------------------------------------


def own_error(oracle, items, rng):
    try:
        return together(oracle, items, rng)
    except BudgetExceededError:
        raise RuntimeError("no") from None


def behind_the_ledger(oracle, items, rng):
    return together(Oracle(oracle._answers), items, rng)


def reads_the_matrix(oracle, items, rng):
    matrix = oracle._answers.matrix
    if matrix is None:
        return Partition(np.zeros(items.n, np.int64))
    return Partition(matrix.clusters.labels == matrix.clusters.labels[0])


def looks_around(oracle, items, rng):
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if isinstance(value, Problem) and "planted" in value.truths:
                return value.truths["planted"]
        frame = frame.f_back
    return average(oracle, items, rng)


def uses_the_tree(oracle, items, rng):
    if items.tree is not None and items.n > 1:
        return Tree(items.tree.parent)
    return average(oracle, items, rng)


def takes_a_hint(oracle, items, rng):
    return average(oracle, items, rng) if items.hints.get("n_clusters") else Tree([-1])


def peeks_at_a_hint(oracle, items, rng):
    items.hints.get("truth")
    return average(oracle, items, rng)


@pytest.mark.slow
def test_honesty() -> None:
    for check, spec, sentence in [
        ("budget", wrong_pairs(own_error), "fails with a budget of 0, other than by Budget"),
        ("budget", wrong_pairs(behind_the_ledger), "11 answers"),
        (
            "truth_unseen",
            wrong_pairs(reads_the_matrix),
            "another result where its queries are recorded",
        ),
        ("truth_unseen", wrong(looks_around), "where the truth is removed and the same answers"),
        ("needs", wrong(uses_the_tree), "uses items.tree, and its needs do not say tree"),
        ("needs", wrong(peeks_at_a_hint), "reads the hint truth, which it does not declare"),
    ]:
        found = failed(spec)
        found.pop("renumbered_items", None)
        assert set(found) == {check}
        assert sentence in found[check]


def test_an_undeclared_hint_is_detected():
    found = failed(wrong(takes_a_hint))
    assert set(found) == {"needs", "valid_result"}
    assert "reads the hint n_clusters" in found["needs"]


def test_a_wrong_kind_of_oracle_is_detected():
    """It declares ordinal queries, and reads vectors."""
    found = failed(wrong(average, accepts=("ordinal-queries",), parameters=(METHOD,)))
    assert set(found) == {"needs", "valid_result"}
    assert "accepts ordinal-queries and asks them for what they do not have" in found["needs"]


@pytest.mark.slow
def test_a_declared_tree_may_be_used():
    assert failed(wrong(uses_the_tree, needs=("tree",))) == {}


@pytest.mark.slow
def test_questions():
    found = failed(replace(PAIRS, queries=lambda n: (3, True)))
    assert "declares at most 3 queries about 12 items and makes 11" in found["queries"]


def records(oracle, items, rng):
    oracle.record(Partition(np.zeros(items.n, np.int64)))
    return together(oracle, items, rng)


def records_too_few(oracle, items, rng):
    oracle.record(Partition(np.zeros(2, np.int64)))
    return together(oracle, items, rng)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (replace(PAIRS, anytime=True), "records no result at the checkpoints"),
        (wrong_pairs(records), "is not declared anytime"),
        (wrong_pairs(records_too_few, anytime=True), "records what is no partition of the items"),
    ],
)
def test_anytime(spec, sentence):
    found = failed(spec)
    found.pop("renumbered_items")
    assert set(found) == {"anytime"}
    assert sentence in found["anytime"]
    assert failed(wrong_pairs(records, anytime=True)).keys() == {"renumbered_items"}


# ---- The process ---------------------------------------------------------------------------------


def uses_numpys_generator(oracle, items, rng):
    np.random.rand()  # noqa: NPY002
    return average(oracle, items, rng)


def uses_pythons_generator(oracle, items, rng):
    random.random()
    return average(oracle, items, rng)


def seeds_it(oracle, items, rng):
    np.random.seed(0)  # noqa: NPY002
    return average(oracle, items, rng)


def prints(oracle, items, rng):
    print("done")  # noqa: T201
    return average(oracle, items, rng)


def writes(oracle, items, rng):
    os.write(2, b"merging\n")
    return average(oracle, items, rng)


def lowers_the_recursion_limit(oracle, items, rng):
    sys.setrecursionlimit(sys.getrecursionlimit() - 1)
    return average(oracle, items, rng)


def replaces_a_function(oracle, items, rng):
    norm = np.linalg.norm
    np.linalg.norm = lambda *args: norm(*args)  # type: ignore[assignment]
    return average(oracle, items, rng)


def changes_folder(oracle, items, rng):
    os.chdir("/")
    return average(oracle, items, rng)


@pytest.mark.slow
def test_the_process_of_later_cells() -> None:
    limit = sys.getrecursionlimit()
    try:
        reasons = failed(wrong(lowers_the_recursion_limit))
    finally:
        sys.setrecursionlimit(limit)
    assert set(reasons) == {"process_unchanged"}
    assert "changes a setting of the process" in reasons["process_unchanged"]
    norm = np.linalg.norm
    try:
        reasons = failed(wrong(replaces_a_function))
    finally:
        np.linalg.norm = norm
    assert set(reasons) == {"process_unchanged"}
    assert "replaces numpy.linalg" in reasons["process_unchanged"]
    folder = os.getcwd()
    try:
        assert failed(wrong(changes_folder)) == {}, "each cell finds its own folder"
    finally:
        os.chdir(folder)


@pytest.mark.slow
def test_the_process() -> None:
    for check, function, sentence in [
        ("global_random_state", uses_numpys_generator, "uses a global generator"),
        ("global_random_state", uses_pythons_generator, "uses a global generator"),
        ("global_random_state", seeds_it, "uses a global generator"),
        ("nothing_printed", prints, "prints 'done'"),
        ("nothing_printed", writes, "prints 'merging'"),
    ]:
        found = failed(wrong(function))
        assert set(found) == {check}
        assert sentence in found[check]


# ---- Declarations --------------------------------------------------------------------------------


def without_words(oracle, items, rng):
    return average(oracle, items, rng)


def stale_words(oracle, items, rng):
    """Average linkage.

    Parameters
    ----------
    alpha : float
        A parameter of an earlier version.
    """
    return average(oracle, items, rng)


@pytest.mark.slow
def test_declarations() -> None:
    for check, spec, sentence in [
        ("signature", replace(LINKAGE, parameters=()), "does not declare method"),
        (
            "signature",
            replace(LINKAGE, parameters=(Parameter("method", "single", "Method of scipy."),)),
            "declares method='single', and its function has method='average'",
        ),
        ("documented", replace(LINKAGE, doc=" "), "has no doc"),
        (
            "documented",
            replace(LINKAGE, parameters=(Parameter("method", "average", ""),)),
            "declares the parameter method without doc",
        ),
        (
            "documented",
            replace(LINKAGE, function=without_words, parameters=()),
            "has a function without a docstring",
        ),
        ("documented", wrong(stale_words), "describes alpha, which is no parameter"),
        ("paper", replace(LINKAGE, paper=None), "has no paper"),
    ]:
        found = failed(spec)
        assert set(found) == {check}
        assert sentence in found[check]


def test_a_parameter_that_the_function_does_not_take():
    spec = replace(LINKAGE, parameters=(METHOD, Parameter("alpha", 1.0, "Of nothing.")))
    assert "declares alpha, which its function does not take" in failed(spec)["signature"]


def test_functions_that_cannot_be_pickled_are_detected():
    lock = threading.Lock()

    def locked(oracle, items, rng):
        """Average linkage, behind a lock."""
        with lock:
            return average(oracle, items, rng)

    found = failed(replace(LINKAGE, function=locked, parameters=()))
    assert set(found) == {"picklable", "another_process"}
    assert "cannot be sent to another process" in found["picklable"]


def test_given_is_what_an_algorithm_gets():
    """So the functions above are called as in a cell."""
    assert {"n", "names", "tree", "hints"} == set(Items.__slots__)


# ---- Graphs, reported numbers and details --------------------------------------------------------


def finding(spec, name):
    (check,) = (check for check in checks_of(spec) if check.name == name)
    return check.run()


def components(oracle, items, rng):
    """Single linkage of the edges; parts without edges between them merge at the root."""
    from scipy.cluster.hierarchy import linkage

    graph = oracle.read()
    if items.n == 1:
        return Tree([-1], names=items.names)
    distance = np.where(graph.toarray() > 0, 1 - graph.toarray(), 2.0)
    return Tree.from_linkage(linkage(distance[np.triu_indices(items.n, 1)], "single"))


GRAPH = replace(LINKAGE, name="Edges", function=components, accepts=("graph",), parameters=())


@pytest.mark.slow
def test_an_algorithm_of_graphs_passes_on_connected_and_unconnected_ones():
    assert failed(GRAPH) == {}
    assert {"graph_parts", "renumbered_items", "truth_unseen", "few_items"} <= passed(GRAPH)
    assert finding(LINKAGE, "graph_parts").reason == "it reads no graph"


def test_the_graph_of_planted_items_is_sparse_and_connected():
    from scipy.sparse.csgraph import connected_components

    def parts(**form):
        return connected_components(make_items(1, **form).graph)[0]

    graph = make_items(1, 30, "everything").graph
    assert connected_components(graph)[0] == 1
    assert graph.nnz < 30 * 29
    assert parts(form="unconnected") == 3
    assert parts(form="no edges") == 12
    np.testing.assert_array_equal(
        graph[graph.nonzero()], make_items(1, 30, "everything").similarity[graph.nonzero()]
    )


def test_faults_with_graphs():
    def assumes_edges(oracle, items, rng):
        assert len(np.unique(oracle.read().nonzero()[0])) == items.n or items.n == 1
        return components(oracle, items, rng)

    def writes_weights(oracle, items, rng):
        graph = oracle.read()
        if graph.data.flags.writeable:
            graph.data += 1
        return components(oracle, items, rng)

    found = finding(replace(GRAPH, function=assumes_edges), "graph_parts")
    assert "fails on a graph of several parts: AssertionError" in found.reason
    found = finding(replace(GRAPH, function=writes_weights), "input_unchanged")
    assert found.reason.endswith("changes the graph it reads")


def test_reported_numbers_are_the_same_for_the_same_seed():
    drawn = np.random.default_rng()

    def by_seed(oracle, items, rng):
        oracle.report(objective=rng.random())
        return average(oracle, items, rng)

    def unseeded_number(oracle, items, rng):
        oracle.report(objective=drawn.random())
        return average(oracle, items, rng)

    assert finding(wrong(by_seed), "same_seed").status == "passed"
    assert "reports {'objective': 0." in finding(wrong(unseeded_number), "same_seed").reason


def test_reported_costs_may_differ_for_the_same_seed():
    drawn = np.random.default_rng()

    def metered(oracle, items, rng):
        oracle.report_cost("energy", drawn.random(), unit="J")
        return average(oracle, items, rng)

    assert finding(wrong(metered), "same_seed").status == "passed"


def test_details_of_answers_are_kept_where_they_are_recorded_and_in_another_order():
    def answer(request):
        queries = request.queries
        told = np.zeros(
            len(queries), [("code", np.int8), ("confidence", float), ("annotator", np.int64)]
        )
        told["confidence"] = queries.sum(axis=1) / 100
        told["annotator"] = queries[:, 1]
        return told

    def details(answers):
        oracle = Oracle(answers)
        oracle.ask([[1, 2], [3, 5]])
        return oracle.details.tolist()

    answers = Answers(kind="pair-queries", n=12, arity=2, answer=answer)
    recorded, said = record(answers)
    assert details(recorded) == [(0.03, 2), (0.08, 5)]
    call = replay(answers, said)
    assert details(replayed(OracleRequest(problem=make_items(1), seed=0), **call.params)) == [
        (0.03, 2),
        (0.08, 5),
    ]
    assert details(renumbered(answers, np.arange(12)[::-1])) == [(0.19, 9), (0.14, 6)]
