"""Numbers that callers pass: those of numpy count as Python's, and anything else is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench.analysis.consensus import consensus_tree
from hcbench.analysis.intervals import Estimate
from hcbench.errors import HcbenchError, ParameterError
from hcbench.figures.drawing import Choices, draw
from hcbench.figures.tree_figures import heat_map
from hcbench.model.arguments import number_above, number_from, whole_number

X = np.random.default_rng(0).normal(size=(8, 2))
TREE = hcbench.fit("UPGMA", X)
LEVELS = hcbench.Problem(n=8, vectors=X, levels=np.array([[0, 1] * 4]).T)

#: Calls with a whole number that 2 is right for.
WHOLE: dict[str, Callable[[Any], object]] = {
    "k": lambda value: TREE.cut(value).labels.tolist(),
    "depth": lambda value: TREE.cut_depth(value).labels.tolist(),
    "cluster": lambda value: TREE.cut(4).members(value).tolist(),
    "seed": lambda value: hcbench.fit("Random", X, seed=value).to_newick(),
    "n": lambda value: hcbench.ask_oracle("pair-queries", bool, n=value).n,
    "items": lambda value: hcbench.Problem(n=value, vectors=X[:2]).n,
    "comparisons": lambda value: len(hcbench.Comparisons(value, [], [])),
    "min_items": lambda value: (
        hcbench.AlgorithmSpec(
            name="A", function="a:b", doc="", accepts=("vectors",), min_items=value
        ).name
    ),
    "budget": lambda value: hcbench.ask_oracle("pair-queries", bool, n=3, budget=value).n,
}
NO_WHOLE = ["3", 2.5, True, float("nan"), float("inf"), [1], {}]

SETTINGS = ("repetitions", "seed", "threads", "checkpoints", "n_jobs", "budget")


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_of_any_type_are_the_same(name: str) -> None:
    call = WHOLE[name]
    expected = call(2)
    for value in (np.int64(2), np.uint8(2), 2.0, np.float32(2)):
        assert call(value) == expected


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("value", NO_WHOLE, ids=repr)
def test_what_is_no_whole_number_is_told(name: str, value: object) -> None:
    if name == "budget" and value == "3":
        return  # as the command line writes it
    with pytest.raises(HcbenchError) as raised:
        WHOLE[name](value)
    assert repr(value) in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("value", [-1, "3", None, True, 2.5, [1], float("nan")], ids=repr)
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_a_comparison_are_told(name: str, value: Any, tmp_path: Path) -> None:
    allowed = {"checkpoints": ([1],), "budget": ([1], "3", None), "n_jobs": (None,)}
    if value in allowed.get(name, ()):
        return
    with pytest.raises(HcbenchError) as raised:
        hcbench.compare(["UPGMA"], X, **{name: value}, store=tmp_path / "store.sqlite")
    shown = value[0] if name in ("checkpoints", "budget") and isinstance(value, list) else value
    assert repr(shown) in str(raised.value)
    assert name.removesuffix("s") in str(raised.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": "3"}, "timeout must be a number above 0, got '3'"),
        ({"timeout": 0}, "timeout must be a number above 0, got 0"),
        ({"memory": float("nan")}, "memory must be a number above 0, got nan"),
        ({"n_jobs": -1}, "n_jobs must be a whole number from 1, got -1; None is one for each core"),
        ({"families": "raw"}, "families maps the name of a data set to its family"),
        ({"oracles": [1]}, "an oracle is a name, such as 'vectors'; got 1"),
        ({"oracles": None}, r"oracles are names, such as \['vectors'\]; got None"),
    ],
)
def test_other_settings_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(HcbenchError, match=message):
        hcbench.compare(["UPGMA"], X, **options)


def test_settings_of_numpy_find_the_same_results(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    first = hcbench.compare(["UPGMA"], X, repetitions=2, seed=1, checkpoints=5, store=store)
    options: dict[str, Any] = {
        "repetitions": np.int64(2),
        "seed": np.int32(1),
        "checkpoints": np.array([5]),
        "timeout": np.float64(300),
        "threads": np.int64(1),
    }
    again = hcbench.compare(["UPGMA"], X, **options, store=store)
    assert [each.key for each in again.outcomes] == [each.key for each in first.outcomes]


def test_numbers_and_their_bounds() -> None:
    assert type(whole_number(np.int64(3), "n")) is int
    assert type(number_above(np.float32(0.5), "x")) is float
    assert number_from(0, "x") == 0.0
    for wrong in (0, -1, float("inf"), "1", True, None):
        with pytest.raises(ParameterError, match="x must be a number above 0"):
            number_above(wrong, "x")
    for wrong in (-0.1, float("nan"), float("inf"), None):
        with pytest.raises(ParameterError, match="x must be a number from 0"):
            number_from(wrong, "x")
    with pytest.raises(ParameterError, match=r"n must be a whole number, got 1\.5"):
        whole_number(1.5, "n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha must be a number between 0 and 1, such as 0.05, got 0"),
        ({"alpha": "0.1"}, "alpha must be a number between 0 and 1, such as 0.05, got '0.1'"),
        ({"failed": "wrst"}, "failed must be one of worst, drop; got 'wrst'; did you mean worst"),
        ({"test": "nemeny"}, "test must be one of holm, nemenyi; got 'nemeny'; did you mean"),
        ({"by": 1}, "by must be one of ratio, difference; got 1"),
        ({"repetition": "0"}, "repetition must be a whole number from 0, got '0'"),
        ({"checkpoint": -1}, "a checkpoint cannot be negative, got -1"),
        ({"colour": "red"}, "the option of a figure must be one of metric, x, against, failed,"),
    ],
)
def test_an_option_of_a_figure_is_checked_before_anything_is_drawn(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        Choices.read(options)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("ranks", Choices(x="n"), "ranks does not use x; its options are metric, failed, alpha"),
        ("dendrogram", Choices(metric="AARI"), "dendrogram does not use metric; its options are"),
    ],
)
def test_an_option_that_a_figure_does_not_use_is_told(
    kind: str, options: Choices, message: str
) -> None:
    view: Any = None
    with pytest.raises(ParameterError, match=message):
        draw(kind, view, options)


def test_a_choice_of_texts_is_checked() -> None:
    wrong: Any = "x"
    declared: dict[str, Any] = {"name": "A", "function": "a:b", "doc": ""}
    estimate = Estimate(mean=0.0, standard_error=1.0, n=5, freedom=4, law="normal")
    calls: dict[str, Callable[[], object]] = {
        "kind must be one of distance, affinity": lambda: hcbench.Tree([2, 2, -1], None, wrong),
        "scale must be one of none, row": lambda: heat_map(TREE, X, scale=wrong),
        "rule must be one of majority": lambda: consensus_tree([TREE], wrong),
        "ends must be one of both": lambda: estimate.limits(wrong),
        "level must be a number between": lambda: estimate.limits(level=95),
        "A: returns must be one of tree": lambda: hcbench.AlgorithmSpec(
            **declared, accepts=("vectors",), returns=wrong
        ),
        "A: direction must be one of higher": lambda: hcbench.MetricSpec(
            **declared, direction=wrong
        ),
        "A: result must be one of tree": lambda: hcbench.MetricSpec(
            **declared, direction="higher", result=wrong
        ),
    }
    for message, call in calls.items():
        with pytest.raises(HcbenchError, match=message):
            call()


@pytest.mark.parametrize("tolerance", ["3", -1, float("nan"), None], ids=repr)
def test_a_tolerance_is_a_number_from_0(tolerance: Any) -> None:
    for call in (
        TREE.collapse_ties,
        lambda tol: hcbench.AllComparisons.from_similarity(X @ X.T, tol),
    ):
        with pytest.raises(HcbenchError, match="must be a number from 0, got"):
            call(tolerance)


def test_arguments_of_another_kind_are_told() -> None:
    wrong: Any = 3
    tree: Any = TREE
    newick: Any = b"(a,b);"
    array: Any = X
    calls: dict[str, Callable[[], object]] = {
        "a name is a text, such as 'UPGMA'; got 3": lambda: hcbench.fit("4-AL", X, oracle=wrong),
        "a name is a text, such as 'UPGMA'; got Tree": lambda: hcbench.score(tree, "AARI", X),
        "a text is needed, got bytes; hcbench.read_tree": lambda: hcbench.Tree.from_newick(newick),
        "similarities are of a Problem, got ndarray": lambda: hcbench.similarity_matrix(array),
        "3 is no store; give a path": lambda: hcbench.compare(["UPGMA"], X, store=wrong),
        "8 rows have no columns": lambda: hcbench.fit("UPGMA", X[:, :0]),
    }
    for message, call in calls.items():
        with pytest.raises(HcbenchError, match=message):
            call()


@pytest.mark.parametrize("height", ["3", float("nan"), None, [1]], ids=repr)
def test_a_height_is_a_number(height: Any) -> None:
    with pytest.raises(HcbenchError, match="the height of a cut must be a number, got"):
        TREE.cut_height(height)
