"""The panels and lines of curves: the groups of a comparison along an axis."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hcbench.analysis.axes import Axis
from hcbench.analysis.groups import KINDS
from hcbench.analysis.labels import Label, as_number, labels_of, varying
from hcbench.model.numbers import number_text
from hcbench.plan.outcome import budget_text
from hcbench.registry.names import format_value

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
    from hcbench.model.cost import Budget
    from hcbench.registry.parameters import Value


#: The labels of each kind.
_Labels: TypeAlias = Mapping[str, Mapping[str, Label]]
#: The name of data sets that share a line along the number of items.
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
    keys = {}
    for group in panels_of.groups:
        keys[group] = panels_of.key(group)

    # A group is in each panel whose key has all that its own has: one without a parameter of
    # oracles, such as an algorithm that needs none, is compared in all panels.
    panels = []
    for panel in _most_specific(keys.values()):
        members = []
        for group, key in keys.items():
            if key.items() <= panel.items():
                place = _place(group, axis, panels_of.labels, results)
                members.append(Placed(group, panels_of.line(group), place))
        # Data sets without the parameter, or of unknown size, are not comparable.
        if axis.kind in ("dataset", "n"):
            members = _placed(members)
        # Without a place there is nothing that a flat line could be compared with.
        if _placed(members):
            panels.append((panel, members))

    label_of_data = {label.text: label for label in panels_of.data.values()}
    keys_of_panels = [panel for panel, _ in panels]
    titled = []
    for title, (_, members) in zip(_titles(keys_of_panels, label_of_data), panels, strict=True):
        titled.append((title, members))
    return titled


def _placed(members: Sequence[Placed]) -> list[Placed]:
    """The groups that have a place on the axis."""
    return [member for member in members if member.place is not None]


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
            labels_of_kind = {getattr(group, kind) for group in groups}
            labels[kind] = labels_of(results, kind, labels_of_kind)

        oracles = []
        algorithms = []
        for group in groups:
            # A cell that was skipped may have no oracle.
            if group.oracle:
                oracles.append(labels["oracle"][group.oracle])
            algorithms.append(labels["algorithm"][group.algorithm])
        oracle_parameters = varying(oracles)
        separating: dict[str, None] = {}
        for params in oracle_parameters.values():
            separating |= dict.fromkeys(params)
        if axis.kind in ("oracle", "algorithm"):
            separating.pop(axis.name, None)

        references = []
        competitors = []
        for group in groups:
            if results.is_reference(group):
                references.append(group)
            else:
                competitors.append(group)
        budgets = {group.budget for group in groups} - {None}
        return cls(
            axis=axis,
            groups=groups,
            labels=labels,
            data=_data_labels(groups, axis, labels, results),
            oracle_parameters=oracle_parameters,
            algorithm_parameters=varying(algorithms),
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
    distinct: list[dict[str, str]] = []
    for key in keys:
        if key not in distinct:
            distinct.append(key)

    most_specific = []
    for key in distinct:
        if not any(key.items() < larger.items() for larger in distinct):
            most_specific.append(key)
    return most_specific


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
    # The size of data is known where a tree of them is stored.
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
    datasets = {}
    for group in groups:
        label = labels["dataset"][group.dataset]
        if axis.kind == "dataset":
            label = label.without({axis.name})
        datasets[group] = label
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
                # Of a constant size, such as iris: one point of a line over several data sets.
                data[group] = Label(POOLED, POOLED, {}, ())
            else:
                params = {name: datasets[group].params[name] for name in facets}
                data[group] = datasets[group].with_only(params, facets)
    return data


def _facets(groups: Sequence[Group], labels: _Labels, results: Comparison) -> list[str] | None:
    """Parameters of a data set that separate panels along its size; None if the size is constant.

    These are the parameters that have data of the same sizes for each value.
    """
    size_of_group = {}
    label_of_group = {}
    for group in groups:
        size_of_group[group] = _size(group, results)
        label_of_group[group] = labels["dataset"][group.dataset]
    if len(set(size_of_group.values()) - {None}) < 2:
        return None

    # All groups have one base name.
    (params,) = varying(label_of_group.values()).values()
    separating = []
    for name in params:
        sizes_of_value: dict[Value, set[float | None]] = {}
        for group in groups:
            value = label_of_group[group].params.get(name)
            sizes_of_value.setdefault(value, set()).add(size_of_group[group])
        # One set of sizes: the parameter is independent of the size, as a level of noise is.
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
        # The key "" is the data set.
        different = [""]

    labels = {}
    for panel in panels:
        labels[panel[""]] = of_data[panel[""]]
    short_names = _short(labels)
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
        return dict(zip(labels, labels, strict=True))

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
