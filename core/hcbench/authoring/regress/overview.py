"""A comparison of two commits as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hcbench.analysis.tables import Block, Entry, format_spread
from hcbench.authoring.regress.commits import TRAILER, Commit
from hcbench.authoring.regress.verdicts import Judged, Verdict

ORDER: tuple[Verdict, ...] = (
    "regression",
    "accepted",
    "improvement",
    "new",
    "removed",
    "not judged",
    "n/a",
    "same",
)
SHOWN = ORDER[:5]


def overview_blocks(
    judged: Sequence[Judged], base: Commit, head: Commit, *, everything: bool = False
) -> list[Block]:
    """A table of what changed, regressions first; no table if nothing did.

    Parameters
    ----------
    judged : sequence of Judged
    base, head : Commit
    everything : bool
        Also list what is the same, and what could not be judged.
    """
    shown = [one for one in judged if everything or one.verdict in SHOWN]
    shown.sort(key=lambda one: (ORDER.index(one.verdict), one.recorded.name))
    if not shown:
        return []
    several = len({one.recorded.environment for one in shown}) > 1
    header = ("verdict", "benchmark", base.name, head.name, "ratio", "why")
    rows = tuple(_row(one, several) for one in shown)
    return [
        Block(f"{base.name} to {head.name}", header, (False, False, True, True, True, False), rows)
    ]


def _row(one: Judged, several: bool) -> tuple[Entry, ...]:
    row = one.recorded
    name = f"{row.name} {row.environment}" if several else row.name
    ratio = "" if math.isnan(row.ratio) else f"{row.ratio:.2f}"
    return (
        Entry(one.verdict, bold=one.verdict == "regression"),
        Entry(name),
        Entry(_number(row.base, row.states[0], row.unit)),
        Entry(_number(row.head, row.states[1], row.unit)),
        Entry(ratio),
        Entry(one.reason),
    )


def _number(value: float, state: str, unit: str) -> str:
    if state:
        return state
    if unit in ("s", "bytes"):
        return format_spread(value, None, unit)
    return f"{value:,.2f}".removesuffix(".00") if unit == "queries" else f"{value:.6g}"


def summary(judged: Sequence[Judged]) -> str:
    """The number of each verdict, in one line."""
    counts = Counter(one.verdict for one in judged)
    told = [f"{counts[name]} {name}" for name in ORDER if counts[name]]
    hint = ""
    if counts["regression"]:
        hint = f"; a commit message accepts one by a line '{TRAILER}: BENCHMARK'"
    return f"{len(judged)} benchmarks: {', '.join(told) or 'none'}{hint}"


def describe(judged: Sequence[Judged], base: Commit, head: Commit) -> dict[str, Any]:
    """All verdicts, for JSON."""
    return {
        "base": {"name": base.name, "hash": base.hash},
        "head": {"name": head.name, "hash": head.hash},
        "regressions": sum(one.verdict == "regression" for one in judged),
        "benchmarks": [
            {
                "name": one.recorded.name,
                "environment": one.recorded.environment,
                "unit": one.recorded.unit,
                "base": _or_none(one.recorded.base),
                "head": _or_none(one.recorded.head),
                "ratio": _or_none(one.recorded.ratio),
                "pairs": len(one.recorded.pairs),
                "verdict": one.verdict,
                "reason": one.reason,
            }
            for one in judged
        ],
    }


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
