"""What is compared over data sets: the scores of competitors on what they have in common."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from hcbench.analysis.groups import Group, name_variants
from hcbench.analysis.statistics import Failed, mean_and_std

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.plan.presentation import MetricInfo

Unit: TypeAlias = Literal["data set", "repetition"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A block that does not count, and why."""

    block: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """What competitors reached on what they have in common.

    Attributes
    ----------
    unit : {"data set", "repetition"}
        What a block is: a data set, where a competitor's number is its mean over the repetitions;
        or, where there is but one data set, a repetition on it. The latter tells of this data set
        alone.
    names : tuple of str
        Of the blocks.
    competitors : tuple of str
    scores : (n_blocks, n_competitors) float
        NaN for a failure.
    failed : {"worst", "drop"}
        NaN for who failed in a repetition of the block; or repetitions in which somebody failed
        are left out for all.
    left_out : tuple of LeftOut
        Blocks in which not all could take part, or all failed.
    """

    unit: Unit
    names: tuple[str, ...]
    competitors: tuple[str, ...]
    scores: NDArray[np.float64]
    failed: Failed
    left_out: tuple[LeftOut, ...]


def make_blocks(groups: Iterable[Group], metric: MetricInfo, failed: Failed = "worst") -> Blocks:
    """Put together what is compared over data sets.

    An algorithm that runs with several oracles or budgets on one data set competes as often. Where
    it could not run it has no part in a block; one that could run nowhere has none in any.

    Parameters
    ----------
    groups : iterable of Group
        Without reference lines. Checkpoints do not count.
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
    alone = len(by_dataset) == 1
    kept: dict[str, list[float]] = {}
    left_out = []
    for dataset, present in by_dataset.items():
        took_part = {
            name: present.get(name) or skipped.get((algorithm[name], dataset)) for name in algorithm
        }
        found = _dataset_blocks(dataset, took_part, metric, failed, alone)
        if isinstance(found, LeftOut):
            left_out.append(found)
        else:
            kept |= found
    for name in [name for name, scores in kept.items() if np.isnan(scores).all()]:
        left_out.append(LeftOut(name, "all failed"))
        del kept[name]
    return Blocks(
        unit="repetition" if alone else "data set",
        names=tuple(kept),
        competitors=tuple(algorithm),
        scores=np.array(list(kept.values())).reshape(len(kept), len(algorithm)),
        failed=failed,
        left_out=tuple(left_out),
    )


def _skipped(group: Group) -> bool:
    return all(outcome.status == "skipped" for outcome in group.outcomes)


def _dataset_blocks(
    dataset: str,
    took_part: Mapping[str, Group | None],
    metric: MetricInfo,
    failed: Failed,
    alone: bool,
) -> dict[str, list[float]] | LeftOut:
    """The scores of a data set, or of each repetition on it if it is alone."""
    table: list[dict[int, float]] = []
    for name, group in took_part.items():
        numbers = _numbers(group, metric.label)
        if isinstance(numbers, str):
            return LeftOut(dataset, f"{name}: {numbers}")
        table.append(numbers)
    repetitions = sorted({repetition for numbers in table for repetition in numbers})
    if alone:
        rows = {
            f"{dataset}, repetition {r}": [numbers.get(r, math.nan) for numbers in table]
            for r in repetitions
        }
        if failed == "drop":
            rows = {name: row for name, row in rows.items() if not np.isnan(row).any()}
        return rows or LeftOut(dataset, "in each repetition somebody failed")
    if failed == "drop":
        bad = {r for numbers in table for r, number in numbers.items() if math.isnan(number)}
        table = [{r: v for r, v in numbers.items() if r not in bad} for numbers in table]
        if not all(table):
            return LeftOut(dataset, "in each repetition somebody failed")
    return {dataset: [_mean(list(numbers.values())) for numbers in table]}


def _numbers(group: Group | None, metric: str) -> dict[int, float] | str:
    """The value of each repetition, NaN for a failure; or why there is no part in a block."""
    if group is None:
        return "did not run on it"
    numbers = {}
    for outcome, value in zip(group.outcomes, group.values(metric), strict=True):
        if outcome.status == "skipped":
            return f"skipped: {outcome.reason}"
        if value.value is None and not outcome.failed and value.status != "error":
            return f"no {metric}: {value.reason}"
        numbers[outcome.repetition] = math.nan if value.value is None else value.value
    return numbers


def _mean(numbers: Sequence[float]) -> float:
    mean, _ = mean_and_std(numbers)
    return math.nan if mean is None else mean
