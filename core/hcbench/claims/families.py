"""Families of claims: one line of a suite that is about each of several algorithms or data sets.

The algorithm, the data set and the oracle of a `Claim` may be several: names separated by commas,
grids such as ``OTS[backbone=[largest, longest]]``, and patterns such as ``cut-of[law=uniform, *]``,
which describe names of the suite. The claim is then made for each of their combinations that the
suite runs: its *members*. Each member has a verdict of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from hcbench.errors import NameSyntaxError
from hcbench.registry.names import (
    comparable_name,
    is_pattern,
    matches_pattern,
    names_in_grid,
    split_list,
)
from hcbench.registry.suite import Claim, Suite


@dataclass(frozen=True, slots=True)
class Family:
    """A claim of a suite with what it is about.

    Attributes
    ----------
    claim : Claim
        As written in the suite.
    members : tuple of Claim
        One for each combination of an algorithm, a data set and an oracle. Its text has the names
        that distinguish it from the others. A claim about one combination is its own member.
    """

    claim: Claim
    members: tuple[Claim, ...]

    @property
    def is_single(self) -> bool:
        """Whether it has one member."""
        return len(self.members) == 1


def families_of(suite: Suite) -> list[Family]:
    """The claims of a suite with their members, in the order of the suite."""
    planned = _Planned(suite)
    families = []
    for claim in suite.claims:
        families.append(Family(claim, _members_of(claim, suite, planned)))
    return families


def _members_of(claim: Claim, suite: Suite, planned: _Planned) -> tuple[Claim, ...]:
    # The grid of a tuned claim means one of its algorithms, not each of them.
    algorithms = [claim.algorithm]
    if not claim.tuned_by:
        algorithms = _names_of(claim.algorithm, suite.algorithms)
    datasets = _names_of(claim.dataset, suite.datasets)
    # A claim that names no oracle is about the oracle of its algorithm, whatever it is.
    oracles = _names_of(claim.oracle, suite.oracles) or [""]
    places = list(product(algorithms, datasets, oracles))
    if len(places) == 1:
        # One combination is its own member even if the suite does not run it: its verdict is then
        # "not run", with the names as they are written in full.
        algorithm, dataset, oracle = places[0]
        return (replace(claim, algorithm=algorithm, dataset=dataset, oracle=oracle),)
    runs = []
    for algorithm, dataset, oracle in places:
        if planned.has(algorithm, dataset, oracle):
            runs.append((algorithm, dataset, oracle))
    if not runs:
        # The verdict will say that this was not run.
        return (claim,)
    varying = _varying_positions(runs)
    members = []
    for run in runs:
        # Only the names that differ tell the members apart.
        text = claim.claim
        if varying:
            names = [run[position] for position in varying]
            text += f": {', '.join(names)}"
        algorithm, dataset, oracle = run
        member = replace(claim, claim=text, algorithm=algorithm, dataset=dataset, oracle=oracle)
        members.append(member)
    return tuple(members)


def _varying_positions(runs: Sequence[tuple[str, str, str]]) -> list[int]:
    """Which of algorithm (0), data set (1) and oracle (2) are not the same in all runs."""
    positions = []
    for position in range(3):
        names = {run[position] for run in runs}
        if len(names) > 1:
            positions.append(position)
    return positions


def _names_of(text: str, names_of_suite: Iterable[str]) -> list[str]:
    """The names that a text of a claim stands for, each once."""
    if not text:
        return []
    if text in names_of_suite:
        # It is one name, and not split: that of a file may have commas in it.
        return names_in_grid(text)
    try:
        parts = split_list(text)
    except NameSyntaxError:
        # A path, or a label of a caller's function, need not follow the syntax of names.
        return [text]
    names = []
    for part in parts:
        if is_pattern(part):
            names += _names_like(part, names_of_suite)
        else:
            names += names_in_grid(part)
    return list(dict.fromkeys(names))


def _names_like(pattern: str, names_of_suite: Iterable[str]) -> list[str]:
    """The names of a suite that match a pattern; without any, the pattern."""
    names = []
    for name in _expanded(names_of_suite):
        try:
            matches = matches_pattern(pattern, name)
        # A label that is no name matches no pattern.
        except NameSyntaxError:
            matches = False
        if matches:
            names.append(name)
    # The pattern itself is run by no suite, so that the verdict says what was looked for.
    return names or [pattern]


def _expanded(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from names_in_grid(name)


class _Planned:
    """Which combinations a suite runs, as its `only` says.

    Names are compared as they are written: where one has a default that the other omits, the
    combination counts as planned, and its verdict says that it was not run.
    """

    def __init__(self, suite: Suite) -> None:
        # For each restricted algorithm its data sets, and their oracles, if these are restricted.
        self._places: dict[object, dict[object, set[object]]] = {}
        for algorithms, datasets, *oracles in suite.only:
            # No oracle in an entry means all; `has` treats an empty set in this way.
            oracle_keys = set(map(_key, _expanded(oracles)))
            for algorithm, dataset in product(names_in_grid(algorithms), names_in_grid(datasets)):
                places = self._places.setdefault(_key(algorithm), {})
                places.setdefault(_key(dataset), set()).update(oracle_keys)

    def has(self, algorithm: str, dataset: str, oracle: str) -> bool:
        """Whether an algorithm runs on a data set, with an oracle if there is one."""
        places = self._places.get(_key(algorithm))
        if places is None:
            # An algorithm without an entry in `only` is not restricted.
            return True
        oracles = places.get(_key(dataset))
        if oracles is None:
            # A restricted one runs on the data sets of its entries only.
            return False
        return not oracle or not oracles or _key(oracle) in oracles


def _key(name: str) -> object:
    # Equal for all ways to write a name: other orders of its parameters, 1 and 1.0, cases.
    try:
        return comparable_name(name)
    except NameSyntaxError:
        return name
