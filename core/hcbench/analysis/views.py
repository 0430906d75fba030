"""The data of figures: pure functions of `Comparison`, drawn by `hcbench.figures` and others.

Each view is a dataclass of plain numbers and names, with its uncertainty and what was excluded; if
there is nothing to show, an error says why in one line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.axes import Axis, axes_of, find_axis, find_metric
from hcbench.analysis.panels import place_groups
from hcbench.analysis.power_laws import fit_power_law
from hcbench.analysis.statistics import summarise
from hcbench.errors import HcbenchError

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
    from hcbench.analysis.panels import Placed
    from hcbench.plan.presentation import MetricInfo

#: Of one family of data sets, for a power law: with fewer, the fit looks better than it is.
LEAST_SIZES = 4
#: What is said of the bars of curves; of the mean or the median.
INTERVAL = "{} with its 95 % interval"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of a line.

    Attributes
    ----------
    x, average : float
        The average is the mean, of times the median.
    low, high : float or None
        95 % interval of the average; None if there is none (see `hcbench.analysis.intervals`).
    n : int
        Repetitions with a value.
    failed : int
        Repetitions without one because of a failure.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> view = hcbench.analysis.curves(results, "n", "AARI")
    >>> view.panels[0].lines[0].points[0]
    CurvePoint(x=4.0, average=1.0, low=1.0, high=1.0, n=1, failed=0)
    """

    x: float
    average: float
    low: float | None
    high: float | None
    n: int
    failed: int


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """``factor * x ** exponent``, fitted to the averages by least squares of the logarithms.

    Attributes
    ----------
    exponent : float
    low, high : float
        95 % interval of the exponent, by Student's t distribution of the residuals.
    factor : float
    n_points : int

    Examples
    --------
    >>> law = PowerLaw(exponent=2.0, low=1.9, high=2.1, factor=0.5, n_points=5)
    >>> law.factor * 10**law.exponent
    50.0
    """

    exponent: float
    low: float
    high: float
    factor: float
    n_points: int


