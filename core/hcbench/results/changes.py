"""Differences between two runs.

They are of means over the repetitions that both runs have. The intervals hold together: with a
probability of 95 % all of them cover the true differences, so that of two runs of the same programs
with other seeds at most 5 % have any marked difference.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hcbench.analysis.groups import PLACE
from hcbench.analysis.intervals import Estimate, mean_and_std
from hcbench.analysis.notes import Note
from hcbench.analysis.simultaneous import limits_among, paired_estimate

if TYPE_CHECKING:
    from hcbench.plan.outcome import Outcome
    from hcbench.results.results import Results

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One mean in two runs.

    Attributes
    ----------
    algorithm, dataset, oracle : str
    budget, checkpoint : int or None
    metric : str
    before, after : float or None
        The means; None if missing.
    difference : float or None
        After minus before.
    standard_error, low, high : float or None
        Of the differences of common repetitions, with the interval of their mean; both ends are
        None if there is none.
    marked : bool
        Whether the interval excludes 0. Values that use no random numbers are marked if they
        differ.
    note : str
        Why there is no interval; "" if there is one.
    in_both : bool
        Whether both runs have the cells and the metric; a mean that is missing is then n/a.
    """

    algorithm: str
    dataset: str
    oracle: str
    budget: int | str | None
    checkpoint: int | None
    metric: str
    before: float | None
    after: float | None
    difference: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    marked: bool
    note: str
    in_both: bool

    @property
    def changes(self) -> bool:
        """Whether the means differ, or one of them has become n/a."""
        return self.in_both and self.before != self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class DataChange:
    """A data set whose contents differ between two runs, so that no value can be compared.

    Attributes
    ----------
    dataset : str
    repetitions : tuple of int
        In which the contents differ.
    common : int
        The number of repetitions of which both runs know the contents.
    """

    dataset: str
    repetitions: tuple[int, ...]
    common: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusChange:
    """A cell whose status differs between two runs; "-" if a run does not have it."""

    algorithm: str
    dataset: str
    oracle: str
    budget: int | str | None
    repetition: int
    before: str
    after: str

    @property
    def in_both(self) -> bool:
        """Whether both runs have the cell; interrupted runs lack some."""
        return "-" not in (self.before, self.after)


def find_differences(before: Results, after: Results) -> list[Difference]:
    """All means of two runs side by side, in the order of the second run."""
    values_before = _values_of(before)
    values_after = _values_of(after)
    estimates = {}
    for key in _keys_of_both(values_before, values_after):
        estimates[key] = _estimate_change(values_before.get(key), values_after.get(key))
    # The more intervals hold together, the wider each of them is.
    n_random = 0
    for estimate in estimates.values():
        # Values that use no random numbers are compared without an error.
        if estimate.n > 1 and estimate.law != "deterministic":
            n_random += 1
    differences = []
    for key, estimate in estimates.items():
        old_values = values_before.get(key)
        new_values = values_after.get(key)
        differences.append(_difference(key, old_values, new_values, estimate, n_random))
    return differences


def _difference(
    key: tuple[Any, ...],
    old_values: _Values | None,
    new_values: _Values | None,
    estimate: Estimate,
    n_random: int,
) -> Difference:
    """One mean in both runs, with an interval that holds together with ``n_random`` ones."""
    *place, metric = key
    mean_before = _mean(old_values)
    mean_after = _mean(new_values)
    change = None
    if mean_before is not None and mean_after is not None:
        change = mean_after - mean_before
    limits = limits_among(estimate, n_random)
    low: float | None = limits.low
    high: float | None = limits.high
    if not (math.isfinite(limits.low) and math.isfinite(limits.high)):
        # An interval without an end is none.
        low = None
        high = None
    return Difference(
        **dict(zip(PLACE, place, strict=True)),
        metric=metric,
        before=mean_before,
        after=mean_after,
        difference=change,
        standard_error=estimate.standard_error,
        low=low,
        high=high,
        marked=limits.excludes_zero,
        note=limits.note,
        in_both=old_values is not None and new_values is not None,
    )


def _keys_of_both(before: Mapping[K, object], after: Mapping[K, object]) -> list[K]:
    """The keys of two runs: those of the second one, then those that only the first one has."""
    keys = list(after)
    for key in before:
        if key not in after:
            keys.append(key)
    return keys


@dataclass(frozen=True, slots=True, kw_only=True)
class _Values:
    """The values of a metric by repetition, and what is known of them."""

    numbers: dict[int, float]
    support: tuple[float, float]
    exact: bool


