"""Figure 2 and the theorems of Gray et al. 2023 as suites, on data drawn from their model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log, sqrt

from hcbench import Claim, Figure, Suite
from hcbench_vectors.references import PAPERS

_DATA_ERROR = "affinity-error"
_PCA_ERROR = "affinity-error[estimate=pca]"
_PCA_ERROR_OF_5 = "affinity-error[estimate=pca, r=5]"
_COSINE_ERROR = "affinity-error[estimate=cosine]"
_SCORES = "DotProduct[pca=5]"

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
    figures=(
        Figure(
            name="gray2023-figure2",
            doc="Figure 2: errors of the two estimates, mean and standard deviation.",
            function="hcbench_vectors.figures_simulated:affinity_errors",
        ),
    ),
    paper=PAPERS["gray2023"],
)

# ---- Theorems ------------------------------------------------------------------------------------

DIMENSIONS = (500, 1000, 2000, 4000, 8000, 16000)
_GROWING = f"p={list(DIMENSIONS)}"
_GROWING_TO_8000 = f"p={list(DIMENSIONS[:5])}"
_ADDITIVE = "gray-simulated[n=100"
_WIDE = "gray-simulated[n=500"
_MULTIPLICATIVE = "gray-simulated[n=10, balanced=true, noise=multiplicative, unit_heights=true"
_FEW = "gray-simulated[n=20, balanced=true"
_GROWING_256_FOLD = f"p={[125 * 2**k for k in range(9)]}"
"""A rate over a wide range of p has a small error; so few items make the cells cheap."""
_BOTH = "gray-simulated[n=100, noise=both, gamma=uniform, unit_heights=true"
_CLOSE = "gray-simulated[n=200, p=40000]"
_BINARY = 'gray-simulated[tree="((1:2,2:2)5:1,(3:2,4:2)6:2)7:1", '
_FOUR = f"{_BINARY}n=4, balanced=true, p=10000]"
_FORTY = f"{_BINARY}n=40, balanced=true, p=10000]"

_SHORT = 'gray-simulated[tree="((1:1,2:1)5:1,(3:1,4:1)6:1)7:1", n=4, balanced=true, p=10000]'
_LONG = 'gray-simulated[tree="((1:1,2:9)5:1,(3:1,4:9)6:1)7:1", n=4, balanced=true, p=10000]'
_BY_COSINES = "UPGMA[metric=cosine]"

SIZES_AT_1000 = (50, 100, 200, 400, 800)
_AT_1000 = f"n={list(SIZES_AT_1000)}, p=1000"
_HEAVY_TAILS = "tails=5"
_MIXING = "window=20"
_ROOTLESS = 'gray-simulated[tree="((1:5,2:2,3:2)6:2,(4:0.5,5:7)7:1)8:0"'
"""X of the root is 0, so that affinities of items on its two sides are 0."""

_SLACK = "merge-distortion-slack"
_SLACK_PCA = "merge-distortion-slack[estimate=pca]"
_NEGATIVE = "negative-affinity"
_INVERSION = "height-inversion"
_ISOMORPHIC = "exact-recovery[refine=false]"
_RATE = "a bound on the rate at a fixed n: it may fall faster"


def _claim_of_each_repetition(
    claim: str, algorithm: str, dataset: str, metric: str, paper: str
) -> Claim:
    """A statement that must hold in each repetition."""
    return Claim(
        claim=claim,
        algorithm=algorithm,
        dataset=dataset,
        metric=metric,
        paper=paper,
        relation=">=",
        every_repetition=True,
    )


def _claims_of_growth() -> tuple[Claim, ...]:
    """The error grows with n at most as theorem 2 says: its rate in n, at p = 1000."""
    tails = f", {_HEAVY_TAILS}"
    log_n = "n^(2/q) for each q; sqrt(log n), conjectured in section 4.2, is n^0.10 here"
    bounds = (
        ("data, normal E", "", _DATA_ERROR, "0.10", log_n),
        ("data, heavy tails", tails, _DATA_ERROR, "0.8", "n^(2/q), q < 2.5: E is t with 5 degrees"),
        ("PCA, normal E", "", _PCA_ERROR, "0.34", "sqrt(n r / p) + sqrt(r / n) is n^0.34 here"),
    )
    return tuple(
        Claim(
            claim=f"Theorem 2, growth with n: {what}",
            algorithm="DotProduct",
            dataset=f"gray-simulated[n=100, p=1000{options}]",
            metric=metric,
            paper=bound,
            relation="<=",
            within=0.05,
            exponent="n",
            note=f"{formula}; n from 50 to 800 at p = 1000; a bound: it may grow less",
        )
        for what, options, metric, bound, formula in bounds
    )


def _claims_of_proposition_1() -> tuple[Claim, ...]:
    """Algorithm 1 has no inversions, by affinities of either sign; UPGMA may have some."""
    signed = f"{_ROOTLESS}, n=100, p=500]"
    found = (
        ("DotProduct", _CLOSE, _INVERSION, "large p"),
        ("DotProduct", signed, _INVERSION, "some affinities negative"),
        ("DotProduct[affinity=cosine]", _CLOSE, f"{_INVERSION}[estimate=cosine]", "cosines"),
    )
    none = (
        Claim(
            claim=f"Proposition 1, no vertex of algorithm 1 is below its parent: {what}",
            algorithm=algorithm,
            dataset=dataset,
            metric=metric,
            paper="0",
            relation="<=",
            within=1e-9,
            every_repetition=True,
            note="heights are computed again from all pairs of items",
        )
        for algorithm, dataset, metric, what in found
    )
    return (
        *none,
        Claim(
            claim="Proposition 1 is of algorithm 1: vertices of UPGMA are below their parents",
            algorithm="UPGMA",
            dataset=_LONG,
            metric=_INVERSION,
            paper="0",
            relation=">",
            every_repetition=True,
            note="the tree of figure 5 that distances get wrong; in expectation by 1/2",
        ),
    )


_CLAIMS_OF_LEMMA_3 = (
    Claim(
        claim="Lemma 3, no affinity is negative: no estimate, where all affinities are 1 or more",
        algorithm="DotProduct",
        dataset=_CLOSE,
        metric=_NEGATIVE,
        paper="0",
        relation="<=",
        every_repetition=True,
    ),
    Claim(
        claim="Lemma 3, no affinity is negative: negative estimates vanish, where some are 0",
        algorithm="DotProduct",
        dataset=f"{_ROOTLESS}, n=20, balanced=true]",
        metric=_NEGATIVE,
        paper="-0.5",
        relation="<=",
        within=0.05,
        exponent="p",
        note="as fast as the error of theorem 2",
    ),
)


def _claim_of_rate(claim: str, dataset: str, metric: str, note: str = _RATE) -> Claim:
    """The error falls at least as fast as 1 / sqrt(p)."""
    return Claim(
        claim=claim,
        algorithm="DotProduct",
        dataset=f"{dataset}]",
        metric=metric,
        paper="-0.5",
        relation="<=",
        within=0.05,
        exponent="p",
        note=note,
    )


def _claim_of_constant_error(metric: str) -> Claim:
    return Claim(
        claim=f"Appendix E.4: additive and multiplicative noise together, {metric} stays",
        algorithm="DotProduct",
        dataset=f"{_BOTH}]",
        metric=metric,
        paper="0.00",
        within=0.1,
        exponent="p",
        note="does not vanish as p grows: its rate is 0; gamma is uniform on 0.5 to 1.5",
    )


def _claims_of_figure_5() -> tuple[Claim, ...]:
    """Whether the closest two of four items are siblings, by dot products and by distances."""
    found = [("DotProduct", _SHORT, "1"), ("UPGMA", _SHORT, "1"), ("DotProduct", _LONG, "1")]
    says = {_SHORT: "of equal branches", _LONG: "if some branches are far longer"}
    return tuple(
        Claim(
            claim=f"Figure 5, {name} finds the tree {says[dataset]}: "
            + ("yes" if paper == "1" else "no"),
            algorithm=name,
            dataset=dataset,
            metric=_ISOMORPHIC,
            paper=paper,
            every_repetition=True,
            note="four leaves with one observation each; the figure prints no lengths",
        )
        for name, dataset, paper in (*found, ("UPGMA", _LONG, "0"))
    )


_SAME_AS_COSINES = Claim(
    claim="Appendix E.2: average linkage of cosine distances is algorithm 1 with cosines",
    algorithm="DotProduct[affinity=cosine]",
    dataset=_CLOSE,
    metric="kendall-tau-b",
    better_than=_BY_COSINES,
    within=1e-9,
    every_repetition=True,
)


THEOREMS = Suite(
    name="gray2023-theorems",
    doc="Theorems 1 to 3, proposition 1, lemmas 1 and 3, figure 5 and appendices C.3, E.2 and E.4, "
    "on simulated data.",
    algorithms=("DotProduct", _SCORES, "DotProduct[affinity=cosine]", "UPGMA", _BY_COSINES),
    datasets=(
        _CLOSE,
        f"{_ADDITIVE}, {_GROWING}]",
        f"{_WIDE}, {_GROWING_TO_8000}]",
        f"{_MULTIPLICATIVE}, {_GROWING_256_FOLD}]",
        f"{_FEW}, {_GROWING_256_FOLD}]",
        f"{_BOTH}, {_GROWING}]",
        f"{_ADDITIVE}, {_HEAVY_TAILS}, {_GROWING}]",
        f"{_ADDITIVE}, {_MIXING}, {_GROWING}]",
        f"{_ROOTLESS}, n=100, p=500]",
        f"{_ROOTLESS}, n=20, balanced=true, {_GROWING_256_FOLD}]",
        f"gray-simulated[{_AT_1000}]",
        f"gray-simulated[{_AT_1000}, {_HEAVY_TAILS}]",
        _FOUR,
        _FORTY,
        _SHORT,
        _LONG,
    ),
    metrics=(
        _DATA_ERROR,
        _PCA_ERROR,
        _COSINE_ERROR,
        "merge-distortion",
        _SLACK,
        _SLACK_PCA,
        _NEGATIVE,
        _INVERSION,
        f"{_INVERSION}[estimate=cosine]",
        "vertex-distance-error",
        "kendall-tau-b",
        "exact-recovery",
        _ISOMORPHIC,
    ),
    only=(
        (_SCORES, _CLOSE),
        ("DotProduct[affinity=cosine]", _CLOSE),
        (_BY_COSINES, _CLOSE),
        ("UPGMA", _SHORT),
        ("UPGMA", _LONG),
    ),
    repetitions=60,
    claims=(
        _claim_of_each_repetition(
            "Theorem 1: merge distortion is at most the error of data affinities",
            "DotProduct", _CLOSE, _SLACK, "0",
        ),
        _claim_of_each_repetition(
            "Theorem 1: merge distortion is at most the error of PCA affinities",
            _SCORES, _CLOSE, _SLACK_PCA, "0",
        ),
        _claim_of_rate("Theorem 2: data, n=100", _ADDITIVE, _DATA_ERROR),
        _claim_of_rate("Theorem 2: data, n=500", _WIDE, _DATA_ERROR),
        _claim_of_rate(
            "Theorem 2: PCA, n=500",
            _WIDE,
            _PCA_ERROR,
            f"{_RATE}; n is large, as r / n stays in the bound for PCA",
        ),
        _claim_of_rate(
            "Theorem 2: data, heavy tails, n=100",
            f"{_ADDITIVE}, {_HEAVY_TAILS}",
            _DATA_ERROR,
            f"{_RATE}; E is t with 5 degrees of freedom, A4 holds for q < 2.5",
        ),
        _claim_of_rate(
            "Theorem 2: data, mixing coordinates, n=100",
            f"{_ADDITIVE}, {_MIXING}",
            _DATA_ERROR,
            f"{_RATE}; X are moving averages over 20 coordinates (A3)",
        ),
        *_claims_of_growth(),
        *_CLAIMS_OF_LEMMA_3,
        *_claims_of_proposition_1(),
        _claim_of_rate(
            "Theorem 3: cosine, multiplicative noise",
            _MULTIPLICATIVE,
            _COSINE_ERROR,
            f"{_RATE}; it is the same at any n that has all leaves, as E is absent and cosines "
            "do not depend on gamma",
        ),
        *(_claim_of_constant_error(metric) for metric in (_DATA_ERROR, _PCA_ERROR, _COSINE_ERROR)),
        _claim_of_rate(
            "Lemma 1: d(u, v) as estimated from the data",
            _FEW,
            "vertex-distance-error",
            f"{_RATE}; four items at each leaf",
        ),
        _claim_of_each_repetition(
            "Appendix C.3: the tree itself is found, one observation at each leaf",
            "DotProduct", _FOUR, _ISOMORPHIC, "1",
        ),
        _claim_of_each_repetition(
            "Appendix C.3: all vertices are found, ten observations at each leaf",
            "DotProduct", _FORTY, "exact-recovery", "1",
        ),
        *_claims_of_figure_5(),
        _SAME_AS_COSINES,
    ),
    figures=(
        Figure(
            name="gray2023-theorems",
            doc="Errors of estimated affinities against p, for each kind of noise.",
            function="hcbench_vectors.figures_simulated:rates",
        ),
    ),
    paper=PAPERS["gray2023"],
)  # fmt: skip
