"""What became worse between two commits, as a table, in a line, and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hcbench.analysis import Block, Note, TableEntry, describe_notes, format_spread
from hcbench.asv import TRACKS
from hcbench.model import shell_command
from hcbench_regress.commits import TRAILER, Commit
from hcbench_regress.verdicts import ORDER, SHOWN, WORSE, Judged


def overview_blocks(
    judged: Sequence[Judged], base: Commit, head: Commit, *, everything: bool = False
) -> list[Block]:
    """A table of what changed, regressions first; no table if nothing did.

    Parameters
    ----------
    judged : sequence of Judged
        The benchmarks with their verdicts.
    base, head : Commit
        The commits that were compared.
    everything : bool
        Whether benchmarks that are the same, or could not be judged, are rows as well.

    Returns
    -------
    list of Block
    """
    entries = list(judged)
    if not everything:
        entries = [entry for entry in judged if entry.verdict in SHOWN]
    if not entries:
        return []
    entries.sort(key=lambda entry: (ORDER.index(entry.verdict), entry.recorded.name))
    environments = {entry.recorded.environment for entry in entries}
    # One environment needs no name in each row.
    with_environment = len(environments) > 1
    rows = [_row(entry, with_environment=with_environment) for entry in entries]
    block = Block(
        title=f"{base.name} to {head.name}",
        header=("verdict", "benchmark", base.name, head.name, "ratio", "why"),
        numeric=(False, False, True, True, True, False),
        rows=tuple(rows),
    )
    return [block]


def _row(entry: Judged, *, with_environment: bool) -> tuple[TableEntry, ...]:
    row = entry.recorded
    name = row.name
    if with_environment:
        name += f" {row.environment}"
    # Without both numbers there is no ratio.
    ratio = ""
    if not math.isnan(row.ratio):
        ratio = f"{row.ratio:.2f}"
    return (
        TableEntry(entry.verdict, bold=entry.verdict in WORSE),
        TableEntry(name),
        TableEntry(_number(row.base, row.states[0], row.unit)),
        TableEntry(_number(row.head, row.states[1], row.unit)),
        TableEntry(ratio),
        TableEntry(entry.reason),
    )


def _number(value: float, state: str, unit: str) -> str:
    if state:
        return state
    if unit in ("s", "bytes"):
        return format_spread(value, None, unit)
    if unit == "queries":
        # The mean of several repetitions may be no whole number.
        return f"{value:,.2f}".removesuffix(".00")
    return f"{value:.6g}"


def summary(judged: Sequence[Judged]) -> str:
    """The number of each verdict, in one line."""
    counts = Counter(entry.verdict for entry in judged)
    parts = []
    for verdict in ORDER:
        if counts[verdict]:
            parts.append(f"{counts[verdict]} {verdict}")
    text = f"{len(judged)} benchmarks: {', '.join(parts) or 'none'}"
    if counts["regression"]:
        # How to go on if it is meant.
        text += f"; a commit message accepts one by a line '{TRAILER}: BENCHMARK'"
    return text


def closing_lines(judged: Sequence[Judged], base: Commit, head: Commit) -> list[str]:
    """The lines below the table: the number of each verdict, and how suspicions are confirmed."""
    lines = [summary(judged)]
    names = []
    for entry in judged:
        # registered.algorithm_X.track_seconds(40) is a quantity of the case algorithm_X. Other
        # benchmarks of a project are not measured in turns.
        case = entry.recorded.name.partition(".")[2].partition(".")[0]
        if entry.verdict == "suspected" and case.partition("_")[0] in TRACKS:
            names.append(case)
    if names:
        words = ["hcbench", "regress", base.name, head.name, "--measure"]
        for name in dict.fromkeys(names):
            words += ["--only", name]
        lines.append(f"measured in turns, a suspicion is confirmed or not: {shell_command(*words)}")
    return lines


def describe(judged: Sequence[Judged], base: Commit, head: Commit) -> dict[str, Any]:
    """All verdicts, for JSON."""
    lines = closing_lines(judged, base, head)
    return {
        "base": {"name": base.name, "hash": base.hash},
        "head": {"name": head.name, "hash": head.hash},
        "regressions": sum(entry.verdict == "regression" for entry in judged),
        "suspected": sum(entry.verdict == "suspected" for entry in judged),
        "notes": describe_notes([Note(kind="test", text=line) for line in lines]),
        "benchmarks": [_describe_benchmark(entry) for entry in judged],
    }


def _describe_benchmark(entry: Judged) -> dict[str, Any]:
    row = entry.recorded
    return {
        "name": row.name,
        "environment": row.environment,
        "unit": row.unit,
        "base": _or_none(row.base),
        "head": _or_none(row.head),
        "ratio": _or_none(row.ratio),
        "pairs": len(row.pairs),
        "verdict": entry.verdict,
        "reason": entry.reason,
    }


def _or_none(value: float) -> float | None:
    """A number that JSON can have."""
    if math.isfinite(value):
        return value
    return None
