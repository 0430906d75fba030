"""The outcome of each cell: from what its worker reported, or from what is stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from hcbench.plan.cell import Cell
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.plan import Plan
from hcbench.run.workers import Report
from hcbench.run.workers.limits import METRICS


def skipped_outcomes(plan: Plan) -> list[Outcome]:
    """An outcome for every repetition of every inapplicable combination."""
    return [
        Outcome(
            algorithm=combination.algorithm,
            dataset=combination.dataset,
            oracle=combination.oracle,
            repetition=repetition,
            seed=plan.suite.seed,
            status="skipped",
            reason=combination.reason,
            points=(
                ScoredPoint(
                    values={
                        m.label: Value(None, "skipped", combination.reason) for m in plan.metrics
                    }
                ),
            ),
        )
        for combination in plan.inapplicable
        for repetition in range(plan.suite.repetitions)
    ]


def outcome_of(cell: Cell, report: Report) -> Outcome:
    """The outcome of a cell, from what its worker sent or from how it ended."""
    measured = _measured(cell, report)
    return replace(
        relabelled(measured, cell),
        key=cell.key,
        repetition=cell.repetition,
        seed=cell.seed,
        budget=cell.budget,
        phase="" if measured.status == "ok" else measured.phase or report.phase,
        log=report.log,
        points=_with_all_metrics(cell, measured),
        host=report.host,
    )


def digest_of(report: Report) -> str:
    """The digest of the data that a worker used; "" if it ended before it had them."""
    return report.value.data_digest if isinstance(report.value, Outcome) else ""


def _measured(cell: Cell, report: Report) -> Outcome:
    """What a worker sent; if it sent nothing, how it ended."""
    if isinstance(report.value, Outcome):
        if report.ending == "done":
            return report.value
        return _without_values(cell, report.value, report)
    assert report.ending != "done"
    return Outcome(
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


def _without_values(cell: Cell, measured: Outcome, report: Report) -> Outcome:
    """What an algorithm returned before its worker ended in a metric."""
    error = Value(None, "error", _reason(report), final=False)
    values = {m.label: error for m in cell.metrics if not cell.why_inapplicable(m)}
    points = tuple(replace(p, values={**values, **p.values}) for p in measured.points)
    return replace(measured, points=points, traceback=report.traceback)


def _with_all_metrics(cell: Cell, measured: Outcome) -> tuple[ScoredPoint, ...]:
    """Add the metrics without a value, and why: inapplicable ones; of a failure, all."""
    others = {
        m.label: Value(
            None,
            "skipped",
            cell.why_inapplicable(m)
            if measured.status == "ok"
            else f"{measured.status}: {measured.reason}",
        )
        for m in cell.metrics
    }
    points = measured.points or (ScoredPoint(),)
    return tuple(replace(p, values={**others, **p.values}) for p in points)


def rescored(cell: Cell, metrics: Collection[str], stored: Outcome, report: Report) -> Outcome:
    """A stored outcome with the values of new metrics beside the old ones."""
    new = _new_values(cell, metrics, stored, report)
    points = tuple(
        replace(point, values={**point.values, **new.get(point.checkpoint, {})})
        for point in stored.points
    )
    return replace(relabelled(stored, cell), points=points)


def relabelled(outcome: Outcome, cell: Cell) -> Outcome:
    """An outcome with the labels of a cell: it may have been stored under other labels."""
    algorithm, dataset, oracle = cell.labels
    if (outcome.algorithm, outcome.dataset, outcome.oracle) == cell.labels:
        return outcome
    return replace(outcome, algorithm=algorithm, dataset=dataset, oracle=oracle)


def _new_values(
    cell: Cell, metrics: Collection[str], stored: Outcome, report: Report
) -> Mapping[int | None, dict[str, Value]]:
    """By checkpoint; if the stored results could not be scored, why."""
    values = {
        m.label: Value(None, "skipped", cell.why_inapplicable(m))
        for m in cell.metrics
        if m.label in metrics
    }
    measured = _measured(cell, report)
    if measured.reason:
        # Neither the result nor the metric is to blame, as far as is known.
        error = Value(None, "error", measured.reason, final=False)
        return {p.checkpoint: dict.fromkeys(values, error) for p in stored.points}
    fresh = {p.checkpoint: p.values for p in measured.points}
    return {p.checkpoint: {**values, **fresh.get(p.checkpoint, {})} for p in stored.points}
