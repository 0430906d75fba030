"""The performance over commits: overall figures, regressions, and each benchmark of asv."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis.palette import looks_for
from hcbench.analysis.performance import (
    EXACT,
    TOLERANCE,
    WINDOW,
    History,
    Measurement,
    overall_ratios,
)
from hcbench.analysis.tables import format_spread
from hcbench.show.report.figures import (
    axis,
    line_style,
    make_figure,
    make_panels,
    make_table,
    short,
)

if TYPE_CHECKING:
    from hcbench.show.report.sections import Sections

RULE = (
    f"A regression is a value above the median of up to {WINDOW} measurements since the last "
    f"change, by more than {TOLERANCE:.0%} (or at all if it is exact: {', '.join(EXACT)}), that "
    "the next measured commit confirms."
)
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
    blocks: list[dict[str, Any]] = [{"lines": [told, RULE]}]
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


def _commit_axis(histories: Iterable[Sequence[Measurement]]) -> dict[str, Any]:
    dates = {m.commit[:_HASH]: m.date for measured in histories for m in measured}
    order = sorted(dates, key=lambda commit: dates[commit])
    ticks = {"type": "category", "categoryorder": "array", "categoryarray": order}
    return axis("commit", **ticks, nticks=12, tickangle=-45)


def _trace(name: str, measured: Sequence[Measurement], unit: str, look: Any) -> dict[str, Any]:
    texts = [f"{m.date:%Y-%m-%d}: {_number(m.value, unit)}" for m in measured]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [m.commit[:_HASH] for m in measured],
        "y": [short(m.value) for m in measured],
        "text": texts,
        "hovertemplate": "%{x}, %{text}<extra>%{fullData.name}</extra>",
        **line_style(look),
    }


def _marks(measured: Sequence[Measurement], texts: Sequence[str]) -> dict[str, Any]:
    """Triangles at regressions."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "regression",
        "x": [m.commit[:_HASH] for m in measured],
        "y": [short(m.value) for m in measured],
        "text": list(texts),
        "hovertemplate": "%{x}: %{text}<extra></extra>",
        "marker": {"symbol": "triangle-up", "size": 15, "color": _REGRESSION},
    }


def _draw_overall(
    overall: dict[str, list[Measurement]], histories: Sequence[History]
) -> dict[str, Any]:
    """The geometric mean of times, memory and queries, relative to the first commit."""
    traces, rows, all_marked = [], [], []
    for (quantity, means), look in zip(
        overall.items(), looks_for(_QUANTITIES).values(), strict=False
    ):
        traces.append(_trace(quantity, means, "ratio", look))
        rows += [[quantity, m.commit, f"{m.date:%Y-%m-%d}", short(m.value)] for m in means]
        at = {m.commit: m for m in means}
        worse: dict[str, list[str]] = {}
        for history in histories:
            for step in history.regressions if history.quantity == quantity else ():
                worse.setdefault(step.at.commit, []).append(history.name)
        all_marked += [(at[commit], names) for commit, names in worse.items() if commit in at]
    if all_marked:
        texts = [
            f"{len(names)} regressions: {', '.join(names[:3])}" + ", ..." * (len(names) > 3)
            for _, names in all_marked
        ]
        traces.append(_marks([m for m, _ in all_marked], texts))
    names = [trace["name"] for trace in traces]
    axes = (_commit_axis(overall.values()), axis("ratio to first"))
    return make_figure(
        traces,
        make_panels([""], names, [axes]),
        "All benchmarks together, relative to the first commit: geometric means of the changes "
        "from one commit to the next, multiplied. Less is better. Triangles are regressions.",
        ("quantity", "commit", "date", "ratio to the first commit"),
        rows,
    )


def _draw_benchmark(name: str, histories: Sequence[History]) -> dict[str, Any]:
    """One line for each combination of parameters and environment."""
    several = len({history.environment for history in histories}) > 1
    labels = [
        ", ".join(filter(None, (h.parameters, h.environment if several else ""))) or name
        for h in histories
    ]
    looks = looks_for(labels)
    unit = histories[0].unit
    traces = [
        _trace(label, h.measurements, unit, looks[label])
        for label, h in zip(labels, histories, strict=True)
    ]
    steps = [step for history in histories for step in history.regressions]
    if steps:
        texts = [f"{_number(s.before, unit)} before, {_number(s.at.value, unit)}" for s in steps]
        traces.append(_marks([step.at for step in steps], texts))
    axes = (
        _commit_axis(h.measurements for h in histories),
        axis(f"{histories[0].quantity} [{unit}]" if unit else "value", rangemode="tozero"),
    )
    return make_figure(
        traces,
        make_panels([name], [trace["name"] for trace in traces], [axes]),
        "Less is better. Triangles: regressions.",
        ("parameters", "commit", "date", "value"),
        [
            [label, m.commit, f"{m.date:%Y-%m-%d}", short(m.value)]
            for label, h in zip(labels, histories, strict=True)
            for m in h.measurements
        ],
    )


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
