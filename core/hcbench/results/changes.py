"""Differences between two runs.

They are of means over the repetitions that both runs have. The intervals hold together: with a
probability of 95 % all of them cover the true differences, so that of two runs of the same programs
with other seeds at most 5 % have any marked difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hcbench.analysis.groups import PLACE
from hcbench.analysis.intervals import Estimate, mean_and_std
from hcbench.analysis.notes import Note
from hcbench.analysis.simultaneous import limits_among, paired_estimate

if TYPE_CHECKING:
    from hcbench.plan.outcome import Outcome
    from hcbench.results.results import Results


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


@dataclass(frozen=True, slots=True)
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
    old, new = _values_of(before), _values_of(after)
    keys = list(dict.fromkeys([*new, *old]))
    estimates = {key: _change(old.get(key), new.get(key)) for key in keys}
    # Values that use no random numbers are compared without an error.
    n_random = sum(e.n > 1 and e.law != "deterministic" for e in estimates.values())
    differences = []
    for key in keys:
        mean = _mean(old.get(key))
        other_mean = _mean(new.get(key))
        change = estimates[key]
        limits = limits_among(change, n_random)
        has_interval = math.isfinite(limits.low) and math.isfinite(limits.high)
        differences.append(
            Difference(
                **dict(zip((*PLACE, "metric"), key, strict=True)),
                before=mean,
                after=other_mean,
                difference=None if mean is None or other_mean is None else other_mean - mean,
                standard_error=change.standard_error,
                low=limits.low if has_interval else None,
                high=limits.high if has_interval else None,
                marked=limits.excludes_zero,
                note=limits.note,
                in_both=key in old and key in new,
            )
        )
    return differences


@dataclass(frozen=True, slots=True)
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
            values[*group.place.values(), metric.label] = _Values(numbers, metric.support, exact)
    return values


def _mean(values: _Values | None) -> float | None:
    if values is None:
        return None
    mean, _ = mean_and_std([*values.numbers.values()])
    return mean


def _change(old: _Values | None, new: _Values | None) -> Estimate:
    """The mean of the differences, after minus before."""
    if old is None or new is None:
        return paired_estimate({}, {})
    exact = old.exact and new.exact
    return paired_estimate(new.numbers, old.numbers, new.support, deterministic=exact)


def find_data_changes(before: Results, after: Results) -> list[DataChange]:
    """The data sets of one label and other contents, by the digests of the data."""
    old = _digests(before.outcomes)
    new = _digests(after.outcomes)
    changes = []
    for dataset in dict.fromkeys(dataset for dataset, _ in new):
        common = [place for place in new if place[0] == dataset and place in old]
        differing = [place[1] for place in common if not new[place] & old[place]]
        if differing:
            changes.append(
                DataChange(
                    dataset=dataset, repetitions=tuple(sorted(differing)), common=len(common)
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
    old, new = _statuses(before.outcomes), _statuses(after.outcomes)
    changes = []
    for cell in dict.fromkeys([*new, *old]):
        one, other = old.get(cell, "-"), new.get(cell, "-")
        if one != other:
            changes.append(StatusChange(*cell[:5], one, other))
    return changes


def _statuses(
    outcomes: Sequence[Outcome],
) -> dict[tuple[str, str, str, int | str | None, int, int], str]:
    return {
        (o.algorithm, o.dataset, o.oracle, o.budget, o.repetition, o.seed): o.status
        for o in outcomes
    }


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
    in_both = [row for row in differences if row.before is not None and row.after is not None]
    equal = sum(row.difference == 0 for row in in_both)
    marked = sum(row.marked for row in differences)
    ended_otherwise = sum(change.in_both for change in statuses)
    text = (
        f"{equal} of {len(in_both)} means are equal, {marked} have a simultaneous 95 % interval "
        "without 0 and are marked: all hold together with a probability of 95 %; "
        f"{ended_otherwise} cells ended otherwise, {len(statuses) - ended_otherwise} are in one of "
        "the runs only"
    )
    notes.append(Note(kind="interval", text=text))
    return notes
