"""Resolution of the names of a claim: repetitions, members of a grid, metrics."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from hcbench.errors import NameSyntaxError
from hcbench.registry.labels import same_name
from hcbench.registry.names import format_name, parse_name

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.registry.claims import Claim


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


def find_group(
    claim: Claim,
    algorithm: str,
    dataset: str,
    oracle: str,
    checkpoint: int | None,
    results: Results,
) -> Group:
    """The repetitions of an algorithm and a data set of a claim.

    Raises
    ------
    NotMeasuredError
        If there are none, all were skipped, or several groups match.
    """
    algorithms, datasets, oracles = (
        results.parameters.get(kind, {}) for kind in ("algorithms", "datasets", "oracles")
    )
    groups = [
        group
        for group in results.groups
        if same_name(algorithm, group.algorithm, algorithms)
        and same_name(dataset, group.dataset, datasets)
    ]
    if not groups:
        raise NotMeasuredError(f"{algorithm} was not run on {dataset}")
    groups = [group for group in groups if group.checkpoint == checkpoint]
    if not groups:
        raise NotMeasuredError(f"{algorithm} on {dataset} has no checkpoint {checkpoint}")
    ran = [group for group in groups if any(o.status != "skipped" for o in group.outcomes)]
    if not ran:
        first = groups[0].outcomes[0]
        raise NotMeasuredError(first.reason, no_data=first.phase == "data")
    asked = [g for g in ran if not oracle or same_name(oracle, g.oracle, oracles)]
    is_rival = algorithm in (claim.better_than, *members_of(claim.better_than))
    if not asked and is_rival and not claim.than_oracle:
        asked = ran  # the oracle of a claim is that of its own algorithm
    if not asked:
        raise NotMeasuredError(f"{algorithm} was not run with oracle {oracle}")
    if len(asked) > 1:
        which = " or ".join(f"{g.oracle}, budget {g.budget}" for g in asked)
        raise NotMeasuredError(f"several runs match: {which}")
    return asked[0]


def members_of(name: str) -> list[str]:
    """The algorithms of a name with lists as parameters; without lists, the name itself."""
    try:
        grid = parse_name(name)
    except NameSyntaxError:
        return [name]
    lists = {key: value for key, value in grid.params.items() if isinstance(value, tuple)}
    if not lists:
        return [name]
    # A list within a list is one value, also in labels.
    values = [[(v,) if isinstance(v, tuple) else v for v in value] for value in lists.values()]
    return [
        format_name(grid.base, {**grid.params, **dict(zip(lists, chosen, strict=True))})
        for chosen in product(*values)
    ]


def find_metric(name: str, results: Results) -> str:
    """The label of the metric of a claim.

    Raises
    ------
    NotMeasuredError
        If it was not computed.
    """
    known = results.parameters.get("metrics", {})
    for metric in results.metrics:
        if same_name(name, metric.label, known):
            return metric.label
    raise NotMeasuredError(f"{name} was not computed")
