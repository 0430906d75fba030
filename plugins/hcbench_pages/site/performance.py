"""The performance over commits: overall figures, regressions, and each benchmark of asv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis import format_spread
from hcbench.asv import EXACT
from hcbench.plots import Axis, Chart, Look, Mark, Panel, Series, looks_for
from hcbench_pages.report.charts import draw_chart
from hcbench_pages.report.figures import make_table, short
from hcbench_pages.site.histories import REGRESSION_RULE, History, Measurement, overall_ratios

if TYPE_CHECKING:
    from hcbench_pages.report.sections import Sections

_QUANTITIES = ("time", "memory", "queries")
_REGRESSION = "#D55E00"
_HASH = 8  # digits of a commit


def make_overview(page: Sections, histories: Sequence[History]) -> list[dict[str, Any]]:
    """The blocks of the overall times, memory and queries over commits, and of regressions."""
    commits = {m.commit: m.date for history in histories for m in history.measurements}
    count = sum(bool(history.regressions) for history in histories)
    told = (
        f"{len(histories)} benchmarks at {len(commits)} commits from "
        f"{min(commits.values()):%Y-%m-%d} to {max(commits.values()):%Y-%m-%d}; "
        f"{count or 'none'} with a regression."
    )
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
    """The views of a section: a figure of each benchmark, those with regressions first."""
    by_name: dict[str, list[History]] = {}
    for history in sorted(histories, key=lambda h: not h.regressions):
        if len(history.measurements) > 1:
            by_name.setdefault(history.name, []).append(history)
    return [
        ((of_name[0].quantity, name), [page.figure(name, _draw_benchmark(name, of_name))])
        for name, of_name in by_name.items()
    ]


def _number(value: float, unit: str) -> str:
    return format_spread(value, None, "" if unit in EXACT else unit, "[0, inf)")


def _draw_lines(
    title: str,
    lines: Sequence[tuple[str, Sequence[Measurement]]],
    marked: Sequence[tuple[Measurement, str]],
    unit: str,
    axis: Axis,
    caption: str,
    header: str,
) -> dict[str, Any]:
    """Measurements over commits, with triangles at regressions."""
    dates = {m.commit[:_HASH]: m.date for _, measured in lines for m in measured}
    looks = looks_for([name for name, _ in lines])
    red = Look(_REGRESSION, "^", "triangle-up", "solid")
    shown = [(name, [(m, _number(m.value, unit)) for m in measured]) for name, measured in lines]
    shown += [("regression", list(marked))] if marked else []
    series = []
    for name, texts in shown:
        points = [
            (m.commit[:_HASH], m.value, f"{name}\n{m.commit[:_HASH]}, {m.date:%Y-%m-%d}: {text}")
            for m, text in texts
        ]
        mark: Mark = "line" if name in looks else "warning"
        series.append(Series(name, looks.get(name, red), mark, points))
    chart = Chart(
        panels=[Panel(title, series)],
        x=Axis(title="commit", ticks=sorted(dates, key=lambda commit: dates[commit])),
        y=axis,
        caption=[caption, "less is better; triangles are regressions"],
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
        worse: dict[str, list[str]] = {}
        for history in histories:
            for step in history.regressions if history.quantity == quantity else ():
                worse.setdefault(step.at.commit, []).append(history.name)
        for mean in means:
            if names := worse.get(mean.commit):
                more = ", ..." * (len(names) > 3)
                marked.append((mean, f"{len(names)} regressions: {', '.join(names[:3])}{more}"))
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
    marked = [
        (step.at, f"{_number(step.before, unit)} before, {_number(step.at.value, unit)}")
        for history in histories
        for step in history.regressions
    ]
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
    """All regressions, the latest first."""
    found = [(history, step) for history in histories for step in history.regressions]
    found.sort(key=lambda pair: pair[1].at.date, reverse=True)
    rows = [
        [
            *_about(history),
            step.at.commit[:_HASH],
            f"{step.at.date:%Y-%m-%d}",
            [_number(step.before, history.unit), short(step.before)],
            [_number(step.at.value, history.unit), short(step.at.value)],
            [f"{step.ratio:.2f}", short(step.ratio), {"badge": "bad"}],
        ]
        for history, step in found
    ]
    return make_table("regression", (*_ABOUT, "commit", "date", "before", "after", "ratio"), rows)


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
