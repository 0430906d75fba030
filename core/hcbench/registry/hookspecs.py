"""The hooks through which plugins register and report.

A plugin is written for the releases of hcbench that its package requires, such as
``hcbench>=0.2,<0.3``: other releases do not load it, see `hcbench.registry.compatibility`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import pluggy

from hcbench.registry.command_specs import CommandSpec, ExecutorSpec
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, OracleSpec
from hcbench.registry.suite import Suite

__all__ = [
    "hcbench_algorithms",
    "hcbench_cell_finished",
    "hcbench_commands",
    "hcbench_datasets",
    "hcbench_executors",
    "hcbench_metrics",
    "hcbench_oracles",
    "hcbench_run_finished",
    "hcbench_run_started",
    "hcbench_suites",
]

#: The name of the entry points of plugins, and of core's own distribution.
PROJECT = "hcbench"


class PlannedRun(Protocol):
    """A plan, as passed to `hcbench_run_started`."""

    @property
    def suite(self) -> Suite:
        """The suite that is run."""

    @property
    def cells(self) -> Sequence[object]:
        """The cells of the plan, including those whose results are stored."""


class FinishedCell(Protocol):
    """A cell, as passed to reporting hooks; see `hcbench.plan.Outcome` for all of it."""

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
    """Return the algorithms of this plugin.

    Examples
    --------
    >>> import numpy as np
    >>> from hcbench import AlgorithmSpec, hookimpl
    >>>
    >>> def in_order(oracle, items, rng):
    ...     joined = [0, *range(items.n, 2 * items.n - 2)]
    ...     return np.column_stack([joined, range(1, items.n)])
    >>>
    >>> @hookimpl
    ... def hcbench_algorithms():
    ...     doc = "Joins one item after another."
    ...     return [AlgorithmSpec(name="Order", function=in_order, doc=doc, accepts=("vectors",))]
    """


@hookspec
def hcbench_datasets() -> Iterable[DatasetSpec]:  # type: ignore[empty-body]
    """Return the data sets of this plugin.

    Examples
    --------
    >>> import numpy as np
    >>> from hcbench import DatasetSpec, Problem, hookimpl
    >>>
    >>> def square(request):
    ...     rng = np.random.default_rng(request.seed)
    ...     return Problem(n=50, vectors=rng.random((50, 2)))
    >>>
    >>> @hookimpl
    ... def hcbench_datasets():
    ...     doc = "Points in a square."
    ...     return [DatasetSpec(name="square", function=square, doc=doc, provides=("vectors",))]
    """


@hookspec
def hcbench_oracles() -> Iterable[OracleSpec]:  # type: ignore[empty-body]
    """Return the oracles of this plugin.

    Examples
    --------
    >>> import numpy as np
    >>> from hcbench import Answers, OracleSpec, hookimpl
    >>>
    >>> def guess(request):
    ...     def answer(request):  # the same answer to the same query
    ...         return request.keys % np.uint64(3)
    ...
    ...     n = request.problem.n
    ...     return Answers(kind="ordinal-queries", n=n, arity=3, answer=answer)
    >>>
    >>> @hookimpl
    ... def hcbench_oracles():
    ...     spec = {"kind": "ordinal-queries", "needs": ()}
    ...     return [OracleSpec(name="guess", function=guess, doc="Guesses.", **spec)]
    """


@hookspec
def hcbench_metrics() -> Iterable[MetricSpec]:  # type: ignore[empty-body]
    """Return the metrics of this plugin.

    Examples
    --------
    >>> from hcbench import MetricSpec, hookimpl
    >>>
    >>> def depth(scored):
    ...     return scored.tree.depths.max()
    >>>
    >>> @hookimpl
    ... def hcbench_metrics():
    ...     doc = "Edges from the root to the deepest leaf."
    ...     return [MetricSpec(name="depth", function=depth, doc=doc, direction="lower")]
    """


@hookspec
def hcbench_suites() -> Iterable[Suite]:  # type: ignore[empty-body]
    """Return the suites of this plugin; one named ``compare`` gives the defaults of compare.

    Examples
    --------
    >>> from hcbench import Suite, hookimpl
    >>>
    >>> @hookimpl
    ... def hcbench_suites():
    ...     return [Suite(name="linkages", algorithms=("UPGMA", "Ward"), datasets=("iris",))]
    """


@hookspec
def hcbench_commands() -> Iterable[CommandSpec]:  # type: ignore[empty-body]
    """Return the commands that this plugin adds to the command line; for installed packages.

    Examples
    --------
    >>> from hcbench import CommandSpec, hookimpl
    >>>
    >>> @hookimpl
    ... def hcbench_commands():
    ...     doc = "Count the leaves of a tree."
    ...     return [CommandSpec(name="leaves", function="leaves:leaves", doc=doc)]
    """


@hookspec
def hcbench_executors() -> Iterable[ExecutorSpec]:  # type: ignore[empty-body]
    """Return the executors of this plugin: where cells can run; for installed packages.

    Examples
    --------
    >>> from hcbench import ExecutorSpec, hookimpl
    >>>
    >>> @hookimpl
    ... def hcbench_executors():
    ...     doc = "in one process."
    ...     return [ExecutorSpec(name="elsewhere", function="elsewhere:open_elsewhere", doc=doc)]
    """


# Reporting. Called in the main process only; a reporter that fails is switched off, not fatal.


@hookspec
def hcbench_run_started(plan: PlannedRun) -> None:
    """Called once before the first cell runs.

    Examples
    --------
    >>> from hcbench import hookimpl
    >>>
    >>> @hookimpl
    ... def hcbench_run_started(plan):
    ...     print(f"{len(plan.cells)} cells of {plan.suite.name}")
    """


@hookspec
def hcbench_cell_finished(outcome: FinishedCell) -> None:
    """Called for each cell as its outcome arrives and is stored.

    Examples
    --------
    >>> from hcbench import hookimpl
    >>>
    >>> @hookimpl
    ... def hcbench_cell_finished(outcome):
    ...     print(outcome.algorithm, outcome.dataset, outcome.status, outcome.reason)
    """


@hookspec
def hcbench_run_finished(outcomes: Sequence[FinishedCell]) -> None:
    """Called once when all cells have an outcome, or the run was interrupted.

    Examples
    --------
    >>> from hcbench import hookimpl
    >>>
    >>> @hookimpl
    ... def hcbench_run_finished(outcomes):
    ...     print(sum(outcome.status == "ok" for outcome in outcomes), "of", len(outcomes))
    """
