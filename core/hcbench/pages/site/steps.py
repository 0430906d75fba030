"""The commits at which the values of a benchmark change for longer than one commit.

Noisy values, such as times, are compared by Student's t test with pooled variance: those since the
last change (the level) with the next 2, 3, 5 or 10. The noise is estimated from these values, so it
need not be known. A change is found where

- each of 3 later values is more than `FAR` times each value of the level, or each value of the
  level is so much more than each of them,

or where

- equal levels would differ so much with a probability of at most `FALSE_SHARE`,
- the levels differ by more than `TOLERANCE`,
- and most of the later values are nearer to the new level, so that one outlier is no change.

The first of these two is for short histories: the t test of 2 values with 3 needs t = 43.

Later values may undo a change: levels are joined whose medians do not differ by more than
`TOLERANCE`, and so is a rise of fewer than 5 values that is followed by a return.

The newest value has none after it. If it alone lies outside, the change is not confirmed.

Exact values have no noise: any difference from the commit before is a change, and needs nothing to
confirm it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scipy import stats

#: Smaller relative changes are none, even if they are significant.
TOLERANCE = 0.1
#: A benchmark is tested at each commit: 25,000 tests have one false change on average.
FALSE_SHARE = 1 / 25_000
_LATER = (2, 3, 5, 10)  # few find a large change soon, many a small one at all
#: The ratio that no noise explains in so many values, whatever the others are.
FAR = 1.5
_FEWEST_FAR = 3
_OUTLIER = 5.0  # standard deviations from the median
#: The spread of fewer values is too uncertain to say which of them are outliers.
_FEWEST_CLIPPED = 10
_SHORTEST_RISE = 5  # values, of a rise that is followed by a return
#: Exact values that differ by less, relatively, are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the level of a series.

    Attributes
    ----------
    position : int
        Of the first value of the new level.
    before, after : float
        The medians of the levels; of exact values, the two values.
    confirmed : bool
        False if only the newest value has changed.
    """

    position: int
    before: float
    after: float
    confirmed: bool


def find_exact_changes(values: Sequence[float]) -> list[Change]:
    """All changes of values without noise, except for rounding errors."""
    changes = []
    for position in range(1, len(values)):
        before = values[position - 1]
        after = values[position]
        if abs(after - before) > _ROUNDING * abs(before):
            changes.append(Change(position, before, after, confirmed=True))
    return changes


def find_changes(values: Sequence[float], resolution: float = 0.0) -> list[Change]:
    """The changes of the level of noisy values.

    The first two values cannot be judged, as they estimate the first level and its noise.

    Parameters
    ----------
    values : sequence of float
    resolution : float
        Levels that differ by at most so much are the same.
    """
    newest = len(values) - 1
    starts = [0]
    position = 2
    while position <= newest:
        # Whether a change begins here: how many of the next values show it, or None.
        end = _end_of_evidence(values, starts[-1], position, resolution)
        if end is None:
            position += 1
            continue
        # The fewest values that show a change may begin a little before it.
        if position < newest:
            position = _first_after_change(values, starts[-1], position, end)
        starts.append(position)
        position += 2
    starts = _join_levels(values, starts, resolution)
    medians = _medians(values, starts)
    changes = []
    for level in range(1, len(starts)):
        start = starts[level]
        confirmed = start < newest
        changes.append(Change(start, medians[level - 1], medians[level], confirmed))
    return changes


def _join_levels(values: Sequence[float], starts: Sequence[int], resolution: float) -> list[int]:
    """The starts of the levels that remain, judged by all values that are now known."""
    joined = list(starts)
    level = 1
    while level < len(joined):
        medians = _medians(values, joined)
        before = medians[level - 1]
        smallest = _smallest_change(before, resolution)
        highest = before + smallest
        if abs(medians[level] - before) <= smallest:
            # The later values have not confirmed the change.
            del joined[level]
            level = max(level - 1, 1)
            continue
        if level + 1 < len(joined):
            is_short = joined[level + 1] - joined[level] < _SHORTEST_RISE
            if is_short and medians[level] > highest >= medians[level + 1]:
                # Other processes made it slower for a while.
                del joined[level]
                level = max(level - 1, 1)
                continue
        level += 1
    return joined


def _medians(values: Sequence[float], starts: Sequence[int]) -> list[float]:
    # Each level ends where the next one starts.
    ends = list(starts[1:])
    ends.append(len(values))
    medians = []
    for start, end in zip(starts, ends, strict=True):
        medians.append(statistics.median(values[start:end]))
    return medians


def _end_of_evidence(
    values: Sequence[float], start: int, position: int, resolution: float
) -> int | None:
    """The end of the fewest values from `position` that differ from the level since `start`."""
    level = _clip_outliers(values[start:position])
    if position == len(values) - 1:
        # The last value has none after it that could confirm the change.
        if _differ(level, values[position:], resolution):
            return position + 1
        return None
    for count in _LATER:
        end = position + count
        if end <= len(values) and _differ(level, values[position:end], resolution):
            return end
    return None


def _first_after_change(values: Sequence[float], start: int, position: int, end: int) -> int:
    """The position with the largest t statistic; the first values may be of the old level."""
    best = position
    largest = -math.inf
    for candidate in range(position, end - 1):
        level = _clip_outliers(values[start:candidate])
        statistic = _t_statistic(level, values[candidate:end])
        if statistic > largest:
            best = candidate
            largest = statistic
    return best


def _smallest_change(before: float, resolution: float) -> float:
    """Levels that differ from this one by at most so much are the same."""
    return max(TOLERANCE * abs(before), resolution)


def _differ(level: Sequence[float], later: Sequence[float], resolution: float) -> bool:
    before = statistics.fmean(level)
    after = statistics.fmean(later)
    if abs(after - before) <= _smallest_change(before, resolution):
        return False
    if len(later) >= _FEWEST_FAR and (_is_far_above(later, level) or _is_far_above(level, later)):
        return True
    nearer = 0
    for value in later:
        if abs(value - after) < abs(value - before):
            nearer += 1
    # One outlier can move the mean of a few values, but not most of them.
    if 2 * nearer <= len(later):
        return False
    return _t_statistic(level, later) > _critical_t(len(level) + len(later) - 2)


def _is_far_above(values: Sequence[float], others: Sequence[float]) -> bool:
    highest = max(others)
    # Values that may be negative have no ratios.
    return highest > 0 and min(values) > FAR * highest


def _t_statistic(level: Sequence[float], later: Sequence[float]) -> float:
    before = statistics.fmean(level)
    after = statistics.fmean(later)
    squares = sum((value - before) ** 2 for value in level)
    squares += sum((value - after) ** 2 for value in later)
    variance = squares / (len(level) + len(later) - 2)
    error = math.sqrt(variance * (1 / len(level) + 1 / len(later)))
    if error > 0:
        return abs(after - before) / error
    # Without any noise, the least difference is one.
    return math.inf


@lru_cache
def _critical_t(degrees: int) -> float:
    return float(stats.t.isf(FALSE_SHARE, degrees))


def _clip_outliers(level: Sequence[float]) -> Sequence[float]:
    """A few outliers in a long level would hide later changes: they count as at its border."""
    if len(level) < _FEWEST_CLIPPED:
        return level
    median = statistics.median(level)
    # 1.4826 makes the median absolute deviation of normal values their standard deviation.
    deviation = 1.4826 * statistics.median(abs(value - median) for value in level)
    if deviation == 0:
        return level
    lowest = median - _OUTLIER * deviation
    highest = median + _OUTLIER * deviation
    return [min(max(value, lowest), highest) for value in level]
