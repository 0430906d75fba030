"""What a report says about a stored run, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import labels_of
from hcbench.analysis.results import Results
from hcbench.analysis.verdicts import WORDS
from hcbench.plan.outcome import STATUSES
from hcbench.plan.presentation import Presentation

if TYPE_CHECKING:
    from hcbench.plan.outcome import Outcome
    from hcbench.registry import Registry
    from hcbench.registry.specs import Reference
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
    """A run as its report shows it.

    Attributes
    ----------
    run : RunInfo
    results : Results
    failures, skipped : tuple of Failure
        Cells that failed, and inapplicable combinations.
    """

    run: RunInfo
    results: Results
    failures: tuple[Failure, ...] = ()
    skipped: tuple[Failure, ...] = ()

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
    """Read a run.

    Raises
    ------
    StoreError
        If the store cannot be read.
    """
    layout = Presentation.of_description(run.layout)
    outcomes = [outcome for outcome, _ in store.outcomes(run=run.id)]
    results = Results.of_layout(layout, outcomes, store.sizes(run.id))
    return Contents(
        run=run,
        results=results,
        failures=_failures(store, [o for o in results.outcomes if o.failed]),
        skipped=_failures(store, [o for o in results.outcomes if o.status == "skipped"]),
    )


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


# ---- Provenance ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where an algorithm or a data set comes from.

    Attributes
    ----------
    name, plugin : str
    wraps : tuple of str
        The libraries on which it depends, with the versions of the run.
    licence : str
        Of the data.
    digest : str
        Checksum of the data of the first repetition.
    paper : Reference or None
    """

    name: str
    plugin: str
    wraps: tuple[str, ...] = ()
    licence: str = ""
    digest: str = ""
    paper: Reference | None = None


def list_sources(contents: Contents, registry: Registry) -> dict[str, list[Source]]:
    """The algorithms and data sets of a run that installed plugins have."""
    results, versions = contents.results, contents.run.environment.get("versions", {})
    digests: dict[str, str] = {}
    for outcome in sorted(results.outcomes, key=lambda o: o.repetition):
        if outcome.data_digest:
            digests.setdefault(outcome.dataset, outcome.data_digest)
    sources: dict[str, list[Source]] = {}
    algorithms = labels_of(results, "algorithm", results.algorithms).values()
    datasets = labels_of(results, "dataset", results.datasets)
    for kind, wanted, catalogue in (
        ("algorithms", {label.base: label.base for label in algorithms}, registry.algorithms),
        ("data sets", {text: label.base for text, label in datasets.items()}, registry.datasets),
    ):
        known = {entry.spec.name: entry for entry in catalogue.entries}
        sources[kind] = [
            Source(
                name=name,
                plugin=entry.plugin.name,
                wraps=tuple(f"{name} {versions.get(name.lower(), '')}" for name in spec.requires),
                licence=getattr(spec, "licence", ""),
                digest=digests.get(name, ""),
                paper=spec.paper,
            )
            for name, base in wanted.items()
            if (entry := known.get(base))
            for spec in (entry.spec,)
        ]
    return sources


def list_papers(contents: Contents, sources: Mapping[str, Sequence[Source]]) -> list[Reference]:
    """The papers of the suite, its algorithms and its data sets, each once."""
    papers = [contents.results.suite.paper]
    papers += [source.paper for of_kind in sources.values() for source in of_kind]
    return list({paper.key: paper for paper in papers if paper is not None}.values())


def environment_rows(environment: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
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
    yield from ((name, str(value)) for name, value in rows.items() if value)
