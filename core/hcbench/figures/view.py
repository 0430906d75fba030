"""What a figure is drawn from: the results of a run, its stored trees and its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hcbench.errors import DataError, DataNotAvailableError, HcbenchError, UnknownNameError
from hcbench.model.cost import collect_notes
from hcbench.model.trees import Tree
from hcbench.plan.cell import data_seed
from hcbench.registry import Registry
from hcbench.registry.names import split_alias
from hcbench.run.inputs import make_problem
from hcbench.run.job import Call, call_of
from hcbench.store.store import Store

if TYPE_CHECKING:
    from hcbench.model.problem import Problem, Result
    from hcbench.plan.outcome import Outcome
    from hcbench.registry.figure import Figure
    from hcbench.registry.specs import DatasetSpec
    from hcbench.registry.uses import Use
    from hcbench.results.results import Results


@dataclass(frozen=True, slots=True)
class FigureView:
    """The argument of a function that draws a figure.

    Attributes
    ----------
    results : Results
        The results of the run.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> with hcbench.store.Store() as store:
    ...     view = FigureView(results, store, hcbench.load_registry())
    ...     tree = view.tree("Single", "chain")
    >>> tree.cut(2).labels.tolist()
    [0, 0, 0, 0, 1, 1]
    """

    results: Results
    _store: Store
    _registry: Registry
    #: The problems that a caller from Python has passed, by their digests.
    _problems_of_caller: Mapping[str, Problem] = field(default_factory=dict)
    #: Names of data sets, by labels that are not what is stored.
    _names: Mapping[str, str] = field(default_factory=dict)
    #: The problems that were generated before, by data set and repetition.
    _problems: dict[tuple[str, int], Problem] = field(default_factory=dict)

    def tree(
        self,
        algorithm: str,
        dataset: str,
        repetition: int = 0,
        *,
        oracle: str = "",
        budget: int | str | None = None,
        checkpoint: int | None = None,
    ) -> Tree:
        """The stored tree that an algorithm returned.

        Parameters
        ----------
        algorithm, dataset : str
            As in the suite; parameters with their defaults may be omitted.
        repetition : int
        oracle : str, optional
            Needed if the algorithm ran with several.
        budget, checkpoint : int, optional
            Likewise; by default the tree is that at the end.

        Raises
        ------
        DataNotAvailableError
            If the cell was not run or has no tree.
        """
        outcome = self._outcome(algorithm, dataset, repetition, oracle, budget)
        if outcome.status != "ok":
            raise DataNotAvailableError(
                f"{algorithm} on {dataset} has no tree: {outcome.status}: {outcome.reason}"
            )
        result = self.result_of(outcome, checkpoint)
        if not isinstance(result, Tree):
            raise DataNotAvailableError(f"{algorithm} on {dataset} has no stored tree")
        return result

    def result_of(self, outcome: Outcome, checkpoint: int | None) -> Result | None:
        """The stored result of a cell; None if there is none."""
        return self._store.result_of(outcome, checkpoint)

    def function(self, figure: Figure) -> Callable[..., Any]:
        """The function that draws a figure."""
        if isinstance(figure.function, str):
            return self._registry.plugins.function(figure.function)
        return figure.function

    def _outcome(
        self, algorithm: str, dataset: str, repetition: int, oracle: str, budget: int | str | None
    ) -> Outcome:
        """The only outcome of an algorithm on a data set in a repetition."""
        outcomes = self.results.matching(algorithm, dataset, oracle)
        matches = []
        for outcome in outcomes.where("repetition", {repetition}):
            if budget is None or outcome.budget == budget:
                matches.append(outcome)
        if not matches:
            raise DataNotAvailableError(
                f"{algorithm} was not run on {dataset} in repetition {repetition}"
            )
        if len(matches) > 1:
            runs = [f"oracle {outcome.oracle}, budget {outcome.budget}" for outcome in matches]
            raise HcbenchError(f"{algorithm} on {dataset} is ambiguous; choose {' or '.join(runs)}")
        return matches[0]

    def problem(self, dataset: str, repetition: int = 0) -> Problem:
        """The data of a repetition, generated again from their seed.

        Raises
        ------
        DataNotAvailableError
            If the data set was not in the comparison, is not installed, or now yields other data.
        """
        outcomes = self.results.matching(dataset=dataset)
        if not outcomes:
            raise DataNotAvailableError(f"{dataset} was not in the comparison")
        label = outcomes[0].dataset
        if (label, repetition) not in self._problems:
            self._problems[label, repetition] = self._generate(label, repetition)
        return self._problems[label, repetition]

    def _generate(self, label: str, repetition: int) -> Problem:
        """Generate a problem, and check that it is that of the run."""
        # Rows without a key are of algorithms that could not run; they have no data.
        outcomes = self.results.outcomes.where("dataset", {label})
        outcomes = outcomes.take(outcomes.column("key") != "")
        of_repetition = outcomes.where("repetition", {repetition})
        digests = set(of_repetition.column("data_digest").tolist())
        digests.discard("")
        for digest in digests:
            if digest in self._problems_of_caller:
                return self._problems_of_caller[digest]

        # The seed is that of the run, which may be another one than that of the suite.
        use = self._use_of(label)
        base = self.results.suite.seed
        if outcomes:
            base = outcomes[0].seed
        seed = data_seed(use, base, repetition)
        declared = use.provides
        if not digests:  # as of a run from elsewhere that names a file of this machine
            raise DataNotAvailableError(f"{label} is not known to be the data of the run")
        try:
            problem = _make_in_one_thread(call_of(use), seed, declared)
        except DataError as error:  # its message may quote a file of this machine
            raise DataNotAvailableError(f"{label} cannot be read again") from error
        if problem.digest() not in digests:
            raise DataNotAvailableError(f"{label} now yields other data than in the run")
        return problem

    def _use_of(self, label: str) -> Use[DatasetSpec]:
        """The data set of a label, with its parameters."""
        name = self._names.get(label, label)
        for text in self.results.suite.datasets:
            if split_alias(text)[0] == label:
                name = text  # the user has given it this label
        try:
            (use,) = self._registry.use_datasets(name)
        except UnknownNameError as error:
            reason = "it was passed from Python in another session, or its plugin is not loaded"
            raise DataNotAvailableError(f"{label} cannot be generated again: {reason}") from error
        except HcbenchError as error:
            raise DataNotAvailableError(f"{label} cannot be generated again: {error}") from error
        return use


def _make_in_one_thread(call: Call, seed: int, declared: frozenset[str]) -> Problem:
    """The data of a call, made as in a worker: the rounding of BLAS depends on its threads."""
    import scipy.linalg  # noqa: F401 - BLAS must be loaded before its threads are limited
    from threadpoolctl import threadpool_limits

    # The notes on the data are stored with the run, and not repeated.
    with threadpool_limits(1), collect_notes():
        return make_problem(call, seed, declared)
