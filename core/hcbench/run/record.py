"""What a run has measured and reused, written to the store as it arrives.

The outcome of each cell comes from what its worker reported, or from what is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from hcbench.plan.cell import Cell
from hcbench.plan.columns import Outcomes
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.plan import Plan, metric_keys
from hcbench.plan.presentation import Presentation
from hcbench.registry.plugins import Plugins
from hcbench.registry.uses import Use
from hcbench.run.environment import describe_environment
from hcbench.run.tasks import RescoreTask, Task, rescore_tasks
from hcbench.run.workers import Report
from hcbench.run.workers.messages import METRICS
from hcbench.store import Store

#: Labels of an algorithm and a data set: cells of one kind take about as long.
Kind: TypeAlias = tuple[str, str]
_OTHER_DATA = "the data set yields other data now than when the result was made"


@dataclass
class RunRecord:
    """A run in progress, in the store.

    Parameters
    ----------
    plan : Plan
    plugins : Plugins
        Whose reporting hooks are called.
    store : Store
    memory : float
        GiB that a cell may take.
    observer : Observer
    may_run : bool
        Whether a stored result whose data have changed is dropped, as its cell can run again;
        otherwise its new values are errors.

    Attributes
    ----------
    outcomes : Outcomes
        Once the run has ended: the inapplicable combinations, then the cells in the order of the
        plan.
    """

    plan: Plan
    plugins: Plugins
    store: Store
    memory: float
    observer: Observer
    may_run: bool = True

    def __post_init__(self) -> None:
        self.outcomes = Outcomes.of(_skipped_outcomes(self.plan))
        self._metric_keys = metric_keys(self.plan)
        self._run = 0
        # The outcomes of this run so far, by key.
        self._measured: dict[str, Outcome] = {}
        self._stored = Outcomes.of([])
        # The places in `_stored` of the results that are reused as they are, by key.
        self._reused: dict[str, int] = {}
        # New labels of results that were stored under others, by key.
        self._renamed: dict[str, tuple[str, str, str]] = {}
        # The digests of the data that this run has seen, by `Cell.data_key`: stored results have to
        # be of the same data.
        self._digests: dict[str, set[str]] = {}
        # Keys of the cells whose worker ended in a metric. The observer has been told of them.
        self._cut_short: set[str] = set()

    @contextmanager
    def running(
        self,
        command: str,
        machines: Mapping[str, Any],
        stored_results: Outcomes,
        tasks: Sequence[Task],
    ) -> Iterator[None]:
        """Store the beginning of the run, and its end, whatever happens in between.

        Parameters
        ----------
        command : str
            What makes the run again.
        machines : mapping
            The machines, beside the description of this one.
        stored_results : Outcomes
            Of the plan, as `Store.find` reads them, that need not be measured again.
        tasks : sequence of Task
            What is still to do.
        """
        self._stored = stored_results
        for place, key in enumerate(stored_results.column("key").tolist()):
            self._reused[key] = place
        self._renamed = self._labels_to_change()
        for task in tasks:
            self._reused.pop(task.cell.key, None)
        uses: list[Use[Any]] = list(self.plan.algorithms)
        uses += self.plan.datasets
        uses += self.plan.metrics
        libraries = {"hcbench"}
        for use in uses:
            libraries.update(use.spec.requires)
        self._run = self.store.begin_run(
            command=command,
            suite=self.plan.suite.name,
            environment=describe_environment(self.plugins.loaded, libraries) | dict(machines),
            layout=replace(Presentation.of_plan(self.plan), renamed=self._renamed).describe(),
        )
        self._store_outcomes(self.outcomes)
        cells_to_run = []
        for task in tasks:
            if not isinstance(task, RescoreTask):
                cells_to_run.append(task.cell)
        self.observer.to_run(cells_to_run)
        n_left = Counter(task.cell.labels[:2] for task in tasks)
        self.observer.started(len(self.plan.cells), len(self._reused), n_left)
        self.plugins.report("hcbench_run_started", plan=self.plan)
        finished = False
        try:
            yield
            finished = True
        finally:
            self._finish(interrupted=not finished)

    def _labels_to_change(self) -> dict[str, tuple[str, str, str]]:
        """The labels of reused cells that are stored under others, by key.

        Shorter ones were unique in the run that has measured them.
        """
        algorithms = self._stored.column("algorithm")
        datasets = self._stored.column("dataset")
        oracles = self._stored.column("oracle")
        labels = {}
        for cell in self.plan.cells:
            place = self._reused.get(cell.key)
            if place is None:
                continue
            if cell.labels != (algorithms[place], datasets[place], oracles[place]):
                labels[cell.key] = cell.labels
        return labels

    def save(self, reports: Iterable[Report]) -> None:
        """Store what has arrived, as much as possible in one transaction, and report it."""
        # Apart, as the store keeps older results beside fresh ones.
        fresh_outcomes: list[Outcome] = []
        other_outcomes: list[Outcome] = []
        descriptions: dict[str, dict[str, Any]] = {}
        finished = []
        for report in reports:
            task = report.tag
            assert isinstance(task, Task)
            key = task.cell.key
            digest = _digest_of(report)
            if digest:
                self._digests.setdefault(task.cell.data_key, set()).add(digest)
            if isinstance(task, RescoreTask):
                if self._is_outdated(task, digest) and self.may_run:
                    continue  # the new metrics saw other data: see `outdated_tasks`
                outcome = self._save_rescored(task, report, digest)
            else:
                outcome = outcome_of(task.cell, report)
                descriptions[key] = task.cell.describe()
                if task.fresh:
                    fresh_outcomes.append(outcome)
                else:
                    other_outcomes.append(outcome)
            self._measured[key] = outcome
            # A cell whose worker ended in a metric comes again, with its other metrics.
            if key not in self._cut_short:
                finished.append((outcome, report.seconds))
            if report.ending != "done" and report.phase == METRICS and len(task.metrics) > 1:
                self._cut_short.add(key)
        self._store_outcomes(other_outcomes, descriptions)
        self._store_outcomes(fresh_outcomes, descriptions, fresh=True)
        for outcome, seconds in finished:
            self.observer.finished(outcome, seconds)
            self.plugins.report("hcbench_cell_finished", outcome=outcome)

    def _is_outdated(self, task: RescoreTask, digest: str) -> bool:
        """Whether a stored result is of other data than its new metrics have seen."""
        return digest not in ("", task.outcome.data_digest)

    def _save_rescored(self, task: RescoreTask, report: Report, digest: str) -> Outcome:
        """Store the values of new metrics, and return the outcome with them."""
        if self._is_outdated(task, digest):
            report = replace(report, value=Outcome(status="error", reason=_OTHER_DATA))
        # Metrics of one cell may come in several reports.
        before = self._measured.get(task.cell.key, task.outcome)
        outcome = _rescored(task.cell, task.metrics, before, report)
        keys = {label: self._metric_keys[label] for label in task.metrics}
        self.store.save_values(self._run, task.row, outcome.points, keys)
        return outcome

    def outdated_tasks(self) -> list[Task]:
        """Cells whose stored results are of other data than this run has seen; they are to run.

        Their key is the same: the data depend on something that the key does not hold.
        """
        stored_digests = self._stored.column("data_digest")
        for cell in self.plan.cells:
            place = self._reused.get(cell.key)
            digests = self._digests.get(cell.data_key)
            if place is None or not digests:
                continue
            # Results without a digest failed before they had data.
            if stored_digests[place] and stored_digests[place] not in digests:
                del self._reused[cell.key]
        tasks = []
        for cell in self.plan.cells:
            if cell.key not in self._reused and cell.key not in self._measured:
                tasks.append(Task(cell=cell, metrics=tuple(self._metric_keys), fresh=True))
        return tasks

    def cut_short_tasks(self) -> list[Task]:
        """The metrics of the cells whose worker ended in one, each alone: others have values."""
        stored = self.store.find(list(self._cut_short), self._metric_keys)
        tasks: list[Task] = []
        for task in rescore_tasks(self.plan, stored):
            for label in task.metrics:
                tasks.append(replace(task, metrics=(label,)))
        return tasks

    def _finish(self, *, interrupted: bool) -> None:
        """Store the end of the run, and collect its outcomes in the order of the plan."""
        reused = self._stored.take(list(self._reused.values()))
        self._reused.clear()  # to free an entry per cell
        linked_rows = set(self.store.link(self._run, reused.column("row").tolist()))
        self.store.finish_run(self._run, interrupted=interrupted)
        # Another process may have deleted some meanwhile: those are not linked.
        reused = reused.where("row", linked_rows).renamed(self._renamed)
        ended = Outcomes.joined([reused, Outcomes.of(self._measured.values())])
        # Cells that an interrupted run did not reach are in no list.
        place_of_key = {}
        for place, key in enumerate(ended.column("key").tolist()):
            place_of_key[key] = place
        places = [place_of_key[cell.key] for cell in self.plan.cells if cell.key in place_of_key]
        outcomes = ended.take(places)
        self.outcomes = Outcomes.joined([self.outcomes, outcomes])
        self.plugins.report("hcbench_run_finished", outcomes=outcomes)

    def _store_outcomes(
        self,
        outcomes: Sequence[Outcome],
        descriptions: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        fresh: bool = False,
    ) -> None:
        """Store outcomes, with descriptions of their cells by key, and the limits of the run."""
        self.store.save(
            self._run,
            outcomes,
            self._metric_keys,
            descriptions=descriptions,
            limits={"timeout": self.plan.suite.timeout, "memory": self.memory},
            fresh=fresh,
        )


def _skipped_outcomes(plan: Plan) -> list[Outcome]:
    """An outcome for every repetition of every inapplicable combination."""
    labels = [metric.label for metric in plan.metrics]
    outcomes = []
    for combination in plan.inapplicable:
        values = dict.fromkeys(labels, Value(None, "skipped", combination.reason))
        for repetition in range(plan.suite.repetitions):
            outcome = Outcome(
                algorithm=combination.algorithm,
                dataset=combination.dataset,
                oracle=combination.oracle,
                repetition=repetition,
                seed=plan.suite.seed,
                status="skipped",
                reason=combination.reason,
                points=(ScoredPoint(values=values),),
            )
            outcomes.append(outcome)
    return outcomes


def outcome_of(cell: Cell, report: Report) -> Outcome:
    """The outcome of a cell, from what its worker sent or from how it ended.

    Examples
    --------
    >>> from hcbench.plan import make_plan
    >>> from hcbench.run import Report
    >>> suite = hcbench.Suite(
    ...     name="tiny", algorithms=["Single"], datasets=["planted[N0=2]"], metrics=["AARI"]
    ... )
    >>> (cell, *_) = make_plan(suite, hcbench.load_registry()).cells
    >>> report = Report("first", "timeout", reason="it took more than 60 s", phase="algorithm")
    >>> outcome = outcome_of(cell, report)
    >>> outcome.algorithm, outcome.status, outcome.reason
    ('Single', 'timeout', 'it took more than 60 s')
    """
    measured = _measured(cell, report)
    phase = ""
    if measured.status != "ok":
        phase = measured.phase or report.phase
    return replace(
        _relabelled(measured, cell),
        key=cell.key,
        repetition=cell.repetition,
        seed=cell.seed,
        budget=cell.budget,
        phase=phase,
        log=report.log,
        points=_with_all_metrics(cell, measured),
        host=report.host,
    )


def _digest_of(report: Report) -> str:
    """The digest of the data that a worker used; "" if it ended before it had them."""
    if isinstance(report.value, Outcome):
        return report.value.data_digest
    return ""


def _measured(cell: Cell, report: Report) -> Outcome:
    """What a worker sent; if it sent nothing, how it ended."""
    if isinstance(report.value, Outcome):
        if report.ending == "done":
            return report.value
        return _without_values(cell, report.value, report)
    assert report.ending != "done"
    phase = ""
    if report.outside:
        # Something outside of the cell has ended it.
        phase = "outside"
    return Outcome(
        status=report.ending,
        reason=_reason(report),
        traceback=report.traceback,
        phase=phase,
    )


def _reason(report: Report) -> str:
    """Why a worker ended, and that it was in a metric, if it was."""
    if report.phase != METRICS or repr(METRICS) in report.reason:
        return report.reason
    return f"{report.reason} in a metric"


def _without_values(cell: Cell, measured: Outcome, report: Report) -> Outcome:
    """What an algorithm returned before its worker ended in a metric."""
    error = Value(None, "error", _reason(report), final=False)
    errors = {}
    for metric in cell.metrics:
        if not cell.why_inapplicable(metric):
            errors[metric.label] = error
    points = [replace(point, values=errors | dict(point.values)) for point in measured.points]
    return replace(measured, points=tuple(points), traceback=report.traceback)


def _with_all_metrics(cell: Cell, measured: Outcome) -> tuple[ScoredPoint, ...]:
    """Add the metrics without a value, and why: inapplicable ones; of a failure, all."""
    failure = ""
    if measured.status != "ok":
        failure = f"{measured.status}: {measured.reason}"
    missing = {}
    for metric in cell.metrics:
        reason = failure or cell.why_inapplicable(metric)
        missing[metric.label] = Value(None, "skipped", reason)
    # A failure has one point, the end, so that its row has values.
    points = measured.points or (ScoredPoint(),)
    return tuple(replace(point, values=missing | dict(point.values)) for point in points)


def _rescored(cell: Cell, metrics: Collection[str], stored: Outcome, report: Report) -> Outcome:
    """A stored outcome with the values of new metrics beside the old ones."""
    new_values = _new_values(cell, metrics, stored, report)
    points = []
    for point in stored.points:
        values = dict(point.values) | new_values.get(point.checkpoint, {})
        points.append(replace(point, values=values))
    return replace(_relabelled(stored, cell), points=tuple(points))


def _relabelled(outcome: Outcome, cell: Cell) -> Outcome:
    """An outcome with the labels of a cell: it may have been stored under other labels."""
    algorithm, dataset, oracle = cell.labels
    if (outcome.algorithm, outcome.dataset, outcome.oracle) == cell.labels:
        return outcome
    return replace(outcome, algorithm=algorithm, dataset=dataset, oracle=oracle)


def _new_values(
    cell: Cell, metrics: Collection[str], stored: Outcome, report: Report
) -> dict[int | None, dict[str, Value]]:
    """The values of new metrics by checkpoint; if the stored results could not be scored, why."""
    missing = {}
    for metric in cell.metrics:
        if metric.label in metrics:
            missing[metric.label] = Value(None, "skipped", cell.why_inapplicable(metric))
    measured = _measured(cell, report)
    values: dict[int | None, dict[str, Value]] = {}
    if measured.reason:
        # Neither the result nor the metric is to blame, as far as is known.
        error = Value(None, "error", measured.reason, final=False)
        for point in stored.points:
            values[point.checkpoint] = dict.fromkeys(missing, error)
    else:
        for point in measured.points:
            values[point.checkpoint] = missing | dict(point.values)
    return values


class Observer:
    """Follows a run; as it is, it shows nothing."""

    def to_run(self, cells: Sequence[Cell]) -> None:
        """The cells whose algorithms are to be called; told once, before the run begins."""

    def started(self, total: int, reused: int, left: Mapping[Kind, int]) -> None:
        """The run begins: the numbers of cells in the plan, stored already, and left by kind."""

    def finished(self, outcome: Outcome, seconds: float) -> None:
        """A cell has its outcome; the seconds include making its data and computing its metrics."""

    def running(self, cells: Sequence[tuple[str, str, float]]) -> None:
        """Labels, phases and seconds of the cells that run now; called several times a second."""
