"""Figure 2 of Gray et al. 2023 as a suite, on data drawn from their model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import log, sqrt

from hcbench import Claim, Figure, Suite
from hcbench_vectors.references import PAPERS

_DATA_ERROR = "affinity-error"
_PCA_ERROR_OF_5 = "affinity-error[estimate=pca, r=5]"

# ---- Figure 2 ------------------------------------------------------------------------------------

SIZES = (100, 200, 400, 600, 800, 1000)
_GROWTHS: dict[str, Callable[[int], float]] = {
    "p = 10 log n": lambda n: 10 * log(n),
    "p = 10 sqrt n": lambda n: 10 * sqrt(n),
    "p = n / log n": lambda n: n / log(n),
    "p = n - 90": lambda n: n - 90,
}
CURVES = {
    "a": {name: tuple((n, round(growth(n))) for n in SIZES) for name, growth in _GROWTHS.items()},
    "b": {f"p = {p}": tuple((n, p) for n in SIZES) for p in (10, 100, 1000)},
    "c": {f"n = {n}": tuple((n, p) for p in SIZES) for n in (10, 100, 1000)},
}
"""(n, p) along each pair of curves: p growing with n, p constant, and n constant."""


def shape(n: int, p: int) -> str:
    """Name the paper's simulated data of this size."""
    return f"gray-simulated[n={n}, p={p}]"


def _claims_of_panel(panel: str) -> Iterator[Claim]:
    """The claims of section 4.2 about the curves of a panel, each about its points."""
    is_smaller = panel != "c"
    relation = "<" if is_smaller else ">"
    text = "the error of PCA is slightly smaller" if is_smaller else "the error of PCA is larger"
    for name, points in CURVES[panel].items():
        if not is_smaller and name != "n = 10":
            continue  # of other constant n the text says nothing
        yield Claim(
            claim=f"Figure 2({panel}), {name}: {text}",
            algorithm="DotProduct",
            dataset=", ".join(shape(n, p) for n, p in points),
            metric=_PCA_ERROR_OF_5,
            than_metric=_DATA_ERROR,
            relation=relation,
        )


def _claims_of_figure_2() -> Iterator[Claim]:
    for panel in CURVES:
        yield from _claims_of_panel(panel)


def _figures_of_figure_2() -> Iterator[Figure]:
    """A figure for each of the paper's three rows; their bars are standard deviations, as there."""
    common = Figure(
        name="gray2023-figure2",
        doc="Figure 2: errors of the two estimates, mean and standard deviation",
        x="dataset.n",
        metric=f"{_DATA_ERROR}, {_PCA_ERROR_OF_5}",
        line=("metric.estimate",),
        band="deviation",
    )
    yield replace(
        common,
        name="gray2023-figure2a",
        doc=f"{common.doc}; p grows with n.",
        panel=("claim",),
        claims=("Figure 2(a)",),
        only_claimed=True,
    )
    yield replace(
        common,
        name="gray2023-figure2b",
        doc=f"{common.doc}; p is constant.",
        panel=("dataset.p",),
        where=(f"dataset=gray-simulated[n={list(SIZES)}, p=[10, 100, 1000]]",),
        claims=("Figure 2(b)",),
    )
    yield replace(
        common,
        name="gray2023-figure2c",
        doc=f"{common.doc}; n is constant.",
        x="dataset.p",
        panel=("dataset.n",),
        where=(f"dataset=gray-simulated[n=[10, 100, 1000], p={list(SIZES)}]",),
        claims=("Figure 2(c)",),
    )


FIGURE_2 = Suite(
    name="gray2023-figure2",
    doc="Figure 2: the largest error of affinities by dot products of data and of PC scores. "
    "The paper does not print n and p: here p grows like log n, sqrt n, n / log n and n, or p is "
    "10, 100 or 1000, or n is, for up to 1000. "
    "r = 5, the rank of the true affinities (assumption A6), also if 10 points miss a leaf.",
    algorithms=("DotProduct",),
    datasets=tuple(
        dict.fromkeys(
            shape(n, p)
            for curves in CURVES.values()
            for points in curves.values()
            for n, p in points
        )
    ),
    metrics=(_DATA_ERROR, _PCA_ERROR_OF_5),
    repetitions=100,
    claims=tuple(_claims_of_figure_2()),
    figures=tuple(_figures_of_figure_2()),
    paper=PAPERS["gray2023"],
)
