"""Progress on stderr: a bar on a terminal, or else a line every few seconds.

Failures are shown as they happen. The bar is redrawn a few times a second at most, however many
cells finish.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

import click

from hcbench.cli.terminal import console, tell
from hcbench.model.text import printable
from hcbench.plan.outcome import Outcome
from hcbench.run.record import Observer

if TYPE_CHECKING:
    from rich.console import Console

REDRAW = 0.2  # seconds between two redraws of the bar
LINE = 10.0  # seconds between two plain lines
FEW = 3  # finished cells before a time is estimated; the first ones compile kernels
MOST_FAILURES = 50  # shown one by one; the table has all
INTERRUPTED = "interrupted; finished cells are stored, and the same command resumes"

Describe: TypeAlias = Callable[[], list[str]]
"""Gives a line of how far it is, and further ones of what is being done."""


class Lines:
    """A plain line every few seconds, for logs."""

    def __init__(self) -> None:
        self._next = time.monotonic() + LINE

    def show(self, done: int, total: int, describe: Describe) -> None:
        """Write how far it is and the first of what is being done, every `LINE` seconds."""
        if time.monotonic() >= self._next and done < total:
            tell("; now ".join(describe()[:2]))
            self._next = time.monotonic() + LINE

    def tell(self, text: str) -> None:
        """Write a line at once."""
        tell(text)


class Bar:
    """A bar with what is being done below, and other lines above it.

    It is drawn by the calling thread alone: there is no second thread.

    Parameters
    ----------
    err : Console
        A terminal.
    """

    def __init__(self, err: Console) -> None:
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        text = Column(no_wrap=True, overflow="ellipsis")
        self._bar = Progress(
            BarColumn(bar_width=30),
            TextColumn("{task.description}", markup=False, table_column=text),
            console=err,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=None)
        self._next = 0.0

    def show(self, done: int, total: int, describe: Describe) -> None:
        """Redraw every `REDRAW` seconds."""
        if time.monotonic() < self._next:
            return
        text = "\n".join(describe())
        self._bar.update(self._task, completed=done, total=total, description=printable(text))
        with suppress(OSError):
            self._bar.start()
            self._bar.refresh()
        self._next = time.monotonic() + REDRAW

    def tell(self, text: str) -> None:
        """Write a line above the bar."""
        from rich.text import Text

        with suppress(OSError):
            line = Text(printable(" ".join(text.split())), style="red")
            self._bar.console.print(line, soft_wrap=True)

    def close(self) -> None:
        """Remove the bar."""
        with suppress(OSError):
            self._bar.stop()


@contextmanager
def display(*, quiet: bool) -> Iterator[Bar | Lines | None]:
    """What suits stderr; None if nothing is to be shown."""
    err = console(stderr=True)
    alive = err.is_terminal and not err.is_dumb_terminal and not os.environ.get("CI")
    shown = None if quiet else Bar(err) if alive else Lines()
    try:
        yield shown
    finally:
        if isinstance(shown, Bar):
            shown.close()


@contextmanager
def follow(*, quiet: bool) -> Iterator[Observer]:
    """An observer that shows a run on stderr; after Ctrl-C it says how to resume."""
    with display(quiet=quiet) as shown:
        try:
            yield Observer() if shown is None else RunProgress(shown)
        except KeyboardInterrupt:
            raise click.Abort(INTERRUPTED) from None


class RunProgress(Observer):
    """Counts the cells of a run, estimates the time that is left, and shows both.

    Parameters
    ----------
    display : Bar or Lines
    """

    def __init__(self, display: Bar | Lines) -> None:
        self.display = display
        self.total = self.reused = self.failed = 0
        self.began = time.monotonic()
        self._waiting: Mapping[tuple[str, str], int] = {}
        # Of finished cells: by algorithm and data set, by algorithm, and of all.
        self._cells: Counter[tuple[str, ...]] = Counter()
        self._seconds: dict[tuple[str, ...], float] = defaultdict(float)
        self._causes: set[tuple[str, str]] = set()

    def started(self, total: int, reused: int, left: Mapping[tuple[str, str], int]) -> None:
        """Say how many cells there are."""
        self.total, self.reused, self._waiting = total, reused, Counter(left)
        self.began = time.monotonic()
        if isinstance(self.display, Lines):
            stored = f", {reused} of them stored already" if reused else ""
            tell(f"{count_cells(total)}{stored}")
        self.running(())

    def finished(self, outcome: Outcome, seconds: float) -> None:
        """Count a finished cell, and show each new cause of failure in one line."""
        kind = outcome.algorithm, outcome.dataset
        for group in (kind, kind[:1], ()):
            self._cells[group] += 1
            self._seconds[group] += seconds
        self.failed += outcome.failed
        causes = {(f"metric {name}", why) for name, why in outcome.metric_errors.items()}
        if outcome.failed:
            causes.add((outcome.status, outcome.reason))
        for what, why in sorted(causes - self._causes):
            if len(self._causes) <= MOST_FAILURES:
                self._causes.add((what, why))
                place = f"{outcome.algorithm} on {outcome.dataset}, repetition {outcome.repetition}"
                shown = len(self._causes) <= MOST_FAILURES
                self.display.tell(
                    f"{place}: {what}: {why}" if shown else "further failures are only counted"
                )

    def running(self, cells: Sequence[tuple[str, str, float]]) -> None:
        """Show the progress and the running cells, the longest first."""

        def describe() -> list[str]:
            longest = sorted(cells, key=lambda cell: -cell[2])
            return [str(self), *(f"{what} ({phase}, {duration(s)})" for what, phase, s in longest)]

        self.display.show(self.done, self.total, describe)

    @property
    def done(self) -> int:
        """Cells with an outcome, stored ones included."""
        return self.reused + self._cells[()]

    @property
    def seconds_left(self) -> float:
        """Estimated time left; infinite while too few cells have finished.

        From the mean time of the same algorithm on the same data set, or else of the algorithm, or
        else of all cells; scaled by how fast cells have been finishing.
        """
        work_done = self._seconds[()]
        if not work_done or self._cells[()] < FEW:
            return math.inf
        work_left = 0.0
        for kind, planned in self._waiting.items():
            group = next(group for group in (kind, kind[:1], ()) if self._cells[group])
            mean = self._seconds[group] / self._cells[group]
            work_left += max(planned - self._cells[kind], 0) * mean
        return (time.monotonic() - self.began) / work_done * work_left

    def __str__(self) -> str:
        parts = [f"{self.done:,} of {count_cells(self.total)}"]
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        left = max(self.total - self.done, 0)
        if left:
            about = f", about {duration(self.seconds_left)}" if self.seconds_left < math.inf else ""
            parts.append(f"{left:,} left{about}")
        return ", ".join(parts)


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
