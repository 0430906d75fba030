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
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import click

from hcbench.cli.terminal import console, tell
from hcbench.model.text import printable
from hcbench.plan.outcome import Outcome
from hcbench.plan.time_estimates import estimate_time
from hcbench.run.record import Observer

if TYPE_CHECKING:
    from rich.console import Console

    from hcbench.plan.cell import Cell
    from hcbench.plan.time_estimates import StoredTime
    from hcbench.store import Store

REDRAW = 0.2  # seconds between two redraws of the bar
LINE = 10.0  # seconds between two plain lines
FIRST = 60.0  # seconds in which kernels are compiled: something new is told at once,
NEWS = 1.0  # but not more often than this, in seconds
SLOW = 1.0  # seconds after which it is said what a fit does
FEW = 3  # finished cells before a time is estimated; the first ones compile kernels
MOST_FAILURES = 50  # shown one by one; the table has all
#: What is said after Ctrl-C, and after a signal that ends the process.
INTERRUPTED = "interrupted; finished cells are stored, and the same command resumes"

Describe: TypeAlias = Callable[[], list[str]]
"""Gives a line of how far it is, and further ones of what is being done."""


class Lines:
    """A plain line every few seconds, for logs; at first, also when something else is done.

    Parameters
    ----------
    clock : callable
        Returns the time in s.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._written = clock()  # when the last line was
        self._news: list[str] = []  # what it told, without times

    def show(self, done: int, total: int, describe: Describe) -> None:
        """Write how far it is and what is being done for longest, every `LINE` seconds.

        In the first minute also when that is something else than in the last line.
        """
        now = self._clock()
        # The last line would come with the summary.
        if now < self._written + NEWS or done == total:
            return
        is_due = now >= self._written + LINE
        if not is_due and now > self._began + FIRST:
            return
        lines = describe()[:2]
        # Without the seconds that it has taken.
        news = [line.rpartition(", ")[0] for line in lines[1:]]
        if is_due or news != self._news:
            tell("; now ".join(lines))
            self._written = now
            self._news = news

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

        # rich would refresh the bar from a thread of its own and catch what is printed; both are
        # switched off, so that a run has one thread and workers print as always.
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
        # To describe many running cells takes longer than to count one: only when it is drawn.
        if time.monotonic() < self._next:
            return
        text = "\n".join(describe())
        self._bar.update(self._task, completed=done, total=total, description=printable(text))
        with _drawing():
            self._bar.start()
            self._bar.refresh()
        self._next = time.monotonic() + REDRAW

    def tell(self, text: str) -> None:
        """Write a line above the bar."""
        from rich.text import Text

        with _drawing():
            line = Text(printable(" ".join(text.split())), style="red")
            self._bar.console.print(line, soft_wrap=True)

    def close(self) -> None:
        """Remove the bar."""
        with _drawing():
            self._bar.stop()


@contextmanager
def _drawing() -> Iterator[None]:
    """Have a terminal that is gone not end the run, unless the run was interrupted meanwhile.

    Closing a terminal interrupts the run by a signal as well. Where this happens while rich makes
    the text, rich still writes what it has, so that the interruption is only the context of the
    error of writing.
    """
    try:
        yield
    except OSError as error:
        cause = error.__context__
        while cause is not None:
            if isinstance(cause, KeyboardInterrupt):
                raise cause from None
            cause = cause.__context__


@contextmanager
def display(*, quiet: bool) -> Iterator[Bar | Lines | None]:
    """What suits stderr; None if nothing is to be shown.

    Examples
    --------
    >>> with display(quiet=False) as shown:
    ...     for done in range(3):
    ...         shown.show(done, 3, lambda: [f"{done} of 3 fits"])

    It is None where nothing is to be shown:

    >>> with display(quiet=True) as shown:
    ...     print(shown)
    None
    """
    if quiet:
        yield None
        return
    err = console(stderr=True)
    # A bar is redrawn, which the log of a continuous integration does not show.
    can_redraw = err.is_terminal and not err.is_dumb_terminal and not os.environ.get("CI")
    if not can_redraw:
        yield Lines()
        return
    bar = Bar(err)
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def count_steps(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A function that shows on stderr how many steps are done, of all, if they take a second.

    Parameters
    ----------
    what : str
        What the steps are, such as "fits".
    quiet : bool
        Whether nothing is shown.
    """
    start = time.monotonic()
    with display(quiet=quiet) as progress_display:

        def show(done: int, total: int) -> None:
            if progress_display is None or time.monotonic() < start + SLOW:
                return
            progress_display.show(done, total, lambda: [f"{done} of {total} {what}"])

        yield show


