"""Figure 2 of Gray et al. 2023 as a suite, on data drawn from their model."""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt

from hcbench import Claim, Figure, Suite
from hcbench_vectors.references import PAPERS

_DATA_ERROR = "affinity-error"
_PCA_ERROR_OF_5 = "affinity-error[estimate=pca, r=5]"

# ---- The sizes of the data -----------------------------------------------------------------------

SIZES = (100, 200, 400, 600, 800, 1000)
_CONSTANTS = (10, 100, 1000)

#: The points (n, p) of a curve.
Curve = tuple[tuple[int, int], ...]


def _growing_curves() -> dict[str, Curve]:
    """Row a: p grows with n, from slowest to fastest."""
    logarithm = []
    root = []
    almost_linear = []
    linear = []
    for n in SIZES:
        logarithm.append((n, round(10 * log(n))))
        root.append((n, round(10 * sqrt(n))))
        almost_linear.append((n, round(n / log(n))))
        linear.append((n, n - 90))
    return {
        "p = 10 log n": tuple(logarithm),
        "p = 10 sqrt n": tuple(root),
        "p = n / log n": tuple(almost_linear),
        "p = n - 90": tuple(linear),
    }


def _curves_of_constant_p() -> dict[str, Curve]:
    """Row b: n grows."""
    curves = {}
    for p in _CONSTANTS:
        curves[f"p = {p}"] = tuple((n, p) for n in SIZES)
    return curves


def _curves_of_constant_n() -> dict[str, Curve]:
    """Row c: p grows."""
    curves = {}
    for n in _CONSTANTS:
        curves[f"n = {n}"] = tuple((n, p) for p in SIZES)
    return curves


CURVES = {
    "a": _growing_curves(),
    "b": _curves_of_constant_p(),
    "c": _curves_of_constant_n(),
}
"""The curves of each row of the figure, by their titles."""


def shape(n: int, p: int) -> str:
    """Name the paper's simulated data of this size."""
    return f"gray-simulated[n={n}, p={p}]"


def _all_shapes() -> tuple[str, ...]:
    """The data of all curves, each once, in the order of the figure."""
    shapes: dict[str, None] = {}  # curves share points
    for curves in CURVES.values():
        for points in curves.values():
            for n, p in points:
                shapes[shape(n, p)] = None
    return tuple(shapes)


# ---- Claims --------------------------------------------------------------------------------------


def _claim_of_curve(row: str, name: str, text: str, relation: str) -> Claim:
    """The error of PCA compared with that of the data, at the points of a curve."""
    return Claim(
        claim=f"Figure 2({row}), {name}: {text}",
        algorithm="DotProduct",
        dataset=", ".join(shape(n, p) for n, p in CURVES[row][name]),
        metric=_PCA_ERROR_OF_5,
        than_metric=_DATA_ERROR,
        relation=relation,
    )


def _claims_of_figure_2() -> Iterator[Claim]:
    """The claims of section 4.2."""
    for row in ("a", "b"):
        for name in CURVES[row]:
            yield _claim_of_curve(row, name, "the error of PCA is slightly smaller", "<")
    # Of other constant n the text says nothing.
    yield _claim_of_curve("c", "n = 10", "the error of PCA is larger", ">")


# ---- Figures -------------------------------------------------------------------------------------


def _figure(
    row: str,
    doc: str,
    *,
    x: str,
    panel: str,
    where: tuple[str, ...] = (),
    only_claimed: bool = False,
) -> Figure:
    """A row of the paper's figure; its bars are standard deviations, as there."""
    return Figure(
        name=f"gray2023-figure2{row}",
        doc=f"Figure 2: errors of the two estimates, mean and standard deviation; {doc}",
        x=x,
        metric=f"{_DATA_ERROR}, {_PCA_ERROR_OF_5}",
        panel=(panel,),
        line=("metric.estimate",),
        band="deviation",
        where=where,
        claims=(f"Figure 2({row})",),
        only_claimed=only_claimed,
    )


_FIGURES = (
    _figure("a", "p grows with n.", x="dataset.n", panel="claim", only_claimed=True),
    _figure(
        "b",
        "p is constant.",
        x="dataset.n",
        panel="dataset.p",
        where=(f"dataset=gray-simulated[n={list(SIZES)}, p={list(_CONSTANTS)}]",),
    ),
    _figure(
        "c",
        "n is constant.",
        x="dataset.p",
        panel="dataset.n",
        where=(f"dataset=gray-simulated[n={list(_CONSTANTS)}, p={list(SIZES)}]",),
    ),
)

# ---- The suite -----------------------------------------------------------------------------------

FIGURE_2 = Suite(
    name="gray2023-figure2",
    doc="Figure 2: the largest error of affinities by dot products of data and of PC scores. "
    "The paper does not print n and p: here p grows like log n, sqrt n, n / log n and n, or p is "
    "10, 100 or 1000, or n is, for up to 1000. "
    "r = 5, the rank of the true affinities (assumption A6), also if 10 points miss a leaf.",
    algorithms=("DotProduct",),
    datasets=_all_shapes(),
    metrics=(_DATA_ERROR, _PCA_ERROR_OF_5),
    repetitions=100,
    claims=tuple(_claims_of_figure_2()),
    figures=_FIGURES,
    paper=PAPERS["gray2023"],
)
