"""Each check of metrics, and no other, detects a metric with that error."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from hcbench import MetricSpec, NotApplicableError, Parameter, finest_partition
from tests.core.testing.checking import failed, passed, skipped


def clades(tree):
    return {frozenset(tree.leaves(v).tolist()) for v in range(tree.n, tree.n_nodes)}


def jaccard(scored):
    """Common clusters over all clusters of both trees."""
    one, other = clades(scored.tree), clades(scored.problem.truth)
    if not one | other:
        raise NotApplicableError("one item has no clusters")
    return len(one & other) / len(one | other)


JACCARD = MetricSpec(
    name="clade-jaccard",
    function=jaccard,
    doc="Common clusters.",
    direction="higher",
    interval="[0, 1]",
    needs=("truth",),
    symmetric=True,
)


def wrong(function, **changes):
    function.__doc__ = "Common clusters, with a fault."
    return replace(JACCARD, function=function, **changes)


def describing(function, **changes):
    """A metric that describes a tree, with few guarantees."""
    return wrong(
        function, direction="none", interval="(-inf, inf)", needs=(), symmetric=False, **changes
    )


def too_large(scored):
    return 3 * jaccard(scored)


def nan(scored):
    value = jaccard(scored)
    return value if value > 0.1 else float("nan")


def crashes_on_one(scored):
    one, other = clades(scored.tree), clades(scored.problem.truth)
    return len(one & other) / len(one | other)


def not_quite(scored):
    return 0.9 * jaccard(scored)


def first_item(scored):
    return scored.tree.depths[0]


def node_numbers(scored):
    tree = scored.tree
    return tree.parent[: tree.n].sum()


def changes_data(scored):
    X = scored.problem.vectors
    if not isinstance(X, np.ndarray):
        raise NotApplicableError("no vectors that are dense")
    try:
        X.setflags(write=True)
    except ValueError:
        return jaccard(scored)
    X[0, 0] += 1e-3
    return jaccard(scored)


def differs(scored):
    return 0.9 * jaccard(scored) + 1e-3 * np.random.default_rng().random()


def crashes_without_truth(scored):
    if not scored.problem.truths:
        raise KeyError("truth")
    return jaccard(scored)


def needs_no_truth(scored):
    return jaccard(scored) if scored.problem.truths else 0.5


def uses_global_numbers(scored):
    random.random()
    return jaccard(scored)


def prints(scored):
    print("Jaccard")  # noqa: T201
    return jaccard(scored)


def with_parameter(scored, weight=1.0):
    return jaccard(scored) * weight


@pytest.mark.slow
def test_a_valid_plugin_passes_all_checks():
    assert failed(JACCARD) == {}
    # It is the caller's own, and reads no vectors.
    assert set(skipped(JACCARD)) == {"key", "float32", "strided", "sparse", "offset"}
    assert {"range", "symmetry", "best_on_truth", "reasons"} <= passed(JACCARD)


@pytest.mark.slow
def test_metrics() -> None:
    for check, spec, sentence in [
        ("range", wrong(nan), "of a random result is NaN"),
        ("few_items", wrong(crashes_on_one), "ZeroDivisionError"),
        (
            "direction",
            replace(JACCARD, direction="lower", interval="(-inf, inf)"),
            "declares lower values to be better, and a random tree has",
        ),
        ("best_on_truth", wrong(not_quite), "of the truth is 0.9; the best is 1"),
        ("renumbered_items", describing(first_item), "where the same items come in another order"),
        ("renumbered_nodes", describing(node_numbers), "the same tree have other numbers"),
        (
            "input_unchanged",
            wrong(changes_data, needs=("truth", "vectors")),
            "changes the data of the problem",
        ),
        ("reasons", wrong(crashes_without_truth), "by KeyError; raise NotApplicableError"),
        ("reasons", wrong(needs_no_truth), "declares that it needs more"),
        ("global_random_state", wrong(uses_global_numbers), "uses a global generator"),
        ("nothing_printed", wrong(prints), "prints 'Jaccard'"),
        ("signature", wrong(with_parameter), "does not declare weight"),
        (
            "documented",
            wrong(with_parameter, parameters=(Parameter("weight", 1.0, " "),)),
            "declares the parameter weight without doc",
        ),
    ]:
        found = failed(spec)
        assert set(found) == {check}
        assert sentence in found[check]


def test_a_value_outside_of_the_interval():
    """The truth has the best value, which is too large for any number of items."""
    found = failed(wrong(too_large))
    assert set(found) == {"range", "few_items", "best_on_truth"}
    assert "is 3, outside of its declared [0, 1]" in found["range"]


def spread(scored):
    """Mean distance to the mean."""
    X = scored.problem.vectors
    if X is None:
        raise NotApplicableError("no vectors")
    if not isinstance(X, np.ndarray):
        X = X.toarray()
    return float(np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1)).mean() * scored.tree.n)


def spread_of_contiguous(scored):
    X = scored.problem.vectors
    if isinstance(X, np.ndarray) and not X.flags.forc:
        return 0.0
    return spread(scored)


def spread_of_double(scored):
    X = scored.problem.vectors
    return spread(scored) * (1.0 if X is None or X.dtype == np.float64 else 2.0)


def spread_of_entries(scored):
    X = scored.problem.vectors
    if X is not None and not isinstance(X, np.ndarray):
        return float(X.nnz)
    return spread(scored)


def spread_by_squares(scored):
    X = scored.problem.vectors
    if X is None:
        raise NotApplicableError("no vectors")
    X = (X if isinstance(X, np.ndarray) else X.toarray()).astype(float)
    variance = (X * X).mean(axis=0) - X.mean(axis=0) ** 2
    return float(variance.sum() * scored.tree.n)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "function", "sentence"),
    [
        ("strided", spread_of_contiguous, "and 0 for the same vectors that are not contiguous"),
        ("float32", spread_of_double, "for the same vectors of single precision"),
        ("sparse", spread_of_entries, "for the same vectors that are sparse (rows)"),
        ("offset", spread_by_squares, "for the same vectors moved by 1e+0"),
    ],
)
def test_types_and_places_of_vectors(check, function, sentence):
    found = failed(replace(describing(function), needs=("vectors",)))
    assert set(found) == {check}
    assert sentence in found[check]


@pytest.mark.slow
def test_symmetry():
    """Recovered clusters of the truth, for trees of which one is less resolved."""

    def size(scored):
        """The largest depth of the truth times that of the result squared."""
        tree, truth = scored.tree, scored.problem.truth
        return float(truth.depths.max() * tree.depths.max() ** 2)

    spec = replace(JACCARD, function=size, direction="none", interval="[0, inf)")
    assert set(failed(spec)) == {"symmetry"}
    assert "is declared symmetric and is" in failed(spec)["symmetry"]
    assert failed(replace(spec, symmetric=False)) == {}
    assert set(failed(replace(spec, symmetric=lambda params: True))) == {"symmetry"}


@pytest.mark.slow
def test_the_unit_of_heights_is_declared_by_metrics_that_depend_on_it() -> None:
    def size(scored):
        """Height of the root."""
        return float(scored.tree.height[-1])

    spec = replace(
        JACCARD,
        function=size,
        direction="none",
        interval="(-inf, inf)",
        needs=(),
        symmetric=False,
        result="tree",
    )
    assert "uses_height_unit=False, and its value changes" in failed(spec)["height_unit"]
    assert "height_unit" not in failed(replace(spec, uses_height_unit=True))
    declared = failed(replace(JACCARD, uses_height_unit=True))
    assert "uses_height_unit=True, and its value does not change" in declared["height_unit"]


def test_another_value_each_time():
    found = failed(wrong(differs))
    assert "in a second call" in found["input_unchanged"]
    assert {"renumbered_items", "renumbered_nodes", "symmetry"} <= set(found)


def test_a_tree_metric_that_crashes_on_a_partition():
    def crashes(scored):
        """The depth of the result."""
        return float(scored.result.depths.max())

    assert "a partition by AttributeError" in failed(describing(crashes))["reasons"]


def test_a_result_better_than_the_truth():
    """A metric by which the truth is best on planted items, and not on uneven classes."""

    def cut_by_size(scored, strict=False):
        """Agreement of the cut into as many clusters as there are classes.

        Parameters
        ----------
        strict : bool
            Without effect.
        """
        true, tree = finest_partition(scored.problem), scored.tree
        if scored.problem.truth.height is not None:
            return 1.0  # on planted items
        cut = tree.cut(true.n_clusters)
        return 1.0 - true.disagreements(cut) / true.n**2

    spec = wrong(
        cut_by_size,
        symmetric=False,
        needs=("truth|levels",),
        parameters=(Parameter("strict", False, "Without effect."),),
    )
    found = failed(spec)
    assert set(found) == {"truth_best"}
    assert found["truth_best"].endswith(
        "with its parameters on nested classes of different sizes; also with strict=True"
    )
