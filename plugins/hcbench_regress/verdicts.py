"""The verdict on each benchmark: what became worse from one commit to another.

It depends on what is measured. Numbers of queries, losses and values are
reproducible from the same seeds: any increase counts. Times need pairs that were measured in turns;
of others a large increase is suspected, no more. Student's t test of the logarithms of the ratios
judges them, and the false discovery rate of all times together is controlled.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias, get_args

from scipy.stats import false_discovery_control, t as student

from hcbench.analysis import summarise
from hcbench.files import EXACT_UNITS
from hcbench_regress.measuring import State
from hcbench_regress.records import Recorded

Verdict: TypeAlias = Literal[
    "regression",
    "suspected",
    "accepted",
    "improvement",
    "new",
    "removed",
    "not judged",
    "n/a",
    "same",
]
ORDER = get_args(Verdict)
SHOWN = ORDER[:6]

WORSE: tuple[Verdict, ...] = ("regression", "suspected")
"""The verdicts that end with exit code 1. What is suspected may be noise: only times that were
measured in turns tell."""

FALSE_DISCOVERIES = 0.05
"""Of the times that are said to differ by more than the tolerance, the expected share that do not.
"""

TOLERANCE = 0.1
"""How much longer a call may take."""

SUSPICIOUS = 1.5
"""A time that was not measured in turns is suspected above this ratio: two runs of ``asv`` on one
machine seldom differ as much without a reason, and often by a fifth."""

MEMORY = 0.3
"""How much more memory a call may hold, beside `MEMORY_FLOOR`."""

MEMORY_FLOOR = 16 * 2**20
ROUNDING = 1e-9
_OF_STATES: dict[tuple[State, State], tuple[Verdict, str]] = {
    ("", "n/a"): ("regression", "does not apply any more"),
    ("", "failed"): ("regression", "fails now"),
    ("n/a", "failed"): ("regression", "did not apply, and fails now"),
    ("n/a", ""): ("improvement", "applies now"),
    ("failed", ""): ("improvement", "failed before"),
    ("n/a", "n/a"): ("n/a", ""),
    ("failed", "n/a"): ("n/a", "failed before, too"),
    ("failed", "failed"): ("n/a", "failed before, too"),
    ("missing", ""): ("new", ""),
    ("missing", "n/a"): ("new", ""),
    ("missing", "failed"): ("new", "fails"),
}
"""The verdict where one of two commits has no number; others are removed."""
FEWEST = 8
"""A time with fewer pairs was not suspected of a difference: these pairs are of screening."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A benchmark with its verdict.

    Attributes
    ----------
    recorded : Recorded
        Its results.
    verdict : str
        One of `ORDER`.
    reason : str
        Why this is the verdict, in a few words.
    """

    recorded: Recorded
    verdict: Verdict
    reason: str = ""


def judge(
    recorded: Iterable[Recorded],
    *,
    accepted: Sequence[str] = (),
    tolerance: float = TOLERANCE,
) -> list[Judged]:
    """Compare two commits, benchmark by benchmark.

    Parameters
    ----------
    recorded : iterable of Recorded
        The results of the benchmarks.
    accepted : sequence of str
        Patterns of benchmarks that may become worse.
    tolerance : float
        A time has become longer if its ratio to the old one is more than 1 + tolerance.

    Returns
    -------
    list of Judged
        In the same order.
    """
    rows = list(recorded)
    p_values = _different_times(rows, tolerance)
    judged = []
    for place, row in enumerate(rows):
        verdict, reason = _verdict(row, tolerance, p_values.get(place))
        is_accepted = any(fnmatchcase(row.name, f"*{pattern}*") for pattern in accepted)
        if verdict in WORSE and is_accepted:
            verdict = "accepted"
        judged.append(Judged(recorded=row, verdict=verdict, reason=reason))
    return judged


def _different_times(rows: Sequence[Recorded], tolerance: float) -> dict[int, float]:
    """The places of times that differ by more than the tolerance, with their adjusted p-values.

    Benjamini and Hochberg's procedure controls the false discovery rate of all times that were
    measured by fresh processes. What screening excluded does not count, as the pairs of these
    processes are new.
    """
    places = []
    p_values = []
    for place, row in enumerate(rows):
        if row.unit != "s" or any(row.states) or not row.same_version:
            continue
        if len(row.pairs) < FEWEST:
            continue
        places.append(place)
        p_values.append(_p_value(row.log_ratios, tolerance))
    if not places:
        return {}
    different = {}
    for place, adjusted in zip(places, false_discovery_control(p_values), strict=True):
        if adjusted <= FALSE_DISCOVERIES:
            different[place] = float(adjusted)
    return different


def _p_value(log_ratios: Sequence[float], tolerance: float) -> float:
    """Student's t test of whether the mean ratio differs from 1 by more than the tolerance.

    It is two-sided, so it rejects at 5 % where the 95 % interval of the ratio is above 1 +
    tolerance, or below the inverse.
    """
    n = len(log_ratios)
    beyond = abs(statistics.fmean(log_ratios)) - math.log1p(tolerance)
    # Equal ratios differ by rounding only.
    standard_error = max(statistics.stdev(log_ratios) / math.sqrt(n), ROUNDING)
    return min(1.0, 2 * float(student.sf(beyond / standard_error, n - 1)))


def _verdict(row: Recorded, tolerance: float, p: float | None) -> tuple[Verdict, str]:
    """The verdict on a benchmark, and why; p is that of a time that differs significantly."""
    if any(row.states):
        return _OF_STATES.get(row.states, ("removed", "is not there any more"))
    if not row.same_version:
        return "not judged", "is measured in another way now"
    if row.unit == "s":
        return _verdict_on_time(row, tolerance, p)
    if row.unit == "bytes":
        return _verdict_on_memory(row)
    return _verdict_on_number(row)


def _verdict_on_time(row: Recorded, tolerance: float, p: float | None) -> tuple[Verdict, str]:
    if not row.pairs:
        return _verdict_on_separate_times(row, tolerance)
    if p is None:
        return "same", f"within {tolerance:.0%}, or not significant"
    reason = f"{len(row.pairs)} processes, p = {p:.1g}"
    summary = summarise(row.log_ratios)
    if summary.low is not None and summary.high is not None:
        low = math.exp(summary.low)
        high = math.exp(summary.high)
        reason = f"95 % interval {low:.2f} to {high:.2f}, {reason}"
    verdict: Verdict = "improvement"
    if row.ratio > 1:
        verdict = "regression"
    return verdict, reason


def _verdict_on_separate_times(row: Recorded, tolerance: float) -> tuple[Verdict, str]:
    """The verdict on times of two runs of asv, of which the machine may have disturbed one."""
    if row.ratio > max(SUSPICIOUS, 1 + tolerance):
        return "suspected", "not measured in turns"
    return "not judged", "times need pairs: --measure"


def _verdict_on_memory(row: Recorded) -> tuple[Verdict, str]:
    tolerated = MEMORY_FLOOR + MEMORY * min(row.base, row.head)
    if abs(row.head - row.base) <= tolerated:
        return "same", f"within {MEMORY:.0%} and {MEMORY_FLOOR >> 20} MiB"
    return _change(row), ""


def _verdict_on_number(row: Recorded) -> tuple[Verdict, str]:
    """The verdict on a number that is the same whenever it is measured."""
    if row.base == row.head:
        return "same", ""
    if row.unit not in EXACT_UNITS:
        return "not judged", "no direction is known"
    if math.isclose(row.base, row.head, rel_tol=ROUNDING, abs_tol=ROUNDING):
        return "same", ""
    if row.unit == "value":
        return "regression", "the same result has another value"
    return _change(row), "exact"


def _change(row: Recorded) -> Verdict:
    """The verdict on a number of which less is better."""
    if row.head > row.base:
        return "regression"
    return "improvement"
