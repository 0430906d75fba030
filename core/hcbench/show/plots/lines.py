"""Curves: the mean of a metric against a numeric parameter, one line per algorithm."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hcbench.analysis.groups import KINDS
from hcbench.analysis.statistics import mean_and_std
from hcbench.analysis.views.axes import find_metric, is_wide
from hcbench.analysis.views.palette import looks_for
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.registry.labels import split_parameter
from hcbench.show.plots.settings import mark_places, new_figure, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo
    from hcbench.show.figures import FigureView

Spread = Literal["standard error", "standard deviation"]


def curves(
    view: FigureView | Results,
    *,
    x: str,
    metric: str,
    group: str | Sequence[str] = "algorithm",
    ax: Axes | None = None,
    where: Callable[[Mapping[str, Any]], bool] | None = None,
    spread: Spread = "standard error",
    labels: Mapping[str, str] | None = None,
    log_x: bool | None = None,
    log_y: bool = False,
) -> Axes:
    """Draw the mean of a metric against a numeric parameter, one line per algorithm.

    Reference lines are grey and dashed. Repetitions without a value are excluded, as in tables.

    Parameters
    ----------
    view : FigureView or Results
    x : str
        A parameter of the data sets, the oracles or the algorithms; ``"dataset.p"`` if more than
        one of these has it. Or ``"budget"``, or ``"checkpoint"``.
    metric : str
        Label of a metric, or a cost.
    group : str or sequence of str
        What distinguishes lines: some of ``"algorithm"``, ``"dataset"``, ``"oracle"`` and
        ``"budget"``.
    ax : Axes, optional
        By default those of a new figure, ``ax.figure``.
    where : callable, optional
        Selects the runs to draw. It is given a mapping with the labels ``algorithm``, ``dataset``
        and ``oracle``, the ``budget`` and ``x``.
    spread : {"standard error", "standard deviation"}
        What the bars show.
    labels : mapping of str to str, optional
        Names of lines in the legend, if not the labels.
    log_x : bool, optional
        By default if the largest x is more than 30 times the smallest.
    log_y : bool

    Returns
    -------
    Axes

    Raises
    ------
    DataNotAvailableError
        If there is no value to draw.
    HcbenchError
        If several runs have the same x on one line; ``group`` or ``where`` separates them.
    """
    results: Results = getattr(view, "results", view)  # type: ignore[arg-type]
    info = find_metric(results, metric)
    lines = _lines(results, x, (group,) if isinstance(group, str) else tuple(group), where)
    drawn = {
        name: points for name, runs in lines.items() if (points := _points(runs, info, spread)).x
    }
    if not drawn:
        raise DataNotAvailableError(f"nothing has {metric} along {x}")
    if ax is None:
        _, ax = new_figure()
    places = sorted({place for points in drawn.values() for place in points.x})
    references = {
        name for name in drawn if all(results.is_reference(g) for g in lines[name].values())
    }
    with style():
        _draw_lines(ax, drawn, labels or {}, references)
        _finish(ax, x, info, spread, places, log_x, log_y)
    return ax


@dataclass(frozen=True, slots=True)
class _Points:
    """The points of one line, as lists of equal length."""

    x: list[float]
    y: list[float]
    error: list[float]


_Lines = dict[str, dict[float, "Group"]]


def _lines(
    results: Results,
    x: str,
    named: Sequence[str],
    where: Callable[[Mapping[str, Any]], bool] | None,
) -> _Lines:
    """The groups of each line by x, in the order of the results."""
    lines: _Lines = {}
    for group in results.groups:
        place, labels = _placed(group, x, results)
        about = {**labels, "budget": group.budget, "x": place}
        full = {
            **about,
            "algorithm": group.algorithm,
            "dataset": group.dataset,
            "oracle": group.oracle,
        }
        if place is None or not (where is None or where(full)):
            continue
        line = lines.setdefault(" / ".join(str(about[name]) for name in named), {})
        other = line.setdefault(place, group)
        if other is not group:
            both = [f"{g.algorithm} on {g.dataset} through {g.oracle}" for g in (other, group)]
            raise HcbenchError(
                f"two runs have {x} = {place:g} on one line: {both[0]}, and {both[1]}; "
                "select one by where, or separate them by group"
            )
    return lines


def _placed(group: Group, x: str, results: Results) -> tuple[float | None, dict[str, str]]:
    """The x of a group, and its labels without that parameter."""
    labels = {kind: str(getattr(group, kind)) for kind in KINDS}
    if x == "checkpoint":
        return None if group.checkpoint is None else float(group.checkpoint), labels
    if group.checkpoint is not None:
        return None, labels
    if x == "budget":
        return None if group.budget is None else float(group.budget), labels
    kind, dot, parameter = x.rpartition(".")
    place: float | None = None
    for name in (kind,) if dot else KINDS:
        if name not in KINDS:
            raise HcbenchError(f"x is a parameter of algorithm, dataset or oracle; got {x!r}")
        known = results.parameters.get(KINDS[name], {})
        rest, value = split_parameter(labels[name], parameter, known)
        if value is None:
            continue
        if place is not None:
            raise HcbenchError(
                f"the parameter {parameter} is ambiguous; write algorithm.{parameter}, "
                f"dataset.{parameter} or oracle.{parameter}"
            )
        place, labels[name] = value, rest
    return place, labels


def _points(runs: Mapping[float, Group], metric: MetricInfo, spread: Spread) -> _Points:
    points = _Points([], [], [])
    for place in sorted(runs):
        numbers = runs[place].numbers(metric)
        mean, std = mean_and_std(numbers)
        if mean is None or not math.isfinite(mean):
            continue
        scale = math.sqrt(len(numbers)) if spread == "standard error" else 1.0
        points.x.append(place)
        points.y.append(mean)
        points.error.append((std or 0.0) / scale)
    return points


def _draw_lines(
    ax: Axes,
    drawn: Mapping[str, _Points],
    labels: Mapping[str, str],
    references: set[str],
) -> None:
    size = 7.5
    for name, look in looks_for(list(drawn), references).items():
        points = drawn[name]
        ax.errorbar(
            points.x,
            points.y,
            yerr=points.error,
            label=labels.get(name, plain(name)),
            capsize=2,
            elinewidth=0.9,
            markersize=size,
            **look.style,
        )
        if name not in references:
            size = max(size - 1.0, 4.0)  # lines that coincide show through


_BESIDE = 5  # with more lines the legend is beside the axes


def _finish(
    ax: Axes,
    x: str,
    metric: MetricInfo,
    spread: Spread,
    places: Sequence[float],
    log_x: bool | None,
    log_y: bool,
) -> None:
    """Scales, axis labels, grid and legend."""
    if is_wide(places) if log_x is None else log_x:
        ax.set_xscale("log")
    mark_places(ax, places)
    if log_y:
        ax.set_yscale("log")
    ax.set_xlabel(x.rpartition(".")[2])
    unit = f" [{metric.unit}]" if metric.unit else ""
    ax.set_ylabel(f"{metric.label}{unit}\nmean ± {spread}")
    ax.grid(visible=True, axis="y")
    count = len(ax.get_legend_handles_labels()[0])
    if count > _BESIDE:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    elif count > 1:
        ax.legend()
    else:
        ax.set_title(ax.get_legend_handles_labels()[1][0])
