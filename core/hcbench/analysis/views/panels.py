"""Assignment of groups to places on an axis and to panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hcbench.analysis.groups import KINDS
from hcbench.analysis.views.axes import Axis, Label, as_number, labels_of, run_groups, varying
from hcbench.registry.names import format_value

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.registry.specs import Value

#: Identifies a panel: the data set, and other parameters that vary, with their values. A value is
#: None for a group without this parameter, which belongs to all such panels.
_Key: TypeAlias = tuple[tuple[str, str | None], ...]
#: The labels of each kind.
_Names: TypeAlias = Mapping[str, Mapping[str, Label]]
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
    """The title of each panel, which distinguishes it from the others, and its groups."""
    groups = _groups_along(results, axis)
    names = {k: labels_of(results, k, {getattr(group, k) for group in groups}) for k in KINDS}
    facets = _Facets.of(groups, axis, names)
    of_data = _data_keys(groups, axis, names, results)
    keys = _keys(groups, axis, facets, of_data, results)
    told = _have_several_kinds([g for g in groups if results.is_reference(g)], names)
    placed = {
        group: Placed(group, _line(group, axis, facets, told), _place(group, axis, names, results))
        for group in groups
    }
    panels: dict[_Key, list[Placed]] = {}
    for panel in _most_specific(list(dict.fromkeys(keys.values()))):
        members = [placed[group] for group, key in keys.items() if _covers(key, panel)]
        # Data sets without the parameter, or of unknown size, are not comparable.
        if axis.kind in ("dataset", "n"):
            members = [member for member in members if member.place is not None]
        if any(member.place is not None for member in members):
            panels[panel] = members
    return list(
        zip(
            _titles(list(panels), {label.text: label for label in of_data.values()}),
            panels.values(),
            strict=True,
        )
    )


def _line(group: Group, axis: Axis, facets: _Facets, told: set[str]) -> str:
    """The name of a line, with the oracle for references with oracles of several kinds."""
    own = {axis.name} if axis.kind == "algorithm" else set()
    name = facets.names["algorithm"][group.algorithm].without(own | facets.shared(group)).text
    return (
        f"{name}, {facets.names['oracle'][group.oracle].base}" if group.algorithm in told else name
    )


def _groups_along(results: Results, axis: Axis) -> list[Group]:
    """Groups at the ends of calls; along checkpoints, at checkpoints for those that have them."""
    groups = run_groups(results)
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


def _place(group: Group, axis: Axis, names: _Names, results: Results) -> float | None:
    if axis.kind == "budget":
        return None if group.budget is None else float(group.budget)
    if axis.kind == "checkpoint":
        return None if group.checkpoint is None else float(group.checkpoint)
    if axis.kind == "n":
        return _size(group, results)
    name = names[axis.kind][getattr(group, axis.kind)]
    return as_number(name.params.get(axis.name))


def _size(group: Group, results: Results) -> float | None:
    """The number of items; its mean if it differs between repetitions."""
    known = [results.sizes[o.data_digest] for o in group.outcomes if o.data_digest in results.sizes]
    return sum(known) / len(known) if known else None


# ---- Panels --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Facets:
    """The parameters of oracles that vary and therefore separate panels.

    An algorithm that has such a parameter itself, because it generates its own answers, belongs to
    the panel with the same value.
    """

    names: _Names
    parameters: tuple[str, ...]
    of_oracles: Mapping[str, Mapping[str, object]]
    of_algorithms: Mapping[str, Mapping[str, object]]

    @classmethod
    def of(cls, groups: Sequence[Group], axis: Axis, names: _Names) -> _Facets:
        """Those of some groups, without the parameter on the axis."""
        asked = {g.oracle: names["oracle"][g.oracle] for g in groups if g.oracle}
        called = {g.algorithm: names["algorithm"][g.algorithm] for g in groups}
        of_oracles = varying(asked.values())
        varies = dict.fromkeys(key for params in of_oracles.values() for key in params)
        if axis.kind in ("oracle", "algorithm"):
            varies.pop(axis.name, None)
        return cls(names, tuple(varies), of_oracles, varying(called.values()))

    def shared(self, group: Group) -> set[str]:
        """The parameters of its algorithm that the panels show."""
        own = self.of_algorithms.get(self.names["algorithm"][group.algorithm].base, {})
        asked = self.of_oracles.get(self.names["oracle"][group.oracle].base, {})
        return {name for name in self.parameters if name in own and name not in asked}

    def key(self, group: Group) -> list[tuple[str, str | None]]:
        """Each parameter with its value, None if the group does not have it."""
        shared = self.shared(group)
        oracle, algorithm = (
            self.names["oracle"][group.oracle],
            self.names["algorithm"][group.algorithm],
        )
        asked = self.of_oracles.get(oracle.base, {})
        return [
            (
                name,
                _text(oracle.params.get(name))
                if name in asked
                else _text(algorithm.params.get(name))
                if name in shared
                else None,
            )
            for name in self.parameters
        ]


def _text(value: Value) -> str:
    """A value in titles, in which 1 and 1.0 are equal."""
    number = as_number(value)
    return format_value(value) if number is None else f"{number:g}"


def _keys(
    groups: Sequence[Group],
    axis: Axis,
    facets: _Facets,
    of_data: Mapping[Group, Label],
    results: Results,
) -> dict[Group, _Key]:
    """The key of the panels to which each group belongs."""
    names = facets.names
    several_kinds = _have_several_kinds([g for g in groups if not results.is_reference(g)], names)
    several_budgets = axis.kind != "budget" and len({g.budget for g in groups} - {None}) > 1
    keys = {}
    for group in groups:
        key: list[tuple[str, str | None]] = [("", of_data[group].text)]
        if several_kinds:
            told = group.algorithm in several_kinds
            key.append(("oracle", names["oracle"][group.oracle].base if told else None))
        key += facets.key(group)
        if several_budgets:
            key.append(("budget", None if group.budget is None else f"{group.budget:,}"))
        keys[group] = tuple(key)
    return keys


def _have_several_kinds(groups: Sequence[Group], names: _Names) -> set[str]:
    """Algorithms that ran with oracles of several names on one data set."""
    seen: dict[tuple[str, str], set[str]] = {}
    for group in groups:
        seen.setdefault((group.algorithm, group.dataset), set()).add(
            names["oracle"][group.oracle].base
        )
    return {algorithm for (algorithm, _), bases in seen.items() if len(bases) > 1}


def _data_keys(
    groups: Sequence[Group], axis: Axis, names: _Names, results: Results
) -> dict[Group, Label]:
    """The data set of each group, without the parameter on the axis."""
    if axis.kind != "n":
        own = {axis.name} if axis.kind == "dataset" else set()
        return {group: names["dataset"][group.dataset].without(own) for group in groups}
    by_base: dict[str, list[Group]] = {}
    for group in groups:
        by_base.setdefault(names["dataset"][group.dataset].base, []).append(group)
    keys = {}
    for of_base in by_base.values():
        facets = _facets(of_base, names, results)
        for group in of_base:
            label = names["dataset"][group.dataset]
            keys[group] = (
                Label(POOLED, POOLED, {}, ())
                if facets is None
                else label.with_only({k: label.params[k] for k in facets}, facets)
            )
    return keys


def _facets(groups: Sequence[Group], names: _Names, results: Results) -> list[str] | None:
    """Parameters of a data set that separate panels along its size; None if the size is constant.

    These are the parameters that have data of the same sizes for each value.
    """
    size = {group: _size(group, results) for group in groups}
    if len(set(size.values()) - {None}) < 2:
        return None
    ((_, params),) = varying(names["dataset"][group.dataset] for group in groups).items()
    separating = []
    for key in params:
        sizes: dict[Value, set[float | None]] = {}
        for group in groups:
            sizes.setdefault(names["dataset"][group.dataset].params.get(key), set()).add(
                size[group]
            )
        if len({frozenset(of_value) for of_value in sizes.values()}) == 1:
            separating.append(key)
    return separating


def _covers(general: _Key, panel: _Key) -> bool:
    return all(
        value is None or value == other
        for (_, value), (_, other) in zip(general, panel, strict=True)
    )


def _most_specific(keys: Sequence[_Key]) -> list[_Key]:
    """The keys that cover no other key."""
    return [key for key in keys if not any(key != other and _covers(key, other) for other in keys)]


def _titles(keys: Sequence[_Key], of_data: Mapping[str, Label]) -> list[str]:
    """What distinguishes panels; the data set if there is one panel."""
    if not keys:
        return []
    told = [i for i in range(len(keys[0])) if len({key[i] for key in keys}) > 1] or [0]
    data = _short({key[0][1] or "": of_data[key[0][1] or ""] for key in keys})
    return [
        ", ".join(
            data[label or ""] if not name else f"{name} = {value}"
            for name, value, label in ((*key[i], key[0][1]) for i in told)
            if value is not None
        )
        for key in keys
    ]


def _short(names: Mapping[str, Label]) -> dict[str, str]:
    """Short labels of data sets: the parameters that vary, if all have one base name."""
    if len(names) < 2 or len({name.base for name in names.values()}) > 1:
        return {label: label for label in names}
    keys = dict.fromkeys(key for name in names.values() for key in name.params)
    varies = [k for k in keys if len({name.params.get(k) for name in names.values()}) > 1]
    return {
        label: ", ".join(
            f"{key} = {_text(name.params[key])}" for key in varies if key in name.params
        )
        or name.base
        for label, name in names.items()
    }
