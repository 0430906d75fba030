"""Measuring two commits in turns: base, head, head, base, ...

Anything that slows the machine down affects both, and cancels in the ratio of a pair. A few pairs
of each case screen for times that may differ. These are measured again by many fresh processes, one
pair in each: a process keeps its memory layout, so pairs of one process are not independent. Only
these new pairs tell whether the times differ.

`SCREENING`, `LOOKS` and `PROCESSES` are the numbers of pairs of these steps. A `State` says why
there is no number, and `Measured` has a `Series` for each `Key`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from hcbench.asv import REPETITIONS, TRACKS, UNITS, Case, Measurement, MeasuringProcess

State: TypeAlias = Literal["", "n/a", "failed", "missing"]

SCREENING = REPETITIONS
"""Pairs of each case, one for each repetition."""

LOOKS = 6
"""More pairs of suspected cases, by the same processes: most suspicions are due to chance."""

PROCESSES = 30
"""Fresh processes of each commit for the remaining suspects; each measures a case once.

With 5 % noise they find one time of 300 that is longer by 20 %. It is a multiple of 2, so that both
commits come first equally often, and of the number of repetitions.
"""

#: The name of a case, its number of items, and the quantity that was measured.
Key = tuple[str, int, str]


@dataclass(slots=True)
class Series:
    """The measurements of a quantity for both commits.

    Attributes
    ----------
    base, head : list of float
        Values with the same index are a pair.
    unable : tuple of str
        Why a commit has no values: ``"failed"``, ``"n/a"`` or ``"missing"``; "" if it has some.
    """

    base: list[float] = field(default_factory=list)
    head: list[float] = field(default_factory=list)
    unable: tuple[State, State] = ("", "")

    def add(self, base: Measurement, head: Measurement, quantity: str) -> None:
        """Add a pair of measurements, of which one or both may have no number."""
        states = (_state(base, quantity), _state(head, quantity))
        if any(states):
            self.unable = states
        if not states[0]:
            self.base.append(float(base[quantity]))
        if not states[1]:
            self.head.append(float(head[quantity]))


Measured = dict[Key, Series]


def measure_in_turns(
    base: MeasuringProcess,
    head: MeasuringProcess,
    only: Iterable[str] = (),
    *,
    suspicious: float = 1.05,
    tell: Callable[[str], None] = lambda _: None,
) -> Measured:
    """Screen all cases, then measure those again whose times may differ.

    Parameters
    ----------
    base, head : MeasuringProcess
        The processes of both commits.
    only : iterable of str
        Patterns of the names of cases that are measured; by default all are.
    suspicious : float
        Ratios of times above it, or below its inverse, are measured again.
    tell : callable
        Takes a line about the progress.

    Returns
    -------
    dict of (name, n, quantity) to Series
        Of suspected times the pairs of fresh processes, and of the others those of screening.
    """
    processes = (base, head)
    try:
        cases = _cases_of_both(base, head, tuple(only))
        tell(f"{SCREENING} rounds of all: {len(cases)} cases")
        measured = _measure_rounds(processes, cases, SCREENING)
        suspects = _suspects(measured, suspicious)
        if suspects:
            cases = _cases_of(suspects)
            tell(f"{LOOKS} rounds of suspected cases: {len(cases)} cases")
            second_look = _measure_rounds(processes, cases, LOOKS)
            suspects &= _suspects(second_look, suspicious)
        if suspects:
            cases = _cases_of(suspects)
            tell(f"{PROCESSES} fresh processes for suspected cases: {len(cases)} cases")
            confirmed = _measure_rounds(processes, cases, PROCESSES, fresh=True)
            # Other quantities of these cases keep what screening has measured.
            for key in suspects:
                measured[key] = confirmed[key]
    finally:
        base.close()
        head.close()
    return measured


def _cases_of_both(
    base: MeasuringProcess, head: MeasuringProcess, patterns: Sequence[str]
) -> list[Case]:
    """The cases of either commit whose names match one of the patterns, if there are any."""
    cases = []
    for case in dict.fromkeys(list(head.cases()) + list(base.cases())):
        name, _ = case
        if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns):
            cases.append(case)
    return cases


def _suspects(measured: Measured, suspicious: float) -> set[Key]:
    """The times that may differ, by the median of the pairs and by the minima."""
    suspects = set()
    for key, series in measured.items():
        quantity = key[2]
        pairs = list(zip(series.base, series.head, strict=False))
        if UNITS[quantity] != "s" or not pairs or min(series.base) <= 0:
            continue
        # Of paired values: one that lacks its partner does not count.
        least_base = min(base for base, _ in pairs)
        least_head = min(head for _, head in pairs)
        ratio_of_minima = least_head / least_base
        median_ratio = statistics.median(head / base for base, head in pairs)
        is_longer = min(median_ratio, ratio_of_minima) > suspicious
        is_shorter = max(median_ratio, ratio_of_minima) < 1 / suspicious
        if is_longer or is_shorter:
            suspects.add(key)
    return suspects


def _cases_of(keys: set[Key]) -> list[Case]:
    """The different cases of some quantities, those of few items first."""
    cases = {(name, n) for name, n, _ in keys}
    return sorted(cases, key=lambda case: (case[1], case[0]))


def _measure_rounds(
    processes: tuple[MeasuringProcess, MeasuringProcess],
    cases: list[Case],
    rounds: int,
    *,
    fresh: bool = False,
) -> Measured:
    """Measure a pair of each case in each round, if asked for by fresh processes."""
    measured: Measured = {}
    for number in range(rounds):
        if fresh:
            for process in processes:
                process.close()  # another one starts when the next case is measured
        _measure_once(processes, cases, number, measured)
    return measured


def _measure_once(
    processes: tuple[MeasuringProcess, MeasuringProcess],
    cases: list[Case],
    number: int,
    measured: Measured,
) -> None:
    """Measure a pair of each case, and add it; the commit that comes first alternates."""
    for place, case in enumerate(cases):
        name, n = case
        sides = (0, 1)
        if (number + place) % 2 == 1:
            sides = (1, 0)
        pair: list[Measurement] = [{}, {}]
        for side in sides:
            if case in processes[side].cases():
                pair[side] = processes[side].measure(case, number % REPETITIONS)
        kind = name.partition("_")[0]
        for quantity in TRACKS[kind]:
            series = measured.setdefault((name, n, quantity), Series())
            series.add(pair[0], pair[1], quantity)


def _state(measurement: Measurement, quantity: str) -> State:
    """Why a measurement has no number of a quantity; "" if it has one."""
    if measurement.get(quantity) is not None:
        return ""
    if "failed" in measurement:
        return "failed"
    if measurement:
        return "n/a"
    # An empty one is of a commit without this case.
    return "missing"
