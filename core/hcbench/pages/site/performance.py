"""The performance over commits: overall figures, regressions, and each benchmark of asv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis.tables import format_spread
from hcbench.figures.charts import Axis, Chart, Mark, Panel, Series
from hcbench.figures.palette import Look, looks_for
from hcbench.files.asv_results import EXACT_UNITS
from hcbench.pages.report.charts import draw_chart
from hcbench.pages.report.figures import make_table, short
from hcbench.pages.site.histories import (
    REGRESSION_RULE,
    History,
    Measurement,
    Step,
    overall_ratios,
)

if TYPE_CHECKING:
    from hcbench.pages.report.sections import Sections

_QUANTITIES = ("time", "memory", "queries")
_REGRESSION = "regression"
_UNCONFIRMED = "to be confirmed"
_MARKS = {
    _REGRESSION: Look("#D55E00", "^", "triangle-up", "solid"),
    _UNCONFIRMED: Look("#D55E00", "^", "triangle-up-open", "solid"),
}
_BADGES = {_REGRESSION: "bad", _UNCONFIRMED: "odd"}
_HASH = 8  # digits of a commit


def make_overview(page: Sections, histories: Sequence[History]) -> list[dict[str, Any]]:
    """The blocks of the overall times, memory and queries over commits, and of regressions."""
    commits = {m.commit: m.date for history in histories for m in history.measurements}
    count = sum(bool(history.regressions) for history in histories)
    unconfirmed = sum(history.to_be_confirmed is not None for history in histories)
    told = (
        f"{len(histories)} benchmarks at {len(commits)} commits from "
        f"{min(commits.values()):%Y-%m-%d} to {max(commits.values()):%Y-%m-%d}; "
        f"{count or 'none'} with a regression"
    )
    told += f", {unconfirmed} with one to be confirmed." if unconfirmed else "."
    blocks: list[dict[str, Any]] = [{"lines": [told, REGRESSION_RULE]}]
    overall = {q: overall_ratios([h for h in histories if h.quantity == q]) for q in _QUANTITIES}
    overall = {quantity: means for quantity, means in overall.items() if means}
    if overall:
        blocks.append(page.figure("performance", _draw_overall(overall, histories)))
    table = steps_table(histories)
    if table["rows"]:
        blocks.append(page.table("regressions", {**table, "page": 10}))
    return blocks


def draw_views(
    page: Sections, histories: Sequence[History]
) -> list[tuple[tuple[str, str], list[dict[str, Any]]]]:
    """The views of a section: a figure of each benchmark, those with marks first."""
    by_name: dict[str, list[History]] = {}
    for history in sorted(histories, key=lambda h: not _marked_steps(h)):
        if len(history.measurements) > 1:
            by_name.setdefault(history.name, []).append(history)
    return [
        ((of_name[0].quantity, name), [page.figure(name, _draw_benchmark(name, of_name))])
        for name, of_name in by_name.items()
    ]


def _marked_steps(history: History) -> list[tuple[str, Step]]:
    """The regressions, and last the one to be confirmed."""
    steps = [(_REGRESSION, step) for step in history.regressions]
    if history.to_be_confirmed is not None:
        steps.append((_UNCONFIRMED, history.to_be_confirmed))
    return steps


def _number(value: float, unit: str) -> str:
    return format_spread(value, None, "" if unit in EXACT_UNITS else unit, "[0, inf)")


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
    dates = {m.commit[:_HASH]: m.date for _, measured in lines for m in measured}
    looks = looks_for([name for name, _ in lines])
    shown = [(name, [(m, _number(m.value, unit)) for m in measured]) for name, measured in lines]
    for kind in _MARKS:
        of_kind = [(at, text) for of, at, text in marked if of == kind]
        if of_kind:
            shown.append((kind, of_kind))
    series = []
    for name, texts in shown:
        points = [
            (m.commit[:_HASH], m.value, f"{name}\n{m.commit[:_HASH]}, {m.date:%Y-%m-%d}: {text}")
            for m, text in texts
        ]
        mark: Mark = "line" if name in looks else "warning"
        series.append(Series(name, looks.get(name) or _MARKS[name], mark, points))
    chart = Chart(
        panels=[Panel(title, series)],
        x=Axis(title="commit", ticks=sorted(dates, key=lambda commit: dates[commit])),
        y=axis,
        caption=[caption, "less is better; triangles are regressions, open ones to be confirmed"],
        header=(header, "commit", "date", "value"),
        rows=[
            [name, m.commit, f"{m.date:%Y-%m-%d}", m.value]
            for name, measured in lines
            for m in measured
        ],
    )
    return draw_chart(chart)


def _draw_overall(
    overall: dict[str, list[Measurement]], histories: Sequence[History]
) -> dict[str, Any]:
    """The geometric mean of times, memory and queries, relative to the first commit."""
    marked = []
    for quantity, means in overall.items():
        worse: dict[tuple[str, str], list[str]] = {}
        for history in histories:
            if history.quantity != quantity:
                continue
            for kind, step in _marked_steps(history):
                worse.setdefault((step.at.commit, kind), []).append(history.name)
        for mean in means:
            for kind in _MARKS:
                names = worse.get((mean.commit, kind), [])
                if not names:
                    continue
                noun = "regressions" if kind == _REGRESSION else kind
                more = ", ..." * (len(names) > 3)
                text = f"{len(names)} {noun}: {', '.join(names[:3])}{more}"
                marked.append((kind, mean, text))
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


def _draw_benchmark(name: str, histories: Sequence[History]) -> dict[str, Any]:
    """One line for each combination of parameters and environment."""
    several = len({history.environment for history in histories}) > 1
    lines = [
        (", ".join(filter(None, (h.parameters, h.environment * several))) or name, h.measurements)
        for h in histories
    ]
    unit = histories[0].unit
    marked = []
    for history in histories:
        for kind, step in _marked_steps(history):
            text = f"{_number(step.before, unit)} before, {_number(step.after, unit)} after"
            marked.append((kind, step.at, text))
    most = max(m.value for _, measured in lines for m in measured)
    title = f"{histories[0].quantity} [{unit}]" if unit else "value"
    axis = Axis(title=title, ends=(0.0, 1.05 * most or 1.0))
    return _draw_lines(name, lines, marked, unit, axis, "", "parameters")


def _about(history: History) -> list[Any]:
    return [history.quantity, history.name, history.parameters, history.environment]


_ABOUT: tuple[str | dict[str, Any], ...] = (
    {"label": "quantity", "filter": True},
    "benchmark",
    "parameters",
    {"label": "environment", "filter": True, "hidden": True},
)


def steps_table(histories: Sequence[History]) -> dict[str, Any]:
    """All regressions and what is to be confirmed, the latest first."""
    found = []
    for history in histories:
        for kind, step in _marked_steps(history):
            found.append((history, kind, step))
    found.sort(key=lambda row: row[2].at.date, reverse=True)
    rows = [
        [
            *_about(history),
            step.at.commit[:_HASH],
            f"{step.at.date:%Y-%m-%d}",
            [_number(step.before, history.unit), short(step.before)],
            [_number(step.after, history.unit), short(step.after)],
            [f"{step.ratio:.2f}", short(step.ratio), {"badge": _BADGES[kind]}],
            "confirmed" if kind == _REGRESSION else kind,
        ]
        for history, kind, step in found
    ]
    header = (*_ABOUT, "commit", "date", "before", "after", "ratio", "state")
    return make_table("regression", header, rows)


def benchmarks_table(histories: Sequence[History]) -> dict[str, Any]:
    """All benchmarks with their latest values."""
    rows = []
    for history in histories:
        first, last = history.measurements[0], history.measurements[-1]
        ratio = last.value / first.value if first.value else None
        rows.append(
            [
                *_about(history),
                len(history.measurements),
                [_number(last.value, history.unit), short(last.value)],
                None if ratio is None else [f"{ratio:.2f}", short(ratio)],
                len(history.regressions) or None,
            ]
        )
    header = ("commits", "latest", "ratio to first", "regressions")
    return make_table("benchmark", (*_ABOUT, *header), rows)
