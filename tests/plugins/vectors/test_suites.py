"""The suites of Gray et al. 2023: printed values, names, and verdicts."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from hcbench import (
    HeightKind,
    NotApplicableError,
    ParameterError,
    Problem,
    Results,
    Scored,
    Tree,
    load_registry,
)
from hcbench.claims.verdicts import Verdict
from hcbench.figures import draw_figures
from hcbench.plan.plan import make_plan
from hcbench.registry import find_suite
from hcbench.registry.plugins import Plugins
from hcbench.run.options import RunOptions
from hcbench.run.run import run_plan
from hcbench.store import Store
from hcbench_vectors import hcbench_suites
from hcbench_vectors.classes import (
    average_distances,
    average_dot_products,
    finest_classes,
    related_neighbours,
)
from hcbench_vectors.figures_tables import printed_and_measured
from hcbench_vectors.figures_topics import with_level_leaves
from hcbench_vectors.suites_published import cells_of
from hcbench_vectors.suites_tables import data_of
from tests.plugins.scoring import STAR, scored

pytestmark = pytest.mark.usefixtures("in_process")

SUITES = {suite.name: suite for suite in hcbench_suites()}
TABLES = (1, 2, 3, 4)

# ---- Printed values ------------------------------------------------------------------------------

# Counted and added up by hand from the paper's tables: rows x columns, sums over rows of the
# columns, and the sum of all standard errors in thousandths.
PRINTED = {
    1: ((10, 5), (3.89, 3.60, 1.6225, 2.678, 2.96), 38.6 + 40.4 + 48.43 + 42.0 + 54.0),
    2: ((2, 5), (0.043, 0.063, 0.25, 0.32, 0.5), 1.27 + 2.2 + 4.1 + 5.0 + 5.5),
    3: ((10, 5), (3.89, 2.1731, 2.972, 1.7708, 2.5258), 38.6 + 46.07 + 35.48 + 50.83 + 36.03),
    4: ((10, 2), (-0.00224, 2.4649), 20.12 + 40.94),
}


@pytest.mark.parametrize("number", TABLES)
def test_numbers_of_values_and_sums_are_those_of_the_tables(number: int) -> None:
    cells = list(cells_of(number))
    (rows, columns), sums, errors = PRINTED[number]
    assert len(cells) == rows * columns
    values = np.array([float(cell.value) for cell in cells]).reshape(rows, columns)
    np.testing.assert_allclose(values.sum(axis=0), sums, atol=1e-9)
    assert sum(cell.error for cell in cells) == pytest.approx(errors / 1000)


@pytest.mark.parametrize("number", TABLES)
def test_every_cell_is_one_claim_with_its_printed_value(number: int) -> None:
    claims = SUITES[f"gray2023-table{number}"].claims
    of_errors = {c.claim: c for c in claims if c.claim.endswith(", standard error")}
    values = [claim for claim in claims if claim.claim not in of_errors]
    assert [claim.claim for claim in values] == [cell.place for cell in cells_of(number)]
    for claim, cell in zip(values, cells_of(number), strict=True):
        assert claim.paper == cell.value
        of_error = of_errors.get(f"{cell.place}, standard error")
        assert (of_error is not None) == (cell.data in ("Newsgroups", "Reviews") and number != 2)
        if of_error:
            assert of_error.algorithm == claim.as_corrected.algorithm
            assert 1000 * float(of_error.paper) == pytest.approx(1000 * cell.error)


def test_a_standard_error_has_the_printed_digits() -> None:
    claims = {c.claim: c for c in SUITES["gray2023-table1"].claims}
    of_error = claims["Table 1: Newsgroups Y, DotProduct, standard error"]
    assert (of_error.paper, of_error.rounding) == ("0.0029", pytest.approx(0.00005))
    assert "transposed" in of_error.metric


def test_a_constant_error_is_not_one_that_falls_as_in_theorem_2() -> None:
    constant = [c for c in SUITES["gray2023-theorems"].claims if "E.4" in c.claim]
    assert constant
    assert all(c.within + c.rounding < 0.25 for c in constant)  # half of the rate of theorem 2


def test_rows_of_reviews_are_corrected_where_the_paper_exchanged_them() -> None:
    claims = SUITES["gray2023-table1"].claims
    exchanged = [c for c in claims if "exchanged" in c.erratum]
    assert len(exchanged) == 10
    for claim in exchanged:
        is_scores = "zeta, " in claim.claim
        assert ("pca=" in claim.algorithm) == is_scores
        assert ("pca=" in claim.as_corrected.algorithm) != is_scores
    for number in (3, 4):
        assert not any("exchanged" in c.erratum for c in SUITES[f"gray2023-table{number}"].claims)
    by_name = {c.claim: c for c in SUITES["gray2023-table1"].claims}
    misprint = by_name["Table 1: Reviews zeta, HDBSCAN"]
    assert (misprint.paper, misprint.as_corrected.paper) == ("-0.0085", "-0.00085")


def test_reviews_are_judged_by_names_of_labels_and_say_so() -> None:
    for number in (1, 3, 4):
        claims = [c for c in SUITES[f"gray2023-table{number}"].claims if ": Reviews" in c.claim]
        assert all("by_names=true" in claim.as_corrected.metric for claim in claims)
        assert sum("names that labels share" in claim.note for claim in claims) == 1


def test_choices_are_stated_once_for_each_data_set() -> None:
    for number in TABLES:
        claims = SUITES[f"gray2023-table{number}"].claims
        told = Counter(
            name
            for name, d in data_of(number).items()
            for c in claims
            if d.choice and d.choice in c.note
        )
        assert set(told.values()) == {1}
        assert set(told) == {c.data for c in cells_of(number) if data_of(number)[c.data].choice}


# ---- Names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUITES)
def test_every_algorithm_runs_somewhere_and_pairs_name_only_what_the_suite_has(name: str) -> None:
    known, suite = load_registry(), SUITES[name]
    plan = make_plan(suite, known)
    assert {c.algorithm.label for c in plan.cells} == {use.label for use in plan.algorithms}
    for algorithm, dataset in suite.only:
        assert {u.identity for u in known.use_algorithms(algorithm)} <= {
            use.identity for use in plan.algorithms
        }
        assert {u.identity for u in known.use_datasets(dataset)} <= {
            use.identity for use in plan.datasets
        }


@pytest.mark.slow
def test_suites_are_registered_and_import_nothing_heavy() -> None:
    assert find_suite(load_registry(), "gray2023-table1") == SUITES["gray2023-table1"]
    code = (
        "import sys, hcbench_vectors as p; list(p.hcbench_suites())\n"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_the_figure_of_a_table_has_a_row_for_each_printed_value() -> None:
    for name in ("gray2023-table1", "gray2023-table3", "gray2023-table4"):
        suite = SUITES[name]
        judged = []
        for claim in suite.claims:
            verdict = Verdict(claim=claim, verdict="differs", measured=0.1251, corrected=0.2501)
            judged.append(verdict)
        results: Any = SimpleNamespace(suite=suite, judged=judged)
        figure = printed_and_measured(SimpleNamespace(results=results))  # type: ignore[arg-type]
        drawn = [x for ax in figure.axes for line in ax.lines for x in line.get_xdata()]
        errata = sum(bool(claim.erratum) for claim in suite.claims)
        values = sum("standard error" not in claim.claim for claim in suite.claims)
        # Each value has a dot and the end of a line; an erratum has them corrected, and a cross.
        assert drawn.count(0.1251) == 2 * (values - errata) + errata
        assert drawn.count(0.2501) == 2 * errata


# ---- Small runs ----------------------------------------------------------------------------------


def run(suite, tmp_path, **changes):
    """Run a suite with fewer repetitions, and draw its figures."""
    small = replace(suite, timeout=60.0, **changes)
    registry = load_registry()
    plan = make_plan(small, registry)
    with Store(tmp_path / "s.sqlite") as store:
        results = Results.of_plan(
            plan, run_plan(plan, Plugins(), store, RunOptions(jobs=1, command="test"))
        )
        drawn = draw_figures(results, tmp_path, store=store)
    return results, drawn


@pytest.mark.slow
def test_theorems_without_exceptions_hold_in_a_small_run(tmp_path) -> None:
    suite = SUITES["gray2023-theorems"]
    always = tuple(claim for claim in suite.claims if claim.every_repetition)
    places = {re.match(r"\w+ [\w.]*\w", claim.claim)[0] for claim in always}  # type: ignore[index]
    assert places == {
        "Theorem 1",
        "Lemma 3",
        "Proposition 1",
        "Figure 5",
        "Appendix C.3",
        "Appendix E.2",
    }
    results, drawn = run(
        suite,
        tmp_path,
        datasets=(*{c.dataset for c in always}, "gray-simulated[n=20, p=[500,1000]]"),
        claims=always,
        repetitions=1,
    )
    assert [v.verdict for v in results.judged] == ["reproduced"] * len(always)
    assert not any(d.failed for d in drawn), [d.reason for d in drawn]


@pytest.mark.slow
def test_a_simulated_row_of_table_1_is_measured_and_drawn(tmp_path) -> None:
    suite = SUITES["gray2023-table1"]
    claims = tuple(c for c in suite.claims if c.dataset == "gray-simulated")
    small = "gray-simulated[n=40, p=60]"
    results, drawn = run(
        suite,
        tmp_path,
        datasets=(small,),
        only=tuple((a, small if d == "gray-simulated" else d) for a, d in suite.only),
        claims=tuple(replace(claim, dataset=small) for claim in claims),
        repetitions=1,
    )
    assert all(v.measured is not None for v in results.judged)
    errata = [v for v in results.judged if v.claim.erratum]
    assert errata
    assert all(v.corrected is not None for v in errata)
    assert {v.verdict for v in errata} <= {"erratum confirmed", "erratum refuted", "undecided"}
    # Its panels are those of the paper's own data sets, and none of these was run.
    assert [d.reason for d in drawn] == ["none of the printed values was measured"]


@pytest.mark.slow
def test_figure_2_is_drawn_from_available_results(tmp_path) -> None:
    suite = SUITES["gray2023-figure2"]
    datasets = tuple(name for name in suite.datasets if re.search(r"n=(10|100),", name))[:3]
    _, drawn = run(suite, tmp_path, datasets=datasets, claims=(), repetitions=2)
    # The curves of (a) are those that claims are about.
    assert [d.path is not None for d in drawn] == [False, True, True]
    assert not any(d.failed for d in drawn), [d.reason for d in drawn]


# ---- Similar classes -----------------------------------------------------------------------------

LABELS = np.array([0, 1, 2, 0, 1, 2, 2, 3])


def naive(vectors, function):
    """The mean over pairs of different items of two classes, by its definition."""
    pairs = function(vectors)
    mean = np.full((4, 4), np.nan)
    for a in range(4):
        for b in range(4):
            values = [
                pairs[i, j]
                for i in np.flatnonzero(a == LABELS)
                for j in np.flatnonzero(b == LABELS)
                if i != j
            ]
            mean[a, b] = np.mean(values) if values else np.nan
    return mean


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_means_over_pairs_of_classes_are_those_of_their_definition(make) -> None:
    vectors = np.random.default_rng(0).normal(size=(8, 3))
    for function, mean in (
        (lambda x: x @ x.T, average_dot_products),
        (lambda x: cdist(x, x), partial(average_distances, block_size=20)),
    ):
        expected = naive(vectors, function)
        np.testing.assert_allclose(mean(make(vectors), LABELS), expected, atol=1e-12)
        some = mean(make(vectors), LABELS, np.array([1, 3]))
        np.testing.assert_allclose(some, expected[[1, 3]], atol=1e-12)


def on_a_line(*, levels=((0, 0), (0, 1), (1, 2), (1, 3))):
    """Four items, each its own class: 1 and 2 belong together, and so do 4 and -1."""
    vectors = np.array([[1.0], [2.0], [4.0], [-1.0]])
    return Scored(
        problem=Problem(n=4, vectors=vectors, levels=np.array(levels)),
        result=STAR,
        cost=scored(STAR).cost,
    )


def test_related_neighbours_counts_those_of_the_same_coarse_class() -> None:
    # Dot products of the class at 2 are 2, 8 and -2; its distances 1, 2 and 3.
    assert related_neighbours(on_a_line(), of=1, k=1) == 0
    assert related_neighbours(on_a_line(), of=1, k=2) == 1
    assert related_neighbours(on_a_line(), of=1, k=1, by="euclidean") == 1
    assert related_neighbours(on_a_line(), of=2, k=2) == 0
    assert related_neighbours(on_a_line(), of=2, k=3) == 1
    # Distances of those at 1, 2, 4 and -1: 1, 3, 2; 1, 2, 3; 3, 2, 5; 2, 3, 5.
    assert related_neighbours(on_a_line(), k=1, by="euclidean") == 1 / 2
    alone = on_a_line(levels=((0, 0), (0, 1), (1, 2), (2, 3)))
    assert related_neighbours(alone, k=1, by="euclidean") == 1


def test_related_neighbours_reports_missing_data() -> None:
    with pytest.raises(ParameterError, match="number of classes, 4; got of=4, k=1"):
        related_neighbours(on_a_line(), of=4, k=1)
    with pytest.raises(ParameterError, match="got of=0, k=4"):
        related_neighbours(on_a_line(), of=0, k=4)
    with pytest.raises(NotApplicableError, match="no two classes share"):
        related_neighbours(on_a_line(levels=((0, 0), (1, 1), (2, 2), (3, 3))), k=1)
    with pytest.raises(NotApplicableError, match="no class labels in two levels"):
        related_neighbours(on_a_line(levels=((0,), (0,), (1,), (1,))), of=0)
    with pytest.raises(NotApplicableError, match="no vectors"):
        related_neighbours(scored(STAR, levels=np.array([[0, 0], [0, 1], [1, 2], [1, 3]])), of=0)


def test_a_class_of_one_has_no_mean_with_itself_and_no_warning() -> None:
    rows = np.random.default_rng(1).normal(size=(8, 3)) * 1e3  # squares round differently
    for mean in (average_dot_products, average_distances):
        found = mean(rows, LABELS)
        assert np.isnan(found[3, 3])
        assert np.isfinite(np.delete(found.ravel(), 15)).all()


def test_finest_classes_are_in_the_order_of_their_labels() -> None:
    levels = np.array([[1, 0], [0, 5], [1, 0], [0, 2]])
    class_of, coarse = finest_classes(Problem(n=4, vectors=np.eye(4), levels=levels))
    assert class_of.tolist() == [2, 1, 2, 0]
    assert coarse.tolist() == [0, 0, 1]


def test_leaves_of_a_drawn_dendrogram_are_level() -> None:
    tree = Tree([3, 3, 4, 4, -1], [9.0, 7.0, 5.0, 3.0, 1.0], HeightKind.AFFINITY)
    drawn = with_level_leaves(tree)
    assert np.ptp(drawn.height[:3]) == 0
    assert drawn.height[0] > drawn.height[3:].max()
    assert drawn.height[3:].tolist() == tree.height[3:].tolist()
