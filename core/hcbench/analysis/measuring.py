"""The measured quantity of a claim: a mean, a paired difference, or a rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from hcbench.analysis.axes import metric_named
from hcbench.analysis.intervals import (
    ROUNDING_ERROR,
    Estimate,
    Law,
    differences_of,
    estimate_mean,
)
from hcbench.analysis.statistics import log_log_slope
from hcbench.errors import NameSyntaxError
from hcbench.registry.names import format_name, parse_name, same_name, split_parameter

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.suite import Claim


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


def find_group(side: Side, results: Results) -> Group:
    """The repetitions of an algorithm and a data set of a claim.

    Raises
    ------
    NotMeasuredError
        If there are none, all were skipped, or several groups match.
    """
    algorithm, dataset, oracle = side.algorithm, side.dataset, side.oracle
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
    groups = [group for group in groups if group.checkpoint == side.checkpoint]
    if not groups:
        raise NotMeasuredError(f"{algorithm} on {dataset} has no checkpoint {side.checkpoint}")
    ran = [group for group in groups if group.ran]
    if not ran:
        first = groups[0].outcomes[0]
        raise NotMeasuredError(first.reason, no_data=first.phase == "data")
    asked = [g for g in ran if not oracle or same_name(oracle, g.oracle, oracles)]
    if not asked and side.any_oracle:
        asked = ran
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


def claimed_metric(results: Results, name: str) -> MetricInfo:
    """The metric of a claim, which names it in full.

    Raises
    ------
    NotMeasuredError
        If it was not computed.
    """
    if metric := metric_named(results, name):
        return metric
    raise NotMeasuredError(f"{name} was not computed")


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured quantity of a claim.

    Attributes
    ----------
    estimate : Estimate
        The mean, and what its interval depends on.
    numbers : mapping of repetition to float
    size : float
        Largest absolute value that entered, for the size of rounding errors.
    whole : bool
        Whether all repetitions succeeded.
    """

    estimate: Estimate
    numbers: Mapping[int, float]
    size: float
    whole: bool


@dataclass(frozen=True, slots=True)
class _Series:
    """The values of a metric by repetition.

    Attributes
    ----------
    numbers : mapping of repetition to float
    whole : bool
        Whether no repetition failed.
    exact : bool
        Whether they use no random numbers.
    """

    numbers: dict[int, float]
    whole: bool
    exact: bool


def measure(claim: Claim, results: Results, notes: list[str]) -> Measured:
    """Compute the quantity of a claim, and append remarks to the notes.

    Raises
    ------
    NotMeasuredError
        If it was not measured.
    """
    metric = claimed_metric(results, claim.metric)
    side = Side(claim.algorithm, claim.dataset, claim.oracle, claim.checkpoint, metric)
    if claim.exponent:
        return _measure_rate(claim, side, results, notes)
    if claim.compares:
        return _measure_difference(claim, side, results, notes)
    series = _by_repetition(claim, side, results, notes)
    values = list(series.numbers.values())
    estimate = estimate_mean(values, metric.support, deterministic=series.exact)
    return Measured(estimate, series.numbers, abs(estimate.mean or 0.0), series.whole)


def _measure_difference(claim: Claim, side: Side, results: Results, notes: list[str]) -> Measured:
    """The difference of two quantities, repetition by repetition."""
    at = claim.than_checkpoint
    other = Side(
        algorithm=claim.better_than or claim.algorithm,
        dataset=claim.than_dataset or claim.dataset,
        oracle=claim.than_oracle or claim.oracle,
        checkpoint=claim.checkpoint if at is None else at,
        metric=claimed_metric(results, claim.than_metric or claim.metric),
        any_oracle=bool(claim.better_than) and not claim.than_oracle,
    )
    first = _by_repetition(claim, side, results, notes)
    second = _by_repetition(claim, other, results, notes)
    differences = differences_of(first.numbers, second.numbers)
    size = 0.0
    for r in differences:
        size = max(size, abs(first.numbers[r]), abs(second.numbers[r]))
    least = side.metric.support[0] - other.metric.support[1]
    greatest = side.metric.support[1] - other.metric.support[0]
    estimate = estimate_mean(
        list(differences.values()), (least, greatest), deterministic=first.exact and second.exact
    )
    if estimate.mean is None:
        notes.append("no repetition has both values")
    else:
        told = not (claim.relation or claim.within)
        better = f", {side.metric.direction} is better" if told else ""
        notes.append(f"mean paired difference over {estimate.n} repetitions{better}")
    return Measured(estimate, differences, size, first.whole and second.whole)


