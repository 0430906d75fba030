"""What is compared: a method with a distance, and where its results are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hcbench.plan import Outcome
from hcbench_recommend.recommendation import BASELINE


@dataclass(frozen=True, slots=True)
class Candidate:
    """A method with a distance.

    Attributes
    ----------
    algorithm : str
        The label of the method.
    distance : str
        One of `hcbench_recommend.rows.DISTANCES`.
    name : str
        The label of both; without the distance if only one is tried.
    """

    algorithm: str
    distance: str
    name: str


def candidates_of(algorithms: Iterable[str], distances: Sequence[str]) -> list[Candidate]:
    """Each method with each distance; a random tree once, as it has none.

    Parameters
    ----------
    algorithms : iterable of str
        The labels of the methods.
    distances : sequence of str
        The distances that are tried.
    """
    candidates = []
    for algorithm in algorithms:
        for distance in distances:
            if algorithm == BASELINE:
                if distance == distances[0]:
                    candidates.append(Candidate(algorithm, distance, algorithm))
                continue
            name = algorithm
            if len(distances) > 1:
                name = f"{algorithm} ({distance})"
            candidates.append(Candidate(algorithm, distance, name))
    return candidates


def algorithms_of(outcomes: Iterable[Outcome]) -> list[str]:
    """The labels of the methods of some outcomes, in their order."""
    return list(dict.fromkeys(outcome.algorithm for outcome in outcomes))
