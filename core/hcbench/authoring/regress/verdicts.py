"""The verdict on each benchmark, which depends on what is measured.

Numbers of queries, losses and values are reproducible from the same seeds: any increase counts.
Times need pairs that were measured in turns, and a test that is adjusted for multiple comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

import numpy as np

from hcbench.analysis.statistics import holm_adjusted, signed_rank_test, summarise
from hcbench.authoring.regress.asv_files import Recorded

Verdict: TypeAlias = Literal[
    "regression", "accepted", "improvement", "same", "new", "removed", "not judged", "n/a"
]

ALPHA = 0.01
"""The family-wise error rate of all times together."""

TOLERANCE = 0.1
"""How much longer a call may take."""

MEMORY = 0.3
"""How much more memory a call may hold, beside `MEMORY_FLOOR`."""

MEMORY_FLOOR = 16 * 2**20
ROUNDING = 1e-9
FEWEST = 8
"""A time with fewer pairs was not suspected of a difference."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A benchmark with its verdict.

    Attributes
    ----------
    recorded : Recorded
    verdict : str
    reason : str
        Why, in a few words.
    """

    recorded: Recorded
    verdict: Verdict
    reason: str = ""


def judge(
    recorded: Iterable[Recorded],
    *,
    accepted: Sequence[str] = (),
    tolerance: float = TOLERANCE,
    alpha: float = ALPHA,
) -> list[Judged]:
    """Compare two commits, benchmark by benchmark.

    Parameters
    ----------
    recorded : iterable of Recorded
    accepted : sequence of str
        Patterns of benchmarks that may become worse.
    tolerance : float
        A time has become longer if its ratio to the old one is more than 1 + tolerance.
    alpha : float
        The family-wise error rate of the tests of times, by Holm's method.
    """
    rows = list(recorded)
    p_values = _different_times(rows, tolerance, alpha)
    judged = []
    for row in rows:
        one = _judged(row, tolerance, p_values.get(id(row)))
        if one.verdict == "regression" and _matches(row.name, accepted):
            one = Judged(row, "accepted", one.reason)
        judged.append(one)
    return judged


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, f"*{pattern}*") for pattern in patterns)


def _different_times(rows: Sequence[Recorded], tolerance: float, alpha: float) -> dict[int, float]:
    """The rows of times that differ significantly by more than the tolerance, with adjusted p.

    Wilcoxon's signed-rank test of the logarithms, after base is shifted by the tolerance.
    """
    timed = [
        row for row in rows if row.unit == "s" and not any(row.states) and len(row.pairs) >= FEWEST
    ]
    p = []
    for row in timed:
        beyond, change = math.log1p(tolerance), math.log(row.ratio)
        base, head = np.log(np.maximum(row.pairs, 1e-12)).T
        test = signed_rank_test(base + math.copysign(beyond, change), head, "lower")
        p.append(test.p if test.p is not None and abs(change) > beyond else 1.0)
    adjusted = holm_adjusted(p) if p else np.empty(0)
    return {
        id(row): float(value) for row, value in zip(timed, adjusted, strict=True) if value < alpha
    }


def _judged(row: Recorded, tolerance: float, p: float | None) -> Judged:
    of_states = _of_states(row)
    if of_states is not None:
        return of_states
    if not row.same_version:
        return Judged(row, "not judged", "is measured in another way now")
    if row.unit == "s":
        return _of_times(row, tolerance, p)
    if row.unit == "bytes":
        return _of_memory(row)
    if row.unit in ("queries", "1 - quality", "value"):
        return _of_exact(row)
    same = row.base == row.head
    return Judged(row, "same" if same else "not judged", "" if same else "no direction is known")


def _of_states(row: Recorded) -> Judged | None:
    """The verdict where a commit has no number."""
    before, now = row.states
    if not before and not now:
        return None
    if now == "missing":
        return Judged(row, "removed", "is not there any more")
    if before == "missing":
        return Judged(row, "new", "fails" if now == "failed" else "")
    if not before:
        return Judged(
            row, "regression", "fails now" if now == "failed" else "does not apply any more"
        )
    if now == "failed" and before == "n/a":
        return Judged(row, "regression", "did not apply, and fails now")
    if not now:
        return Judged(row, "improvement", "failed before" if before == "failed" else "applies now")
    return Judged(row, "n/a", "failed before, too" if before == "failed" else "")


def _of_times(row: Recorded, tolerance: float, p: float | None) -> Judged:
    if not row.pairs:
        return Judged(row, "not judged", "times need pairs: --measure")
    if p is None:
        return Judged(row, "same", f"within {tolerance:.0%}, or not significant")
    logs = [math.log(h / b) for b, h in row.pairs]
    interval = summarise(logs)
    assert interval.low is not None
    assert interval.high is not None
    reason = (
        f"95 % interval {math.exp(interval.low):.2f} to {math.exp(interval.high):.2f}, "
        f"{len(logs)} pairs, p = {p:.1g}"
    )
    return Judged(row, "regression" if row.ratio > 1 else "improvement", reason)


def _of_memory(row: Recorded) -> Judged:
    more = row.head - row.base
    if abs(more) <= MEMORY_FLOOR + MEMORY * min(row.base, row.head):
        return Judged(row, "same", f"within {MEMORY:.0%} and {MEMORY_FLOOR >> 20} MiB")
    return Judged(row, "regression" if more > 0 else "improvement")


def _of_exact(row: Recorded) -> Judged:
    if row.base == row.head or math.isclose(row.base, row.head, rel_tol=ROUNDING, abs_tol=ROUNDING):
        return Judged(row, "same")
    if row.unit == "value":
        return Judged(row, "regression", "the same result has another value")
    return Judged(row, "regression" if row.head > row.base else "improvement", "exact")
