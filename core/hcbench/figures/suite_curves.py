"""Curves of a suite: a metric against a parameter, as a `hcbench.Figure` describes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import find_metric
from hcbench.analysis.statistics import summarise
from hcbench.claims.descriptions import describe_claimed
from hcbench.claims.sides import NotMeasuredError, Side, find_group
from hcbench.claims.verdicts import Verdict
from hcbench.errors import DataNotAvailableError
from hcbench.figures.draw_charts import add_caption
from hcbench.figures.palette import GUIDE, looks_for
from hcbench.figures.plots import mark_places, new_figure, plain
from hcbench.model.numbers import read_number
from hcbench.registry.names import format_name, format_value, parse_name
from hcbench.results.verdict_tables import count_verdicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.analysis.groups import Group
    from hcbench.analysis.intervals import Support
    from hcbench.claims.family_verdicts import FamilyVerdict
    from hcbench.figures.view import FigureView
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.parameters import Value
    from hcbench.registry.suite import Figure
    from hcbench.results.results import Results

#: Panels beside each other; with more, a row for each value of the first parameter.
_MOST_COLUMNS = 4
#: Inches of a letter in the legend, and of a line of a caption.
_LETTER = 0.07
_CAPTION = 0.14
#: The lines of a panel with intervals are apart by this factor, or by this share of the axis.
_APART = 0.07
_APART_LINEAR = 1 / 30
#: More claims are counted below a figure, and not listed.
_MOST_CLAIMS = 8
#: Line styles of bounds, in their order; a fifth bound is not drawn.
_STYLES = ("--", ":", "-", "-.")


@dataclass(slots=True)
class _Panel:
    """What is drawn in a panel, by x.

    Attributes
    ----------
    lines : mapping of label to mapping of x to list of float
        The values of all repetitions.
    bounds : mapping of name to mapping of x to float
    """

    lines: dict[str, dict[float, list[float]]] = field(default_factory=dict)
    bounds: dict[str, dict[float, float]] = field(default_factory=dict)


def draw_curves(figure: Figure, view: FigureView) -> Drawing:
    """The curves that a figure of a suite describes.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    panels = collect_panels(figure, view.results)
    columns = min(len(panels), _MOST_COLUMNS)
    rows = math.ceil(len(panels) / columns)
    names = _names_of_lines(panels)
    # Room for the legend on the right.
    longest = max(map(len, names + list(figure.bound)))
    width = 3.1 * columns + _LETTER * longest + 1.0
    drawing, axes = new_figure(width, 3.2 * rows, rows=rows, columns=columns)
    # Without further panels, matplotlib returns the axes themselves instead of an array.
    places = [axes]
    if len(panels) > 1:
        places = axes.ravel().tolist()

    support = find_metric(view.results, figure.metric).support
    # The last row may have fewer panels than columns.
    for ax, (title, panel) in zip(places, panels.items(), strict=False):
        _draw_panel(ax, panel, figure, names, support)
        ax.set_title(plain(title))
    for ax in places[len(panels) :]:
        ax.remove()
    for first in range(0, len(panels), columns):
        places[first].set_ylabel(plain(_title(figure)))
    _add_legend(places[: len(panels)], places[columns - 1])
    return drawing


def _names_of_lines(panels: Mapping[str, _Panel]) -> list[str]:
    """The names of the lines of all panels, each once, in the order in which they first occur."""
    names: dict[str, None] = {}
    for panel in panels.values():
        names.update(dict.fromkeys(panel.lines))
    return list(names)


def _add_legend(panels: Sequence[Axes], rightmost: Axes) -> None:
    """One legend of what has a label in any panel, on the right of the first row."""
    handle_of_label: dict[str, Any] = {}
    for ax in panels:
        handles, labels = ax.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            handle_of_label.setdefault(label, handle)
    rightmost.legend(
        list(handle_of_label.values()),
        list(handle_of_label),
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0.0,
    )


