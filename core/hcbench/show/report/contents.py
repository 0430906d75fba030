"""The contents of a report, read from a stored run as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hcbench.analysis.results import Results
from hcbench.analysis.verdicts import WORDS, describe_claimed
from hcbench.analysis.views.palette import PALETTE, PALETTE_DARK
from hcbench.plan.outcome import STATUSES
from hcbench.plan.presentation import Presentation
from hcbench.show.report.axes import describe_axes, describe_filters
from hcbench.show.report.cells import describe_cells, short
from hcbench.show.report.standings import (
    describe_fronts,
    describe_growth,
    describe_looks,
    describe_standings,
)

if TYPE_CHECKING:
    from hcbench.plan.outcome import Outcome
    from hcbench.show.report.forest import Forest
    from hcbench.store import RunInfo, Store

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
    """A report.

    Attributes
    ----------
    run : RunInfo
    results : Results
    failures, skipped : tuple of Failure
        Cells that failed, and inapplicable combinations.
    data : dict
        Input of the scripts of the page.
    """

    run: RunInfo
    results: Results
    failures: tuple[Failure, ...] = ()
    skipped: tuple[Failure, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name of its suite."""
        return self.results.suite.name or self.run.suite or f"run {self.run.id}"

    @property
    def statuses(self) -> dict[str, int]:
        """The number of cells of each status that occurs."""
        count = Counter(outcome.status for outcome in self.results.outcomes)
        return {status: count[status] for status in STATUSES if count[status]}

    @property
    def verdicts(self) -> dict[str, int]:
        """The number of claims of each verdict that occurs."""
        count = Counter(verdict.verdict for verdict in self.results.judged)
        return {word: count[word] for word in WORDS if count[word]}

    @property
    def repetitions(self) -> int:
        """The largest number of repetitions of an algorithm on a data set."""
        return max((o.repetition + 1 for o in self.results.outcomes), default=0)


def read_contents(store: Store, run: RunInfo) -> Contents:
    """The contents of a report without its trees.

    Raises
    ------
    StoreError
        If the store cannot be read.
    """
    layout = Presentation.of_description(run.layout)
    outcomes = [outcome for outcome, _ in store.outcomes(run=run.id)]
    results = Results.of_layout(layout, outcomes, store.sizes(run.id))
    data = {
        **describe_cells(results),
        "fronts": describe_fronts(results),
        "growth": describe_growth(results),
        "ranks": describe_standings(results),
        "looks": describe_looks(results),
        "palette": {"light": PALETTE, "dark": PALETTE_DARK},
        "axes": describe_axes(results),
        "filters": describe_filters(results),
        "claims": _claims(results),
        "name": f"{results.suite.name or 'run'}-{run.id}",
    }
    return Contents(
        run=run,
        results=results,
        failures=_failures(store, [o for o in results.outcomes if o.failed]),
        skipped=_failures(store, [o for o in results.outcomes if o.status == "skipped"]),
        data=data,
    )


def with_trees(contents: Contents, forest: Forest) -> Contents:
    """The same report with trees."""
    return replace(contents, data={**contents.data, "forest": forest.describe()})


def _claims(results: Results) -> list[dict[str, Any]]:
    return [
        {
            "claim": verdict.claim.claim,
            "claimed": describe_claimed(verdict.claim),
            "measured": short(verdict.measured),
            "error": short(verdict.standard_error),
            "verdict": verdict.verdict,
            "note": verdict.note,
        }
        for verdict in results.judged
    ]


def _failures(store: Store, outcomes: Sequence[Outcome]) -> tuple[Failure, ...]:
    """Cells without a result, grouped by reason."""
    alike: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        alike.setdefault((outcome.status, outcome.reason, outcome.phase), []).append(outcome)
    ordered = sorted(alike.items(), key=lambda entry: -len(entry[1]))
    return tuple(
        Failure(
            status=status,
            reason=reason,
            phase=phase,
            algorithms=tuple(dict.fromkeys(o.algorithm for o in cells)),
            datasets=tuple(dict.fromkeys(o.dataset for o in cells)),
            count=len(cells),
            key=cells[0].key[:8],
            traceback=_traceback(store, cells[0]) if place < MOST_TRACEBACKS else "",
        )
        for place, ((status, reason, phase), cells) in enumerate(ordered)
    )


def _traceback(store: Store, outcome: Outcome) -> str:
    if not outcome.key or not outcome.failed:
        return ""
    stored, _ = store.cell(outcome.key)
    return stored.traceback or stored.log


def environment_rows(environment: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The machine and software of a run, as names and values."""
    machine = environment.get("machine", {})
    memory = machine.get("memory_bytes")
    rows = {
        "processor": machine.get("processor"),
        "cores": machine.get("cores"),
        "memory": f"{memory / 2**30:.1f} GiB" if memory else None,
        "system": machine.get("system"),
        "Python": environment.get("python"),
        "commit of hcbench": environment.get("commit"),
    }
    return [(name, str(value)) for name, value in rows.items() if value]
