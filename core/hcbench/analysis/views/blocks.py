"""Blocks: the scores of competitors that are compared over data sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.groups import Group, name_variants
from hcbench.analysis.inference import Inference, Unit, allowed_inference
from hcbench.analysis.statistics import Failed, average_of

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

    Attributes
    ----------
    inference : Inference
        What a block is, a data set, with means over repetitions as scores, or a repetition; and
        what the blocks allow to conclude.
    names : tuple of str
        Names of the blocks.
    competitors : tuple of str
    scores : (n_blocks, n_competitors) float
        NaN for a failure.
    failed : {"worst", "drop"}
        Scores are NaN after a failure in a repetition of the block; or repetitions in which an
        algorithm failed are excluded for all algorithms.
    excluded : tuple of Excluded
        Blocks on which not all algorithms could run, or all failed.
    """

    inference: Inference
    names: tuple[str, ...]
    competitors: tuple[str, ...]
    scores: NDArray[np.float64]
    failed: Failed
    excluded: tuple[Excluded, ...]

    @property
    def unit(self) -> Unit:
        """What a block is."""
        return self.inference.unit

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.names)


def make_blocks(groups: Iterable[Group], metric: MetricInfo, failed: Failed = "worst") -> Blocks:
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
    """
    at_end = [group for group in groups if group.checkpoint is None]
    ran = {group.algorithm for group in at_end if not _skipped(group)}
    competing = [group for group in at_end if not _skipped(group) or group.algorithm not in ran]
    names = name_variants(competing)
    algorithm = {names[group]: group.algorithm for group in competing}
    by_dataset: dict[str, dict[str, Group]] = {}
    for group in competing:
        by_dataset.setdefault(group.dataset, {})[names[group]] = group
    skipped = {(g.algorithm, g.dataset): g for g in at_end if _skipped(g)}
    outcomes = (outcome for group in competing for outcome in group.outcomes)
    inference = allowed_inference(outcomes, list(by_dataset))
    alone = inference.unit == "repetition"
    scores: dict[str, list[float]] = {}
    excluded = []
    for dataset, present in by_dataset.items():
        took_part = {
            name: present.get(name) or skipped.get((algorithm[name], dataset)) for name in algorithm
        }
        blocks = _dataset_blocks(dataset, took_part, metric, failed, alone)
        if isinstance(blocks, Excluded):
            excluded.append(blocks)
        else:
            scores |= blocks
    for name in [name for name, row in scores.items() if np.isnan(row).all()]:
        excluded.append(Excluded(name, "all failed"))
        del scores[name]
    return Blocks(
        inference=inference,
        names=tuple(scores),
        competitors=tuple(algorithm),
        scores=np.array(list(scores.values())).reshape(len(scores), len(algorithm)),
        failed=failed,
        excluded=tuple(excluded),
    )


def _skipped(group: Group) -> bool:
    return all(outcome.status == "skipped" for outcome in group.outcomes)


def _dataset_blocks(
    dataset: str,
    took_part: Mapping[str, Group | None],
    metric: MetricInfo,
    failed: Failed,
    alone: bool,
) -> dict[str, list[float]] | Excluded:
    """The scores on a data set; on each repetition if these are the blocks."""
    table: list[dict[int, float]] = []
    for name, group in took_part.items():
        numbers = _numbers(group, metric)
        if isinstance(numbers, str):
            return Excluded(dataset, f"{name}: {numbers}")
        table.append(numbers)
    repetitions = sorted({repetition for numbers in table for repetition in numbers})
    if alone:
        rows = {
            f"{dataset}, repetition {r}": [numbers.get(r, math.nan) for numbers in table]
            for r in repetitions
        }
        if failed == "drop":
            rows = {name: row for name, row in rows.items() if not np.isnan(row).any()}
        return rows or Excluded(dataset, "an algorithm failed in each repetition")
    if failed == "drop":
        bad = {r for numbers in table for r, number in numbers.items() if math.isnan(number)}
        table = [{r: v for r, v in numbers.items() if r not in bad} for numbers in table]
        if not all(table):
            return Excluded(dataset, "an algorithm failed in each repetition")
    averages = (average_of(list(numbers.values()), metric.average) for numbers in table)
    return {dataset: [math.nan if average is None else average for average in averages]}


def _numbers(group: Group | None, metric: MetricInfo) -> dict[int, float] | str:
    """The value of each repetition, NaN for a failure; or the reason to exclude the block."""
    if group is None:
        return "did not run on it"
    numbers = {}
    for outcome, value in zip(group.outcomes, group.values(metric), strict=True):
        if outcome.status == "skipped":
            return f"skipped: {outcome.reason}"
        if value.value is None and not outcome.failed and value.status != "error":
            return f"no {metric.label}: {value.reason}"
        if value.value is not None and metric.leaves_range(value.value):
            return f"{metric.label} is {why_outside(metric)}"
        numbers[outcome.repetition] = math.nan if value.value is None else value.value
    return numbers


def why_outside(metric: MetricInfo) -> str:
    """What is said of values outside of the interval of their metric."""
    why = f"as {metric.outside}" if metric.outside else "the interval that it declares"
    return f"outside of {metric.interval}, {why}"
