"""A metric along a number that varies: a line for each algorithm, with the spread of its mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.statistics import log_log_slope, mean_and_std, summarise
from hcbench.analysis.views.axes import (
    Axis,
    axes_of,
    failures_of,
    find_axis,
    find_metric,
    numbers_of,
)
from hcbench.analysis.views.panels import Placed, place_groups
from hcbench.errors import HcbenchError

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo

INTERVAL = "mean with its 95 % bootstrap interval"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of a line.

    Attributes
    ----------
    x, mean : float
    low, high : float or None
        95 % bootstrap interval of the mean; the mean itself where there is no spread.
    standard_error : float or None
        None for a single repetition.
    n : int
        Repetitions with a value.
    failed : int
        Repetitions without one because of a failure.
    """

    x: float
    mean: float
    low: float | None
    high: float | None
    standard_error: float | None
    n: int
    failed: int


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """``factor * x ** exponent``, fitted to the means by least squares of the logarithms.

    Attributes
    ----------
    exponent : float
    standard_error : float or None
        Of the exponent (see `hcbench.analysis.statistics.log_log_slope`).
    factor : float
    n_points : int
    """

    exponent: float
    standard_error: float | None
    factor: float
    n_points: int


@dataclass(frozen=True, slots=True)
class Line:
    """What one algorithm does.

    Attributes
    ----------
    name : str
        Its label, without the parameter along which it is drawn.
    algorithm : str
        One of its labels, by which its look is found.
    reference : bool
    flat : bool
        Whether it has no such parameter: it is the same at all places, of which it has two points,
        the first and the last.
    points : tuple of CurvePoint
        By rising x.
    fit : PowerLaw or None
        From two places on, of a metric above 0; only if it was asked for.
    """

    name: str
    algorithm: str
    reference: bool
    flat: bool
    points: tuple[CurvePoint, ...]
    fit: PowerLaw | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines that belong together: what else varies is the same for all of them.

    Attributes
    ----------
    title : str
        In what it differs from other panels.
    lines : tuple of Line
    """

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class CurveView:
    """A metric along an axis.

    Attributes
    ----------
    x : Axis
    metric : MetricInfo
    panels : tuple of Panel
    interval : str
        What the bands show.
    """

    x: Axis
    metric: MetricInfo
    panels: tuple[Panel, ...]
    interval: str = INTERVAL


def curves(results: Results, x: str, metric: str) -> CurveView:
    """A metric along a number that varies, a panel for each combination of what else does.

    Data sets, oracles and budgets that differ otherwise are panels; algorithms that do are lines.
    What has no parameter x, as an algorithm that asks no noisy oracle, is a flat line in all
    panels that it belongs to; data sets without it are not drawn.

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
        If x does not vary, or the metric has no value along it.
    """
    return _draw(results, find_axis(results, x), find_metric(results, metric), fit=False)


def scaling(results: Results, metric: str = "seconds", x: str | None = None) -> CurveView:
    """A cost against the number of items, with the exponents of the power laws that fit.

    Parameters
    ----------
    results : Results
    metric : str
    x : str, optional
        By default the number of items; where it is the same everywhere or not known, the only
        numeric parameter of the data sets that varies.

    Raises
    ------
    HcbenchError
        If there is no such axis.
    """
    axis = find_axis(results, x) if x else _size_axis(results)
    return _draw(results, axis, find_metric(results, metric), fit=True)


def _size_axis(results: Results) -> Axis:
    there = axes_of(results)
    of_data = [axis for axis in there if axis.kind == "dataset"]
    found = [axis for axis in there if axis.kind == "n"] or (of_data if len(of_data) == 1 else [])
    if found:
        return found[0]
    known = ", ".join(axis.id for axis in there) or "nothing does"
    raise HcbenchError(
        f"the number of items is the same in all data sets, as far as is known; say along what, "
        f"of what varies: {known}"
    )


def _draw(results: Results, axis: Axis, metric: MetricInfo, *, fit: bool) -> CurveView:
    panels = []
    for title, placed in place_groups(results, axis):
        moving = _lines(results, [p for p in placed if p.place is not None], metric, fit)
        places = sorted({point.x for line in moving for point in line.points})
        if len(places) > 1 or (places and len(axis.values) == 1):
            flat = _flat_lines(results, placed, metric, places)
            panels.append(Panel(title, _in_order(results, [*moving, *flat])))
    if not panels:
        raise HcbenchError(f"{metric.label} has no values at two places of {axis.name}")
    return CurveView(axis, metric, tuple(panels))


def _lines(results: Results, placed: Sequence[Placed], metric: MetricInfo, fit: bool) -> list[Line]:
    by_name: dict[str, dict[float, list[Placed]]] = {}
    for item in placed:
        assert item.place is not None
        by_name.setdefault(item.line, {}).setdefault(item.place, []).append(item)
    found = []
    for name, at in by_name.items():
        samples = {
            place: [x for item in at[place] for x in numbers_of(item.group, metric)]
            for place in sorted(at)
        }
        failed = {p: sum(failures_of(i.group, metric) for i in at[p]) for p in samples}
        points = [
            point
            for place, numbers in samples.items()
            if (point := _point(place, numbers, failed[place])) is not None
        ]
        if points:
            first = next(iter(at.values()))[0].group
            law = _fit([(p.x, samples[p.x]) for p in points]) if fit else None
            is_reference = results.is_reference(first)
            found.append(Line(name, first.algorithm, is_reference, False, tuple(points), law))
    return found


def _point(place: float, numbers: Sequence[float], failed: int) -> CurvePoint | None:
    found = summarise(numbers)
    if found.mean is None or not math.isfinite(found.mean):
        return None
    return CurvePoint(
        place, found.mean, found.low, found.high, found.standard_error, found.n, failed
    )


def _fit(samples: Sequence[tuple[float, Sequence[float]]]) -> PowerLaw | None:
    usable = [(x, numbers) for x, numbers in samples if x > 0]
    if len(usable) < 2:
        return None
    places = [x for x, _ in usable]
    slope, error = log_log_slope(places, [numbers for _, numbers in usable])
    if slope is None:
        return None
    logs = [math.log(mean_and_std(numbers)[0] or math.nan) for _, numbers in usable]
    middle = sum(logs) / len(logs) - slope * sum(map(math.log, places)) / len(places)
    return PowerLaw(slope, error, math.exp(middle), len(usable))


def _flat_lines(
    results: Results, placed: Sequence[Placed], metric: MetricInfo, places: Sequence[float]
) -> list[Line]:
    """Lines of what does not depend on x, from the first place to the last."""
    by_name: dict[str, list[Placed]] = {}
    for item in placed:
        if item.place is None:
            by_name.setdefault(item.line, []).append(item)
    found = []
    for name, items in by_name.items():
        numbers = [x for item in items for x in numbers_of(item.group, metric)]
        failed = sum(failures_of(item.group, metric) for item in items)
        points = [_point(place, numbers, failed) for place in (places[0], places[-1])]
        known = tuple(point for point in points if point is not None)
        if known:
            group = items[0].group
            found.append(Line(name, group.algorithm, results.is_reference(group), True, known))
    return found


def _in_order(results: Results, lines: Sequence[Line]) -> tuple[Line, ...]:
    """Lines in the order of the algorithms; reference lines last."""
    rank: Mapping[str, int] = {label: i for i, label in enumerate(results.algorithms)}
    return tuple(sorted(lines, key=lambda line: (line.reference, rank[line.algorithm])))
