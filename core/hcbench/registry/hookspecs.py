"""The hooks through which plugins register and report.

A plugin may state the version that it is written for, ``HCBENCH_HOOKS = 1``. `HOOK_VERSION`
increases when a hook or its arguments change so that plugins have to change too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import pluggy

from hcbench.registry.specs import (
    AlgorithmSpec,
    CommandSpec,
    DatasetSpec,
    ExecutorSpec,
    MetricSpec,
    OracleSpec,
)
from hcbench.registry.suite import Suite

PROJECT = "hcbench"
HOOK_VERSION = 1


class PlannedRun(Protocol):
    """A plan, as passed to `hcbench_run_started`."""

    @property
    def suite(self) -> Suite:
        """The suite that is run."""

    @property
    def cells(self) -> Sequence[object]:
        """The cells of the plan, including those whose results are stored."""


class FinishedCell(Protocol):
    """A cell, as passed to reporting hooks; see `hcbench.Outcome` for all of it."""

    @property
    def algorithm(self) -> str:
        """The label of the algorithm."""

    @property
    def dataset(self) -> str:
        """The label of the data set."""

    @property
    def oracle(self) -> str:
        """The label of the oracle."""

    @property
    def repetition(self) -> int:
        """The repetition, counted from 0."""

    @property
    def status(self) -> str:
        """How it ended, such as ``"ok"``."""

    @property
    def reason(self) -> str:
        """Why it is not ok, in one line."""


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


@hookspec
def hcbench_commands() -> Iterable[CommandSpec]:  # type: ignore[empty-body]
    """Return the commands that this plugin adds to the command line; for installed packages."""


@hookspec
def hcbench_executors() -> Iterable[ExecutorSpec]:  # type: ignore[empty-body]
    """Return the executors of this plugin: where cells can run; for installed packages."""


# Reporting. Called in the main process only; a reporter that fails is switched off, not fatal.


@hookspec
def hcbench_run_started(plan: PlannedRun) -> None:
    """Called once before the first cell runs."""


@hookspec
def hcbench_cell_finished(outcome: FinishedCell) -> None:
    """Called for each cell as its outcome arrives and is stored."""


@hookspec
def hcbench_run_finished(outcomes: Sequence[FinishedCell]) -> None:
    """Called once when all cells have an outcome, or the run was interrupted."""