def _measure_rate(claim: Claim, side: Side, results: Results, notes: list[str]) -> Measured:
    """The slope of the logarithms over data sets that differ in one parameter only."""
    at = dict(sorted(_datasets_along(claim, results).items()))
    if len(at) < 2:
        raise NotMeasuredError(
            f"a rate of {claim.exponent} needs data sets {claim.dataset} with at least two "
            f"positive values of it; there are {len(at)}"
        )
    sides = [replace(side, dataset=dataset) for dataset in at.values()]
    found = [_by_repetition(claim, each, results, notes) for each in sides]
    values = ", ".join(f"{x:g}" for x in at)
    samples = [list(series.numbers.values()) for series in found]
    slope, standard_error = log_log_slope([*at], samples)
    if slope is None:
        notes.append(f"a mean is not positive, and has no logarithm ({claim.exponent} = {values})")
    else:
        notes.append(f"slope of log(mean) against log({claim.exponent}) over {values}")
    whole = all(series.whole for series in found)
    estimate = Estimate(
        mean=slope,
        standard_error=standard_error,
        n=min(len(sample) for sample in samples),
        freedom=max(len(at) - 2, 1),
        law=_law_of_slope(slope, standard_error, exact=all(series.exact for series in found)),
    )
    return Measured(estimate, {}, abs(slope or 0.0), whole)


def _law_of_slope(slope: float | None, standard_error: float | None, *, exact: bool) -> Law:
    if slope is None:
        return "none"
    if standard_error is None:
        return "deterministic" if exact else "single"
    if standard_error > ROUNDING_ERROR * max(1.0, abs(slope)):
        return "normal"
    return "deterministic" if exact else "equal"


def _datasets_along(claim: Claim, results: Results) -> dict[float, str]:
    """Labels of the data sets that differ from the claim's only in a parameter, by its value."""
    known = results.parameters.get("datasets", {})
    wanted, _ = split_parameter(claim.dataset, claim.exponent, known)
    labels = {}
    for label in results.datasets:
        rest, value = split_parameter(label, claim.exponent, known)
        others = {k: v for k, v in known.get(label, {}).items() if k != claim.exponent}
        if value is not None and value > 0 and same_name(wanted, rest, {rest: others}):
            labels[value] = label
    return labels


def _by_repetition(claim: Claim, side: Side, results: Results, notes: list[str]) -> _Series:
    """The values of a metric, of a grid those of the tuned members."""
    members = members_of(side.algorithm) if claim.tuned_by else [side.algorithm]
    groups = [find_group(replace(side, algorithm=member), results) for member in members]
    numbers = [_numbers(group, side.metric, notes) for group in groups]
    exact = all(group.is_exact(side.metric) for group in groups)
    if len(groups) == 1:
        return _Series(numbers[0], not groups[0].failed(side.metric), exact)
    by = claimed_metric(results, claim.tuned_by)
    if by.direction == "none":
        raise NotMeasuredError(f"{by.label} cannot be used for tuning: it has no better direction")
    # In each repetition the best group, the first of equals.
    sign = -1 if by.direction == "higher" else 1
    best: dict[int, tuple[float, int]] = {}
    for k, group in enumerate(groups):
        for repetition, number in _numbers(group, by, notes).items():
            rival = (sign * number, k)
            best[repetition] = min(best.get(repetition, rival), rival)
    chosen = {repetition: k for repetition, (_, k) in best.items()}
    times = Counter(chosen.values())
    counts = ", ".join(f"{groups[k].algorithm} {times[k]} times" for k in sorted(times))
    notes.append(f"tuned by {by.label}: {counts}")
    whole = not any(group.failed(side.metric) or group.failed(by) for group in groups)
    tuned = {r: numbers[k][r] for r, k in sorted(chosen.items()) if r in numbers[k]}
    return _Series(tuned, whole, exact)


def _numbers(group: Group, metric: MetricInfo, notes: list[str]) -> dict[int, float]:
    """The values by repetition; reasons for missing ones are appended to the notes."""
    values = group.values(metric)
    numbers = group.by_repetition(metric)
    others = (values.others[i] for i in sorted(values.others))
    missing = Counter(value.reason for value in others if value.value is None)
    if not numbers:
        raise NotMeasuredError(next(iter(missing), "not computed"))
    for reason, count in missing.items():
        notes.append(f"{group.algorithm}: {count} of {len(values)} without a value: {reason}")
    return numbers
