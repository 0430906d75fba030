"""Who is better: the best means on one data set, and average ranks over all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hcbench.groups import Group, value_at
from hcbench.statistics import average_ranks, mean_and_std

if TYPE_CHECKING:
    from hcbench.layout import MetricInfo
    from hcbench.outcome import Outcome


def find_best(groups: Sequence[Group], metric: MetricInfo) -> list[Group]:
    """The groups of one data set with the best mean, at each checkpoint; one alone is not best."""
    if metric.direction == "none":
        return []
    rivals: dict[tuple[int | None, str], list[tuple[float, Group]]] = {}
    for group in groups:
        mean, _ = mean_and_std(group.numbers(metric.label))
        if mean is None or math.isnan(mean) or group.failed(metric.label):
            continue
        oracle = group.oracle if metric.unit == "questions" else ""
        rivals.setdefault((group.checkpoint, oracle), []).append((mean, group))
    choose = max if metric.direction == "higher" else min
    best = []
    for scored in rivals.values():
        if len(scored) > 1:
            top = choose(mean for mean, _ in scored)
            best += [group for mean, group in scored if mean == top]
    return best


def rank_algorithms(
    outcomes: Sequence[Outcome], metrics: Sequence[MetricInfo]
) -> list[dict[str, Any]]:
    """Average ranks for each metric of quality, the best first; empty for one algorithm."""
    names, blocks = _make_blocks(outcomes)
    rows: list[dict[str, Any]] = []
    for metric in metrics:
        if metric.cost or metric.direction == "none" or len(names) < 2:
            continue
        scores = [_scores(block, names, metric.label) for block in blocks]
        ranks, count = average_ranks(
            [row for row in scores if row is not None] or [[math.nan] * len(names)],
            metric.direction,
        )
        if count:
            found = [
                {
                    "metric": metric.label,
                    "algorithm": name,
                    "average_rank": float(rank),
                    "blocks": count,
                }
                for name, rank in zip(names, ranks, strict=True)
            ]
            rows += sorted(found, key=lambda row: float(row["average_rank"]))
    return rows


def _make_blocks(outcomes: Sequence[Outcome]) -> tuple[list[str], list[dict[str, Outcome]]]:
    """Names of the competitors, and who did what on each data set in each repetition.

    An algorithm that runs with several oracles or budgets on one data set competes as often. Where
    it could not run it has no part in a block; one that could run nowhere has none in any.
    """
    ran = {outcome.algorithm for outcome in outcomes if outcome.status != "skipped"}
    outcomes = [o for o in outcomes if o.status != "skipped" or o.algorithm not in ran]
    variants: dict[tuple[str, str], set[tuple[str, int | None]]] = {}
    for outcome in outcomes:
        place = (outcome.algorithm, outcome.dataset)
        variants.setdefault(place, set()).add((outcome.oracle, outcome.budget))
    several_oracles, several_budgets = (
        {a for (a, _), found in variants.items() if len({v[i] for v in found}) > 1} for i in (0, 1)
    )
    blocks: dict[tuple[str, int], dict[str, Outcome]] = {}
    names: dict[str, None] = {}
    for outcome in outcomes:
        name = outcome.algorithm
        if name in several_oracles:
            name += f" / {outcome.oracle}"
        if outcome.algorithm in several_budgets:
            name += f" / budget {outcome.budget}"
        names[name] = None
        blocks.setdefault((outcome.dataset, outcome.repetition), {})[name] = outcome
    return list(names), list(blocks.values())


def _scores(block: Mapping[str, Outcome], names: Sequence[str], metric: str) -> list[float] | None:
    """The values of one block, NaN for a failure; None if someone could not take part."""
    scores = []
    for name in names:
        outcome = block.get(name)
        if outcome is None or outcome.status == "skipped":
            return None
        value = value_at(outcome, None, metric)
        if value.value is None and not outcome.failed and value.status != "error":
            return None
        scores.append(math.nan if value.value is None else value.value)
    return scores
