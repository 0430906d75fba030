"""What a report shows of a stored run: its results, and its failures by their reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hcbench.claims.decisions import WORDS
from hcbench.pages.report.places import (
    datasets_of,
    labels_without_folders,
    outcomes_without_folders,
    run_without_folders,
    without_paths,
)
from hcbench.plan.outcome import STATUSES
from hcbench.plan.presentation import Presentation
from hcbench.results.results import Results

if TYPE_CHECKING:
    from hcbench.plan.outcome import Outcome
    from hcbench.store.rows import RunInfo
    from hcbench.store.store import Store

#: Further failures are counted; their tracebacks are in the store.
MOST_TRACEBACKS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Cells that failed for one reason.

    Attributes
    ----------
    status, reason, phase : str
    algorithms, datasets : tuple of str
    count : int
        How many cells.
    key : str
        The beginning of the key of one of them, for ``hcbench rerun``; "" if inapplicable.
    traceback : str
        Of this cell.
    """

    status: str
    reason: str
    phase: str
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    count: int
    key: str
    traceback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """A run as its report shows it.

    Attributes
    ----------
    run : RunInfo
    results : Results
    names : mapping of str to str
        The names of data sets whose labels are shorter here than in the store.
    failures, skipped : tuple of Failure
        Cells that failed, and inapplicable combinations.
    """

    run: RunInfo
    results: Results
    names: Mapping[str, str] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    skipped: tuple[Failure, ...] = ()

    @property
    def title(self) -> str:
        """The name of its suite."""
        return self.results.suite.name or self.run.suite or f"run {self.run.id}"

    @property
    def statuses(self) -> dict[str, int]:
        """The number of cells of each status that occurs."""
        count = Counter(self.results.outcomes.column("status").tolist())
        counts: dict[str, int] = {}
        for status in STATUSES:
            if count[status]:
                counts[status] = count[status]
        return counts

    @property
    def verdicts(self) -> dict[str, int]:
        """The number of claims of each verdict that occurs."""
        count: Counter[str] = Counter()
        for verdict in self.results.judged:
            count[verdict.verdict] += 1
        counts: dict[str, int] = {}
        for word in WORDS:
            if count[word]:
                counts[word] = count[word]
        return counts

    @property
    def repetitions(self) -> int:
        """The largest number of repetitions of an algorithm on a data set."""
        # They are numbered from 0.
        return max(self.results.outcomes.column("repetition"), default=-1) + 1


def read_contents(store: Store, run: RunInfo) -> Contents:
    """Read a run.

    Raises
    ------
    StoreError
        If the store cannot be read.
    """
    # Pages are published: nothing on them may name folders of this machine.
    labels = labels_without_folders(datasets_of(run))
    shown_run = run_without_folders(run, labels)
    outcomes = store.cells(run=run.id)
    if labels:
        outcomes = outcomes_without_folders(outcomes, labels)
    layout = Presentation.of_description(shown_run.layout)
    results = Results.of_layout(layout, outcomes, store.sizes(run.id))
    return Contents(
        run=shown_run,
        results=results,
        names={short: label for label, short in labels.items()},
        failures=_failures(store, results.outcomes.take(results.outcomes.failed)),
        skipped=_failures(store, results.outcomes.where("status", {"skipped"})),
    )


def _failures(store: Store, outcomes: Sequence[Outcome]) -> tuple[Failure, ...]:
    """Cells without a result, grouped by reason."""
    outcomes_by_reason: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        reason = (outcome.status, outcome.reason, outcome.phase)
        outcomes_by_reason.setdefault(reason, []).append(outcome)
    # The most frequent reason first.
    groups = sorted(outcomes_by_reason.values(), key=len, reverse=True)
    failures = []
    for place, group in enumerate(groups):
        # One cell stands for all that failed for the same reason.
        first = group[0]
        traceback = ""
        # Each is read from the store, and has up to hundreds of lines.
        if place < MOST_TRACEBACKS:
            traceback = _traceback(store, first)
        failures.append(
            Failure(
                status=first.status,
                reason=first.reason,
                phase=first.phase,
                algorithms=_distinct(group, "algorithm"),
                datasets=_distinct(group, "dataset"),
                count=len(group),
                key=first.key[:8],
                traceback=traceback,
            )
        )
    return tuple(failures)


def _distinct(outcomes: Iterable[Outcome], field_name: str) -> tuple[str, ...]:
    """The labels of a field in the order of the outcomes, each once."""
    labels = [getattr(outcome, field_name) for outcome in outcomes]
    return tuple(dict.fromkeys(labels))


def _traceback(store: Store, outcome: Outcome) -> str:
    """The traceback of a cell that failed, or else what it wrote."""
    # What was skipped was not run, and has no cell in the store.
    if not outcome.key or not outcome.failed:
        return ""
    stored, _ = store.cell(outcome.key)
    return without_paths(stored.traceback or stored.log)
