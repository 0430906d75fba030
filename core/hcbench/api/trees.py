"""The tree of a stored cell or of a new fit, with the names of its items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hcbench.analysis.item_distances import DEFAULT
from hcbench.api.direct import fit_problem
from hcbench.errors import DataError, DataNotAvailableError, HcbenchError
from hcbench.figures.view import FigureView
from hcbench.model.cost import Budget, collect_notes
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Partition, Tree
from hcbench.plan.cell import Cell, data_seed
from hcbench.plan.oracles import choose_oracles
from hcbench.plan.outcome import Outcome, budget_text
from hcbench.registry import Registry
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec
from hcbench.registry.uses import Use
from hcbench.results.results import Results
from hcbench.run.again import Watch, rebuild, run_in_worker
from hcbench.run.inputs import make_problem
from hcbench.run.job import call_of
from hcbench.store import Store

#: Seconds that a call of an algorithm may take by default, as in a comparison.
TIMEOUT = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What an algorithm returned, and from what.

    Attributes
    ----------
    result : Tree or Partition
        With the names of the items, if the data have names and can be had.
    algorithm, dataset, oracle : str
        The labels of what it is of; "" of a tree from a file.
    title : str
        What it is of, in words.
    problem : Problem or None
        The data; None if they are not at hand.
    notes : tuple of str
        What the user should know, such as that the tree was fitted again.
    refit : callable or None
        Fits the same algorithm to other data: ``refit(problem, seed)``.
    metric : str
        The distance of vectors that the algorithm uses, if it has such a parameter.
    """

    result: Result
    algorithm: str = ""
    dataset: str = ""
    oracle: str = ""
    title: str
    problem: Problem | None = None
    notes: tuple[str, ...] = ()
    refit: Callable[[Problem, int], Result] | None = None
    metric: str = DEFAULT

    @property
    def is_tree(self) -> bool:
        """Whether the result is a tree, and no partition."""
        return isinstance(self.result, Tree)

    def describe(self) -> dict[str, Any]:
        """What the result is of, in plain values."""
        return {
            "title": self.title,
            "algorithm": self.algorithm,
            "dataset": self.dataset,
            "oracle": self.oracle,
            "notes": list(self.notes),
        }

    @property
    def tree(self) -> Tree:
        """The tree.

        Raises
        ------
        HcbenchError
            If the result is a partition.
        """
        if isinstance(self.result, Partition):
            raise HcbenchError(
                f"{self.title}: the result is a partition into {self.result.n_clusters} clusters "
                "and no tree; --clusters FILE writes it"
            )
        return self.result


def fit_data(
    registry: Registry,
    algorithm: str,
    dataset: str,
    *,
    oracle: str = "",
    seed: int = 0,
    budget: Budget | None = None,
    timeout: float = TIMEOUT,
    watch: Watch | None = None,
) -> Fitted:
    """Fit an algorithm to a data set or a file, as the first repetition of a comparison does.

    Parameters
    ----------
    registry : Registry
    algorithm : str
        ``NAME`` or ``NAME[param=value]``.
    dataset : str
        A data set, or a file with parameters.
    oracle : str, optional
        By default the first kind that the algorithm accepts and the data can provide.
    seed : int
        The base of all seeds.
    budget : int, optional
        The most queries.
    timeout : float
        Wall time for the call, in seconds.
    watch : callable, optional
        Called with the phase of the fit, such as compiling, and its seconds, while it runs.

    Raises
    ------
    HcbenchError
        If a name is unknown or means several, or the algorithm fails.
    """
    algorithm_use = _only_one(registry.use_algorithms(algorithm), algorithm, "algorithms")
    dataset_use = _only_one(registry.use_datasets(dataset), dataset, "data sets")
    requested = []
    if oracle:
        requested = registry.use_oracles(oracle)
    provided = dataset_use.provides
    able, unable = choose_oracles(
        algorithm_use, provided, dataset_use.label, requested, registry, dataset_use.params.get("n")
    )
    if not able:
        raise DataError(unable[0][1])
    # The cell of the first repetition, so that its seeds are those of a comparison.
    cell = Cell(algorithm_use, dataset_use, able[0], 0, seed, budget, (), ())
    problem, notes = _make_data(dataset_use, seed, 0)
    outcome = run_in_worker(cell, None, registry, timeout, watch)
    result = _result_or_error(outcome, f"{algorithm_use.label} on {dataset_use.label}")
    return _with_data(
        Fitted(
            result=result,
            algorithm=algorithm_use.label,
            dataset=dataset_use.label,
            oracle=able[0].label,
            title=f"{algorithm_use.label} on {dataset_use.label}",
            notes=tuple(notes) + outcome.notes,
            refit=_make_refit(registry, algorithm_use, able[0].label, budget),
            metric=_metric_of(algorithm_use),
        ),
        problem,
    )


