"""What the names of a claim mean among results: repetitions, members of a grid, metrics."""

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
    """Nothing was measured, and why."""


def find_group(
    claim: Claim,
    algorithm: str,
    dataset: str,
    oracle: str,
    checkpoint: int | None,
    results: Results,
) -> Group:
    """The repetitions that an algorithm and a data set of a claim mean.

    Raises
    ------
    NotMeasuredError
        If there are none, or all were skipped, or it is not clear which are meant.
    """
    algorithms, datasets, oracles = (
        results.parameters.get(kind, {}) for kind in ("algorithms", "datasets", "oracles")
    )
    found = [
        group
        for group in results.groups
        if same_name(algorithm, group.algorithm, algorithms)
        and same_name(dataset, group.dataset, datasets)
    ]
    if not found:
        raise NotMeasuredError(f"{algorithm} was not run on {dataset}")
    found = [group for group in found if group.checkpoint == checkpoint]
    if not found:
        raise NotMeasuredError(f"{algorithm} on {dataset} has no checkpoint {checkpoint}")
    ran = [group for group in found if any(o.status != "skipped" for o in group.outcomes)]
    if not ran:
        raise NotMeasuredError(found[0].outcomes[0].reason)
    asked = [g for g in ran if not oracle or same_name(oracle, g.oracle, oracles)]
    is_rival = algorithm in (claim.better_than, *members_of(claim.better_than))
    if not asked and is_rival and not claim.than_oracle:
        asked = ran  # the oracle of a claim is that of its algorithm
    if not asked:
        raise NotMeasuredError(f"{algorithm} was not run with oracle {oracle}")
    if len(asked) > 1:
        which = " or ".join(f"{g.oracle}, budget {g.budget}" for g in asked)
        raise NotMeasuredError(f"it is not clear which run is meant: {which}")
    return asked[0]


def members_of(name: str) -> list[str]:
    """The algorithms that a name with lists as parameters means; one that has none is its own."""
    try:
        grid = parse_name(name)
    except NameSyntaxError:
        return [name]
    lists = {key: value for key, value in grid.params.items() if isinstance(value, tuple)}
    if not lists:
        return [name]
    # A list within a list is one value, and labels hold it so.
    values = [[(v,) if isinstance(v, tuple) else v for v in value] for value in lists.values()]
    return [
        format_name(grid.base, {**grid.params, **dict(zip(lists, chosen, strict=True))})
        for chosen in product(*values)
    ]


def find_metric(name: str, results: Results) -> str:
    """The label of the metric that a claim means.

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
