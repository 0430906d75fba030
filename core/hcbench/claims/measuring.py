"""The measured quantity of a claim: a mean, a paired difference, or a rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hcbench.analysis.intervals import (
    CONFIDENCE,
    ROUNDING_ERROR,
    Estimate,
    Law,
    Support,
    differences_of,
    estimate_mean,
)
from hcbench.analysis.power_laws import log_log_slope
from hcbench.claims.looks import Look, last_look
from hcbench.claims.sides import NotMeasuredError, Side, claimed_metric, find_group
from hcbench.registry.names import names_in_grid, same_name, split_parameter

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.suite import Claim


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
    complete : bool
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
    complete: bool
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
    complete : bool
        Whether no repetition failed.
    exact : bool
        Whether they use no random numbers.
    """

    numbers: dict[int, float]
    stored: frozenset[int]
    complete: bool
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
    # A claim has at most one of the two: a suite with both is refused when it is read.
    if claim.exponent:
        return _measure_rate(claim, side, results, notes)
    if claim.compares:
        return _measure_difference(claim, side, results, notes)
    # Otherwise the quantity is the mean of the metric.
    series = _by_repetition(claim, side, results, notes)
    planned = results.suite.first_look
    estimate, look = _estimate(claim, series, metric.support, planned)
    return Measured(
        estimate=estimate,
        numbers=series.numbers,
        size=abs(estimate.mean or 0.0),
        complete=series.complete,
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
    # A claim about every repetition needs no interval, and is judged by all; so are values that are
    # not random.
    if claim.every_repetition or estimate.law not in RANDOM_LAWS:
        return estimate, None
    look = last_look(planned, len(series.stored))
    if look is None:
        return estimate, None
    # The values vary, even if those of the look are equal.
    return estimate_mean(_values(series, look), support), look


def claimed_numbers(claim: Claim, results: Comparison) -> dict[int, float]:
    """The values of what a claim is about by repetition, of a grid those of the tuned members.

    Raises
    ------
    NotMeasuredError
        If it was not measured.
    """
    metric = claimed_metric(results, claim.metric)
    side = Side(claim.algorithm, claim.dataset, claim.oracle, claim.checkpoint, metric)
    return _by_repetition(claim, side, results, []).numbers


def _values(series: _Series, look: Look | None = None) -> list[float]:
    """The values in the order of the repetitions, of a look those of its repetitions.

    A look has a number of repetitions that were run, whether or not they have a value: otherwise a
    missing value would change when claims are judged.
    """
    repetitions = sorted(series.stored)
    if look is not None:
        repetitions = repetitions[: look.repetitions]
    values = []
    for repetition in repetitions:
        # A failed repetition was run, but has no value.
        if repetition in series.numbers:
            values.append(series.numbers[repetition])
    return values


def _measure_difference(
    claim: Claim, side: Side, results: Comparison, notes: list[str]
) -> Measured:
    """The difference of two quantities, repetition by repetition."""
    rival = _rival(claim, results)
    first = _by_repetition(claim, side, results, notes)
    second = _by_repetition(claim, rival, results, notes)
    # Only of repetitions in which both have a value: these share their data, and with one oracle
    # their noise, so that this part of the variation cancels.
    differences = differences_of(first.numbers, second.numbers)
    # Rounding errors of a small difference are as large as those of the values it is made of.
    size = 0.0
    for repetition in differences:
        first_size = abs(first.numbers[repetition])
        second_size = abs(second.numbers[repetition])
        size = max(size, first_size, second_size)

    # The difference is least where the first value is least and the second greatest.
    least = side.metric.support[0] - rival.metric.support[1]
    greatest = side.metric.support[1] - rival.metric.support[0]
    series = _Series(
        numbers=differences,
        # A repetition that only one side has run is no pair yet, and counts for no look.
        stored=first.stored & second.stored,
        complete=first.complete and second.complete,
        exact=first.exact and second.exact,
    )
    estimate, look = _estimate(claim, series, (least, greatest), results.suite.first_look)
    if estimate.mean is None:
        notes.append("no repetition has both values")
    else:
        note = f"mean paired difference over {estimate.n} repetitions"
        # Where the claim states a relation or a tolerance, the direction decides nothing.
        if not claim.relation and not claim.within:
            note += f", {side.metric.direction} is better"
        notes.append(note)
    return Measured(
        estimate=estimate,
        numbers=differences,
        size=size,
        complete=series.complete,
        look=look,
        stored=len(series.stored),
    )


def _rival(claim: Claim, results: Comparison) -> Side:
    """What a claim compares with: where it says nothing else, the same as it is about."""
    checkpoint = claim.checkpoint
    if claim.than_checkpoint is not None:
        checkpoint = claim.than_checkpoint
    return Side(
        algorithm=claim.better_than or claim.algorithm,
        dataset=claim.than_dataset or claim.dataset,
        oracle=claim.than_oracle or claim.oracle,
        checkpoint=checkpoint,
        metric=claimed_metric(results, claim.than_metric or claim.metric),
        # Another algorithm may accept no answers of the oracle that the claim names.
        any_oracle=bool(claim.better_than) and not claim.than_oracle,
    )


def _measure_rate(claim: Claim, side: Side, results: Comparison, notes: list[str]) -> Measured:
    """The slope of the logarithms over data sets that differ in one parameter only."""
    labels = datasets_along(claim, results)
    sizes = sorted(labels)
    if len(sizes) < 2:
        raise NotMeasuredError(
            f"a rate of {claim.exponent} needs data sets {claim.dataset} with at least two "
            f"positive values of it; there are {len(sizes)}"
        )
    all_series = []
    for size in sizes:
        side_of_size = replace(side, dataset=labels[size])
        all_series.append(_by_repetition(claim, side_of_size, results, notes))

    is_exact = True
    is_complete = True
    # A look has the same number of repetitions of each size.
    stored = len(all_series[0].stored)
    for series in all_series:
        is_exact = is_exact and series.exact
        is_complete = is_complete and series.complete
        stored = min(stored, len(series.stored))
    # The residuals of exact values are an error, too, which more repetitions do not change.
    look: Look | None = Look(stored, CONFIDENCE)
    if not is_exact:
        look = last_look(results.suite.first_look, stored)
    samples = [_values(series, look) for series in all_series]
    slope, standard_error = log_log_slope(sizes, samples)
    least_values = min(map(len, samples))
    places = ", ".join(f"{size:g}" for size in sizes)
    if slope is None:
        notes.append(f"a mean is not positive, and has no logarithm ({claim.exponent} = {places})")
    else:
        notes.append(f"slope of log(mean) against log({claim.exponent}) over {places}")
    estimate = Estimate(
        mean=slope,
        standard_error=standard_error,
        n=least_values,
        # A line has two coefficients.
        freedom=max(len(sizes) - 2, 1),
        law=_law_of_slope(slope, standard_error, exact=is_exact),
    )
    # A slope without an error is no estimate of a look.
    if estimate.law not in RANDOM_LAWS:
        look = None
    return Measured(
        estimate=estimate,
        # A slope is of all repetitions together; none has a slope of its own.
        numbers={},
        size=abs(slope or 0.0),
        complete=is_complete,
        look=look,
        stored=stored,
    )


def _law_of_slope(slope: float | None, standard_error: float | None, *, exact: bool) -> Law:
    """The distribution of a slope; exact values that lie on no line have an error, too."""
    if slope is None:
        return "none"
    # Less than this is what rounding leaves of an error of 0.
    least_error = ROUNDING_ERROR * max(1.0, abs(slope))
    if standard_error is not None and standard_error > least_error:
        return "normal"
    if exact:
        return "deterministic"
    if standard_error is None:
        # Two sizes, of which one has a single repetition: the line has no residuals either.
        return "single"
    return "equal"


def datasets_along(claim: Claim, results: Comparison) -> dict[float, str]:
    """Labels of the data sets that differ from the claim's only in a parameter, by its value."""
    parameters = results.parameters.get("datasets", {})
    # The name with all its parameters but the one along which the rate is taken.
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
    algorithms = [side.algorithm]
    # Without tuning a name is one algorithm: `families` has expanded the grids of such claims.
    if claim.tuned_by:
        algorithms = names_in_grid(side.algorithm)
    groups = []
    for algorithm in algorithms:
        groups.append(find_group(replace(side, algorithm=algorithm), results))
    if len(groups) > 1:
        return _tuned(claim, groups, side.metric, results, notes)
    group = groups[0]
    return _Series(
        numbers=_numbers(group, side.metric, notes),
        stored=_stored_repetitions(groups),
        complete=not group.failed(side.metric),
        exact=group.is_exact(side.metric),
    )


def _tuned(
    claim: Claim,
    groups: Sequence[Group],
    metric: MetricInfo,
    results: Comparison,
    notes: list[str],
) -> _Series:
    """In each repetition the value of the member that is the best by another metric.

    Raises
    ------
    NotMeasuredError
        If no value of that metric is better than another, or one of the two was not computed.
    """
    numbers = [_numbers(group, metric, notes) for group in groups]
    tuning_metric = claimed_metric(results, claim.tuned_by)
    if tuning_metric.direction == "none":
        raise NotMeasuredError(
            f"{tuning_metric.label} cannot be used for tuning: it has no better direction"
        )
    best_places = _best_places(groups, tuning_metric, notes)
    # Members that are never the best are not mentioned.
    times = Counter(best_places.values())
    counts = [f"{groups[place].algorithm} {times[place]} times" for place in sorted(times)]
    notes.append(f"tuned by {tuning_metric.label}: {', '.join(counts)}")

    tuned_numbers = {}
    for repetition, place in sorted(best_places.items()):
        # The metric may be missing where that used for tuning is not.
        if repetition in numbers[place]:
            tuned_numbers[repetition] = numbers[place][repetition]
    # A member that failed might have been the best one: its failure makes the series incomplete.
    has_failures = False
    is_exact = True
    for group in groups:
        if group.failed(metric) or group.failed(tuning_metric):
            has_failures = True
        is_exact = is_exact and group.is_exact(metric)
    return _Series(
        numbers=tuned_numbers,
        stored=_stored_repetitions(groups),
        complete=not has_failures,
        exact=is_exact,
    )


def _best_places(
    groups: Sequence[Group], tuning_metric: MetricInfo, notes: list[str]
) -> dict[int, int]:
    """For each repetition the place of the best group, and of equally good ones of the first."""
    best_losses: dict[int, float] = {}
    best_places: dict[int, int] = {}
    for place, group in enumerate(groups):
        for repetition, number in _numbers(group, tuning_metric, notes).items():
            loss = number
            if tuning_metric.direction == "higher":
                loss = -number
            # A later group must be better, not equally good, to take the place of the first one.
            if repetition not in best_losses or loss < best_losses[repetition]:
                best_losses[repetition] = loss
                best_places[repetition] = place
    return best_places


def _stored_repetitions(groups: Sequence[Group]) -> frozenset[int]:
    """The repetitions that were run of any group, also those that failed."""
    repetitions: set[int] = set()
    for group in groups:
        repetitions.update(group.outcomes.column("repetition").tolist())
    return frozenset(repetitions)


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
        # Without any value there is nothing to judge; the first reason stands for all.
        raise NotMeasuredError(next(iter(reasons), "not computed"))
    for reason, count in reasons.items():
        notes.append(f"{group.algorithm}: {count} of {len(values)} without a value: {reason}")
    return numbers