def _values_of(results: Results) -> dict[tuple[Any, ...], _Values]:
    values = {}
    for group in results.groups:
        for metric in results.metrics:
            numbers = group.by_repetition(metric.label)
            exact = group.is_exact(metric)
            key = (*group.place.values(), metric.label)
            values[key] = _Values(numbers=numbers, support=metric.support, exact=exact)
    return values


def _mean(values: _Values | None) -> float | None:
    if values is None:
        return None
    mean, _ = mean_and_std(list(values.numbers.values()))
    return mean


def _estimate_change(old: _Values | None, new: _Values | None) -> Estimate:
    """The mean of the differences, after minus before."""
    if old is None or new is None:
        # A mean that only one run has: an estimate of no values.
        return paired_estimate({}, {})
    exact = old.exact and new.exact
    return paired_estimate(new.numbers, old.numbers, new.support, deterministic=exact)


def find_data_changes(before: Results, after: Results) -> list[DataChange]:
    """The data sets of one label and other contents, by the digests of the data."""
    old_digests = _digests(before.outcomes)
    new_digests = _digests(after.outcomes)
    common: Counter[str] = Counter()
    # By data set; one that has no repetition here is equal in both runs.
    differing: dict[str, list[int]] = {}
    for place, digests in new_digests.items():
        dataset, repetition = place
        differing.setdefault(dataset, [])
        if place not in old_digests:
            continue
        common[dataset] += 1
        # One digest in common is enough: the cells of a run may have been measured at two times.
        if digests.isdisjoint(old_digests[place]):
            differing[dataset].append(repetition)
    changes = []
    for dataset, repetitions in differing.items():
        if repetitions:
            changes.append(
                DataChange(
                    dataset=dataset,
                    repetitions=tuple(sorted(repetitions)),
                    common=common[dataset],
                )
            )
    return changes


def _digests(outcomes: Sequence[Outcome]) -> dict[tuple[str, int], set[str]]:
    """Of the data of each data set in each repetition; several if they changed within the run."""
    digests: dict[tuple[str, int], set[str]] = {}
    for outcome in outcomes:
        if outcome.data_digest:
            place = (outcome.dataset, outcome.repetition)
            digests.setdefault(place, set()).add(outcome.data_digest)
    return digests


def find_status_changes(before: Results, after: Results) -> list[StatusChange]:
    """The cells whose status differs, or that only one of the runs has."""
    old_statuses = _statuses(before.outcomes)
    new_statuses = _statuses(after.outcomes)
    changes = []
    for cell in _keys_of_both(old_statuses, new_statuses):
        status_before = old_statuses.get(cell, "-")
        status_after = new_statuses.get(cell, "-")
        if status_before == status_after:
            continue
        # The seed is part of what a cell is, and not shown: runs are compared at equal seeds.
        algorithm, dataset, oracle, budget, repetition, _ = cell
        changes.append(
            StatusChange(
                algorithm=algorithm,
                dataset=dataset,
                oracle=oracle,
                budget=budget,
                repetition=repetition,
                before=status_before,
                after=status_after,
            )
        )
    return changes


#: Algorithm, data set, oracle, budget, repetition and seed.
_Cell: TypeAlias = tuple[str, str, str, int | str | None, int, int]


def _statuses(outcomes: Sequence[Outcome]) -> dict[_Cell, str]:
    statuses: dict[_Cell, str] = {}
    for outcome in outcomes:
        cell = (
            outcome.algorithm,
            outcome.dataset,
            outcome.oracle,
            outcome.budget,
            outcome.repetition,
            outcome.seed,
        )
        statuses[cell] = outcome.status
    return statuses


def notes_on_changes(
    differences: Sequence[Difference],
    statuses: Sequence[StatusChange],
    data: Sequence[DataChange],
) -> list[Note]:
    """What to keep in mind about the differences of two runs."""
    notes = []
    for change in data:
        text = (
            f"{change.dataset}: the data differ between the runs, in {len(change.repetitions)} of "
            f"{change.common} repetitions, so that its values cannot be compared"
        )
        notes.append(Note(kind="data", text=text, table=change.dataset))
    n_both = 0
    n_equal = 0
    n_marked = 0
    for row in differences:
        # A difference exists where both runs have a mean.
        if row.difference is not None:
            n_both += 1
        if row.difference == 0:
            n_equal += 1
        if row.marked:
            n_marked += 1
    n_changed = 0
    for status_change in statuses:
        if status_change.in_both:
            n_changed += 1
    n_in_one = len(statuses) - n_changed
    text = (
        f"{n_equal} of {n_both} means are equal, {n_marked} have a simultaneous 95 % interval "
        "without 0 and are marked: all hold together with a probability of 95 %; "
        f"{n_changed} cells ended otherwise, {n_in_one} are in one of the runs only"
    )
    notes.append(Note(kind="interval", text=text))
    return notes
