"""The hooks through which plugins register and report.

A plugin may state the version that it is written for, ``HCBENCH_HOOKS = 1``; `HOOK_VERSION` rises
when a hook, or what is passed to it, changes so that plugins must change too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from hcbench.outcome import Outcome
    from hcbench.plan import Plan
    from hcbench.specs import AlgorithmSpec, DatasetSpec, MetricSpec, OracleSpec
    from hcbench.suite import Suite

PROJECT = "hcbench"
HOOK_VERSION = 1

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


# Registering. Called once when plugins are loaded; import nothing heavy.


@hookspec
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:  # type: ignore[empty-body]
    """Return the algorithms of this plugin."""


@hookspec
def hcbench_datasets() -> Iterable[DatasetSpec]:  # type: ignore[empty-body]
    """Return the data sets of this plugin."""


@hookspec
def hcbench_oracles() -> Iterable[OracleSpec]:  # type: ignore[empty-body]
    """Return the oracles of this plugin."""


@hookspec
def hcbench_metrics() -> Iterable[MetricSpec]:  # type: ignore[empty-body]
    """Return the metrics of this plugin."""


@hookspec
def hcbench_suites() -> Iterable[Suite]:  # type: ignore[empty-body]
    """Return the suites of this plugin; one named ``compare`` gives the defaults of compare."""


# Reporting. Called in the main process only; a reporter that fails is switched off, not fatal.


@hookspec
def hcbench_run_started(plan: Plan) -> None:
    """Called once before the first cell runs."""


@hookspec
def hcbench_cell_finished(outcome: Outcome) -> None:
    """Called for each cell as its outcome arrives and is stored."""


@hookspec
def hcbench_run_finished(outcomes: list[Outcome]) -> None:
    """Called once when all cells have an outcome, or the run was interrupted."""
