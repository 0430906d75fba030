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
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
    from hcbench.model.cost import Budget
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.parameters import Params, Value

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
    finite = [place for place in places if math.isfinite(place)]
    if not finite or min(finite) <= 0:
        return False
    return max(finite) > _SPAN * min(finite)


def axes_of(results: Comparison) -> tuple[Axis, ...]:
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
    matches = [axis for axis in axes if axis.id.casefold() == folded_name]
    if not matches:
        matches = [axis for axis in axes if axis.name.casefold() == folded_name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        options = " or ".join(axis.id for axis in matches)
        raise HcbenchError(f"{name} is ambiguous: write {options}")
    listed = ", ".join(axis.id for axis in axes)
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
    """
    metric = metric_named(results, name)
    if metric is not None:
        return metric
    folded_name = name.casefold()
    similar = []
    for candidate in results.metrics:
        label = candidate.label.casefold()
        base, _, _ = label.partition("[")
        if folded_name in (label, base):
            similar.append(candidate)
    # Of several with one name the parameters must be given.
    if len(similar) == 1:
        return similar[0]
    if folded_name in COSTS:
        return COSTS[folded_name]
    labels = [candidate.label for candidate in results.metrics]
    listed = ", ".join(dict.fromkeys(labels + list(COSTS)))
    raise DataNotAvailableError(f"{name} was not measured; there are {listed}")


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
    shown_names: tuple[str, ...]

    def without(self, excluded: Collection[str]) -> Label:
        """The label without some of its parameters."""
        if self.params.keys().isdisjoint(excluded):
            return self
        params = dict(self.params)
        for name in excluded:
            params.pop(name, None)
        return self.with_only(params, [name for name in self.shown_names if name in params])

    def with_only(self, params: Params, shown_names: Iterable[str]) -> Label:
        """The label with these parameters, of which some are shown."""
        names = tuple(shown_names)
        text = self.text
        # A label of a caller's own may be written otherwise than we would write it.
        if names != self.shown_names:
            text = format_name(self.base, {name: params[name] for name in names})
        return Label(text, self.base, params, names)


def labels_of(results: Comparison, kind: str, labels: Iterable[str]) -> dict[str, Label]:
    """The labels of a kind with their parts."""
    names = results.names.get(KINDS[kind], {})
    parameters = results.parameters.get(KINDS[kind], {})
    parts: dict[str, Label] = {}
    for label in labels:
        base, shown_names = names.get(label, (label, ()))
        parts[label] = Label(label, base, parameters.get(label, {}), shown_names)
    return parts


def as_number(value: Value) -> float | None:
    """The value of a parameter if it is a finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def varying(labels: Iterable[Label]) -> dict[str, dict[str, list[Value]]]:
    """For each base name the parameters with several values, and these values in order."""
    all_values: dict[str, dict[str, list[Value]]] = {}
    for label in labels:
        of_base = all_values.setdefault(label.base, {})
        for key, value in label.params.items():
            values = of_base.setdefault(key, [])
            if value not in values:
                values.append(value)
    several: dict[str, dict[str, list[Value]]] = {}
    for base, params in all_values.items():
        several[base] = {}
        for key, values in params.items():
            if len(values) > 1:
                several[base][key] = values
    return several


def _numeric(
    results: Comparison, groups: Sequence[Group], kind: str
) -> dict[str, tuple[float, ...]]:
    """Parameters of a kind with at least two numeric values for one base name."""
    labels = labels_of(results, kind, [getattr(group, kind) for group in groups])
    places: dict[str, set[float]] = {}
    for params in varying(labels.values()).values():
        for name, values in params.items():
            numbers = set(map(as_number, values)) - {None}
            if len(numbers) > 1:
                places.setdefault(name, set()).update(numbers)  # type: ignore[arg-type]
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


def place_groups(results: Comparison, axis: Axis) -> list[tuple[str, list[Placed]]]:
    """The title of each panel, which distinguishes it from the others, and its groups.

    Panels differ in the data set, in the kind of the oracle and its parameters, and in the budget.
    An algorithm that has a parameter of the oracles itself, because it generates its own answers,
    belongs to the panel with the same value. A group that lacks one belongs to all such panels.
    """
    panels_of = _Panels.along(results, axis)
    keys = {group: panels_of.key(group) for group in panels_of.groups}
    panels = []
    for panel in _most_specific(keys.values()):
        members = []
        for group, key in keys.items():
            if key.items() <= panel.items():
                place = _place(group, axis, panels_of.labels, results)
                members.append(Placed(group, panels_of.line(group), place))
        # Data sets without the parameter, or of unknown size, are not comparable.
        if axis.kind in ("dataset", "n"):
            members = [member for member in members if member.place is not None]
        if any(member.place is not None for member in members):
            panels.append((panel, members))
    label_of_data = {label.text: label for label in panels_of.data.values()}
    titles = _titles([panel for panel, _ in panels], label_of_data)
    return [(title, members) for title, (_, members) in zip(titles, panels, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panels:
    """What decides the panel and the line of each group along an axis.

    Attributes
    ----------
    axis : Axis
    groups : list of Group
    labels : mapping of kind to mapping of str to Label
    data : mapping of Group to Label
        The data set of each group, without the parameter on the axis.
    oracle_parameters, algorithm_parameters : mapping of base name to parameters that vary
    separating : collection of str
        The parameters of oracles that separate panels.
    with_oracle_in_panel, with_oracle_in_line : set of str
        Algorithms with several oracles on one data set: the oracle of a competitor separates
        panels; that of a reference is in the name of its line, so that it is in all panels.
    has_several_budgets : bool
    """

    axis: Axis
    groups: list[Group]
    labels: _Labels
    data: Mapping[Group, Label]
    oracle_parameters: Mapping[str, Mapping[str, list[Value]]]
    algorithm_parameters: Mapping[str, Mapping[str, list[Value]]]
    separating: Collection[str]
    with_oracle_in_panel: set[str]
    with_oracle_in_line: set[str]
    has_several_budgets: bool

    @classmethod
    def along(cls, results: Comparison, axis: Axis) -> _Panels:
        """Those of the results along an axis."""
        groups = _groups_along(results, axis)
        labels: dict[str, dict[str, Label]] = {}
        for kind in KINDS:
            labels[kind] = labels_of(results, kind, {getattr(group, kind) for group in groups})
        oracles = [labels["oracle"][group.oracle] for group in groups if group.oracle]
        oracle_parameters = varying(oracles)
        separating: dict[str, None] = {}
        for params in oracle_parameters.values():
            separating |= dict.fromkeys(params)
        if axis.kind in ("oracle", "algorithm"):
            separating.pop(axis.name, None)
        references = [group for group in groups if results.is_reference(group)]
        competitors = [group for group in groups if not results.is_reference(group)]
        budgets = {group.budget for group in groups} - {None}
        return cls(
            axis=axis,
            groups=groups,
            labels=labels,
            data=_data_labels(groups, axis, labels, results),
            oracle_parameters=oracle_parameters,
            algorithm_parameters=varying(labels["algorithm"][g.algorithm] for g in groups),
            separating=tuple(separating),
            with_oracle_in_panel=_with_several_oracles(competitors, labels),
            with_oracle_in_line=_with_several_oracles(references, labels),
            has_several_budgets=axis.kind != "budget" and len(budgets) > 1,
        )

    def key(self, group: Group) -> dict[str, str]:
        """What a panel of the group shows; "" is the data set."""
        oracle = self.labels["oracle"][group.oracle]
        of_oracle = self.oracle_parameters.get(oracle.base, {})
        of_algorithm = self._parameters_of_algorithm(group)
        key = {"": self.data[group].text}
        if group.algorithm in self.with_oracle_in_panel:
            key["oracle"] = oracle.base
        for name in self.separating:
            if name in of_algorithm:
                algorithm = self.labels["algorithm"][group.algorithm]
                key[name] = _text(algorithm.params.get(name))
            elif name in of_oracle:
                key[name] = _text(oracle.params.get(name))
        if self.has_several_budgets and group.budget is not None:
            key["budget"] = budget_text(group.budget)
        return key

    def line(self, group: Group) -> str:
        """The name of the line of the group: the algorithm without what the panel or axis shows."""
        algorithm = self.labels["algorithm"][group.algorithm]
        excluded = self._parameters_of_algorithm(group) & set(self.separating)
        if self.axis.kind == "algorithm":
            excluded.add(self.axis.name)
        line = algorithm.without(excluded).text
        if group.algorithm in self.with_oracle_in_line:
            line += f", {self.labels['oracle'][group.oracle].base}"
        return line

    def _parameters_of_algorithm(self, group: Group) -> set[str]:
        """The parameters of the algorithm that vary, and are none of its oracle."""
        oracle = self.labels["oracle"][group.oracle]
        algorithm = self.labels["algorithm"][group.algorithm]
        of_oracle = self.oracle_parameters.get(oracle.base, {})
        return set(self.algorithm_parameters.get(algorithm.base, {})) - set(of_oracle)


def _most_specific(keys: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """The keys that are no part of another, each once."""
    distinct = list({tuple(key.items()): key for key in keys}.values())

    def is_part(key: dict[str, str]) -> bool:
        return any(key.items() < larger.items() for larger in distinct)

    return [key for key in distinct if not is_part(key)]


def _with_several_oracles(groups: Sequence[Group], labels: _Labels) -> set[str]:
    """Algorithms that ran with oracles of several names on one data set."""
    oracles: dict[tuple[str, str], set[str]] = {}
    for group in groups:
        bases = oracles.setdefault((group.algorithm, group.dataset), set())
        bases.add(labels["oracle"][group.oracle].base)
    algorithms = set()
    for (algorithm, _), bases in oracles.items():
        if len(bases) > 1:
            algorithms.add(algorithm)
    return algorithms


def _groups_along(results: Comparison, axis: Axis) -> list[Group]:
    """Groups at the ends of calls; along checkpoints, at checkpoints for those that have them."""
    groups = results.run_groups
    if axis.kind != "checkpoint":
        return [group for group in groups if group.checkpoint is None]
    anytime_calls = set()
    for group in groups:
        if group.checkpoint is not None:
            anytime_calls.add(_calls_of(group))
    groups_along = []
    for group in groups:
        # An anytime algorithm has its places at the checkpoints.
        if group.checkpoint is not None or _calls_of(group) not in anytime_calls:
            groups_along.append(group)
    return groups_along


def _calls_of(group: Group) -> tuple[str, str, str, Budget | None]:
    """What identifies the calls of a group, at all checkpoints."""
    return group.algorithm, group.dataset, group.oracle, group.budget


def _place(group: Group, axis: Axis, labels: _Labels, results: Comparison) -> float | None:
    """The place of a group on an axis; None if it has none."""
    if axis.kind in ("budget", "checkpoint"):
        count = getattr(group, axis.kind)
        # Neither None nor an amount of money.
        if isinstance(count, int):
            return float(count)
        return None
    if axis.kind == "n":
        return _size(group, results)
    label = labels[axis.kind][getattr(group, axis.kind)]
    return as_number(label.params.get(axis.name))


def _size(group: Group, results: Comparison) -> float | None:
    """The number of items; its mean if it differs between repetitions."""
    digests = group.outcomes.column("data_digest").tolist()
    sizes = [results.sizes[digest] for digest in digests if digest in results.sizes]
    if not sizes:
        return None
    return sum(sizes) / len(sizes)


def _text(value: Value) -> str:
    """A value in titles, in which 1 and 1.0 are equal."""
    number = as_number(value)
    if number is None:
        return format_value(value)
    return number_text(number)


def _data_labels(
    groups: Sequence[Group], axis: Axis, labels: _Labels, results: Comparison
) -> dict[Group, Label]:
    """The data set of each group, without the parameter on the axis."""
    datasets = {group: labels["dataset"][group.dataset] for group in groups}
    if axis.kind == "dataset":
        return {group: label.without({axis.name}) for group, label in datasets.items()}
    if axis.kind != "n":
        return datasets
    # Along the number of items, data sets of one name are on one line.
    by_base: dict[str, list[Group]] = {}
    for group, label in datasets.items():
        by_base.setdefault(label.base, []).append(group)
    data = {}
    for of_base in by_base.values():
        facets = _facets(of_base, labels, results)
        for group in of_base:
            if facets is None:
                data[group] = Label(POOLED, POOLED, {}, ())
            else:
                params = {name: datasets[group].params[name] for name in facets}
                data[group] = datasets[group].with_only(params, facets)
    return data


def _facets(groups: Sequence[Group], labels: _Labels, results: Comparison) -> list[str] | None:
    """Parameters of a data set that separate panels along its size; None if the size is constant.

    These are the parameters that have data of the same sizes for each value.
    """
    size_of_group = {group: _size(group, results) for group in groups}
    if len(set(size_of_group.values()) - {None}) < 2:
        return None
    label_of_group = {group: labels["dataset"][group.dataset] for group in groups}
    (params,) = varying(label_of_group.values()).values()
    separating = []
    for name in params:
        sizes_of_value: dict[Value, set[float | None]] = {}
        for group in groups:
            value = label_of_group[group].params.get(name)
            sizes_of_value.setdefault(value, set()).add(size_of_group[group])
        different_sizes = set(map(frozenset, sizes_of_value.values()))
        if len(different_sizes) == 1:
            separating.append(name)
    return separating


def _titles(panels: Sequence[Mapping[str, str]], of_data: Mapping[str, Label]) -> list[str]:
    """What distinguishes panels; the data set if there is one panel."""
    names: dict[str, None] = {}
    for panel in panels:
        names |= dict.fromkeys(panel)
    different = []
    for name in names:
        values = {panel.get(name) for panel in panels}
        if len(values) > 1:
            different.append(name)
    if not different:
        different = [""]
    short_names = _short({panel[""]: of_data[panel[""]] for panel in panels})
    titles = []
    for panel in panels:
        parts = []
        for name in different:
            if name == "":
                parts.append(short_names[panel[""]])
            elif name in panel:
                parts.append(f"{name} = {panel[name]}")
        titles.append(", ".join(parts))
    return titles


def _short(labels: Mapping[str, Label]) -> dict[str, str]:
    """Short labels of data sets: the parameters that vary, if all have one base name."""
    by_base = varying(labels.values())
    if len(labels) < 2 or len(by_base) != 1:
        return {text: text for text in labels}
    (params,) = by_base.values()
    short_names = {}
    for text, label in labels.items():
        parts = []
        for name in params:
            if name in label.params:
                parts.append(f"{name} = {_text(label.params[name])}")
        # A data set may lack the parameters that vary among the others.
        short_names[text] = ", ".join(parts) or label.base
    return short_names
