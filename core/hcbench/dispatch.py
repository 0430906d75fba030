"""Between the plan and the workers: a cell as a job, a worker's report as an outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hcbench.cell import Call, Done, Job
from hcbench.outcome import Measured, Outcome, Value
from hcbench.plan import Cell, LeftOut, Plan, inapplicable
from hcbench.problem import Cost
from hcbench.registry import Use
from hcbench.store import Stored
from hcbench.workers import Report


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
    return Cost(
        seconds=outcome.seconds or 0.0,
        oracle_seconds=outcome.oracle_seconds,
        peak_bytes=outcome.peak_bytes,
        queries=outcome.queries,
        distinct_queries=outcome.distinct_queries,
        rounds=outcome.rounds,
    )


def outcome_of(cell: Cell, report: Report) -> Outcome:
    """The row of a cell, from what its worker sent or from how it ended."""
    done = report.value if report.ending == "done" else _ended(report)
    assert isinstance(done, Done)
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
        stopped=done.stopped,
        data_digest=done.data_digest,
        traceback=done.traceback,
        log=report.log,
        measured=_complete(cell, done),
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
    )


def _ended(report: Report) -> Done:
    """What to say of a worker that did not answer."""
    status = report.ending if report.ending != "done" else "error"
    return Done(status=status, reason=report.reason, traceback=report.traceback)


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


def rescored(cell: Cell, metrics: Iterable[str], stored: Stored, report: Report) -> Outcome:
    """A stored outcome with the values of new metrics beside the old ones."""
    new = _new_values(cell, set(metrics), stored, report)
    measured = tuple(
        replace(point, values={**point.values, **new.get(point.checkpoint, {})})
        for point in stored.outcome.measured
    )
    return replace(stored.outcome, measured=measured, reused=True)


def _new_values(
    cell: Cell, metrics: set[str], stored: Stored, report: Report
) -> Mapping[int | None, dict[str, Value]]:
    """By checkpoint; if the stored results could not be judged, why."""
    points = stored.outcome.measured
    provided = cell.dataset.spec.provides_with(cell.dataset.params)
    values = {
        m.label: Value(None, "skipped", inapplicable(m.spec, cell.algorithm.spec, provided))
        for m in cell.metrics
        if m.label in metrics
    }
    done = report.value if report.ending == "done" else _ended(report)
    assert isinstance(done, Done)
    reason = done.reason
    if done.status == "ok" and done.data_digest != stored.outcome.data_digest:
        reason = "the data set now yields other data than when this result was stored; use --fresh"
    if reason:
        return {p.checkpoint: dict.fromkeys(values, Value(None, "error", reason)) for p in points}
    fresh = {p.checkpoint: p.values for p in done.measured}
    return {p.checkpoint: {**values, **fresh.get(p.checkpoint, {})} for p in points}


def describe_cell(cell: Cell) -> dict[str, Any]:
    """A cell in plain values, as it is stored: enough to make it again."""

    def describe(use: Use[Any]) -> dict[str, Any]:
        return {
            "name": f"{use.plugin.distribution}:{use.spec.name}",
            "params": dict(use.params),
            "edition": use.plugin.edition,
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
