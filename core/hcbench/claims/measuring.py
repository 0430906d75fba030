"""The measured quantity of a claim: a mean, a paired difference, or a rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hcbench.analysis.axes import metric_named
from hcbench.analysis.intervals import (
    CONFIDENCE,
    ROUNDING_ERROR,
    Estimate,
    Law,
    Support,
    differences_of,
    estimate_mean,
)
from hcbench.analysis.statistics import log_log_slope
from hcbench.claims.looks import Look, last_look
from hcbench.registry.names import names_in_grid, same_name, split_parameter

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
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


def find_group(side: Side, results: Comparison) -> Group:
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


def claimed_metric(results: Comparison, name: str) -> MetricInfo:
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
    look : Look or None
        The look that the estimate is of, and the level of its interval; None if all repetitions
        count, or if there are too few for a first look.
    stored : int
        Number of repetitions that were run, of which a look may have fewer.
    """

    estimate: Estimate
    numbers: Mapping[int, float]
    size: float
    whole: bool
    look: Look | None
    stored: int


@dataclass(frozen=True, slots=True)
class _Series:
    """The values of a metric by repetition.

    Attributes
    ----------
    numbers : mapping of repetition to float
    stored : frozenset of int
        The repetitions that were run, also those without a value.
    whole : bool
        Whether no repetition failed.
    exact : bool
        Whether they use no random numbers.
    """

    numbers: dict[int, float]
    stored: frozenset[int]
    whole: bool
    exact: bool


def measure(claim: Claim, results: Comparison, notes: list[str]) -> Measured:
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
    planned = results.suite.first_look
    estimate, look = _estimate(claim, series, metric.support, planned)
    return Measured(
        estimate=estimate,
        numbers=series.numbers,
        size=abs(estimate.mean or 0.0),
        whole=series.whole,
        look=look,
        stored=len(series.stored),
    )


#: Distributions of random values, of which the mean has an interval and thus an error.
RANDOM_LAWS: tuple[Law, ...] = ("share", "equal", "normal")


def _estimate(
    claim: Claim, series: _Series, support: Support, planned: int
) -> tuple[Estimate, Look | None]:
    """The estimated mean: of random values that of the last look, of others that of all.

    Parameters
    ----------
    claim : Claim
    series : _Series
    support : (float, float)
        The least and the greatest value that is possible.
    planned : int
        The number of repetitions at the first look.
    """
    estimate = estimate_mean(_values(series), support, deterministic=series.exact)
    # A claim about every repetition needs no interval, and is judged by all.
    if claim.every_repetition or estimate.law not in RANDOM_LAWS:
        return estimate, None
    look = last_look(planned, len(series.stored))
    if look is None:
        return estimate, None
    # The values vary, even if those of the look are equal.
    return estimate_mean(_values(series, look), support), look


def _values(series: _Series, look: Look | None = None) -> list[float]:
    """The values in the order of the repetitions, of a look those of its repetitions.

    A look has a number of repetitions that were run, whether or not they have a value: otherwise a
    missing value would change when claims are judged.
    """
    repetitions = sorted(series.stored)
    if look is not None:
        repetitions = repetitions[: look.repetitions]
    return [series.numbers[number] for number in repetitions if number in series.numbers]


def _measure_difference(
    claim: Claim, side: Side, results: Comparison, notes: list[str]
) -> Measured:
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
    series = _Series(
        numbers=differences,
        stored=first.stored & second.stored,
        whole=first.whole and second.whole,
        exact=first.exact and second.exact,
    )
    estimate, look = _estimate(claim, series, (least, greatest), results.suite.first_look)
    if estimate.mean is None:
        notes.append("no repetition has both values")
    else:
        told = not (claim.relation or claim.within)
        better = f", {side.metric.direction} is better" if told else ""
        notes.append(f"mean paired difference over {estimate.n} repetitions{better}")
    return Measured(
        estimate=estimate,
        numbers=differences,
        size=size,
        whole=series.whole,
        look=look,
        stored=len(series.stored),
    )


