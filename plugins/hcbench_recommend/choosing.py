"""Which methods, distances and metrics are compared, where the user leaves the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hcbench import DatasetSpec, ParameterError, Problem
from hcbench.registry import Registry, Use
from hcbench_recommend.recommendation import BASELINE, EXTERNAL, INTERNAL, OF_ANSWERS
from hcbench_recommend.rows import DISTANCES, FEWEST_COLUMNS

#: The quick standard set. Those that do not apply, or are not installed, are left out.
METHODS = (
    "UPGMA",
    "Complete",
    "Single",
    "Ward",
    "HDBSCAN",
    "DotProduct",
    "sk-bisecting-kmeans",
    "fast-plscan",
    "higra-bpt",
    "skn-paris",
)
#: The quick set for comparisons that a crowd has answered.
METHODS_OF_ANSWERS = ("4-AL", "4K-AL", "tK-AL", "AL-rowsum", "tSTE-AL", "FORTE-AL")


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods that are compared.

    Attributes
    ----------
    entries : tuple of str, AlgorithmSpec or callable
        As for `hcbench.compare`, without the references.
    metrics : dict of str to str
        The parameter ``metric`` where the user gives it, by the label of the method.
    """

    entries: tuple[Any, ...]
    metrics: dict[str, str]


def choose_methods(
    registry: Registry, algos: Sequence[Any], standard: tuple[str, ...]
) -> tuple[Methods, list[str]]:
    """The methods without the references, and notes on what is not compared."""
    if not algos:
        return Methods(standard + _of_plugin_files(registry), {}), []
    entries: dict[Any, None] = {}
    references: dict[str, None] = {}
    metric_of = {}
    for item in algos:
        if not isinstance(item, str):
            # A function of the caller, or a spec.
            entries[item] = None
            continue
        for use in registry.use_algorithms(item):
            if use.spec.reference:
                references[use.label] = None
                continue
            entries[use.label] = None
            metric = use.params.get("metric")
            if isinstance(metric, str) and f"metric={metric}" in use.label:
                metric_of[use.label] = metric
    if len(entries) < 2:
        raise ParameterError(
            f"algos={', '.join(map(str, algos))}: at least 2 methods are needed, as one cannot be "
            "compared (Random and Truth are references); name another one, or none for the "
            "standard set"
        )
    methods = Methods(tuple(entries), metric_of)
    if not references:
        return methods, []
    note = (
        f"References are no methods, and none is recommended: {', '.join(references)}. {BASELINE} "
        "is always compared, as a baseline."
    )
    return methods, [note]


def _of_plugin_files(registry: Registry) -> tuple[str, ...]:
    """The methods of plugin files, with their default parameters."""
    names = []
    for entry in registry.algorithms.entries:
        if entry.plugin.file is not None and not entry.spec.reference:
            names.append(entry.full_name)
    return tuple(names)


def choose_distances(
    distances: Sequence[str], problem: Problem, metric_of: Mapping[str, str]
) -> tuple[str, ...]:
    """The distances that are tried.

    Parameters
    ----------
    distances : sequence of str
        Those that the user names; by default all if the data have enough columns.
    problem : Problem
    metric_of : mapping of str to str
        Parameters ``metric`` that the user gives: distances are not scaled in addition.

    Raises
    ------
    ParameterError
        If a name is wrong, or the data have no dense vectors.
    """
    vectors = problem.vectors
    is_dense = isinstance(vectors, np.ndarray)
    for distance in distances:
        if distance not in DISTANCES:
            raise ParameterError(
                f"distances={distance}: no such distance; write some of {', '.join(DISTANCES)}"
            )
        if distance != "euclidean" and not is_dense:
            raise ParameterError(
                f"distances={distance}: rows are scaled of dense vectors only, and these data have "
                "none; omit distances"
            )
    if distances:
        return tuple(dict.fromkeys(distances))
    if not isinstance(vectors, np.ndarray) or vectors.shape[1] < FEWEST_COLUMNS or metric_of:
        return ("euclidean",)
    return tuple(DISTANCES)


def halves_decide(use: Use[DatasetSpec], metrics: Sequence[str], share: float | None) -> bool:
    """Whether neither a truth nor named metrics decide, and items have distances."""
    provided = use.provides
    if metrics or provided & {"truth", "levels"} or not provided & {"vectors", "similarity"}:
        return False
    if share is not None:
        raise ParameterError(
            f"share={share}: without labels and metrics, halves of the items decide, which have no "
            f"share; omit it, or name metrics, such as {INTERNAL[0]}"
        )
    return True


def are_answers(use: Use[DatasetSpec]) -> bool:
    """Whether nothing but the answers of a crowd is known, some of which can be held out."""
    provided = use.provides
    if "comparisons" not in provided or provided & {"truth", "levels"}:
        return False
    return "held_out" in use.params and not provided & {"vectors", "similarity", "graph"}


def deciding_metrics(use: Use[DatasetSpec]) -> tuple[str, ...]:
    """The metrics that decide, where the user names none."""
    if are_answers(use):
        return OF_ANSWERS
    if use.provides & {"truth", "levels"}:
        return EXTERNAL
    return INTERNAL
