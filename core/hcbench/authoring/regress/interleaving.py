"""Measuring two commits in turns: base, head, head, base, ...

Anything that slows the machine down affects both, and cancels in the ratio of a pair. A few pairs
of each case screen for times that may differ. These are measured again by fresh processes, whose
memory layout differs as well; only these new pairs tell whether the times differ.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from hcbench.authoring.asv import REPETITIONS, TRACKS, UNITS, Case, Measurement
from hcbench.authoring.asv.process import MeasuringProcess

SCREENING = REPETITIONS
"""Pairs of each case, one for each repetition."""

LOOKS = 6
"""More pairs of suspected cases, by the same processes: most suspicions are due to chance."""

PROCESSES, PAIRS = 4, 4
"""Fresh processes of each commit for the remaining suspects, and pairs in each."""

Key = tuple[str, int, str]  # name, number of items, quantity


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
    unable: tuple[str, str] = ("", "")

    @property
    def ratios(self) -> tuple[float, float]:
        """Head over base: the median of the pairs, and of the minima; 1 without a pair."""
        pairs = list(zip(self.base, self.head, strict=False))
        if not pairs or min(self.base) <= 0:
            return 1.0, 1.0
        least = min(h for _, h in pairs) / min(b for b, _ in pairs)
        return statistics.median(h / b for b, h in pairs), least


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
    only : iterable of str
        Patterns of the names of cases; empty: all.
    suspicious : float
        Ratios of times above it, or below its inverse, are measured again.
    tell : callable
        Takes a line about the progress.
    """
    processes, patterns = (base, head), tuple(only)

    def measure(cases: list[Case], rounds: range, what: str, into: Measured) -> Measured:
        if cases:
            tell(f"{len(rounds)} rounds {what}: {len(cases)} cases")
            for number in rounds:
                _measure_once(processes, cases, number, into)
        return into

    try:
        cases = [
            (name, n)
            for name, n in dict.fromkeys([*head.cases(), *base.cases()])
            if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
        ]
        screened = measure(cases, range(SCREENING), "of all", {})
        suspects = _suspects(screened, suspicious)
        again = measure(_cases_of(suspects), range(LOOKS), "of suspected cases", {})
        suspects &= _suspects(again, suspicious)
        confirmed: Measured = {}
        for process in range(PROCESSES) if suspects else ():
            base.close()
            head.close()
            rounds = range(process * PAIRS, (process + 1) * PAIRS)
            what = f"of suspected cases, by fresh processes {process + 1} of {PROCESSES}"
            measure(_cases_of(suspects), rounds, what, confirmed)
    finally:
        base.close()
        head.close()
    return screened | {key: confirmed[key] for key in suspects}


def _suspects(measured: Measured, suspicious: float) -> set[Key]:
    """The times that may differ."""
    return {
        key
        for key, series in measured.items()
        if UNITS[key[2]] == "s"
        and (min(series.ratios) > suspicious or max(series.ratios) < 1 / suspicious)
    }


def _cases_of(keys: set[Key]) -> list[Case]:
    return sorted({(name, n) for name, n, _ in keys}, key=lambda case: case[::-1])


def _measure_once(
    processes: tuple[MeasuringProcess, MeasuringProcess],
    cases: list[Case],
    number: int,
    into: Measured,
) -> None:
    """Measure a pair of each case; the commit that comes first alternates."""
    for place, case in enumerate(cases):
        pair: list[Measurement] = [{}, {}]
        for which in (0, 1) if (number + place) % 2 == 0 else (1, 0):
            if case in processes[which].cases():
                pair[which] = processes[which].measure(case, number % REPETITIONS)
        for quantity in TRACKS[case[0].partition("_")[0]]:
            series = into.setdefault((*case, quantity), Series())
            base, head = (measurement.get(quantity) for measurement in pair)
            if base is None or head is None:
                series.unable = (_state(pair[0], base), _state(pair[1], head))
            if base is not None:
                series.base.append(float(base))
            if head is not None:
                series.head.append(float(head))


def _state(measurement: Measurement, value: Any) -> str:
    if value is not None:
        return ""
    return "failed" if "failed" in measurement else "n/a" if measurement else "missing"
