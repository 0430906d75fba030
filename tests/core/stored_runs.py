"""Artificial runs in a store: ``from tests.core.stored_runs import keep_run``."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from hcbench.model.cost import Cost
from hcbench.model.problem import Result
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo, Presentation
from hcbench.registry.suite import Suite
from hcbench.store import Store
from tests.core.planned import planned

METRICS = (
    MetricInfo("AARI", "higher", "", False, "[-1, 1]", "a" * 32),
    MetricInfo("queries", "lower", "queries", True, "[0, inf)", "b" * 32),
    MetricInfo("seconds", "lower", "s", True, "[0, inf)", "c" * 32),
)
HOSTILE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked=1'> & \"%{x}\""


def outcome(
    algorithm: str,
    dataset: str,
    repetition: int = 0,
    *,
    values: Mapping[str, float | None] | None = None,
    result: Result | None = None,
    **changes: Any,
) -> Outcome:
    """Make a cell with these values; None is a metric that does not apply."""
    measured = {
        label: Value(None, "skipped", "it does not apply") if value is None else Value(value)
        for label, value in (values or {}).items()
    }
    told: dict[str, Any] = {
        "key": _key(algorithm, dataset, repetition, changes),
        "oracle": "vectors",
        "seed": 0,
        "cost": Cost(seconds=0.1),
        "points": (ScoredPoint(values=measured, result=result),) if values is not None else (),
    }
    told |= changes
    return Outcome(algorithm=algorithm, dataset=dataset, repetition=repetition, **told)


def _key(*parts: object) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def keep_run(
    store: Store,
    outcomes: Sequence[Outcome],
    *,
    suite: Suite | None = None,
    metrics: Sequence[MetricInfo] = METRICS,
    parameters: Mapping[str, Any] | None = None,
    references: Sequence[str] = (),
    tags: Mapping[str, tuple[str, ...]] | None = None,
    command: str = "hcbench compare",
) -> int:
    """Store a run of these cells, and return its number."""
    layout = Presentation(
        suite=suite or Suite(name="compare"),
        algorithms=tuple(dict.fromkeys(o.algorithm for o in outcomes)),
        datasets=tuple(dict.fromkeys(o.dataset for o in outcomes)),
        oracles=tuple(dict.fromkeys(o.oracle for o in outcomes)),
        metrics=tuple(metrics),
        references=tuple(references),
        tags=tags or {},
        **planned(outcomes, **(parameters or {})),
    )
    environment = {
        "python": "3.11.7",
        "machine": {
            "processor": "Abacus <1>",
            "blas": "openblas Abacus",
            "cores": 2,
            "memory_bytes": 2**30,
        },
        "versions": {"hcbench": "0.1.0"},
        "plugins": {"hcbench:metrics": "0.1.0"},
        "commit": "f00",
    }
    run = store.begin_run(
        command=command,
        suite=layout.suite.name,
        environment=environment,
        layout=layout.describe(),
    )
    keys = {metric.label: metric.key for metric in metrics}
    store.save(run, outcomes, keys, fresh=True)
    store.finish_run(run)
    return run
