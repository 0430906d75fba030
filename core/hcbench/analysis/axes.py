"""The axes of a comparison: numeric parameters that vary in it, and groups along them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from hcbench.analysis.groups import COSTS, KINDS
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.model.numbers import number_text
from hcbench.plan.outcome import budget_text
from hcbench.registry.names import format_name, format_value, same_name

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.specs import Params, Value
    from hcbench.results.results import Results

Kind = Literal["dataset", "oracle", "algorithm", "budget", "checkpoint", "n"]
_DOCS = {"budget": "queries allowed", "checkpoint": "queries asked", "n": "items"}
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
    groups = results.run_groups
    axes = []
    for kind in KINDS:
        for name, values in _numeric(results, groups, kind).items():
            axes.append(Axis(f"{kind}.{name}", kind, name, values))  # type: ignore[arg-type]
    codes, digests = results.outcomes.coded("data_digest")
    sizes = {results.sizes.get(digest) for digest in digests[np.unique(codes)]}
    others: dict[Kind, set[int | None]] = {
        "budget": {g.budget for g in groups if not isinstance(g.budget, str)},
        "checkpoint": {group.checkpoint for group in groups},
        "n": sizes,
    }
    for other, places in others.items():
        known = sorted(float(place) for place in places if place is not None)
        if len(known) > 1:
            axes.append(Axis(other, other, other, tuple(known)))
    return tuple(axes)


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
    known = (
        ", ".join(axis.id for axis in axes)
        or "nothing does; give a grid, such as planted[N0=[4,8]]"
    )
    raise HcbenchError(f"{name} does not vary in these results; what varies: {known}")


def metric_named(results: Results, name: str) -> MetricInfo | None:
    """The metric that a name describes in full, as for `same_name`; None if it was not measured."""
    known = results.parameters.get("metrics", {})
    return next((m for m in results.metrics if same_name(name, m.label, known)), None)


def find_metric(results: Results, name: str) -> MetricInfo:
    """The metric with a name, without parameters if one has it, or a cost that every call has.

    Raises
    ------
    DataNotAvailableError
        If it was not measured.
    """
    if metric := metric_named(results, name):
        return metric
    wanted = name.casefold()
    similar = [
        metric
        for metric in results.metrics
        for label in [metric.label.casefold()]
        if wanted in (label, label.partition("[")[0])
    ]
    if len(similar) == 1:
        return similar[0]
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


#: The labels of each kind.
_Labels: TypeAlias = Mapping[str, Mapping[str, Label]]
POOLED = "data sets"


@dataclass(frozen=True, slots=True)
class Placed:
    """A group and its place on an axis.

    Attributes
    ----------
    group : Group
    line : str
        Its algorithm, without the parameter on the axis.
    place : float or None
        None if it does not have the parameter.
    """

    group: Group
    line: str
    place: float | None


def place_groups(results: Results, axis: Axis) -> list[tuple[str, list[Placed]]]:
    """The title of each panel, which distinguishes it from the others, and its groups.

    Panels differ in the data set, in the kind of the oracle and its parameters, and in the budget.
    An algorithm that has a parameter of the oracles itself, because it generates its own answers,
    belongs to the panel with the same value. A group that lacks one belongs to all such panels.
    """
    groups = _groups_along(results, axis)
    labels = {k: labels_of(results, k, {getattr(group, k) for group in groups}) for k in KINDS}
    data = _data_labels(groups, axis, labels, results)
    asked = varying(labels["oracle"][group.oracle] for group in groups if group.oracle)
    called = varying(labels["algorithm"][group.algorithm] for group in groups)
    parameters = dict.fromkeys(name for params in asked.values() for name in params)
    if axis.kind in ("oracle", "algorithm"):
        parameters.pop(axis.name, None)
    references = [group for group in groups if results.is_reference(group)]
    named = _with_several_oracles(references, labels)
    separated = _with_several_oracles([g for g in groups if g not in references], labels)
    several_budgets = axis.kind != "budget" and len({group.budget for group in groups} - {None}) > 1
    keys: dict[Group, dict[str, str]] = {}
    placed = {}
    for group in groups:
        oracle, algorithm = labels["oracle"][group.oracle], labels["algorithm"][group.algorithm]
        of_oracle = asked.get(oracle.base, {})
        own = {name for name in called.get(algorithm.base, {}) if name not in of_oracle}
        key = {"": data[group].text}
        if group.algorithm in separated:
            key["oracle"] = oracle.base
        for name in parameters:
            if name in of_oracle or name in own:
                key[name] = _text((algorithm if name in own else oracle).params.get(name))
        if several_budgets and group.budget is not None:
            key["budget"] = budget_text(group.budget)
        keys[group] = key
        on_axis = {axis.name} if axis.kind == "algorithm" else set()
        line = algorithm.without(on_axis | (own & parameters.keys())).text
        if group.algorithm in named:
            line += f", {oracle.base}"
        placed[group] = Placed(group, line, _place(group, axis, labels, results))
    panels = []
    for panel in _most_specific(keys.values()):
        members = [placed[group] for group, key in keys.items() if key.items() <= panel.items()]
        # Data sets without the parameter, or of unknown size, are not comparable.
        if axis.kind in ("dataset", "n"):
            members = [member for member in members if member.place is not None]
        if any(member.place is not None for member in members):
            panels.append((panel, members))
    titles = _titles([panel for panel, _ in panels], {label.text: label for label in data.values()})
    return [(title, members) for title, (_, members) in zip(titles, panels, strict=True)]


def _most_specific(keys: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """The keys that are no part of another, each once."""
    distinct = {tuple(key.items()): key for key in keys}.values()
    return [key for key in distinct if not any(key.items() < other.items() for other in distinct)]


def _with_several_oracles(groups: Sequence[Group], labels: _Labels) -> set[str]:
    """Algorithms that ran with oracles of several names on one data set."""
    seen: dict[tuple[str, str], set[str]] = {}
    for group in groups:
        bases = seen.setdefault((group.algorithm, group.dataset), set())
        bases.add(labels["oracle"][group.oracle].base)
    return {algorithm for (algorithm, _), bases in seen.items() if len(bases) > 1}


def _groups_along(results: Results, axis: Axis) -> list[Group]:
    """Groups at the ends of calls; along checkpoints, at checkpoints for those that have them."""
    groups = results.run_groups
    if axis.kind != "checkpoint":
        return [group for group in groups if group.checkpoint is None]
    anytime = {
        (g.algorithm, g.dataset, g.oracle, g.budget) for g in groups if g.checkpoint is not None
    }
    return [
        group
        for group in groups
        if group.checkpoint is not None
        or (group.algorithm, group.dataset, group.oracle, group.budget) not in anytime
    ]


def _place(group: Group, axis: Axis, labels: _Labels, results: Results) -> float | None:
    if axis.kind in ("budget", "checkpoint"):
        count = getattr(group, axis.kind)
        return float(count) if isinstance(count, int) else None
    if axis.kind == "n":
        return _size(group, results)
    label = labels[axis.kind][getattr(group, axis.kind)]
    return as_number(label.params.get(axis.name))


def _size(group: Group, results: Results) -> float | None:
    """The number of items; its mean if it differs between repetitions."""
    digests = group.outcomes.column("data_digest").tolist()
    known = [results.sizes[digest] for digest in digests if digest in results.sizes]
    return sum(known) / len(known) if known else None


def _text(value: Value) -> str:
    """A value in titles, in which 1 and 1.0 are equal."""
    number = as_number(value)
    return format_value(value) if number is None else number_text(number)


def _data_labels(
    groups: Sequence[Group], axis: Axis, labels: _Labels, results: Results
) -> dict[Group, Label]:
    """The data set of each group, without the parameter on the axis."""
    if axis.kind != "n":
        own = {axis.name} if axis.kind == "dataset" else set()
        return {group: labels["dataset"][group.dataset].without(own) for group in groups}
    by_base: dict[str, list[Group]] = {}
    for group in groups:
        by_base.setdefault(labels["dataset"][group.dataset].base, []).append(group)
    keys = {}
    for of_base in by_base.values():
        facets = _facets(of_base, labels, results)
        for group in of_base:
            label = labels["dataset"][group.dataset]
            keys[group] = (
                Label(POOLED, POOLED, {}, ())
                if facets is None
                else label.with_only({k: label.params[k] for k in facets}, facets)
            )
    return keys


def _facets(groups: Sequence[Group], labels: _Labels, results: Results) -> list[str] | None:
    """Parameters of a data set that separate panels along its size; None if the size is constant.

    These are the parameters that have data of the same sizes for each value.
    """
    size = {group: _size(group, results) for group in groups}
    if len(set(size.values()) - {None}) < 2:
        return None
    ((_, params),) = varying(labels["dataset"][group.dataset] for group in groups).items()
    separating = []
    for key in params:
        sizes: dict[Value, set[float | None]] = {}
        for group in groups:
            sizes.setdefault(labels["dataset"][group.dataset].params.get(key), set()).add(
                size[group]
            )
        if len({frozenset(of_value) for of_value in sizes.values()}) == 1:
            separating.append(key)
    return separating


def _titles(panels: Sequence[Mapping[str, str]], of_data: Mapping[str, Label]) -> list[str]:
    """What distinguishes panels; the data set if there is one panel."""
    names = dict.fromkeys(name for panel in panels for name in panel)
    told = [name for name in names if len({panel.get(name) for panel in panels}) > 1] or [""]
    data = _short({panel[""]: of_data[panel[""]] for panel in panels})
    return [
        ", ".join(
            f"{name} = {panel[name]}" if name else data[panel[name]]
            for name in told
            if name in panel
        )
        for panel in panels
    ]


def _short(labels: Mapping[str, Label]) -> dict[str, str]:
    """Short labels of data sets: the parameters that vary, if all have one base name."""
    (params, *others) = varying(labels.values()).values() or [{}]
    if len(labels) < 2 or others:
        return {text: text for text in labels}
    return {
        text: ", ".join(
            f"{key} = {_text(label.params[key])}" for key in params if key in label.params
        )
        or label.base
        for text, label in labels.items()
    }