def watch_fit(label: str) -> Callable[[str, float], None]:
    """A function that says what a fit does if it takes longer than a second, each phase once.

    Parameters
    ----------
    label : str
        The algorithm.
    """
    shown: set[str] = set()

    def show(phase: str, seconds: float) -> None:
        if seconds >= SLOW and phase not in shown:
            shown.add(phase)
            tell(f"{label}: {phase}")

    return show


@contextmanager
def follow(store: Store, *, quiet: bool) -> Iterator[Observer]:
    """An observer that shows a run on stderr; after Ctrl-C it says how to resume.

    Examples
    --------
    >>> from hcbench.commands import load_plugins, open_store
    >>> from hcbench.run import plan_of_run, rescore_plan
    >>> results = hcbench.compare(
    ...     "Single", "planted[N0=2,sigma=0]", store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> registry = load_plugins(quiet=True)
    >>> with open_store("results.sqlite") as store:
    ...     stored = plan_of_run(store, store.run(), registry, ["clade-recovery"])
    ...     with follow(store, quiet=True) as observer:
    ...         outcomes = rescore_plan(
    ...             stored.plan, stored.stored_results, registry.plugins, store, observer=observer
    ...         )
    >>> outcomes[0].points[-1].values["clade-recovery"].value
    1.0
    """
    with display(quiet=quiet) as progress_display:
        # One that shows nothing.
        observer = Observer()
        if progress_display is not None:
            observer = RunProgress(progress_display, stored_times=store.stored_times)
        try:
            yield observer
        except KeyboardInterrupt:
            # The bar is removed by `display`, before the message is shown.
            raise click.Abort(INTERRUPTED) from None


