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
from hcbench.run.job import Call
from hcbench.store.store import Store

if TYPE_CHECKING:
    from hcbench.model.problem import Problem, Result
    from hcbench.plan.outcome import Outcome
    from hcbench.registry.suite import Figure
    from hcbench.results.results import Results


@dataclass(frozen=True, slots=True)
class FigureView:
    """The argument of a function that draws a figure.

    Attributes
    ----------
    results : Results
        The results of the run.
    """

    results: Results
    _store: Store
    _registry: Registry
    _given: Mapping[str, Problem] = field(default_factory=dict)  # by digest
    #: Names of data sets, by labels that are not what is stored.
    _names: Mapping[str, str] = field(default_factory=dict)
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
        matching = self.results.matching(algorithm, dataset, oracle)
        matches = [
            outcome
            for outcome in matching.where("repetition", {repetition})
            if budget is None or outcome.budget == budget
        ]
        if not matches:
            raise DataNotAvailableError(
                f"{algorithm} was not run on {dataset} in repetition {repetition}"
            )
        if len(matches) > 1:
            which = " or ".join(f"oracle {o.oracle}, budget {o.budget}" for o in matches)
            raise HcbenchError(f"{algorithm} on {dataset} is ambiguous; choose {which}")
        return matches[0]

    def problem(self, dataset: str, repetition: int = 0) -> Problem:
        """The data of a repetition, generated again from their seed.

        Raises
        ------
        DataNotAvailableError
            If the data set was not in the comparison, is not installed, or now yields other data.
        """
        label = next((o.dataset for o in self.results.matching(dataset=dataset)), None)
        if label is None:
            raise DataNotAvailableError(f"{dataset} was not in the comparison")
        if (label, repetition) not in self._problems:
            self._problems[label, repetition] = self._generate(label, repetition)
        return self._problems[label, repetition]

    def _generate(self, label: str, repetition: int) -> Problem:
        import scipy.linalg  # noqa: F401 - BLAS must be loaded before its threads are limited
        from threadpoolctl import threadpool_limits

        same = self.results.outcomes.where("dataset", {label})
        same = same.take(same.column("key") != "")
        of_repetition = same.where("repetition", {repetition})
        digests = {*of_repetition.column("data_digest").tolist()} - {""}
        for digest in digests & self._given.keys():
            return self._given[digest]
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
        base = same[0].seed if same else self.results.suite.seed
        seed = data_seed(use, base, repetition)
        declared = use.spec.provides_with(use.params)
        if not digests:  # as of a run from elsewhere that names a file of this machine
            raise DataNotAvailableError(f"{label} is not known to be the data of the run")
        # One thread, as in a worker, since rounding of BLAS depends on it; the notes are stored.
        try:
            with threadpool_limits(1), collect_notes():
                problem = make_problem(Call(use.spec.function, use.params), seed, declared)
        except DataError as error:  # its message may quote a file of this machine
            raise DataNotAvailableError(f"{label} cannot be read again") from error
        if problem.digest() not in digests:
            raise DataNotAvailableError(f"{label} now yields other data than in the run")
        return problem
