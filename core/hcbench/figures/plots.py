"""Drawing functions for the figures of suites; public as ``hcbench.figures``.

Matplotlib is imported when something is drawn, without pyplot, so that there are no windows and no
global state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.analysis.axes import find_metric, is_wide
from hcbench.analysis.groups import KINDS
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.figures.palette import looks_for
from hcbench.model.text import printable
from hcbench.registry.names import split_parameter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from hcbench.analysis.groups import Group
    from hcbench.analysis.statistics import Summary
    from hcbench.figures.view import FigureView
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results

#: Characters of a name of a leaf; the rest of a figure would have no room beside longer ones.
LONGEST_NAME = 44
#: With more places, matplotlib chooses the ticks.
_MOST_TICKS = 8
_SCALED = {"s": "s", "bytes": "B"}  # units whose ticks are ms, MB and the like
_STYLE: Any = {  # matplotlib types each key
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "savefig.dpi": 150,
    "pdf.fonttype": 42,  # embed whole fonts
    "svg.fonttype": "path",  # letters as shapes: no font is needed
    "svg.hashsalt": "hcbench",  # equal drawings give equal files
}


def style() -> AbstractContextManager[None]:
    """A context with the matplotlib settings of all figures.

    Raises
    ------
    HcbenchError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> with style():
    ...     matplotlib.rcParams["axes.spines.top"]
    False
    """
    try:
        import matplotlib
    except ImportError as error:
        raise HcbenchError(
            'figures need matplotlib, which is not installed: pip install "hcbench[figures]"'
        ) from error
    return matplotlib.rc_context(_STYLE)


def new_figure(
    width: float = 5.6, height: float = 3.6, *, rows: int = 1, columns: int = 1
) -> tuple[Figure, Any]:
    """A figure with axes.

    Parameters
    ----------
    width, height : float
        In inches.
    rows, columns : int

    Returns
    -------
    figure : Figure
    axes : Axes, or (rows, columns) array of them without the sides that are 1

    Examples
    --------
    >>> figure, axes = new_figure(6, 3, columns=2)
    >>> axes.shape
    (2,)
    >>> figure.get_size_inches().tolist()
    [6.0, 3.0]
    """
    with style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns)


def plain(text: str) -> str:
    r"""Text for matplotlib: an unescaped dollar sign begins mathematics, and SVG has rules.

    Examples
    --------
    >>> plain("price in $")
    'price in \\$'
    """
    return printable(text).replace("$", r"\$")


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """A name of at most so many characters; a longer one has an ellipsis in the middle.

    Examples
    --------
    >>> shortened("Iris setosa of the Gaspe Peninsula", most=15)
    'Iris se…ninsula'
    """
    text = " ".join(name.split())
    if len(text) <= most:
        return text
    behind = (most - 1) // 2
    return f"{text[: most - 1 - behind]}…{text[-behind:]}"


def averages_of(points: Sequence[Any]) -> tuple[NDArray[np.float64], ...]:
    """Averages and both ends of their intervals; the average itself where there is no interval."""
    averages = []
    lows = []
    highs = []
    for point in points:
        averages.append(point.average)
        low = point.average
        if point.low is not None:
            low = point.low
        lows.append(low)
        high = point.average
        if point.high is not None:
            high = point.high
        highs.append(high)
    return (
        np.array(averages, dtype=np.float64),
        np.array(lows, dtype=np.float64),
        np.array(highs, dtype=np.float64),
    )


def mark_places(ax: Axes, places: Sequence[float]) -> None:
    """Put a tick at each x, if they are few.

    Examples
    --------
    >>> _, ax = hcbench.figures.new_figure()
    >>> line = ax.plot([10, 20, 40], [0.5, 0.7, 0.8])
    >>> mark_places(ax, [10, 20, 40])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['10', '20', '40']
    """
    if 1 < len(places) <= _MOST_TICKS:
        texts = [f"{place:g}" for place in places]
        ax.set_xticks(places, texts)
        # A logarithmic scale has ticks between powers of ten, too.
        ax.set_xticks([], minor=True)


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

    Bars are 95 % intervals of the average, which is the mean, of times the median.
    Reference lines are grey, and not solid. Repetitions without a value are excluded, as in tables.

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

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["RatingLinkage"], data, metrics=["AARI"], budget=[4, 15], repetitions=1, progress=False
    ... )
    >>> ax = curves(results, x="budget", metric="AARI")
    >>> ax.get_xlabel()
    'budget'
    >>> [float(place) for place in ax.get_xticks()]
    [4.0, 15.0]
    """
    results: Results = getattr(view, "results", view)  # type: ignore[arg-type]
    info = find_metric(results, metric)
    keys: Sequence[str] = group
    if isinstance(group, str):
        keys = [group]
    groups_of_lines = _lines(results, x, keys, where)
    lines = {}
    for name, groups in groups_of_lines.items():
        points = _points_of_line(groups, info)
        if points:
            lines[name] = points
    if not lines:
        raise DataNotAvailableError(f"nothing has {metric} along {x}")
    if ax is None:
        _, ax = new_figure()
    references = set()
    for name in lines:
        is_reference = list(map(results.is_reference, groups_of_lines[name].values()))
        if all(is_reference):
            references.add(name)
    names = labels or {}
    with style():
        for number, (name, look) in enumerate(looks_for(list(lines), references).items()):
            label = names.get(name, plain(name))
            # Markers become smaller, so that lines that coincide show through.
            size = max(7.5 - number, 4.0)
            _draw_line(ax, lines[name], label=label, markersize=size, **look.style)
        _scale_axes(ax, lines, log_x=log_x, log_y=log_y)
        _label_axes(ax, x, info)
        _add_names(ax, len(lines))
    return ax


