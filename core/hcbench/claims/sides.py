"""What a claim is about: the metric, and the repetitions of an algorithm on a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.axes import metric_named
from hcbench.registry.names import same_name

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo


class NotMeasuredError(Exception):
    """The quantity of a claim was not measured; the message is the reason.

    Attributes
    ----------
    no_data : bool
        Whether the data set was not available.
    """

    def __init__(self, reason: str, *, no_data: bool = False) -> None:
        super().__init__(reason)
        self.no_data = no_data


@dataclass(frozen=True, slots=True)
class Side:
    """What a claim is about, or what it is compared with.

    Attributes
    ----------
    algorithm, dataset, oracle : str
        As in the claim.
    checkpoint : int or None
    metric : MetricInfo
    any_oracle : bool
        Whether another oracle will do: that of a claim is that of its own algorithm.
    """

    algorithm: str
    dataset: str
    oracle: str
    checkpoint: int | None
    metric: MetricInfo
    any_oracle: bool = False


def find_group(side: Side, results: Comparison) -> Group:
    """The repetitions of an algorithm and a data set of a claim.

    Raises
    ------
    NotMeasuredError
        If there are none, all were skipped, or several groups match.
    """
    groups_of_data = _groups_of(side, results)
    if not groups_of_data:
        raise NotMeasuredError(f"{side.algorithm} was not run on {side.dataset}")

    # A claim without a checkpoint is about the end of the calls, whose checkpoint is None.
    groups = []
    groups_that_ran = []
    for group in groups_of_data:
        if group.checkpoint != side.checkpoint:
            continue
        groups.append(group)
        # Combinations that are inapplicable have a group as well, with the reason.
        if group.ran:
            groups_that_ran.append(group)
    if not groups:
        raise NotMeasuredError(
            f"{side.algorithm} on {side.dataset} has no checkpoint {side.checkpoint}"
        )
    if not groups_that_ran:
        # All were skipped; the first tells why.
        first = groups[0].outcomes[0]
        raise NotMeasuredError(first.reason, no_data=first.phase == "data")

    matching = _with_oracle(side.oracle, groups_that_ran, results)
    if not matching and side.any_oracle:
        matching = groups_that_ran
    if not matching:
        raise NotMeasuredError(f"{side.algorithm} was not run with oracle {side.oracle}")
    # A claim names no budget, so runs with two budgets are not told apart.
    if len(matching) > 1:
        runs = [f"{group.oracle}, budget {group.budget}" for group in matching]
        raise NotMeasuredError(f"several runs match: {' or '.join(runs)}")
    return matching[0]


def _groups_of(side: Side, results: Comparison) -> list[Group]:
    """The groups of an algorithm and a data set, with whatever oracle and checkpoint."""
    # With their parameters, names are equal however they are written: a claim may omit a default
    # that the label of the run shows, or the other way round.
    algorithms = results.parameters.get("algorithms", {})
    datasets = results.parameters.get("datasets", {})
    groups = []
    for group in results.groups:
        if not same_name(side.algorithm, group.algorithm, algorithms):
            continue
        if same_name(side.dataset, group.dataset, datasets):
            groups.append(group)
    return groups


def _with_oracle(oracle: str, groups: Sequence[Group], results: Comparison) -> list[Group]:
    """The groups with an oracle; all of them if the claim names none."""
    if not oracle:
        return list(groups)
    oracles = results.parameters.get("oracles", {})
    matching = []
    for group in groups:
        if same_name(oracle, group.oracle, oracles):
            matching.append(group)
    return matching


def claimed_metric(results: Comparison, name: str) -> MetricInfo:
    """The metric of a claim, which names it in full.

    Raises
    ------
    NotMeasuredError
        If it was not computed.
    """
    metric = metric_named(results, name)
    if metric is None:
        raise NotMeasuredError(f"{name} was not computed")
    return metric
