"""Progress on stderr: a bar on a terminal, or else a line every few seconds.

Failures are shown as they happen. The bar is redrawn a few times a second at most, however many
cells finish.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from hcbench.cli.terminal import console, tell
from hcbench.plan.outcome import Outcome
from hcbench.run.observer import Observer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

REDRAW = 0.2  # seconds between two redraws of the bar
LINE = 10.0  # seconds between two plain lines
FEW = 3  # finished cells before a time is estimated; the first ones compile kernels
MOST_FAILURES = 50  # shown one by one; the table has all

Running = Sequence[tuple[str, str, float]]
Kinds = Mapping[tuple[str, str], int]


def follow(*, quiet: bool) -> AbstractContextManager[Observer]:
    """The observer that suits stderr."""
    if quiet:
        return nullcontext(Observer())
    err = console(stderr=True)
    alive = err.is_terminal and not err.is_dumb_terminal and not os.environ.get("CI")
    return Bar(err) if alive else Lines()


@dataclass(slots=True)
class Tally:
    """Progress of a run.

    Attributes
    ----------
    total, reused, done, failed : int
        Numbers of cells in the plan, already stored, finished, and failed.
    waiting : Counter
        Cells to run for each algorithm and data set.
    spent : mapping of the same to (count, seconds)
        Of finished cells.
    """

    total: int = 0
    reused: int = 0
    done: int = 0
    failed: int = 0
    waiting: Counter[tuple[str, str]] = field(default_factory=Counter)
    spent: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    told: set[tuple[str, str]] = field(default_factory=set)

    def begin(self, total: int, reused: int, left: Kinds) -> None:
        """Start counting and timing."""
        self.total, self.reused, self.waiting = total, reused, Counter(left)
        self.began = time.monotonic()

    def count(self, outcome: Outcome, seconds: float, tell_failure: Callable[[str], None]) -> None:
        """Count a finished cell and show each new cause of failure in one line."""
        self.done += 1
        self.failed += outcome.failed
        kind = outcome.algorithm, outcome.dataset
        self.waiting[kind] -= 1
        number, sum_of_kind = self.spent.get(kind, (0, 0.0))
        self.spent[kind] = number + 1, sum_of_kind + seconds
        causes: list[tuple[str, str]] = []
        if outcome.failed:
            causes.append((outcome.status, outcome.reason))
        causes += [(f"metric {name}", why) for name, why in outcome.metric_errors.items()]
        for cause in causes:
            if cause in self.told or len(self.told) > MOST_FAILURES:
                continue
            self.told.add(cause)
            if len(self.told) <= MOST_FAILURES:
                tell_failure(describe_failure(outcome, *cause))
            else:
                tell_failure("further failures are only counted")

    @property
    def left(self) -> int:
        """Cells without an outcome."""
        return max(self.total - self.reused - self.done, 0)

    @property
    def seconds_left(self) -> float:
        """Estimated time left; infinite while too few cells have finished.

        From the mean time of the same algorithm on the same data set, or else of the algorithm, or
        else of all cells; scaled by how fast cells have been finishing.
        """
        work_done = sum(seconds for _, seconds in self.spent.values())
        if not work_done or self.done < FEW:
            return math.inf
        by_algorithm: dict[str, tuple[int, float]] = {}
        for (algorithm, _), (number, seconds) in self.spent.items():
            before = by_algorithm.get(algorithm, (0, 0.0))
            by_algorithm[algorithm] = before[0] + number, before[1] + seconds
        of_all = self.done, work_done
        work_left = 0.0
        for kind, left in self.waiting.items():
            number, seconds = self.spent.get(kind) or by_algorithm.get(kind[0]) or of_all
            work_left += max(left, 0) * seconds / number
        return (time.monotonic() - self.began) / work_done * work_left

    def __str__(self) -> str:
        parts = [f"{self.reused + self.done:,} of {count_cells(self.total)}"]
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        if self.left:
            about = f", about {duration(self.seconds_left)}" if self.seconds_left < math.inf else ""
            parts.append(f"{self.left:,} left{about}")
        return ", ".join(parts)


def describe_failure(outcome: Outcome, what: str, why: str) -> str:
    """The cell, what failed in it, and why."""
    repetition = f"repetition {outcome.repetition}"
    where = f"{outcome.algorithm} on {outcome.dataset}, {repetition}"
    return f"{where}: {what}: {why}"


def count_cells(number: int) -> str:
    """Such as ``1 cell`` or ``12,000 cells``."""
    return f"{number:,} cell{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Such as ``8 s``, ``3:20 min`` or ``2:05 h``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"


class Lines(Observer):
    """A plain line every few seconds, for logs."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._next = math.inf

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def started(self, total: int, reused: int, left: Kinds) -> None:
        """Write the number of cells."""
        self.tally.begin(total, reused, left)
        stored = f", {reused} of them stored already" if reused else ""
        tell(f"{count_cells(total)}{stored}")
        self._next = time.monotonic() + LINE

    def finished(self, outcome: Outcome, seconds: float) -> None:
        """Write new failures."""
        self.tally.count(outcome, seconds, tell)

    def running(self, cells: Running) -> None:
        """Write the progress and the cell that has been running longest, every `LINE` seconds."""
        if time.monotonic() >= self._next and self.tally.left:
            longest = max(cells, key=lambda cell: cell[2], default=None)
            now = "" if longest is None else f"; now {_describe(*longest)}"
            tell(f"{self.tally}{now}")
            self._next = time.monotonic() + LINE


def _describe(label: str, phase: str, seconds: float) -> str:
    return f"{label} ({phase}, {duration(seconds)})"


class Bar(Observer):
    """A progress bar with the running cells below and failures above it.

    Parameters
    ----------
    err : Console
        A terminal.
    """

    def __init__(self, err: Console) -> None:
        from rich.live import Live

        self.tally = Tally()
        self._err = err
        self._running: Running = ()
        self._next = 0.0
        # Drawn by this thread alone, between two waits for workers: no lock, no second thread.
        self._live = Live(
            get_renderable=self._picture,
            console=err,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._running = ()
        with suppress(OSError):
            self._live.stop()

    def started(self, total: int, reused: int, left: Kinds) -> None:
        """Draw the bar."""
        self.tally.begin(total, reused, left)
        self._draw()

    def finished(self, outcome: Outcome, seconds: float) -> None:
        """Write new failures above the bar."""
        self.tally.count(outcome, seconds, self._tell)

    def running(self, cells: Running) -> None:
        """Redraw every `REDRAW` seconds."""
        now = time.monotonic()
        if now >= self._next:
            self._running = cells
            self._draw()
            self._next = now + REDRAW

    def _draw(self) -> None:
        with suppress(OSError):
            self._live.refresh()

    def _tell(self, text: str) -> None:
        from rich.text import Text

        with suppress(OSError):
            self._err.print(Text(" ".join(text.split()), style="red"), soft_wrap=True)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        tally = self.tally
        line = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(tally.total, 1), completed=tally.reused + tally.done, width=30)
        line.add_row(bar, Text(str(tally)))
        now = [
            Text(
                f"  {_describe(label, phase, seconds)}",
                style="dim",
                no_wrap=True,
                overflow="ellipsis",
            )
            for label, phase, seconds in self._running
        ]
        return Group(line, *now)
