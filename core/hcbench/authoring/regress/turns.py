"""Two commits measured in turns: base, head, head, base, ...

What slows the machine meanwhile slows both, and cancels in the ratio of a pair. All cases are
screened by a few pairs. Those whose times may differ are measured anew, by fresh processes, whose
layout in memory differs as well; only these new pairs tell whether they do.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from hcbench.authoring.asv import REPETITIONS, TRACKS, UNITS
from hcbench.authoring.regress.sides import Case, Found, Side

SCREENED = REPETITIONS
"""Pairs of each case, one a repetition."""

LOOKS = 6
"""More pairs of those that may differ, by the same processes: most of it was chance."""

PROCESSES, PAIRS = 4, 4
"""Fresh processes of each side for those that still may differ, and pairs in each."""

Key = tuple[str, int, str]  # name, number of items, quantity


@dataclass(slots=True)
class Series:
    """What was found of a quantity on both sides.

    Attributes
    ----------
    base, head : list of float
        Of one pair at one place.
    unable : tuple of str
        Why there is nothing on a side: ``"failed"``, ``"n/a"``, or "" if there is something.
    """

    base: list[float] = field(default_factory=list)
    head: list[float] = field(default_factory=list)
    unable: tuple[str, str] = ("", "")

    @property
    def ratios(self) -> tuple[float, float]:
        """Of the pairs of head and base the median, and of the least of both; 1 without a pair."""
        pairs = list(zip(self.base, self.head, strict=False))
        if not pairs or min(self.base) <= 0:
            return 1.0, 1.0
        least = min(h for _, h in pairs) / min(b for b, _ in pairs)
        return statistics.median(h / b for b, h in pairs), least


class Turns:
    """A comparison of two commits on its way.

    Parameters
    ----------
    base, head : Side
    only : iterable of str
        Patterns of the names of cases; empty: all.
    suspicious : float
        Ratios of times above it, or below its inverse, are measured anew.
    tell : callable
        Takes a line about the progress.
    """

    def __init__(
        self,
        base: Side,
        head: Side,
        only: Iterable[str] = (),
        *,
        suspicious: float = 1.05,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.sides = (base, head)
        self.only = tuple(only)
        self.suspicious = suspicious
        self.tell = tell
        self.found: dict[Key, Series] = {}

    def measure(self) -> dict[Key, Series]:
        """Screen all, then measure anew what may differ."""
        try:
            self._rounds(self._cases(), range(SCREENED), self.found, "of all")
            looked: dict[Key, Series] = {}
            suspects = self._suspects(self.found)
            self._rounds(_cases_of(suspects), range(LOOKS), looked, "of what may differ")
            suspects &= self._suspects(looked)
            confirmed: dict[Key, Series] = {}
            for process in range(PROCESSES) if suspects else ():
                self._restart()
                rounds = range(process * PAIRS, (process + 1) * PAIRS)
                what = f"of what may differ, by fresh processes {process + 1} of {PROCESSES}"
                self._rounds(_cases_of(suspects), rounds, confirmed, what)
            self.found.update({key: confirmed[key] for key in suspects})
        finally:
            self._restart()
        return self.found

    def _cases(self) -> list[Case]:
        there = dict.fromkeys([*self.sides[1].cases(), *self.sides[0].cases()])
        return [case for case in there if self._wanted(case[0])]

    def _wanted(self, name: str) -> bool:
        return not self.only or any(fnmatchcase(name, pattern) for pattern in self.only)

    def _suspects(self, found: dict[Key, Series]) -> set[Key]:
        return {key for key, series in found.items() if self._may_differ(key[2], series)}

    def _may_differ(self, quantity: str, series: Series) -> bool:
        least, most = min(series.ratios), max(series.ratios)
        is_far = least > self.suspicious or most < 1 / self.suspicious
        return UNITS[quantity] == "s" and is_far

    def _rounds(self, cases: list[Case], rounds: range, into: dict[Key, Series], what: str) -> None:
        if not cases:
            return
        self.tell(f"{len(rounds)} rounds {what}: {len(cases)} cases")
        there = [set(side.cases()) for side in self.sides]
        for number in rounds:
            for place, case in enumerate(cases):
                found: list[Found] = [{}, {}]
                for which in (0, 1) if (number + place) % 2 == 0 else (1, 0):
                    if case in there[which]:
                        found[which] = self.sides[which].measure(case, number % REPETITIONS)
                _keep(case, found, into)

    def _restart(self) -> None:
        for side in self.sides:
            side.close()


def _keep(case: Case, found: list[Found], into: dict[Key, Series]) -> None:
    for quantity in TRACKS[case[0].partition("_")[0]]:
        series = into.setdefault((*case, quantity), Series())
        base, head = (of.get(quantity) for of in found)
        if base is None or head is None:
            series.unable = (_state(found[0], base), _state(found[1], head))
        if base is not None:
            series.base.append(float(base))
        if head is not None:
            series.head.append(float(head))


def _cases_of(keys: set[Key]) -> list[Case]:
    return sorted({(name, n) for name, n, _ in keys}, key=lambda case: case[::-1])


def _state(found: Found, value: Any) -> str:
    if value is not None:
        return ""
    return "failed" if "failed" in found else "n/a" if found else "missing"
