"""The scores of competitors on common blocks, from which ranks and profiles are computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hcbench.analysis.block_ranks import Failed
from hcbench.analysis.groups import Group, name_variants
from hcbench.analysis.inference import Inference, Unit, allowed_inference
from hcbench.analysis.statistics import average_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.plan.presentation import MetricInfo


@dataclass(frozen=True, slots=True)
class Excluded:
    """An excluded block and the reason."""

    block: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The scores of competitors on common blocks.

    A block has one row of scores, or, if it is of a family of several data sets, a row for each of
    these.

    Attributes
    ----------
    inference : Inference
        What a block is, and what the blocks allow to conclude.
    block_of_row : tuple of str
        The name of the block of each row.
    competitors : tuple of str
    scores : (n_rows, n_competitors) float
        Means over the repetitions on a data set, or the values of a repetition; NaN for a failure.
    failed : {"worst", "drop"}
        Scores are averages of the repetitions that succeeded, or NaN if more than `MOST_FAILED` of
        them failed; or repetitions in which an algorithm failed are excluded for all algorithms.
    failures : mapping of competitor to (int, int)
        How many of its repetitions failed, of how many.
    excluded : tuple of Excluded
        Data sets or repetitions on which not all algorithms could run, or all failed.
    """

    inference: Inference
    block_of_row: tuple[str, ...]
    competitors: tuple[str, ...]
    scores: NDArray[np.float64]
    failed: Failed
    excluded: tuple[Excluded, ...]
    failures: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        """What a block is."""
        return self.inference.unit

    @property
    def has_failures(self) -> bool:
        """Whether a repetition of a competitor failed."""
        return any(n_failed for n_failed, _ in self.failures.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the blocks."""
        return tuple(dict.fromkeys(self.block_of_row))

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.names)


def make_blocks(
    groups: Iterable[Group],
    metric: MetricInfo,
    failed: Failed = "worst",
    dependent: Iterable[str] = (),
    families: Mapping[str, str] | None = None,
) -> Blocks:
    """Collect the scores that are compared over data sets.

    An algorithm that runs with several oracles or budgets on one data set is a competitor for each.
    A data set is excluded if an algorithm was skipped on it, or a value is outside of the interval
    of the metric.

    Parameters
    ----------
    groups : iterable of Group
        Without reference lines. Checkpoints are ignored.
    metric : MetricInfo
    failed : {"worst", "drop"}
    dependent : iterable of str
        Data sets whose repetitions share items.
    families : mapping of data set to str, optional
        As for `hcbench.analysis.inference.allowed_inference`.
    """
    competing, skipped = _competing_and_skipped(groups)
    names = name_variants(competing)
    # The algorithm of each competitor, in the order in which these are shown.
    algorithm_of: dict[str, str] = {}
    groups_on: dict[str, dict[str, Group]] = {}
    for group in competing:
        algorithm_of[names[group]] = group.algorithm
        groups_on.setdefault(group.dataset, {})[names[group]] = group
    inference = allowed_inference(competing, dependent, families)

    rows: list[_Row] = []
    excluded = []
    for dataset, groups_of_name in groups_on.items():
        competitors: dict[str, Group | None] = {}
        for name, algorithm in algorithm_of.items():
            # A skipped algorithm tells why, and one without any group did not run there.
            competitors[name] = groups_of_name.get(name) or skipped.get((algorithm, dataset))
        of_dataset = _rows_of_dataset(dataset, competitors, metric, failed, inference)
        if isinstance(of_dataset, Excluded):
            excluded.append(of_dataset)
            continue
        for row in of_dataset:
            if np.isnan(row.scores).all():
                excluded.append(Excluded(row.name, "all failed"))
            else:
                rows.append(row)

    scores = np.array([row.scores for row in rows], dtype=np.float64)
    block_of_row = [row.block for row in rows]
    return Blocks(
        inference=inference,
        block_of_row=tuple(block_of_row),
        competitors=tuple(algorithm_of),
        # Without rows the array has no second dimension of itself.
        scores=scores.reshape(len(rows), len(algorithm_of)),
        failed=failed,
        excluded=tuple(excluded),
        failures=_count_failures(names, metric),
    )


def _competing_and_skipped(
    groups: Iterable[Group],
) -> tuple[list[Group], dict[tuple[str, str], Group]]:
    """The groups that compete; and those that were skipped, by their algorithm and data set.

    An algorithm that ran anywhere competes with the groups that ran. One that was skipped on all
    data sets competes, too, so that it is stated why these are excluded.
    """
    at_end = []
    ran = set()
    for group in groups:
        # A checkpoint is an earlier state of the same call.
        if group.checkpoint is not None:
            continue
        at_end.append(group)
        if group.ran:
            ran.add(group.algorithm)
    competing = []
    skipped = {}
    for group in at_end:
        if group.ran or group.algorithm not in ran:
            competing.append(group)
        if not group.ran:
            skipped[group.algorithm, group.dataset] = group
    return competing, skipped


class _Row(NamedTuple):
    """The scores of all competitors on a data set, or in one repetition on it."""

    name: str
    block: str
    scores: list[float]


def _count_failures(names: Mapping[Group, str], metric: MetricInfo) -> dict[str, tuple[int, int]]:
    """How many repetitions of each competitor failed, of how many."""
    failures: dict[str, tuple[int, int]] = {}
    for group, name in names.items():
        failed, total = failures.get(name, (0, 0))
        failures[name] = (failed + group.failed(metric), total + len(group.outcomes))
    return failures


def _rows_of_dataset(
    dataset: str,
    competitors: Mapping[str, Group | None],
    metric: MetricInfo,
    failed: Failed,
    inference: Inference,
) -> list[_Row] | Excluded:
    """The scores on a data set: a row, or one for each repetition if these are the blocks."""
    for name, group in competitors.items():
        reason = _why_excluded(group, metric)
        if reason:
            return Excluded(dataset, f"{name}: {reason}")

    # Each competitor has a group here, as one without would exclude the data set.
    groups = list(filter(None, competitors.values()))
    by_repetition: dict[int, list[float]] = {}
    if inference.unit == "repetition" or failed == "drop":
        by_repetition = _scores_by_repetition(groups, metric, failed)
        if not by_repetition:
            return Excluded(dataset, "an algorithm failed in each repetition")
    if inference.unit == "repetition":
        return _rows_of_repetitions(dataset, by_repetition, inference)

    if failed == "drop":
        # From a row for each repetition to a column of repetitions for each competitor.
        columns = np.transpose(list(by_repetition.values()))
        averages = [average_of(column, metric.average) for column in columns]
    else:
        averages = [_average_for_ranks(group, metric) for group in groups]

    block = dataset
    if inference.unit == "family":
        block = inference.family_of(dataset)
    scores = []
    for average in averages:
        # A failure is NaN, which ranks last.
        if average is None:
            average = math.nan
        scores.append(average)
    return [_Row(name=dataset, block=block, scores=scores)]


def _average_for_ranks(group: Group, metric: MetricInfo) -> float | None:
    """The average of the repetitions with a value; None if the algorithm ranks last."""
    if group.fails_too_often(metric):
        # Few values do not stand for all repetitions.
        return None
    return group.average(metric)


def _rows_of_repetitions(
    dataset: str, scores: Mapping[int, list[float]], inference: Inference
) -> list[_Row]:
    """A row for each repetition; the data sets of a family have a common block in each."""
    source = dataset
    if inference.has_variants:
        source = inference.family_of(dataset)
    rows = []
    for r, scores_of_repetition in scores.items():
        name = f"{dataset}, repetition {r}"
        block = f"{source}, repetition {r}"
        rows.append(_Row(name=name, block=block, scores=scores_of_repetition))
    return rows


def _scores_by_repetition(
    groups: Sequence[Group], metric: MetricInfo, failed: Failed
) -> dict[int, list[float]]:
    """The values of all competitors in each repetition, in order; NaN for a failure."""
    values = [group.by_repetition(metric) for group in groups]
    repetitions: set[int] = set()
    for group in groups:
        repetitions.update(group.outcomes.column("repetition").tolist())

    scores = {}
    for r in sorted(repetitions):
        of_repetition = [of_group.get(r, math.nan) for of_group in values]
        if failed == "worst" or not np.isnan(of_repetition).any():
            scores[r] = of_repetition
    return scores


def _why_excluded(group: Group | None, metric: MetricInfo) -> str:
    """Why the values of an algorithm exclude their data set; "" if they do not."""
    if group is None:
        return "did not run on it"

    status = group.outcomes.column("status")
    has_failed = group.outcomes.failed
    # Only repetitions without a finite number have an entry.
    for i, value in group.values(metric).special_values.items():
        if status[i] == "skipped":
            return f"skipped: {group.outcomes[i].reason}"
        # A failure ranks last; a metric that does not apply gives no rank.
        if value.value is None and not has_failed[i] and value.status != "error":
            return f"no {metric.label}: {value.reason}"
    if group.leaves_range(metric):
        return f"{metric.label} is {why_outside(metric)}"
    return ""


def why_outside(metric: MetricInfo) -> str:
    """What is said of values outside of the interval of their metric.

    Examples
    --------
    >>> why_outside(hcbench.analysis.COSTS["seconds"])
    'outside of [0, inf), the interval that it declares'
    """
    why = "the interval that it declares"
    if metric.outside:
        why = f"as {metric.outside}"
    return f"outside of {metric.interval}, {why}"