def collect_panels(figure: Figure, results: Results) -> dict[str, _Panel]:
    """The data of a figure by the title of the panel, in the order of the results.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    panels: dict[str, _Panel] = {}
    metric = find_metric(results, figure.metric)
    groups: Iterable[Group] = results.groups
    if figure.only_claimed:
        groups = _claimed_groups(figure, results, metric)
    for group in groups:
        parameters = _parameters(group, results)
        # The horizontal axis has numbers only: a text, or a missing parameter, has no place there.
        x = parameters.get(figure.x)
        if isinstance(x, str | bool | None | tuple) or not _is_drawn(figure, parameters):
            continue
        numbers = group.numbers(metric)
        if not numbers:
            continue
        # Values may be shown in units of another metric.
        unit = 1.0
        if figure.per:
            unit = _mean_of(group, figure.per, results)
        panel = panels.setdefault(_names_of(figure.panel, parameters), _Panel())
        line = panel.lines.setdefault(_line_name(figure, group, parameters), {})
        line[float(x)] = [number / unit for number in numbers]
        # A bound is a number, or a metric that says where it is.
        for bound in figure.bound:
            height = read_number(bound)
            if height is None:
                height = _mean_of(group, bound, results) / unit
            panel.bounds.setdefault(bound, {})[float(x)] = height
    if not panels:
        raise DataNotAvailableError(f"{figure.metric} was not measured against {figure.x}")
    return panels


def _claimed_groups(figure: Figure, results: Results, metric: MetricInfo) -> list[Group]:
    """What the claims of a figure are about, as far as it was run."""
    groups = []
    for family in _families_of(figure, results):
        for verdict in family.verdicts:
            claim = verdict.claim
            side = Side(claim.algorithm, claim.dataset, claim.oracle, claim.checkpoint, metric)
            with suppress(NotMeasuredError):
                groups.append(find_group(side, results))
    return groups


def _families_of(figure: Figure, results: Results) -> list[FamilyVerdict]:
    """The claims that a figure shows."""
    families = []
    for family in results.judged_families:
        if family.claim.claim.startswith(figure.claims):
            families.append(family)
    return families


def _parameters(group: Group, results: Results) -> dict[str, Value]:
    """All parameters of a group, as figures name them."""
    parameters: dict[str, Value] = {}
    for kind in ("algorithm", "dataset", "oracle"):
        parameters_by_label = results.parameters.get(f"{kind}s", {})
        label = getattr(group, kind)
        for name, value in parameters_by_label.get(label, {}).items():
            parameters[f"{kind}.{name}"] = value
    return parameters


def _is_drawn(figure: Figure, parameters: Mapping[str, Value]) -> bool:
    for condition in figure.where:
        name, _, value = condition.partition("=")
        if name not in parameters or format_value(parameters[name]) != value:
            return False
    return True


def _mean_of(group: Group, metric: str, results: Results) -> float:
    numbers = group.numbers(find_metric(results, metric))
    if not numbers:
        raise DataNotAvailableError(f"{metric} was not measured")
    return _mean(numbers)


def _names_of(names: Sequence[str], parameters: Mapping[str, Value]) -> str:
    texts = []
    for name in names:
        if name in parameters:
            texts.append(f"{name.partition('.')[2]} = {format_value(parameters[name])}")
    return ", ".join(texts)


def _line_name(figure: Figure, group: Group, parameters: Mapping[str, Value]) -> str:
    """The values of the parameters of lines; or the algorithm without those of x and panels."""
    if figure.line:
        return _names_of(figure.line, parameters)
    name = parse_name(group.algorithm)
    # These are on the axis and in the titles of panels.
    shown_elsewhere = (figure.x,) + figure.panel
    params = {}
    for parameter, value in name.params.items():
        if f"algorithm.{parameter}" not in shown_elsewhere:
            params[parameter] = value
    return format_name(name.base, params)


def _draw_panel(
    ax: Axes, panel: _Panel, figure: Figure, names: Sequence[str], support: Support
) -> None:
    places: set[float] = set()
    for line in panel.lines.values():
        places.update(line)
    all_x = sorted(places)
    _draw_lines(ax, panel, figure, names, all_x, support)
    for style, (name, heights) in zip(_STYLES, panel.bounds.items(), strict=False):
        sizes = sorted(heights)
        bound = [heights[x] for x in sizes]
        ax.plot(sizes, bound, color=GUIDE, linestyle=style, label=plain(name))
    if "x" in figure.log:
        ax.set_xscale("log")
    if "y" in figure.log:
        ax.set_yscale("log")
    if figure.limits:
        low, high = figure.limits
        ax.set_ylim(low, high)
        _tell_beyond(ax, panel, high)
    mark_places(ax, all_x)
    ax.set_xlabel(plain(figure.x.partition(".")[2]))
    ax.grid(visible=True, axis="y")


def _draw_lines(
    ax: Axes,
    panel: _Panel,
    figure: Figure,
    names: Sequence[str],
    all_x: Sequence[float],
    support: Support,
) -> None:
    """The means of each line, with the band that the figure asks for."""
    looks = looks_for(names)
    for number, name in enumerate(names):
        line = panel.lines.get(name, {})
        if not line:
            continue
        look: dict[str, Any] = {
            "label": plain(name),
            "color": looks[name].colour,
            "marker": looks[name].marker,
        }
        sizes = sorted(line)
        means = [_mean(line[x]) for x in sizes]
        if figure.band == "interval":
            # Points without lines, as intervals of several lines stand beside each other.
            apart = number - (len(names) - 1) / 2
            shifted = _shifted(sizes, apart, all_x, is_log="x" in figure.log)
            errors = _errors([line[x] for x in sizes], means, support)
            ax.errorbar(shifted, means, yerr=errors, linestyle="", elinewidth=0.9, **look)
        else:
            ax.plot(sizes, means, **look)
        if figure.band == "maximum":
            greatest = [max(line[x]) for x in sizes]
            ax.plot(sizes, greatest, "_", color=look["color"], markersize=9)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _tell_beyond(ax: Axes, panel: _Panel, limit: float) -> None:
    """Name the line that exceeds the range of the axis most."""
    greatest = limit
    beyond = ""
    for name, line in panel.lines.items():
        for values in line.values():
            mean = _mean(values)
            if mean > greatest:
                greatest = mean
                beyond = f"{name}: up to {mean:.3g}"
    if beyond:
        corner: dict[str, Any] = {
            "transform": ax.transAxes,
            "ha": "right",
            "va": "top",
            "fontsize": 7,
        }
        ax.text(0.98, 0.98, plain(beyond), **corner)


def _shifted(
    sizes: Sequence[float], apart: float, all_x: Sequence[float], *, is_log: bool
) -> list[float]:
    """Places beside x, so that the intervals of several lines do not cover each other."""
    if is_log:
        return [x * (1 + _APART * apart) for x in sizes]
    width = all_x[-1] - all_x[0]
    return [x + _APART_LINEAR * width * apart for x in sizes]


def _errors(
    samples: Sequence[Sequence[float]], means: Sequence[float], support: Support
) -> list[list[float]]:
    """The lengths of the intervals below and above the means."""
    below = []
    above = []
    for sample, mean in zip(samples, means, strict=True):
        summary = summarise(sample, support=support)
        # One repetition has no interval.
        length_below = 0.0
        if summary.low is not None:
            length_below = mean - summary.low
        below.append(length_below)
        length_above = 0.0
        if summary.high is not None:
            length_above = summary.high - mean
        above.append(length_above)
    return [below, above]


def _title(figure: Figure) -> str:
    text = figure.metric
    if figure.per:
        text += f" / {figure.per}"
    more = {"": "mean", "interval": "mean, 95 % interval", "maximum": "mean; bars: maximum"}
    return f"{text}\n{more[figure.band]}"


def add_claims(drawing: Drawing, figure: Figure, results: Results) -> None:
    """Write the claims that a figure shows below it, with their verdicts.

    More than `_MOST_CLAIMS` of them are counted by how they begin.
    """
    families = _families_of(figure, results)
    lines = []
    if len(families) <= _MOST_CLAIMS:
        for family in families:
            claim = family.claim
            lines.append(f"{claim.claim} ({describe_claimed(claim)}): {family.verdict}")
    else:
        for start in figure.claims:
            verdicts: list[Verdict] = []
            for family in families:
                if family.claim.claim.startswith(start):
                    verdicts += family.verdicts
            lines.append(f"{start}: {count_verdicts(verdicts)}")
    if lines:
        width, height = drawing.get_size_inches()
        # Room for the caption: its lines, some of which are broken. An inch has 18 letters.
        n_letters = sum(len(line) for line in lines)
        n_rows = len(lines) + n_letters / (18 * width)
        drawing.set_size_inches(width, height + _CAPTION * n_rows)
        add_caption(drawing, lines)
