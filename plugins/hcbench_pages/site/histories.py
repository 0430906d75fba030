"""Measurements of asv over commits, and the commits at which a benchmark became worse.

The level of a benchmark before a commit is the median of at most `WINDOW` measurements since its
last step. A commit is a step if its value differs from this level by more than a tolerance, and so
does that of the next measured commit, if there is one. The tolerance is `TOLERANCE`; for `EXACT`
units, which are reproducible from the same seeds, any difference counts. A step to a larger value
is a regression, since less is better in all benchmarks. A benchmark of another version is another
series.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from hcbench import DataError
from hcbench.asv import EXACT, read_results

WINDOW = 5
TOLERANCE = 0.1
REGRESSION_RULE = (
    f"A regression is a value above the median of up to {WINDOW} measurements since the last "
    f"change, by more than {TOLERANCE:.0%} (or at all if it is exact: {', '.join(EXACT)}), that "
    "the next measured commit confirms."
)
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Measurement:
    """The value of a benchmark at a commit; less is better."""

    commit: str
    date: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Step:
    """A lasting change of a benchmark.

    Attributes
    ----------
    at : Measurement
        The first measurement after the change.
    before : float
        The level before it.
    """

    at: Measurement
    before: float

    @property
    def is_regression(self) -> bool:
        """Whether it became worse."""
        return self.at.value > self.before

    @property
    def ratio(self) -> float:
        """The value over the level before; infinite if that is 0."""
        return self.at.value / self.before if self.before else math.inf


@dataclass(frozen=True, eq=False)
class History:
    """The measurements of one benchmark with one combination of parameters on one machine.

    Attributes
    ----------
    name, parameters : str
    unit : str
        "s", "bytes", "queries" or another.
    environment : str
        Machine and environment of asv.
    measurements : tuple of Measurement
        In the order of the dates of the commits.
    """

    name: str
    parameters: str
    unit: str
    environment: str
    measurements: tuple[Measurement, ...]

    @property
    def quantity(self) -> str:
        """What is measured: time, memory, queries or other."""
        return {"s": "time", "bytes": "memory", "queries": "queries"}.get(self.unit, "other")

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The lasting changes."""
        tolerance = _ROUNDING if self.unit in EXACT else TOLERANCE
        return tuple(_find_steps(self.measurements, tolerance))

    @property
    def regressions(self) -> tuple[Step, ...]:
        """The steps to a larger value."""
        return tuple(step for step in self.steps if step.is_regression)


def _find_steps(measured: Sequence[Measurement], tolerance: float) -> Iterator[Step]:
    start = 0
    for i in range(1, len(measured)):
        level = statistics.median(m.value for m in measured[max(start, i - WINDOW) : i])
        since = [m.value for m in measured[i : i + 2]]
        slack = tolerance * abs(level)
        if all(v > level + slack for v in since) or all(v < level - slack for v in since):
            yield Step(measured[i], level)
            start = i


def overall_ratios(histories: Sequence[History]) -> list[Measurement]:
    """How all benchmarks together changed, relative to the first commit.

    From one commit to the next it is the geometric mean of the ratios of the benchmarks that were
    measured at both, if there are any; these changes are multiplied. Values of 0 do not take part.
    """
    at: dict[tuple[datetime, str], dict[History, float]] = {}
    for history in histories:
        for measured in history.measurements:
            at.setdefault((measured.date, measured.commit), {})[history] = measured.value
    level, before = 1.0, dict[History, float]()
    ratios = []
    for (date, commit), values in sorted(at.items(), key=lambda entry: entry[0]):
        both = [v / before[h] for h, v in values.items() if before.get(h, 0) > 0 and v > 0]
        level *= statistics.geometric_mean(both) if both else 1.0
        before = values
        ratios.append(Measurement(commit, date, level))
    return ratios if len(ratios) > 1 else []


def read_histories(folder: Path) -> list[History]:
    """All benchmarks in a results folder of asv, in alphabetical order.

    Parameters
    ----------
    folder : Path
        As `read_results` takes it.

    Raises
    ------
    DataError
        If there are no results, or a file cannot be read.
    """
    results = read_results(folder)
    if not results:
        raise DataError(f"{folder} has no results of asv; give its results_dir, after asv run")
    found: dict[tuple[str, ...], list[Measurement]] = {}
    for r in results:
        if math.isfinite(r.number):
            key = (r.name, r.parameters, r.unit, r.environment, r.version)
            found.setdefault(key, []).append(Measurement(r.commit, r.date, r.number))
    return [
        History(name, params, unit, place, tuple(sorted(measured, key=lambda m: m.date)))
        for (name, params, unit, place, _), measured in sorted(found.items())
    ]
