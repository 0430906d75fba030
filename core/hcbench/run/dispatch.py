"""Between the plan and the workers: a cell as a job, a worker's report as an outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hcbench.plan.outcome import Measured, Outcome, Value
from hcbench.plan.plan import Cell, LeftOut, Plan, inapplicable
from hcbench.registry import Use
from hcbench.run.job import Call, Done, Job
from hcbench.run.workers import Report
from hcbench.run.workers.limits import METRICS

if TYPE_CHECKING:
    from hcbench.oracle.scored import Cost


def skipped_outcomes(plan: Plan) -> list[Outcome]:
    """A row for every repetition of every combination that cannot be."""
    return [
        _skipped(left_out, repetition, plan)
        for left_out in plan.left_out
        for repetition in range(plan.suite.repetitions)
    ]


def _skipped(left_out: LeftOut, repetition: int, plan: Plan) -> Outcome:
    values = {m.label: Value(None, "skipped", left_out.reason) for m in plan.metrics}
    return Outcome(
        key="",
        algorithm=left_out.algorithm,
        dataset=left_out.dataset,
        oracle=left_out.oracle,
        repetition=repetition,
        seed=plan.suite.seed,
        status="skipped",
        reason=left_out.reason,
        measured=(Measured(values=values),),
    )


def make_job(cell: Cell, metrics: Iterable[str]) -> Job:
    """What a worker needs to run a cell."""
    provided = cell.dataset.spec.provides_with(cell.dataset.params)
    wanted = set(metrics)
    return Job(
        dataset=_call(cell.dataset),
        oracle=_call(cell.oracle),
        algorithm=_call(cell.algorithm),
        data_key=f"{cell.dataset.identity}/{cell.data_seed}",
        data_seed=cell.data_seed,
        noise_seed=cell.noise_seed,
        algorithm_seed=cell.algorithm_seed,
        provides=provided,
        hints=cell.algorithm.spec.hints_of(cell.algorithm.params),
        returns=cell.algorithm.spec.returns,
        budget=cell.budget,
        checkpoints=cell.checkpoints,
        metrics={
            m.label: _call(m)
            for m in cell.metrics
            if m.label in wanted and not inapplicable(m.spec, cell.algorithm.spec, provided)
        },
    )


def _call(use: Use[Any]) -> Call:
    return Call(use.spec.function, dict(use.params))


def cost_of(outcome: Outcome) -> Cost:
    """The cost of a call, from its row."""
    from hcbench.oracle.scored import Cost

    return Cost(
        seconds=outcome.seconds,
        oracle_seconds=outcome.oracle_seconds,
        peak_bytes=outcome.peak_bytes,
        queries=outcome.queries,
        distinct_queries=outcome.distinct_queries,
        rounds=outcome.rounds,
        draws=outcome.draws,
    )


def outcome_of(cell: Cell, report: Report) -> Outcome:
    """The row of a cell, from what its worker sent or from how it ended."""
    done = _ended(cell, report)
    cost = done.cost
    base = Outcome(
        key=cell.key,
        algorithm=cell.algorithm.label,
        dataset=cell.dataset.label,
        oracle=cell.oracle.label,
        repetition=cell.repetition,
        seed=cell.seed,
        budget=cell.budget,
        status=done.status,
        reason=done.reason,
        phase="" if done.status == "ok" else done.phase or report.phase,
        stopped=done.stopped,
        data_digest=done.data_digest,
        traceback=done.traceback,
        log=report.log,
        notes=done.notes,
        measured=_complete(cell, done),
        load=done.conditions.load,
        frequency=done.conditions.frequency,
        host=report.host,
    )
    if cost is None:
        return base
    return replace(
        base,
        seconds=cost.seconds,
        oracle_seconds=cost.oracle_seconds,
        peak_bytes=cost.peak_bytes,
        queries=cost.queries,
        distinct_queries=cost.distinct_queries,
        rounds=cost.rounds,
        draws=cost.draws,
    )


def digest_of(report: Report) -> str:
    """Of the data that a worker had; "" if it did not come so far."""
    return report.value.data_digest if isinstance(report.value, Done) else ""


def _ended(cell: Cell, report: Report) -> Done:
    """What a worker answered, or what to say of one that did not."""
    if report.ending == "done":
        assert isinstance(report.value, Done)
        return report.value
    if isinstance(report.value, Done):
        return _unjudged(cell, report.value, report)
    return Done(
        status=report.ending,
        reason=_reason(report),
        traceback=report.traceback,
        phase="outside" if report.outside else "",
    )


def _reason(report: Report) -> str:
    """Why a worker ended, and that it was in a metric, if it was."""
    if report.phase != METRICS or repr(METRICS) in report.reason:
        return report.reason
    return f"{report.reason} in a metric"


def _unjudged(cell: Cell, done: Done, report: Report) -> Done:
    """What an algorithm produced before its worker ended in a metric."""
    lost = Value(None, "error", _reason(report), final=False)
    provided = cell.dataset.spec.provides_with(cell.dataset.params)
    values = {
        m.label: lost
        for m in cell.metrics
        if not inapplicable(m.spec, cell.algorithm.spec, provided)
    }
    measured = tuple(replace(point, values={**values, **point.values}) for point in done.measured)
    return replace(done, measured=measured, traceback=report.traceback)


def _complete(cell: Cell, done: Done) -> tuple[Measured, ...]:
    """Add the metrics that cannot judge this cell, and why; of a failure, all of them."""
    provided = cell.dataset.spec.provides_with(cell.dataset.params)
    points = done.measured or (Measured(),)
    others = {
        m.label: Value(None, "skipped", inapplicable(m.spec, cell.algorithm.spec, provided))
        if done.status == "ok"
        else Value(None, "skipped", f"{done.status}: {done.reason}")
        for m in cell.metrics
    }
    return tuple(replace(p, values={**others, **p.values}) for p in points)


def rescored(cell: Cell, metrics: Iterable[str], stored: Outcome, report: Report) -> Outcome:
    """A stored outcome with the values of new metrics beside the old ones."""
    new = _new_values(cell, set(metrics), stored, report)
    measured = tuple(
        replace(point, values={**point.values, **new.get(point.checkpoint, {})})
        for point in stored.measured
    )
    return replace(relabelled(stored, cell), measured=measured)


def relabelled(stored: Outcome, cell: Cell) -> Outcome:
    """A stored outcome as that of a cell: it may have been stored under other labels."""
    algorithm, dataset, oracle = cell.labels
    if (stored.algorithm, stored.dataset, stored.oracle) == cell.labels:
        return stored
    return replace(stored, algorithm=algorithm, dataset=dataset, oracle=oracle)


def _new_values(
    cell: Cell, metrics: set[str], stored: Outcome, report: Report
) -> Mapping[int | None, dict[str, Value]]:
    """By checkpoint; if the stored results could not be judged, why."""
    points = stored.measured
    provided = cell.dataset.spec.provides_with(cell.dataset.params)
    values = {
        m.label: Value(None, "skipped", inapplicable(m.spec, cell.algorithm.spec, provided))
        for m in cell.metrics
        if m.label in metrics
    }
    done = _ended(cell, report)
    if done.reason:
        # Neither the result nor the metric is to blame, as far as is known.
        error = Value(None, "error", done.reason, final=False)
        return {p.checkpoint: dict.fromkeys(values, error) for p in points}
    fresh = {p.checkpoint: p.values for p in done.measured}
    return {p.checkpoint: {**values, **fresh.get(p.checkpoint, {})} for p in points}


def describe_cell(cell: Cell) -> dict[str, Any]:
    """A cell in plain values, as it is stored: enough to make it again."""

    def describe(use: Use[Any]) -> dict[str, Any]:
        return {
            "name": f"{use.plugin.distribution}:{use.spec.name}",
            "params": dict(use.params),
            "editions": dict(use.fingerprints),
            "digests": dict(use.digests),
        }

    return {
        "algorithm": describe(cell.algorithm),
        "dataset": describe(cell.dataset),
        "oracle": describe(cell.oracle),
        "checkpoints": list(cell.checkpoints),
        "hints": list(cell.algorithm.spec.hints_of(cell.algorithm.params)),
        "data_seed": cell.data_seed,
        "noise_seed": cell.noise_seed,
        "algorithm_seed": cell.algorithm_seed,
    }
