"""The performance over commits: overall figures, regressions, and each benchmark of asv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis.tables import format_spread
from hcbench.figures.charts import Axis, Chart, Panel, Series
from hcbench.figures.palette import Look, looks_for
from hcbench.files.asv_results import EXACT_UNITS
from hcbench.pages.report.charts import draw_chart
from hcbench.pages.report.figures import make_table, short
from hcbench.pages.site.commits import commit_link
from hcbench.pages.site.histories import (
    REGRESSION_RULE,
    History,
    Measurement,
    Step,
    overall_ratios,
)

if TYPE_CHECKING:
    from hcbench.pages.report.sections import Sections

#: In the order of the legend; of each, less is better.
_QUANTITIES = ("time", "memory", "queries")
_REGRESSION = "regression"
_UNCONFIRMED = "to be confirmed"
#: The looks of the marks: filled triangles, and open ones.
_MARKS = {
    _REGRESSION: Look("#D55E00", "^", "triangle-up", "solid"),
    _UNCONFIRMED: Look("#D55E00", "^", "triangle-up-open", "solid"),
}
_BADGES = {_REGRESSION: "bad", _UNCONFIRMED: "odd"}
_HASH = 8  # digits of a commit
_NO_ORDER = (
    "Some commits have the same date, and their order is not known: run hcbench site in their "
    "repository, or a change may be told of the commit beside it."
)


def make_overview(
    page: Sections, histories: Sequence[History], commit_url: str = ""
) -> list[dict[str, Any]]:
    """The blocks of the overall times, memory and queries over commits, and of regressions."""
    lines = [_summarise(histories), REGRESSION_RULE]
    if not all(history.is_in_order for history in histories):
        lines.append(_NO_ORDER)
    blocks: list[dict[str, Any]] = [{"lines": lines}]
    overall = {}
    for quantity in _QUANTITIES:
        histories_of_quantity = []
        for history in histories:
            if history.quantity == quantity:
                histories_of_quantity.append(history)
        ratios = overall_ratios(histories_of_quantity)
        # Not every quantity is measured.
        if ratios:
            overall[quantity] = ratios
    if overall:
        blocks.append(page.figure("performance", _draw_overall(overall, histories)))
    table = steps_table(histories, commit_url)
    if table["rows"]:
        blocks.append(page.table("regressions", {**table, "page": 10}))
    return blocks


def _summarise(histories: Sequence[History]) -> str:
    """How many benchmarks, commits and regressions there are."""
    date_of_commit = {}
    for history in histories:
        for measurement in history.measurements:
            date_of_commit[measurement.commit] = measurement.date
    first = min(date_of_commit.values())
    last = max(date_of_commit.values())
    n_regressed = 0
    n_unconfirmed = 0
    for history in histories:
        if history.regressions:
            n_regressed += 1
        if history.to_be_confirmed is not None:
            n_unconfirmed += 1
    text = (
        f"{len(histories)} benchmarks at {len(date_of_commit)} commits from {first:%Y-%m-%d} to "
        f"{last:%Y-%m-%d}; {n_regressed or 'none'} with a regression"
    )
    if n_unconfirmed:
        text += f", {n_unconfirmed} with one to be confirmed"
    return f"{text}."


def draw_views(
    page: Sections, histories: Sequence[History]
) -> list[tuple[tuple[str, str], list[dict[str, Any]]]]:
    """The views of a section: a figure of each benchmark, those with marks first."""
    by_name: dict[str, list[History]] = {}
    for history in sorted(histories, key=lambda history: not _marked_steps(history)):
        # A single measurement is no curve; it is in the table of all benchmarks.
        if len(history.measurements) > 1:
            by_name.setdefault(history.name, []).append(history)
    views = []
    for name, histories_of_name in by_name.items():
        figure = page.figure(name, _draw_benchmark(name, histories_of_name))
        views.append(((histories_of_name[0].quantity, name), [figure]))
    return views


def _marked_steps(history: History) -> list[tuple[str, Step]]:
    """The regressions, and last the one to be confirmed."""
    steps = []
    for step in history.regressions:
        steps.append((_REGRESSION, step))
    if history.to_be_confirmed is not None:
        steps.append((_UNCONFIRMED, history.to_be_confirmed))
    return steps


def number_text(value: float, unit: str) -> str:
    """A value with its unit; counts have none."""
    if unit in EXACT_UNITS:
        unit = ""
    return format_spread(value, None, unit, "[0, inf)")


def _draw_lines(
    title: str,
    lines: Sequence[tuple[str, Sequence[Measurement]]],
    marked: Sequence[tuple[str, Measurement, str]],
    unit: str,
    axis: Axis,
    caption: str,
    header: str,
) -> dict[str, Any]:
    """Measurements over commits, with triangles at regressions.

    `marked` has the kind of each mark, where it is, and its text.
    """
    looks = looks_for([name for name, _ in lines])
    place_of_commit = {}
    rows = []
    series = []
    for name, measurements in lines:
        points = []
        for measurement in measurements:
            # Commits are ticks of the axis, in their order.
            place_of_commit[measurement.commit[:_HASH]] = measurement.place
            date = f"{measurement.date:%Y-%m-%d}"
            rows.append([name, measurement.commit, date, measurement.value])
            points.append(_point(name, measurement, number_text(measurement.value, unit)))
        series.append(Series(name, looks[name], "line", points))
    for kind, look in _MARKS.items():
        points = []
        for kind_of_mark, measurement, text in marked:
            if kind_of_mark == kind:
                points.append(_point(kind, measurement, text))
        if points:
            series.append(Series(kind, look, "warning", points))
    chart = Chart(
        panels=[Panel(title, series)],
        x=Axis(title="commit", ticks=sorted(place_of_commit, key=place_of_commit.__getitem__)),
        y=axis,
        caption=[caption, "less is better; triangles are regressions, open ones to be confirmed"],
        header=(header, "commit", "date", "value"),
        rows=rows,
    )
    return draw_chart(chart)


def _point(series: str, measurement: Measurement, text: str) -> tuple[str, float, str]:
    """A point of a series: the commit, the value, and what a pointer on it shows."""
    commit = measurement.commit[:_HASH]
    hover_text = f"{series}\n{commit}, {measurement.date:%Y-%m-%d}: {text}"
    return commit, measurement.value, hover_text


def _draw_overall(
    overall: dict[str, list[Measurement]], histories: Sequence[History]
) -> dict[str, Any]:
    """The geometric mean of times, memory and queries, relative to the first commit."""
    marked = []
    for quantity, means in overall.items():
        names_at = _benchmarks_with_marks(quantity, histories)
        for mean in means:
            for kind in _MARKS:
                names = names_at.get((mean.commit, kind), [])
                if names:
                    marked.append((kind, mean, _text_of_marks(kind, names)))
    return _draw_lines(
        "",
        list(overall.items()),
        marked,
        "ratio",
        Axis(title="ratio to first"),
        "all benchmarks together, relative to the first commit: geometric means of the changes "
        "from one commit to the next, multiplied",
        "quantity",
    )


def _benchmarks_with_marks(
    quantity: str, histories: Sequence[History]
) -> dict[tuple[str, str], list[str]]:
    """The benchmarks of a quantity that have a mark, by commit and kind of mark."""
    names_at: dict[tuple[str, str], list[str]] = {}
    for history in histories:
        if history.quantity != quantity:
            continue
        for kind, step in _marked_steps(history):
            names_at.setdefault((step.at.commit, kind), []).append(history.name)
    return names_at


def _text_of_marks(kind: str, names: Sequence[str]) -> str:
    """How many benchmarks have a mark at a commit, and the first three of them."""
    noun = kind
    if kind == _REGRESSION:
        noun = "regressions"
    text = f"{len(names)} {noun}: {', '.join(names[:3])}"
    if len(names) > 3:
        text += ", ..."
    return text


def _draw_benchmark(name: str, histories: Sequence[History]) -> dict[str, Any]:
    """One line for each combination of parameters and environment."""
    environments = {history.environment for history in histories}
    lines = []
    for history in histories:
        labels = []
        if history.parameters:
            labels.append(history.parameters)
        # The environment is named only where it distinguishes the lines.
        if history.environment and len(environments) > 1:
            labels.append(history.environment)
        lines.append((", ".join(labels) or name, history.measurements))
    unit = histories[0].unit
    marked = []
    for history in histories:
        for kind, step in _marked_steps(history):
            text = f"{number_text(step.before, unit)} before, {number_text(step.after, unit)} after"
            marked.append((kind, step.at, text))
    largest = 0.0
    for history in histories:
        for measurement in history.measurements:
            largest = max(largest, measurement.value)
    title = "value"
    if unit:
        title = f"{histories[0].quantity} [{unit}]"
    # An axis of zeros only has a length nevertheless.
    axis = Axis(title=title, ends=(0.0, 1.05 * largest or 1.0))
    return _draw_lines(name, lines, marked, unit, axis, "", "parameters")


def _about(history: History) -> list[Any]:
    return [history.quantity, history.name, history.parameters, history.environment]


#: The first columns of the tables of benchmarks; `_about` has their cells.
_ABOUT: tuple[str | dict[str, Any], ...] = (
    {"label": "quantity", "filter": True},
    "benchmark",
    "parameters",
    {"label": "environment", "filter": True, "hidden": True},
)


def _latest_first(histories: Sequence[History]) -> list[tuple[History, str, Step]]:
    """All regressions and what is to be confirmed, with their kinds, the latest first."""
    marked = []
    for history in histories:
        for kind, step in _marked_steps(history):
            marked.append((history, kind, step))
    marked.sort(key=lambda entry: entry[2].at.place, reverse=True)
    return marked


def steps_table(histories: Sequence[History], commit_url: str = "") -> dict[str, Any]:
    """A row for each regression and for each step to be confirmed, the latest first."""
    rows = []
    for history, kind, step in _latest_first(histories):
        state = kind
        if kind == _REGRESSION:
            state = "confirmed"
        commit: Any = step.at.commit[:_HASH]
        link = commit_link(commit_url, step.at.commit)
        if link:
            commit = [commit, commit, {"href": link}]
        ratio: list[Any] = ["from 0", None, {"badge": _BADGES[kind]}]
        if step.ratio is not None:
            ratio = [f"{step.ratio:.2f}", short(step.ratio), {"badge": _BADGES[kind]}]
        row = _about(history)
        row += [
            commit,
            f"{step.at.date:%Y-%m-%d}",
            [number_text(step.before, history.unit), short(step.before)],
            [number_text(step.after, history.unit), short(step.after)],
            ratio,
            state,
        ]
        rows.append(row)
    header = _ABOUT + ("commit", "date", "before", "after", "ratio", "state")
    return make_table("regression", header, rows)


def benchmarks_table(histories: Sequence[History]) -> dict[str, Any]:
    """All benchmarks with their latest values."""
    rows = []
    for history in histories:
        first = history.measurements[0].value
        last = history.measurements[-1].value
        # Without a ratio, where the first value is 0, the cell stays empty.
        ratio_cell = None
        if first:
            ratio = last / first
            ratio_cell = [f"{ratio:.2f}", short(ratio)]
        row = _about(history)
        row += [
            len(history.measurements),
            [number_text(last, history.unit), short(last)],
            ratio_cell,
            len(history.regressions) or None,
        ]
        rows.append(row)
    header = _ABOUT + ("commits", "latest", "ratio to first", "regressions")
    return make_table("benchmark", header, rows)
