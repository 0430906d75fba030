"""The axes of a comparison, which are numeric parameters that vary in it, and its metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench.analysis.groups import COSTS, KINDS
from hcbench.analysis.labels import as_number, labels_of, varying
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.registry.names import same_name

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo

#: What varies: a parameter of one of the first three, or a number of queries or of items.
Kind = Literal["dataset", "oracle", "algorithm", "budget", "checkpoint", "n"]
# What is added to the name of an axis that is no parameter.
_DOCS = {"budget": "queries allowed", "checkpoint": "queries asked", "n": "items"}
# The ratio of the extremes above which scales are logarithmic.
_SPAN = 30


@dataclass(frozen=True, slots=True)
class Axis:
    """A numeric parameter that varies.

    Attributes
    ----------
    id : str
        ``"dataset.delta"``, ``"oracle.p"``, ``"algorithm.init"``, ``"budget"``, ``"checkpoint"``,
        or ``"n"``, the number of items.
    kind : str
    name : str
        Name of the parameter.
    values : tuple of float
        Ascending.
    """

    id: str
    kind: Kind
    name: str
    values: tuple[float, ...] = ()

    @property
    def title(self) -> str:
        """The label of the axis."""
        if self.kind not in _DOCS:
            return self.name
        return f"{self.name} ({_DOCS[self.kind]})"

    @property
    def log(self) -> bool:
        """Whether a logarithmic scale suits its values."""
        return is_wide(self.values)


def is_wide(places: Iterable[float]) -> bool:
    """Whether the range of numbers is so large that a logarithmic scale suits them.

    Examples
    --------
    >>> is_wide([1, 10, 100])
    True
    >>> is_wide([2, 4, 8])
    False
    """
    finite = list(filter(math.isfinite, places))
    # Numbers up to 0 have no logarithm.
    if not finite or min(finite) <= 0:
        return False
    return max(finite) > _SPAN * min(finite)


def axes_of(results: Comparison) -> tuple[Axis, ...]:
    """The axes of a comparison, each with at least two values.

    They are numeric parameters that differ between data sets, oracles or algorithms of the same
    name; the budget and the checkpoints; and the number of items, if trees are stored.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> [(axis.id, axis.values) for axis in axes_of(results)]
    [('n', (4.0, 6.0))]
    """
    groups = results.run_groups
    axes = []
    for kind in KINDS:
        for name, values in _numeric(results, groups, kind).items():
            axes.append(Axis(f"{kind}.{name}", kind, name, values))  # type: ignore[arg-type]

    codes, digests = results.outcomes.coded("data_digest")
    used_digests = digests[np.unique(codes)]
    places_of_kind: dict[Kind, set[int | None]] = {
        "budget": set(),
        "checkpoint": set(),
        "n": set(map(results.sizes.get, used_digests)),
    }
    for group in groups:
        # Amounts of money, which are texts, are on no axis.
        if not isinstance(group.budget, str):
            places_of_kind["budget"].add(group.budget)
        places_of_kind["checkpoint"].add(group.checkpoint)

    for name, places in places_of_kind.items():
        # None is without a budget, the end of a call, or an unknown size.
        places.discard(None)
        numbers = sorted(map(float, places))  # type: ignore[arg-type]
        if len(numbers) > 1:
            axes.append(Axis(name, name, name, tuple(numbers)))
    return tuple(axes)


def find_axis(results: Comparison, name: str) -> Axis:
    """The axis with a name: ``"delta"``, or ``"dataset.delta"`` if ``"delta"`` is ambiguous.

    Raises
    ------
    HcbenchError
        If there is none, or more than one.
    """
    axes = axes_of(results)
    folded_name = name.casefold()
    matches = []
    for axis in axes:
        if axis.id.casefold() == folded_name:
            matches.append(axis)
    if not matches:
        # No axis has this in full: it may be the name of a parameter alone.
        for axis in axes:
            if axis.name.casefold() == folded_name:
                matches.append(axis)
    if len(matches) == 1:
        return matches[0]

    if matches:
        options = " or ".join([axis.id for axis in matches])
        raise HcbenchError(f"{name} is ambiguous: write {options}")
    listed = ", ".join([axis.id for axis in axes])
    if not listed:
        listed = "nothing does; give a grid, such as planted[N0=[4,8]]"
    raise HcbenchError(f"{name} does not vary in these results; what varies: {listed}")


def metric_named(results: Comparison, name: str) -> MetricInfo | None:
    """The metric that a name describes in full, as for `same_name`; None if it was not measured."""
    parameters = results.parameters.get("metrics", {})
    for metric in results.metrics:
        if same_name(name, metric.label, parameters):
            return metric
    return None


def find_metric(results: Comparison, name: str) -> MetricInfo:
    """The metric with a name, without parameters if one has it, or a cost that every call has.

    Raises
    ------
    DataNotAvailableError
        If it was not measured.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> find_metric(results, "aari").direction
    'higher'
    >>> find_metric(results, "seconds").unit
    's'
    """
    metric = metric_named(results, name)
    if metric is not None:
        return metric

    folded_name = name.casefold()
    similar = []
    for candidate in results.metrics:
        label = candidate.label.casefold()
        base, _, _ = label.partition("[")
        # A cost that an algorithm reported has a space before its unit.
        if folded_name in (label, base.rstrip()):
            similar.append(candidate)

    # Of several with one name the parameters must be given.
    if len(similar) == 1:
        return similar[0]
    if folded_name in COSTS:
        return COSTS[folded_name]
    labels = [candidate.label for candidate in results.metrics]
    listed = ", ".join(dict.fromkeys(labels + list(COSTS)))
    raise DataNotAvailableError(f"{name} was not measured; there are {listed}")


def _numeric(
    results: Comparison, groups: Sequence[Group], kind: str
) -> dict[str, tuple[float, ...]]:
    """Parameters of a kind with at least two numeric values for one base name."""
    labels_of_groups = [getattr(group, kind) for group in groups]
    labels = labels_of(results, kind, labels_of_groups)
    # Two data sets that have a parameter of one name share its axis, with the values of both.
    places: dict[str, set[float]] = {}
    for params in varying(labels.values()).values():
        for name, values in params.items():
            numbers = set(map(as_number, values)) - {None}
            if len(numbers) > 1:
                places.setdefault(name, set()).update(numbers)  # type: ignore[arg-type]
    ascending = {}
    for name, numbers_of_name in places.items():
        ascending[name] = tuple(sorted(numbers_of_name))
    return ascending
