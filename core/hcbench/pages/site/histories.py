"""Measurements of asv over commits, and the commits at which a benchmark became worse.

`steps` decides where a benchmark changes. A step to a larger value is a regression, since less is
better in all benchmarks. A benchmark of another version is another series.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from hcbench.errors import DataError
from hcbench.files.asv_results import EXACT_UNITS, read_asv_results
from hcbench.pages.site.commits import order_commits
from hcbench.pages.site.steps import FAR, TOLERANCE, find_changes, find_exact_changes

#: How asv names the environment of a Python that it has not made; the path follows.
_EXISTING = "existing-py"

#: What readers of a site are told about how regressions are found.
REGRESSION_RULE = (
    f"A regression is a rise of the level by more than {TOLERANCE:.0%} that exceeds the noise of "
    "the benchmark (t test), in at least two commits, or a rise to more than "
    f"{FAR} times all earlier values of its level in three. A rise of the newest commit alone is "
    f"to be confirmed by the next. Any rise of exact values ({', '.join(EXACT_UNITS)}) is a "
    "regression."
)


#: Smaller differences are none, whatever the ratio: a process has memory in pages, and now and
#: then some more of them.
_RESOLUTION = {"bytes": 2.0**16}


@dataclass(frozen=True, slots=True)
class Measurement:
    """The value of a benchmark at a commit; less is better.

    Attributes
    ----------
    commit : str
    date : datetime
    value : float
    position : int
        The place of the commit in the history.
    """

    commit: str
    date: datetime
    value: float
    position: int = 0

    @property
    def place(self) -> tuple[int, datetime, str]:
        """By which measurements are sorted."""
        return self.position, self.date, self.commit


@dataclass(frozen=True, slots=True)
class Step:
    """A change of the level of a benchmark.

    Attributes
    ----------
    at : Measurement
        The first measurement after the change.
    before, after : float
        The levels.
    confirmed : bool
        False if only the newest measurement has changed, and values are noisy.
    """

    at: Measurement
    before: float
    after: float
    confirmed: bool

    @property
    def is_regression(self) -> bool:
        """Whether it became worse, which later measurements confirm."""
        return self.confirmed and self.after > self.before

    @property
    def to_be_confirmed(self) -> bool:
        """Whether it seems worse, which the next measurement may confirm."""
        return not self.confirmed and self.after > self.before

    @property
    def ratio(self) -> float | None:
        """The level after over the level before; None if that is 0."""
        if not self.before:
            return None
        return self.after / self.before


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
        In the order of the commits.
    is_in_order : bool
        False if some commits have the same date, and no repository says which of them is first.
    """

    name: str
    parameters: str
    unit: str
    environment: str
    measurements: tuple[Measurement, ...]
    is_in_order: bool = True

    @property
    def quantity(self) -> str:
        """What is measured: time, memory, queries or other."""
        return {"s": "time", "bytes": "memory", "queries": "queries"}.get(self.unit, "other")

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The changes of the level, confirmed or not."""
        values = [measurement.value for measurement in self.measurements]
        # Counts are the same in each run, so that every change of them is a step.
        if self.unit in EXACT_UNITS:
            changes = find_exact_changes(values)
        else:
            changes = find_changes(values, _RESOLUTION.get(self.unit, 0.0))
        steps = []
        for change in changes:
            at = self.measurements[change.position]
            steps.append(Step(at, change.before, change.after, change.confirmed))
        return tuple(steps)

    @property
    def regressions(self) -> tuple[Step, ...]:
        """The steps to a larger value that are confirmed."""
        regressions = []
        for step in self.steps:
            if step.is_regression:
                regressions.append(step)
        return tuple(regressions)

    @property
    def to_be_confirmed(self) -> Step | None:
        """The step to a larger value at the newest commit, which nothing confirms yet."""
        for step in self.steps:
            if step.to_be_confirmed:
                return step
        return None


def overall_ratios(histories: Sequence[History]) -> list[Measurement]:
    """How all benchmarks together changed, relative to the first commit.

    From one commit to the next it is the geometric mean of the ratios of the benchmarks that were
    measured at both, if there are any; these changes are multiplied. Values of 0 do not take part.
    """
    values_at: dict[tuple[int, datetime, str], dict[History, float]] = {}
    for history in histories:
        for measurement in history.measurements:
            values_at.setdefault(measurement.place, {})[history] = measurement.value
    # A benchmark that is new or removed changes nothing, as it is in one of two commits only.
    level = 1.0
    previous_values: dict[History, float] = {}
    ratios = []
    for place in sorted(values_at):
        position, date, commit = place
        values = values_at[place]
        level *= _mean_ratio(previous_values, values)
        previous_values = values
        ratios.append(Measurement(commit, date, level, position))
    # One commit alone has no history.
    if len(ratios) < 2:
        return []
    return ratios


def _mean_ratio(before: Mapping[History, float], after: Mapping[History, float]) -> float:
    """The geometric mean of the ratios of benchmarks that were measured twice; 1 if none was."""
    ratios = []
    for history, value in after.items():
        previous_value = before.get(history, 0)
        if previous_value > 0 and value > 0:
            ratios.append(value / previous_value)
    if not ratios:
        return 1.0
    return statistics.geometric_mean(ratios)


def read_histories(folder: Path) -> list[History]:
    """All benchmarks in a results folder of asv, in alphabetical order.

    Parameters
    ----------
    folder : Path
        As `read_asv_results` takes it.

    Raises
    ------
    DataError
        If there are no results, or a file cannot be read.
    """
    results = read_asv_results(folder)
    if not results:
        raise DataError(f"{folder} has no results of asv; give its results_dir, after asv run")
    order = order_commits({result.commit: result.date for result in results})
    # Another version of a benchmark measures something else.
    measurements: dict[tuple[str, str, str, str, str], list[Measurement]] = {}
    for result in results:
        if math.isfinite(result.number):
            key = (
                result.name,
                result.parameters,
                result.unit,
                shown_environment(result.environment),
                result.version,
            )
            position = order.position[result.commit]
            measurement = Measurement(result.commit, result.date, result.number, position)
            measurements.setdefault(key, []).append(measurement)
    histories = []
    for key in sorted(measurements):
        name, parameters, unit, environment, _ = key
        in_order = sorted(measurements[key], key=lambda measurement: measurement.place)
        histories.append(
            History(
                name=name,
                parameters=parameters,
                unit=unit,
                environment=environment,
                measurements=tuple(in_order),
                is_in_order=order.is_certain,
            )
        )
    return histories


def shown_environment(environment: str) -> str:
    """Machine and environment of asv, without the path of a Python that existed already.

    A digest stands for the path, so that two of them are two environments.
    """
    machine, _, name = environment.rpartition("/")
    if not name.startswith(_EXISTING):
        return environment
    digest = hashlib.blake2b(name.encode(), digest_size=3).hexdigest()
    return f"{machine}/existing-{digest}"