def _measure_rate(claim: Claim, side: Side, results: Comparison, notes: list[str]) -> Measured:
    """The slope of the logarithms over data sets that differ in one parameter only."""
    at = dict(sorted(_datasets_along(claim, results).items()))
    if len(at) < 2:
        raise NotMeasuredError(
            f"a rate of {claim.exponent} needs data sets {claim.dataset} with at least two "
            f"positive values of it; there are {len(at)}"
        )
    sides = [replace(side, dataset=dataset) for dataset in at.values()]
    series = [_by_repetition(claim, of_one, results, notes) for of_one in sides]
    is_exact = all(one.exact for one in series)
    stored = min(len(one.stored) for one in series)
    # The residuals of exact values are an error, too, which more repetitions do not change.
    look: Look | None = Look(stored, CONFIDENCE)
    if not is_exact:
        look = last_look(results.suite.first_look, stored)
    samples = [_values(one, look) for one in series]
    slope, standard_error = log_log_slope(list(at), samples)
    places = ", ".join(f"{x:g}" for x in at)
    if slope is None:
        notes.append(f"a mean is not positive, and has no logarithm ({claim.exponent} = {places})")
    else:
        notes.append(f"slope of log(mean) against log({claim.exponent}) over {places}")
    estimate = Estimate(
        mean=slope,
        standard_error=standard_error,
        n=min(len(sample) for sample in samples),
        freedom=max(len(at) - 2, 1),
        law=_law_of_slope(slope, standard_error, exact=is_exact),
    )
    if estimate.law not in RANDOM_LAWS:
        look = None
    return Measured(
        estimate=estimate,
        numbers={},
        size=abs(slope or 0.0),
        whole=all(one.whole for one in series),
        look=look,
        stored=stored,
    )


def _law_of_slope(slope: float | None, standard_error: float | None, *, exact: bool) -> Law:
    if slope is None:
        return "none"
    if standard_error is None:
        return "deterministic" if exact else "single"
    if standard_error > ROUNDING_ERROR * max(1.0, abs(slope)):
        return "normal"
    return "deterministic" if exact else "equal"


def _datasets_along(claim: Claim, results: Comparison) -> dict[float, str]:
    """Labels of the data sets that differ from the claim's only in a parameter, by its value."""
    parameters = results.parameters.get("datasets", {})
    claimed_name, _ = split_parameter(claim.dataset, claim.exponent, parameters)
    labels = {}
    for label in results.datasets:
        name, value = split_parameter(label, claim.exponent, parameters)
        if value is None or value <= 0:
            # A power law has no such place.
            continue
        other_parameters = dict(parameters.get(label, {}))
        other_parameters.pop(claim.exponent, None)
        if same_name(claimed_name, name, {name: other_parameters}):
            labels[value] = label
    return labels


def _by_repetition(claim: Claim, side: Side, results: Comparison, notes: list[str]) -> _Series:
    """The values of a metric, of a grid those of the tuned members."""
    members = names_in_grid(side.algorithm) if claim.tuned_by else [side.algorithm]
    groups = [find_group(replace(side, algorithm=member), results) for member in members]
    stored = set()
    for group in groups:
        stored.update(group.outcomes.column("repetition").tolist())
    numbers = [_numbers(group, side.metric, notes) for group in groups]
    exact = all(group.is_exact(side.metric) for group in groups)
    if len(groups) == 1:
        return _Series(
            numbers=numbers[0],
            stored=frozenset(stored),
            whole=not groups[0].failed(side.metric),
            exact=exact,
        )
    by = claimed_metric(results, claim.tuned_by)
    if by.direction == "none":
        raise NotMeasuredError(f"{by.label} cannot be used for tuning: it has no better direction")
    # In each repetition the best group, and of equally good ones the first: the least pair of loss
    # and place.
    sign = -1 if by.direction == "higher" else 1
    best: dict[int, tuple[float, int]] = {}
    for k, group in enumerate(groups):
        for repetition, number in _numbers(group, by, notes).items():
            candidate = (sign * number, k)
            if repetition not in best or candidate < best[repetition]:
                best[repetition] = candidate
    best_groups = {repetition: k for repetition, (_, k) in best.items()}
    times = Counter(best_groups.values())
    counts = ", ".join(f"{groups[k].algorithm} {times[k]} times" for k in sorted(times))
    notes.append(f"tuned by {by.label}: {counts}")
    whole = not any(group.failed(side.metric) or group.failed(by) for group in groups)
    tuned = {}
    for repetition, k in sorted(best_groups.items()):
        # The metric may be missing where that used for tuning is not.
        if repetition in numbers[k]:
            tuned[repetition] = numbers[k][repetition]
    return _Series(numbers=tuned, stored=frozenset(stored), whole=whole, exact=exact)


def _numbers(group: Group, metric: MetricInfo, notes: list[str]) -> dict[int, float]:
    """The values by repetition; reasons for missing ones are appended to the notes."""
    values = group.values(metric)
    numbers = group.by_repetition(metric)
    # The reasons in the order of the repetitions, as the first one is told where there is no value.
    reasons: Counter[str] = Counter()
    for place in sorted(values.special_values):
        value = values.special_values[place]
        if value.value is None:
            reasons[value.reason] += 1
    if not numbers:
        raise NotMeasuredError(next(iter(reasons), "not computed"))
    for reason, count in reasons.items():
        notes.append(f"{group.algorithm}: {count} of {len(values)} without a value: {reason}")
    return numbers
