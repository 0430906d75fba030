"""How far the clusters of each method are found again in the other half of the items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import Problem, Result, compare
from hcbench.analysis import (
    Agreement,
    Replication,
    compare_halves,
    distances_of_problem,
    measure_replication,
    numbers_of_clusters,
)
from hcbench.registry import Registry, format_name
from hcbench_recommend.candidates import Candidate
from hcbench_recommend.halves import divide, size_of_half

#: Data sets without clusters, and the divisions of each.
REFERENCES = 3
DIVISIONS_OF_REFERENCE = 2


def _no_progress(_done: int, _total: int) -> None:
    """Show nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Halves:
    """The divisions of a data set, and the results of methods on the halves.

    Attributes
    ----------
    of : str
        The data set.
    problem : Problem
        Its items.
    distances : tuple of str
        The distances that are tried.
    divisions : int
        The number of divisions.
    draw : int
        The base of the random numbers.
    registry : Registry
    outcomes : dict
        The outcome of each (label of the method, label of the half); `run` fills it.
    results : dict
        The results, by the same keys.
    """

    of: str
    problem: Problem
    distances: tuple[str, ...]
    divisions: int
    draw: int
    registry: Registry
    outcomes: dict[tuple[str, str], Any] = field(default_factory=dict)
    results: dict[tuple[str, str], Result | None] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of items of a half."""
        return size_of_half(self.problem.n)

    @property
    def has_reference(self) -> bool:
        """Whether data without clusters can be made, of dense vectors."""
        return isinstance(self.problem.vectors, np.ndarray)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Each reference, 0 for the data, with each of its divisions."""
        places = [(0, division) for division in self._numbers(self.divisions)]
        if self.has_reference:
            for reference in self._numbers(REFERENCES):
                for division in self._numbers(DIVISIONS_OF_REFERENCE):
                    places.append((reference, division))
        return places

    @staticmethod
    def _numbers(count: int) -> tuple[int, ...]:
        return tuple(range(1, count + 1))

    def run(self, algorithms: Sequence[Any], options: Mapping[str, Any]) -> None:
        """Run methods on all halves.

        Parameters
        ----------
        algorithms : sequence of str or callable
        options : mapping
            Options of `hcbench.compare`.
        """
        datasets = []
        for distance in self.distances:
            datasets += self._names_of_halves(distance)
        results = compare(algorithms, datasets, metrics=["seconds"], repetitions=1, **options)
        outcomes = list(results.outcomes)
        for outcome, result in zip(outcomes, results.results_of(outcomes), strict=True):
            place = (outcome.algorithm, outcome.dataset)
            self.outcomes[place] = outcome
            self.results[place] = result

    def _names_of_halves(self, distance: str) -> list[str]:
        """Names of data sets, with grids of all divisions and sides."""
        params: dict[str, Any] = {"of": self.of, "distance": distance, "draw": self.draw}
        params["side"] = (1, 2)
        names = [format_name("half", {**params, "division": self._numbers(self.divisions)})]
        if self.has_reference:
            params["division"] = self._numbers(DIVISIONS_OF_REFERENCE)
            params["reference"] = self._numbers(REFERENCES)
            names.append(format_name("half", params))
        return names

    def label(self, distance: str, reference: int, division: int, side: int) -> str:
        """The label of a half in results."""
        params: dict[str, Any] = {
            "of": self.of,
            "distance": distance,
            "draw": self.draw,
            "side": side,
            "division": division,
            "reference": reference,
        }
        (use,) = self.registry.use_datasets(format_name("half", params))
        label: str = use.label
        return label

    def outcomes_of(self, candidate: Candidate) -> list[Any]:
        """The outcomes of a candidate on the halves of the data."""
        outcomes = []
        for division in self._numbers(self.divisions):
            for side in (1, 2):
                label = self.label(candidate.distance, 0, division, side)
                outcome = self.outcomes.get((candidate.algorithm, label))
                if outcome is not None:
                    outcomes.append(outcome)
        return outcomes

    def measure(
        self,
        candidates: Sequence[Candidate],
        metric_of: Mapping[str, str],
        progress: Callable[[int, int], None] = _no_progress,
    ) -> dict[str, Replication]:
        """The replication of each candidate with results on all halves, by its name.

        Parameters
        ----------
        candidates : sequence of Candidate
        metric_of : mapping of str to str
            The distance of vectors that a method uses by its parameter, by its label; Euclidean
            without an entry.
        progress : callable
            Called with the number of divisions that are compared, and of all.
        """
        numbers = numbers_of_clusters(self.size)
        of_data: dict[str, list[Agreement]] = {}
        of_reference: dict[str, list[Agreement]] = {}
        total = len(self.distances) * len(self.places)
        n_done = 0
        for distance in self.distances:
            at_distance = [candidate for candidate in candidates if candidate.distance == distance]
            for reference, division in self.places:
                agreements = of_reference if reference else of_data
                between = _Between(self, distance, reference, division)
                for candidate in at_distance:
                    results = between.results(candidate.algorithm)
                    if results is None:
                        continue
                    metric = metric_of.get(candidate.algorithm, "euclidean")
                    agreement = compare_halves(*results, between.distances(metric), numbers)
                    agreements.setdefault(candidate.name, []).append(agreement)
                n_done += 1
                progress(n_done, total)
        measured = {}
        for name, agreements_of_data in of_data.items():
            if len(agreements_of_data) == self.divisions:
                measured[name] = measure_replication(
                    numbers, agreements_of_data, of_reference.get(name, ())
                )
        return measured


class _Between:
    """Two halves of one division: the results on them, and the distances between their items."""

    def __init__(self, halves: Halves, distance: str, reference: int, division: int) -> None:
        self._halves = halves
        self._labels = [halves.label(distance, reference, division, side) for side in (1, 2)]
        self._both = divide(
            halves.problem, distance, division=division, reference=reference, draw=halves.draw
        )
        self._distances: dict[str, NDArray[np.float64]] = {}

    def results(self, algorithm: str) -> tuple[Result, Result] | None:
        """The results of a method on both halves; None if one is missing."""
        first = self._halves.results.get((algorithm, self._labels[0]))
        second = self._halves.results.get((algorithm, self._labels[1]))
        if first is None or second is None:
            return None
        return first, second

    def distances(self, metric: str) -> NDArray[np.float64]:
        """The distances of the items of the first half to those of the second."""
        if metric not in self._distances:
            size = self._both.n // 2
            distances = distances_of_problem(self._both, metric)
            self._distances[metric] = distances[:size, size:]
        return self._distances[metric]


def tables_of(
    candidates: Sequence[Candidate], measured: Mapping[str, Replication], divisions: int
) -> dict[str, NDArray[np.float64]]:
    """The criteria that decide, (candidates, divisions) each; NaN where a method failed."""
    shape = (len(candidates), divisions)
    replication = np.full(shape, np.nan)
    information = np.full(shape, np.nan)
    for row, candidate in enumerate(candidates):
        of_candidate = measured.get(candidate.name)
        if of_candidate is not None:
            replication[row] = of_candidate.replication
            information[row] = of_candidate.information
    return {"replication": replication, "information": information}