def tree_of_cell(
    results: Results,
    store: Store,
    registry: Registry,
    *,
    view: FigureView | None = None,
    repetition: int = 0,
    checkpoint: int | None = None,
    timeout: float = TIMEOUT,
) -> Fitted:
    """The result of the only cell of some results that ended well in a repetition.

    It is fitted again from its seeds, with a note that says so, if the store has the cell but not
    its result, as of a run that was imported without trees.

    Parameters
    ----------
    results : Results
        Of one run, limited to the algorithm, the data set, the oracle and the budget.
    store : Store
    registry : Registry
    view : FigureView, optional
        Where the data come from; by default they are made again.
    repetition : int
    checkpoint : int, optional
        By default the end.
    timeout : float
        Wall time for a call, in seconds.

    Raises
    ------
    HcbenchError
        If several cells match, or none, or the result cannot be had.
    """
    outcome = _only_outcome(results, repetition, checkpoint)
    title = _title(outcome, checkpoint)
    result = store.result_of(outcome, checkpoint)
    notes: list[str] = []
    # None if it cannot be run any more; then a stored result can be had, but not fitted to others.
    cell, changes = _rebuilt(store, outcome, registry)
    if result is None:
        # A new fit has the result at the end only.
        if cell is None or checkpoint is not None:
            raise DataNotAvailableError(f"{title}: the result is not stored; {changes[0]}")
        again = run_in_worker(cell, store, registry, timeout)
        result = _result_or_error(again, title)
        notes.append(f"{title}: the result is not stored, and was fitted again from its seeds")
        notes += changes
        if again.data_digest != outcome.data_digest:
            notes.append(f"{outcome.dataset}: the data differ from those of the run")
    refit = None
    metric = DEFAULT
    if cell is not None:
        metric = _metric_of(cell.algorithm)
        refit = _make_refit(registry, cell.algorithm, outcome.oracle, outcome.budget)
    fitted = Fitted(
        result=result,
        algorithm=outcome.algorithm,
        dataset=outcome.dataset,
        oracle=outcome.oracle,
        title=title,
        notes=tuple(notes),
        refit=refit,
        metric=metric,
    )
    if view is None:
        view = FigureView(results, store, registry)
    try:
        problem = view.problem(outcome.dataset, repetition)
    except DataNotAvailableError as error:
        # Data of a caller are gone with his process; the tree is there, perhaps with its names.
        if fitted.result.names is not None:
            return fitted
        return replace(fitted, notes=fitted.notes + (f"items have no names: {error}",))
    return _with_data(fitted, problem)


def _only_one(uses: list[Use[Any]], text: str, what: str) -> Use[Any]:
    if len(uses) != 1:
        # A grid such as [k=2,3], or a pattern, means several.
        labels = ", ".join([use.label for use in uses[:4]]) or "none"
        raise HcbenchError(f"{text} means {len(uses)} {what} ({labels}); name one")
    return uses[0]


def _metric_of(algorithm: Use[AlgorithmSpec]) -> str:
    """The distance of vectors that an algorithm uses."""
    return str(algorithm.params.get("metric", DEFAULT))