#: The places and averages of a line.
_Points = list[tuple[float, "Summary"]]


def _points_of_line(groups: Mapping[float, Group], metric: MetricInfo) -> _Points:
    """The averages of a line that can be drawn, from left to right."""
    points = []
    for place in sorted(groups):
        summary = groups[place].summary(metric)
        if summary.average is not None and math.isfinite(summary.average):
            points.append((place, summary))
    return points


def _scale_axes(ax: Axes, lines: Mapping[str, _Points], *, log_x: bool | None, log_y: bool) -> None:
    """Choose the scales, and put ticks at few places."""
    places = set()
    is_any_positive = False
    for points in lines.values():
        for place, summary in points:
            places.add(place)
            if (summary.average or 0) > 0:
                is_any_positive = True
    ticks = sorted(places)
    if log_x is None:
        log_x = is_wide(ticks)
    if log_x:
        ax.set_xscale("log")
    mark_places(ax, ticks)
    # A logarithmic scale of zeros only would be empty.
    if log_y and is_any_positive:
        ax.set_yscale("log")


def name_with_unit(ax: Axes, metric: MetricInfo) -> str:
    """The label of a vertical axis; the ticks have seconds and bytes, the label other units."""
    if metric.unit in _SCALED:
        from matplotlib.ticker import EngFormatter

        ax.yaxis.set_major_formatter(EngFormatter(_SCALED[metric.unit]))
        return metric.label
    if metric.unit in ("", metric.label):
        return metric.label
    return f"{metric.label} [{metric.unit}]"


def _label_axes(ax: Axes, x: str, metric: MetricInfo) -> None:
    ax.set_ylabel(f"{name_with_unit(ax, metric)}\n{metric.average} and 95 % interval")
    ax.set_xlabel(x.rpartition(".")[2])
    ax.grid(visible=True, axis="y")


def _add_names(ax: Axes, n_lines: int) -> None:
    """The name of a single line is the title; others are in a legend."""
    if n_lines == 1:
        _, labels = ax.get_legend_handles_labels()
        ax.set_title(labels[0])
    elif n_lines <= _BESIDE:
        ax.legend()
    else:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


def _draw_line(ax: Axes, points: _Points, **look: Any) -> None:
    x, summaries = zip(*points, strict=True)
    average, low, high = averages_of(summaries)
    ax.errorbar(x, average, yerr=(average - low, high - average), capsize=2, elinewidth=0.9, **look)


def _lines(
    results: Results,
    x: str,
    keys: Sequence[str],
    where: Callable[[Mapping[str, Any]], bool] | None,
) -> dict[str, dict[float, Group]]:
    """The groups of each line by x, in the order of the results."""
    lines: dict[str, dict[float, Group]] = {}
    for group in results.groups:
        place, labels = _placed(group, x, results)
        if place is None:
            continue
        # Without the parameter x, the groups of one line have equal labels.
        properties: dict[str, Any] = dict(labels)
        properties["budget"] = group.budget
        properties["x"] = place
        if where is not None:
            # The condition of the caller is on whole labels.
            full_labels = {kind: getattr(group, kind) for kind in KINDS}
            if not where(properties | full_labels):
                continue
        texts = [str(properties[key]) for key in keys]
        name = " / ".join(texts)
        line = lines.setdefault(name, {})
        if place in line:
            raise _two_runs(x, place, line[place], group)
        line[place] = group
    return lines


def _two_runs(x: str, place: float, first: Group, second: Group) -> HcbenchError:
    """The error of two groups at one place of a line."""
    runs = []
    for group in (first, second):
        runs.append(f"{group.algorithm} on {group.dataset} through {group.oracle}")
    return HcbenchError(
        f"two runs have {x} = {place:g} on one line: {runs[0]}, and {runs[1]}; "
        "select one by where, or separate them by group"
    )


def _placed(group: Group, x: str, results: Results) -> tuple[float | None, dict[str, str]]:
    """The x of a group, and its labels without that parameter."""
    labels = {kind: str(getattr(group, kind)) for kind in KINDS}
    if x in ("budget", "checkpoint") or group.checkpoint is not None:
        return _point(group, x), labels
    kind, dot, parameter = x.rpartition(".")
    if dot and kind not in KINDS:
        raise HcbenchError(f"x is a parameter of algorithm, dataset or oracle; got {x!r}")
    # Without a kind, such as "dataset." before it, the parameter may be of any.
    kinds = list(KINDS)
    if dot:
        kinds = [kind]
    place: float | None = None
    for searched_kind in kinds:
        parameters = results.parameters.get(KINDS[searched_kind], {})
        rest, value = split_parameter(labels[searched_kind], parameter, parameters)
        if value is None:
            continue
        if place is not None:
            raise HcbenchError(
                f"the parameter {parameter} is ambiguous; write algorithm.{parameter}, "
                f"dataset.{parameter} or oracle.{parameter}"
            )
        place = value
        labels[searched_kind] = rest
    return place, labels


def _point(group: Group, x: str) -> float | None:
    """The budget or the checkpoint of a group; None if it has none."""
    if x == "budget" and group.checkpoint is not None:
        # A state before the end has not used its budget.
        return None
    point = getattr(group, x, None)
    if point is None:
        return None
    return float(point)
