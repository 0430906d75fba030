"""The axes of a comparison: numeric parameters that vary in it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hcbench.analysis.groups import COSTS, KINDS
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.registry.names import format_name

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.specs import Params, Value

Kind = Literal["dataset", "oracle", "algorithm", "budget", "checkpoint", "n"]
_DOCS = {
    "budget": "questions allowed",
    "checkpoint": "questions asked",
    "n": "items",
}
_SPAN = 30  # ratio of the extremes above which scales are logarithmic


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
        return f"{self.name} ({_DOCS[self.kind]})" if self.kind in _DOCS else self.name

    @property
    def log(self) -> bool:
        """Whether a logarithmic scale suits its values."""
        return is_wide(self.values)


def is_wide(places: Iterable[float]) -> bool:
    """Whether the range of numbers is so large that a logarithmic scale suits them."""
    known = [place for place in places if math.isfinite(place)]
    return bool(known) and min(known) > 0 and max(known) > _SPAN * min(known)


def axes_of(results: Results) -> tuple[Axis, ...]:
    """The axes of a comparison, each with at least two values.

    They are numeric parameters that differ between data sets, oracles or algorithms of the same
    name; the budget and the checkpoints; and the number of items, if trees are stored.
    """
    groups = run_groups(results)
    axes = []
    for kind in KINDS:
        for name, values in _numeric(results, groups, kind).items():
            axes.append(Axis(f"{kind}.{name}", kind, name, values))  # type: ignore[arg-type]
    sizes = {results.sizes.get(o.data_digest) for group in groups for o in group.outcomes}
    others: dict[Kind, set[int | None]] = {
        "budget": {group.budget for group in groups},
        "checkpoint": {group.checkpoint for group in groups},
        "n": sizes,
    }
    for other, places in others.items():
        known = sorted(float(place) for place in places if place is not None)
        if len(known) > 1:
            axes.append(Axis(other, other, other, tuple(known)))
    return tuple(axes)


def run_groups(results: Results) -> list[Group]:
    """The groups with at least one cell that was run."""
    return [g for g in results.groups if any(o.status != "skipped" for o in g.outcomes)]


def find_axis(results: Results, name: str) -> Axis:
    """The axis with a name: ``"delta"``, or ``"dataset.delta"`` if ``"delta"`` is ambiguous.

    Raises
    ------
    HcbenchError
        If there is none, or more than one.
    """
    axes = axes_of(results)
    wanted = name.casefold()
    matches = [axis for axis in axes if axis.id.casefold() == wanted] or [
        axis for axis in axes if axis.name.casefold() == wanted
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise HcbenchError(f"{name} is ambiguous: write {' or '.join(a.id for a in matches)}")
    known = ", ".join(axis.id for axis in axes) or "nothing does"
    raise HcbenchError(f"{name} does not vary in these results; what varies: {known}")


def find_metric(results: Results, name: str) -> MetricInfo:
    """The metric with a name, or a cost that every call has.

    Raises
    ------
    DataNotAvailableError
        If it was not measured.
    """
    wanted = name.casefold()
    for metric in results.metrics:
        if metric.label.casefold() == wanted:
            return metric
    by_base = [m for m in results.metrics if m.label.partition("[")[0].casefold() == wanted]
    if len(by_base) == 1:
        return by_base[0]
    if wanted in COSTS:
        return COSTS[wanted]
    known = ", ".join(dict.fromkeys([*(m.label for m in results.metrics), *COSTS]))
    raise DataNotAvailableError(f"{name} was not measured; there are {known}")


# ---- Labels --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Label:
    """A label with its parts, which come from the plan.

    Attributes
    ----------
    text : str
    base : str
        The name.
    params : mapping
        All parameters, including defaults.
    shown : tuple of str
        The parameters in the text.
    """

    text: str
    base: str
    params: Params
    shown: tuple[str, ...]

    def without(self, excluded: Collection[str]) -> Label:
        """The label without some of its parameters."""
        if not any(key in excluded for key in self.params):
            return self
        params = {key: value for key, value in self.params.items() if key not in excluded}
        return self.with_only(params, [key for key in self.shown if key not in excluded])

    def with_only(self, params: Params, shown: Iterable[str]) -> Label:
        """The label with these parameters, of which some are shown."""
        names = tuple(shown)
        text = format_name(self.base, {key: params[key] for key in names})
        return Label(self.text if names == self.shown else text, self.base, params, names)


def labels_of(results: Results, kind: str, labels: Iterable[str]) -> dict[str, Label]:
    """The labels of a kind with their parts."""
    names = results.names.get(KINDS[kind], {})
    known = results.parameters.get(KINDS[kind], {})
    return {
        label: Label(label, base, known.get(label, {}), shown)
        for label in labels
        for base, shown in [names.get(label, (label, ()))]
    }


def as_number(value: Value) -> float | None:
    """The value of a parameter if it is a finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def varying(labels: Iterable[Label]) -> dict[str, dict[str, list[Value]]]:
    """For each base name the parameters with several values, and these values in order."""
    seen: dict[str, dict[str, list[Value]]] = {}
    for label in labels:
        of_base = seen.setdefault(label.base, {})
        for key, value in label.params.items():
            values = of_base.setdefault(key, [])
            if value not in values:
                values.append(value)
    return {
        base: {key: values for key, values in params.items() if len(values) > 1}
        for base, params in seen.items()
    }


def _numeric(results: Results, groups: Sequence[Group], kind: str) -> dict[str, tuple[float, ...]]:
    """Parameters of a kind with at least two numeric values for one base name."""
    labels = labels_of(results, kind, (getattr(group, kind) for group in groups))
    places: dict[str, set[float]] = {}
    for params in varying(labels.values()).values():
        for name, values in params.items():
            numbers = {x for value in values if (x := as_number(value)) is not None}
            if len(numbers) > 1:
                places.setdefault(name, set()).update(numbers)
    return {name: tuple(sorted(numbers)) for name, numbers in places.items()}