def _make_data(use: Use[DatasetSpec], seed: int, repetition: int) -> tuple[Problem, list[str]]:
    """The data of a repetition, and notes about them."""
    import scipy.linalg  # noqa: F401 - BLAS must be loaded before its threads are limited
    from threadpoolctl import threadpool_limits

    declared = use.provides
    call = call_of(use)
    # One thread, as in a worker, since rounding of BLAS depends on it.
    with threadpool_limits(1), collect_notes() as notes:
        problem = make_problem(call, data_seed(use, seed, repetition), declared)
    return problem, list(notes)


def _result_or_error(outcome: Outcome, title: str) -> Result:
    """The result at the end of a cell.

    Raises
    ------
    HcbenchError
        If there is none.
    """
    for point in outcome.points:
        # The other points are at checkpoints, before the end.
        if point.checkpoint is None and point.result is not None:
            return point.result
    raise HcbenchError(f"{title}: {outcome.status}: {outcome.reason}")


def _with_data(fitted: Fitted, problem: Problem) -> Fitted:
    """The result with the names of its data."""
    result = fitted.result
    # A tree without names has the numbers of the rows. One with names may be stored in an order
    # of its own, and is brought into that of the data.
    if result.names is None:
        result = result.with_names(problem.names)
    elif isinstance(result, Tree) and problem.names is not None:
        result = result.matched_with(problem.named_items("the data"))
    return replace(fitted, result=result, problem=problem)


def _make_refit(
    registry: Registry, algorithm: Use[AlgorithmSpec], oracle: str, budget: Budget | None
) -> Callable[[Problem, int], Result]:
    """A function that fits the algorithm to other data, in this process."""

    def refit(problem: Problem, seed: int) -> Result:
        return fit_problem(registry, algorithm, problem, seed=seed, oracle=oracle, budget=budget)

    return refit


def _rebuilt(store: Store, outcome: Outcome, registry: Registry) -> tuple[Cell | None, list[str]]:
    """The cell of an outcome as it can be run now, or None; and what has changed, or why."""
    try:
        stored, description = store.cell(outcome.key)
        return rebuild(stored, description, registry)
    except HcbenchError as error:
        return None, [f"it cannot be fitted again: {error}"]


def _only_outcome(results: Results, repetition: int, checkpoint: int | None) -> Outcome:
    """The only cell that ended well in a repetition."""
    outcomes = []
    failed = []
    for outcome in results.outcomes:
        if outcome.repetition != repetition:
            continue
        if outcome.status != "ok":
            failed.append(outcome)
        elif checkpoint is None or _has_point(outcome, checkpoint):
            outcomes.append(outcome)
    if len(outcomes) == 1:
        return outcomes[0]
    if outcomes:
        text = "; ".join([_title(outcome, None) for outcome in outcomes[:4]])
        if len(outcomes) > 4:
            text += f" and {len(outcomes) - 4} more"
        raise HcbenchError(f"choose one result by its algorithm, dataset, oracle or budget: {text}")
    at = ""
    if checkpoint is not None:
        at = f" at checkpoint {checkpoint}"
    why = ""
    if failed:
        # If the algorithm failed, its error says more than that there is no result.
        why = f"; {_title(failed[0], None)} ended with {failed[0].status}: {failed[0].reason}"
    raise HcbenchError(f"no cell has a result in repetition {repetition}{at}{why}")


def _has_point(outcome: Outcome, checkpoint: int) -> bool:
    """Whether an outcome has a result after so many queries."""
    return any(point.checkpoint == checkpoint for point in outcome.points)


def _title(outcome: Outcome, checkpoint: int | None) -> str:
    """What a result is of."""
    text = f"{outcome.algorithm} on {outcome.dataset} through {outcome.oracle}"
    if outcome.budget is not None:
        text += f", budget {budget_text(outcome.budget)}"
    if checkpoint is not None:
        text += f", after {checkpoint:,} queries"
    return f"{text}, repetition {outcome.repetition}"
