"""Curves: the average of a metric against a numeric parameter, one line per algorithm."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import find_metric, is_wide
from hcbench.analysis.groups import KINDS
from hcbench.analysis.palette import looks_for
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.registry.names import split_parameter
from hcbench.show.plots.settings import averages_of, mark_places, new_figure, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.analysis.statistics import Summary
    from hcbench.show.figures import FigureView

_BESIDE = 5  # with more lines the legend is beside the axes


def curves(
    view: FigureView | Results,
    *,
    x: str,
    metric: str,
    group: str | Sequence[str] = "algorithm",
    ax: Axes | None = None,
    where: Callable[[Mapping[str, Any]], bool] | None = None,
    labels: Mapping[str, str] | None = None,
    log_x: bool | None = None,
    log_y: bool = False,
) -> Axes:
    """Draw the average of a metric against a numeric parameter, one line per algorithm.

    Bars are 95 % bootstrap intervals of the average, which is the mean, of times the median.
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
    drawn = {}
    for name, groups in lines.items():
        summaries = [(place, groups[place].summary(info)) for place in sorted(groups)]
        drawn[name] = [
            (place, s)
            for place, s in summaries
            if s.average is not None and math.isfinite(s.average)
        ]
    drawn = {name: points for name, points in drawn.items() if points}
    if not drawn:
        raise DataNotAvailableError(f"nothing has {metric} along {x}")
    if ax is None:
        _, ax = new_figure()
    references = {n for n in drawn if all(results.is_reference(g) for g in lines[n].values())}
    names = labels or {}
    places = sorted({place for points in drawn.values() for place, _ in points})
    with style():
        for k, (name, look) in enumerate(looks_for(list(drawn), references).items()):
            label = names.get(name, plain(name))
            # Markers become smaller, so that lines that coincide show through.
            _draw_line(ax, drawn[name], label=label, markersize=max(7.5 - k, 4.0), **look.style)
        if is_wide(places) if log_x is None else log_x:
            ax.set_xscale("log")
        mark_places(ax, places)
        if log_y:
            ax.set_yscale("log")
        unit = f" [{info.unit}]" if info.unit else ""
        ax.set_ylabel(f"{info.label}{unit}\n{info.average} and 95 % interval")
        ax.set_xlabel(x.rpartition(".")[2])
        ax.grid(visible=True, axis="y")
        if len(drawn) == 1:
            ax.set_title(ax.get_legend_handles_labels()[1][0])
        elif len(drawn) <= _BESIDE:
            ax.legend()
        else:
            ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return ax


def _draw_line(ax: Axes, points: Sequence[tuple[float, Summary]], **look: Any) -> None:
    average, low, high = averages_of([summary for _, summary in points])
    x = [place for place, _ in points]
    ax.errorbar(x, average, yerr=(average - low, high - average), capsize=2, elinewidth=0.9, **look)


def _lines(
    results: Results,
    x: str,
    named: Sequence[str],
    where: Callable[[Mapping[str, Any]], bool] | None,
) -> dict[str, dict[float, Group]]:
    """The groups of each line by x, in the order of the results."""
    lines: dict[str, dict[float, Group]] = {}
    for group in results.groups:
        place, labels = _placed(group, x, results)
        about = {**labels, "budget": group.budget, "x": place}
        full = {**about, **{kind: getattr(group, kind) for kind in KINDS}}
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
    if x in ("budget", "checkpoint") or group.checkpoint is not None:
        place = getattr(group, x, None)
        other = x == "budget" and group.checkpoint is not None
        return (None if place is None or other else float(place)), labels
    kind, dot, parameter = x.rpartition(".")
    found: float | None = None
    for name in (kind,) if dot else KINDS:
        if name not in KINDS:
            raise HcbenchError(f"x is a parameter of algorithm, dataset or oracle; got {x!r}")
        known = results.parameters.get(KINDS[name], {})
        rest, value = split_parameter(labels[name], parameter, known)
        if value is None:
            continue
        if found is not None:
            raise HcbenchError(
                f"the parameter {parameter} is ambiguous; write algorithm.{parameter}, "
                f"dataset.{parameter} or oracle.{parameter}"
            )
        found, labels[name] = value, rest
    return found, labels
