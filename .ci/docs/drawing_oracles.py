"""The picture of an oracle: how often it is wrong, by how close a question is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from drawing import Drawing, points, similarities, tree_of_points
from numpy.typing import NDArray

from hcbench import Comparisons, Oracle, OracleSpec, figures, load_registry
from hcbench.run import call_of, make_answers, make_oracle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Questions, and groups of equal size of them, from the closest to the clearest.
_QUESTIONS = 20_000
_GROUPS = 12
_SAME_ANSWERS = "it gives the data as they are, which the pictures of data sets show"
_OF_PEOPLE = "its answers are those of a person or a paid model"
_WITHOUT = {
    "graph": _SAME_ANSWERS,
    "similarities": _SAME_ANSWERS,
    "vectors": _SAME_ANSWERS,
}

Gap = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def of_pairs(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
    """The similarities of pairs of the sixty points."""
    chosen: NDArray[np.float64] = similarities()[first, second]
    return chosen


def gap_of_quadruplets(queries: NDArray[np.int64]) -> NDArray[np.float64]:
    """The difference of the similarities of two pairs."""
    i, j, k, l = queries.T  # noqa: E741  # the letters of the papers
    return np.abs(of_pairs(i, j) - of_pairs(k, l))


def gap_of_triples(queries: NDArray[np.int64]) -> NDArray[np.float64]:
    """The difference of the similarities of the closest pair of three and of the next."""
    pairs = [of_pairs(queries[:, i], queries[:, j]) for i, j in combinations(range(3), 2)]
    ordered = np.sort(np.column_stack(pairs), axis=1)
    return ordered[:, 2] - ordered[:, 1]


def gap_of_many(queries: NDArray[np.int64]) -> NDArray[np.float64]:
    """The difference between the sums of similarities of the odd one out and of the next."""
    sums = of_pairs(queries[:, :, None], queries[:, None, :]).sum(axis=2)
    # Each item's similarity to itself is none to the others.
    ordered = np.sort(sums - of_pairs(queries, queries), axis=1)
    gap: NDArray[np.float64] = ordered[:, 1] - ordered[:, 0]
    return gap


def similarity_of_pairs(queries: NDArray[np.int64]) -> NDArray[np.float64]:
    """The similarity of two items."""
    return of_pairs(queries[:, 0], queries[:, 1])


_DIFFERENCE = "difference of the two similarities"
_BY_KIND: dict[str, tuple[Gap, int, str]] = {
    "quadruplet-queries": (gap_of_quadruplets, 4, _DIFFERENCE),
    "ordinal-queries": (gap_of_triples, 3, "similarity of the closest pair less that of the next"),
    "odd-of-many": (gap_of_many, 5, "similarity of the odd one less that of the next"),
    "pair-queries": (similarity_of_pairs, 2, "similarity of the two items"),
}


def draw(spec: OracleSpec) -> Drawing:
    """Ask an oracle with some settings of its noise, and compare with the right answers."""
    reason = _WITHOUT.get(spec.name, "")
    if spec.is_live or spec.name.startswith("recorded") or "person" in spec.tags:
        reason = _OF_PEOPLE
    if reason:
        return Drawing(f"There is no picture here: {reason}.")
    if spec.kind == "rating-queries":
        return _ratings(spec)
    names = {parameter.name for parameter in spec.parameters}
    settings = ["noise=0.1", "noise=0.3"]
    if "scale" in names:
        settings.append("scale=1")
    # A true tree would answer by its merges, and not by similarities.
    others = ",source=similarity" if spec.name == "ordinal-queries" else ""
    curves = {}
    label = _DIFFERENCE
    for setting in settings:
        if spec.kind.endswith("-set"):
            oracle = oracle_of(f"{spec.name}[{setting},count={_QUESTIONS}]")
            gaps, wrong = _of_set(oracle.read())
        else:
            gap, arity, label = _BY_KIND[spec.kind]
            queries = questions(arity)
            right = oracle_of(f"{spec.name}[noise=0{others}]").ask(queries)
            wrong = oracle_of(f"{spec.name}[{setting}{others}]").ask(queries) != right
            gaps = gap(queries)
        curves[setting] = _in_groups(gaps, wrong)
    text = (
        f"The share of wrong answers about 60 points in the plane, of {_QUESTIONS:,} questions "
        "from the closest to the clearest."
    )
    return Drawing(text, _curves(curves, label))


def oracle_of(text: str) -> Oracle:
    """A registered oracle about the sixty points."""
    (use,) = load_registry().use_oracles(text)
    problem = points()
    if use.spec.name == "ordinal-adversary":
        # It needs a true tree that is binary.
        problem = replace(problem, truths={"UPGMA": tree_of_points()})
    return make_oracle(make_answers(call_of(use), problem, 0, None), None)


def questions(arity: int) -> NDArray[np.int64]:
    """Random queries of different items."""
    rng = np.random.default_rng(0)
    order = rng.random((_QUESTIONS, points().n)).argsort(axis=1)
    return np.ascontiguousarray(order[:, :arity])


def _of_set(comparisons: Comparisons) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The gaps of comparisons, and which are wrong."""
    i, j, k, l = np.asarray(comparisons.quadruplets(), dtype=np.int64).T  # noqa: E741
    difference = of_pairs(i, j) - of_pairs(k, l)
    return np.abs(difference), difference < 0


def _in_groups(
    gaps: NDArray[np.float64], wrong: NDArray[np.bool_]
) -> tuple[list[float], list[float]]:
    """The mean gap of each group, and its share of wrong answers."""
    groups = np.array_split(np.argsort(gaps), _GROUPS)
    return [float(gaps[g].mean()) for g in groups], [float(wrong[g].mean()) for g in groups]


def _curves(curves: dict[str, tuple[list[float], list[float]]], label: str) -> Figure:
    figure, ax = figures.new_figure(5.0, 2.6)
    with figures.style():
        for (name, (x, y)), colour in zip(curves.items(), figures.PALETTE, strict=False):
            ax.plot(x, y, color=colour, marker="o", markersize=3, label=name)
        ax.set(xlabel=label, ylabel="wrong answers", ylim=(0, None))
        ax.legend()
    return figure


def _ratings(spec: OracleSpec) -> Drawing:
    """The ratings of all pairs, against their similarities."""
    pairs = np.array(list(combinations(range(points().n), 2)))
    figure, ax = figures.new_figure(5.0, 2.6)
    with figures.style():
        for setting, colour in zip(("noise=1", "noise=0"), figures.PALETTE, strict=False):
            ratings = oracle_of(f"{spec.name}[{setting}]").ask(pairs)
            ax.scatter(similarity_of_pairs(pairs), ratings, c=colour, s=3, label=setting)
        ax.set(xlabel="similarity of the two items", ylabel="rating")
        ax.legend()
    return Drawing(f"The ratings of all {len(pairs):,} pairs of 60 points in the plane.", figure)