@dataclass(frozen=True, slots=True)
class Line:
    """The line of one algorithm.

    Attributes
    ----------
    name : str
        Label of the algorithm, without the parameter on the x axis.
    algorithm : str
        One label of the algorithm, which determines the look of the line.
    reference : bool
    flat : bool
        Whether the algorithm does not have this parameter. The line is then constant, with two
        points, at the first and at the last x.
    points : tuple of CurvePoint
        In ascending order of x.
    fit : PowerLaw or None
        Fitted to `LEAST_SIZES` or more points of a positive metric on one family of data sets;
        only by `scaling`.
    """

    name: str
    algorithm: str
    reference: bool
    flat: bool
    points: tuple[CurvePoint, ...]
    fit: PowerLaw | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines that are drawn together: all other parameters are equal.

    Attributes
    ----------
    title : str
        Parameters that distinguish this panel from the others.
    lines : tuple of Line
    """

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class CurveView:
    """A metric against an axis.

    Attributes
    ----------
    x : Axis
    metric : MetricInfo
    panels : tuple of Panel
    interval : str
        Description of the bands.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> view = hcbench.analysis.curves(results, "n", "AARI")
    >>> view.x.title, view.metric.label
    ('n (items)', 'AARI')
    >>> len(view.panels), len(view.panels[0].lines)
    (1, 2)
    """

    x: Axis
    metric: MetricInfo
    panels: tuple[Panel, ...]
    interval: str


def curves(results: Comparison, x: str, metric: str) -> CurveView:
    """A metric against a parameter, with a panel for each combination of the other parameters.

    Other differences of data sets, oracles and budgets give panels; those of algorithms give lines.
    An algorithm without the parameter x, such as one without a noisy oracle, is a flat line in all
    its panels; data sets without it are not drawn.

    Parameters
    ----------
    results : Results
    x : str
        As for `find_axis`.
    metric : str
        As for `find_metric`.

    Raises
    ------
    HcbenchError
        If x does not vary, or the metric has no values along it.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> view = curves(results, "n", "AARI")
    >>> for line in view.panels[0].lines:
    ...     print(line.name, [(point.x, round(point.average, 2)) for point in line.points])
    Single [(4.0, 1.0), (6.0, 1.0)]
    Complete [(4.0, 1.0), (6.0, -0.07)]
    """
    return _draw(results, find_axis(results, x), find_metric(results, metric), fit=False)


def scaling(results: Comparison, metric: str = "seconds", x: str | None = None) -> CurveView:
    """A cost against the number of items, with the exponents of fitted power laws.

    Parameters
    ----------
    results : Results
    metric : str
    x : str, optional
        By default the number of items; if that is constant or unknown, the only numeric parameter
        of the data sets that varies.

    Raises
    ------
    HcbenchError
        If there is no such axis.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> view = scaling(results, "seconds")
    >>> [line.name for line in view.panels[0].lines]
    ['Single', 'Complete']
    >>> [point.x for point in view.panels[0].lines[0].points]
    [4.0, 6.0]
    """
    if x:
        axis = find_axis(results, x)
    else:
        axis = _size_axis(results)
    return _draw(results, axis, find_metric(results, metric), fit=True)


def _size_axis(results: Comparison) -> Axis:
    """The number of items, or the only axis of the data sets."""
    axes = axes_of(results)
    for axis in axes:
        if axis.kind == "n":
            return axis
    of_data = [axis for axis in axes if axis.kind == "dataset"]
    if len(of_data) == 1:
        return of_data[0]
    listed = ", ".join([axis.id for axis in axes]) or "nothing varies"
    raise HcbenchError(
        "the number of items is the same in all data sets, or unknown; choose another axis: "
        f"{listed}"
    )


def _draw(results: Comparison, axis: Axis, metric: MetricInfo, *, fit: bool) -> CurveView:
    """A metric against an axis; with ``fit``, with power laws."""
    panels = []
    for title, placed in place_groups(results, axis):
        lines = _lines_of_panel(results, placed, metric, fit=fit)
        if lines:
            panels.append(Panel(title, lines))
    if not panels:
        raise HcbenchError(f"{metric.label} has no values at two places of {axis.name}")
    return CurveView(
        x=axis,
        metric=metric,
        panels=tuple(panels),
        interval=INTERVAL.format(metric.average),
    )


def _lines_of_panel(
    results: Comparison, placed: Sequence[Placed], metric: MetricInfo, *, fit: bool
) -> tuple[Line, ...]:
    """The lines of a panel; none if its points have fewer than two places."""
    on_axis: dict[str, dict[float, list[Group]]] = {}
    off_axis: dict[str, list[Group]] = {}
    for item in placed:
        if item.place is None:
            off_axis.setdefault(item.line, []).append(item.group)
        else:
            of_line = on_axis.setdefault(item.line, {})
            of_line.setdefault(item.place, []).append(item.group)

    lines = []
    for name, groups_at in on_axis.items():
        lines.append(_line(results, name, groups_at, metric, fit=fit))
    places: set[float] = set()
    for line in lines:
        for point in line.points:
            places.add(point.x)
    if len(places) < 2:
        return ()

    # Without the parameter, an algorithm is the same everywhere: a flat line between the ends.
    for name, groups in off_axis.items():
        ends = {min(places): groups, max(places): groups}
        lines.append(_line(results, name, ends, metric, flat=True))
    return _in_order(results, lines)


def _line(
    results: Comparison,
    name: str,
    groups_at: Mapping[float, Sequence[Group]],
    metric: MetricInfo,
    *,
    fit: bool = False,
    flat: bool = False,
) -> Line:
    """The line of some groups, which are given by their x."""
    points = []
    families: set[str] = set()
    for x in sorted(groups_at):
        groups = groups_at[x]
        for group in groups:
            families.add(results.families[group.dataset])
        point = _point(x, groups, metric)
        if point is not None:
            points.append(point)

    law = None
    # Of several families the sizes would be compared together with everything else.
    if fit and len(families) == 1:
        law = _fit(points)
    # All groups of a line have the same algorithm.
    first = next(iter(groups_at.values()))[0]
    return Line(
        name=name,
        algorithm=first.algorithm,
        reference=results.is_reference(first),
        flat=flat,
        points=tuple(points),
        fit=law,
    )


def _point(x: float, groups: Sequence[Group], metric: MetricInfo) -> CurvePoint | None:
    """The average of all repetitions of some groups; None if it is not finite."""
    numbers: list[float] = []
    n_failed = 0
    is_exact = True
    for group in groups:
        numbers += group.numbers(metric)
        n_failed += group.failed(metric)
        is_exact = is_exact and group.is_exact(metric)
    summary = summarise(numbers, metric.average, metric.support, deterministic=is_exact)
    if summary.average is None or not math.isfinite(summary.average):
        return None
    return CurvePoint(
        x=x,
        average=summary.average,
        low=summary.low,
        high=summary.high,
        n=summary.n,
        failed=n_failed,
    )


def _fit(points: Sequence[CurvePoint]) -> PowerLaw | None:
    """The power law of points; None of too few, or if one has no logarithm."""
    if len(points) < LEAST_SIZES:
        return None
    x = []
    y = []
    for point in points:
        # Without logarithms of some points, the fit to the others would look too good.
        if not (point.x > 0 and point.average > 0):
            return None
        x.append(point.x)
        y.append(point.average)
    # Not imported above, as it takes long.
    from scipy.stats import t

    exponent, factor, error = fit_power_law(x, y)
    # The 95 % interval of a slope by least squares: n - 2 degrees of freedom.
    margin = float(t.ppf(0.975, len(points) - 2)) * (error or 0.0)
    return PowerLaw(
        exponent=exponent,
        low=exponent - margin,
        high=exponent + margin,
        factor=factor,
        n_points=len(points),
    )


def _in_order(results: Comparison, lines: Sequence[Line]) -> tuple[Line, ...]:
    """Lines that have points, in the order of the algorithms; reference lines last."""
    order = {label: i for i, label in enumerate(results.algorithms)}
    drawn = [line for line in lines if line.points]
    return tuple(sorted(drawn, key=lambda line: (line.reference, order[line.algorithm])))