class RunProgress(Observer):
    """Counts the cells of a run, estimates the time that is left, and shows both.

    Parameters
    ----------
    display : Bar or Lines
    clock : callable
        Returns the time in s.
    stored_times : callable
        Returns how long stored calls took, for the estimate at the beginning.
    """

    def __init__(
        self,
        display: Bar | Lines,
        clock: Callable[[], float] = time.monotonic,
        stored_times: Callable[[], Sequence[StoredTime]] = tuple,
    ) -> None:
        self.display = display
        self._clock = clock
        self._stored_times = stored_times
        self.total = 0
        self.reused = 0
        self.failed = 0
        self.began = self._clock()
        # How many cells of each algorithm and data set were planned, stored ones excluded.
        self._planned: Mapping[tuple[str, str], int] = {}
        # Of finished cells: by algorithm and data set, by algorithm, and of all, which is ().
        self._cells: Counter[tuple[str, ...]] = Counter()
        self._seconds: dict[tuple[str, ...], float] = defaultdict(float)
        # What failed and why, as far as it has been shown; one more than `MOST_FAILURES` at most.
        self._causes: set[tuple[str, str]] = set()

    def to_run(self, cells: Sequence[Cell]) -> None:
        """Say how long the calls may take, if anything is known of it."""
        line = describe_time(cells, self._stored_times())
        if line:
            tell(line)

    def started(self, total: int, reused: int, left: Mapping[tuple[str, str], int]) -> None:
        """Say how many cells there are."""
        self.total = total
        self.reused = reused
        self._planned = Counter(left)
        self.began = self._clock()
        if isinstance(self.display, Lines):
            text = count_cells(total)
            if reused:
                text += f", {reused} of them stored already"
            tell(text)
        self.running(())

    def finished(self, outcome: Outcome, seconds: float) -> None:
        """Count a finished cell, and show each new cause of failure in one line."""
        for group in _groups_of(outcome.algorithm, outcome.dataset):
            self._cells[group] += 1
            self._seconds[group] += seconds
        self.failed += outcome.failed
        # A cell can have several: each metric may fail in its own way.
        causes = set()
        for name, reason in outcome.metric_errors.items():
            causes.add((f"metric {name}", reason))
        if outcome.failed:
            causes.add((outcome.status, outcome.reason))
        for cause in sorted(causes - self._causes):
            self._show_cause(outcome, cause)

    def _show_cause(self, outcome: Outcome, cause: tuple[str, str]) -> None:
        """Show a cause of failure that is new, unless there were many."""
        # The set stops growing one above the limit, when this was said.
        if len(self._causes) > MOST_FAILURES:
            return
        self._causes.add(cause)
        if len(self._causes) > MOST_FAILURES:
            self.display.tell("further failures are only counted")
            return
        place = f"{outcome.algorithm} on {outcome.dataset}, repetition {outcome.repetition}"
        status, reason = cause
        self.display.tell(f"{place}: {status}: {reason}")

    def running(self, cells: Sequence[tuple[str, str, float]]) -> None:
        """Show the progress and the running cells, the longest first."""

        def describe() -> list[str]:
            """Called only when something is drawn."""
            lines = [str(self)]
            for label, phase, seconds in sorted(cells, key=lambda cell: -cell[2]):
                lines.append(f"{label} ({phase}, {duration(seconds)})")
            return lines

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
        # Both in seconds of cells, of which several run at a time.
        work_left = 0.0
        for (algorithm, dataset), n_planned in self._planned.items():
            n_left = n_planned - self._cells[algorithm, dataset]
            if n_left > 0:
                work_left += n_left * self._mean_seconds(algorithm, dataset)
        # Time on the clock per second of work: below 1 with several jobs.
        elapsed = self._clock() - self.began
        return elapsed / work_done * work_left

    def _mean_seconds(self, algorithm: str, dataset: str) -> float:
        """The mean time of the finished cells that are most similar."""
        for group in _groups_of(algorithm, dataset):
            if self._cells[group]:
                return self._seconds[group] / self._cells[group]
        # No cell has finished.
        return math.inf

    def __str__(self) -> str:
        parts = [f"{self.done:,} of {count_cells(self.total)}"]
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        n_left = max(self.total - self.done, 0)
        if n_left:
            parts.append(f"{n_left:,} left")
            if self.seconds_left < math.inf:
                parts.append(f"about {duration(self.seconds_left)}")
        return ", ".join(parts)


def _groups_of(algorithm: str, dataset: str) -> tuple[tuple[str, ...], ...]:
    """The groups of cells to which a cell belongs, from the smallest to that of all."""
    return (algorithm, dataset), (algorithm,), ()


def count_cells(number: int) -> str:
    """Such as ``1 cell`` or ``12,000 cells``."""
    if number == 1:
        return "1 cell"
    return f"{number:,} cells"


def describe_time(cells: Sequence[Cell], stored_times: Sequence[StoredTime]) -> str:
    """How long the calls of some cells may take and from what this is known; "" if it is not."""
    estimate = estimate_time(cells, stored_times)
    if estimate.n_same + estimate.n_by_size == 0:
        return ""
    sources = []
    if estimate.n_same:
        sources.append("as stored calls of the same took")
    if estimate.n_by_size:
        source = (
            f"{count_cells(estimate.n_by_size)} by a power law in n, from stored calls of the "
            f"same algorithm with n = {estimate.smallest:,} to {estimate.largest:,}"
        )
        if estimate.farthest:
            source += f", extrapolated to n = {estimate.farthest:,}"
        sources.append(source)
    if estimate.n_unknown:
        sources.append(f"unknown for {count_cells(estimate.n_unknown)}")
    return f"calls: about {duration(estimate.seconds)} in all, {'; '.join(sources)}"


def duration(seconds: float) -> str:
    """Such as ``8 s``, ``3:20 min`` or ``2:05 h``."""
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60}:{rounded % 60:02} min"
    return f"{rounded // 3600}:{rounded % 3600 // 60:02} h"
