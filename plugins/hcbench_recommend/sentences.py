"""What can be said about methods, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hcbench import Problem
from hcbench_recommend.deciding import Drawn
from hcbench_recommend.recommendation import BASELINE, INTERNAL, Method

#: Methods that take less than so many times as long as the fastest have the same cost, since calls
#: of one method differ by less for no reason.
FASTER = 2.0
#: A column with this share of the variance of all columns is mentioned.
DOMINANT = 0.9


def in_words(methods: Sequence[Method], undecided: Sequence[str]) -> str:
    """What can be said, in one or two sentences.

    Parameters
    ----------
    methods : sequence of Method
        The methods, best first.
    undecided : sequence of str
        The first, and those that are not separated from it.
    """
    choices = [method.name for method in methods if method.name != BASELINE]
    if len(choices) == 1:
        return f"No recommendation: {choices[0]} is the only method that has results."
    if undecided == [BASELINE]:
        return f"No recommendation: {BASELINE}, a random tree, is better than each method."
    if len(undecided) == 1:
        return (
            f"Use {undecided[0]}: it is better than each other method by these metrics, and this "
            "is wrong in at most 5 % of cases."
        )
    listed = ", ".join(undecided)
    separated = f"No method is separated: {listed} (a set that holds the best in 95 % of cases)"
    if BASELINE in undecided:
        return f"{separated}. No recommendation, as {BASELINE} is a random tree."
    return f"{separated}; {name_cheapest(methods, undecided)}."


def name_cheapest(methods: Sequence[Method], undecided: Sequence[str]) -> str:
    """Which of the undecided methods is the fastest, or are, as small differences do not count.

    Parameters
    ----------
    methods : sequence of Method
    undecided : sequence of str
        The first, and those that are not separated from it.
    """
    times = {}
    for method in methods:
        if method.name in undecided and method.seconds is not None:
            times[method.name] = method.seconds
    if not times:
        return "their costs are not known"
    least = min(times.values())
    cheapest = [name for name, seconds in times.items() if seconds < FASTER * least]
    if len(cheapest) == len(undecided):
        return "by cost, they are alike"
    cheapest.sort(key=lambda name: times[name])
    return f"by cost, {' or '.join(cheapest)}"


def mebibytes(size: float) -> str:
    """A number of bytes in MiB."""
    return "under 1" if size < 2**20 else f"{size / 2**20:.0f}"


def describe_costs(methods: Sequence[Method], undecided: Sequence[str]) -> list[str]:
    """What a call on all items costs: the first, those not separated from it, and the dearest.

    Parameters
    ----------
    methods : sequence of Method
        The methods, best first.
    undecided : sequence of str
        The first, and those that are not separated from it.
    """
    seconds = {}
    for method in methods:
        if method.seconds is not None and method.name != BASELINE:
            seconds[method.name] = method.seconds
    if not seconds:
        return []
    slowest = max(seconds, key=lambda name: seconds[name])
    costs = []
    for method in methods:
        name = method.name
        if name not in seconds or (name not in undecided and name != slowest):
            continue
        cost = f"{name} {seconds[name]:.2g} s"
        if method.peak_bytes is not None:
            cost += f" and {mebibytes(method.peak_bytes)} MiB"
        costs.append(cost)
    return [f"A call on all items takes: {'; '.join(costs)} ({slowest} is the slowest)."]


def describe_confidence(methods: Sequence[Method], wins: int, drawn: Drawn) -> list[str]:
    """How often and how far the first method is better than the second.

    Parameters
    ----------
    methods : sequence of Method
        The methods, best first.
    wins : int
        Number of subsamples in which the first has a better score than the second.
    drawn : Drawn
    """
    if len(methods) == 1:
        return []
    first = methods[0]
    second = methods[1]
    means = _means_of_first(methods)
    parts = f"random subsamples of {drawn.size} of {drawn.n} items"
    if drawn.are_answers:
        parts = f"random divisions of {drawn.n} answers into about {drawn.size} and those held out"
    text = (
        f"Of {drawn.subsamples} {parts}, {first.name} "
        f"is better than the second, {second.name}, in {wins}. Their "
        f"means: {', '.join(means) or 'none in common'}. Their scores differ by "
        f"{first.score - second.score:z.2f} ({_interval_of(second)})."
    )
    if first.stability is not None:
        text += (
            f" Two trees of {first.name} agree on {first.stability:.0%} of the triplets of common "
            "items, random ones on 33%."
        )
    return [text]


def _means_of_first(methods: Sequence[Method]) -> list[str]:
    """The means of each metric of the first two methods, and of a random tree if it is worse."""
    first = methods[0]
    second = methods[1]
    random_values: Mapping[str, float | None] = {}
    for method in methods[2:]:
        if method.name == BASELINE:
            random_values = method.values
    means = []
    for label, value in first.values.items():
        second_value = second.values[label]
        if value is None or second_value is None:
            continue
        mean = f"{label.partition('[')[0]} {value:z.3f} and {second_value:z.3f}"
        random_value = random_values.get(label)
        if random_value is not None:
            mean += f" ({BASELINE} {random_value:z.3f})"
        means.append(mean)
    return means


def _interval_of(method: Method) -> str:
    """How far a method is behind the first."""
    if method.low is None or method.high is None:
        return f"no interval, as {method.note}"
    return f"95 % interval {method.low:z.2f} to {method.high:z.2f}"


def describe_failures(methods: Sequence[Method]) -> list[str]:
    """Which methods failed on all items or on some subsamples, and why.

    Parameters
    ----------
    methods : sequence of Method
    """
    return [f"{method.name} failed: {method.reason}" for method in methods if method.reason]


def describe_error(drawn: Drawn) -> list[str]:
    """For which data the statement holds.

    Parameters
    ----------
    drawn : Drawn
    """
    if drawn.are_answers:
        return [
            "Two divisions share answers, which the intervals allow for: the variance of a mean is "
            f"{drawn.variance_of_mean:.2g} of that between divisions (Nadeau & Bengio 2003). They "
            "hold for further answers of the same crowd about the same items."
        ]
    return [
        "Two subsamples share items, which the intervals allow for: the variance of a mean is "
        f"{drawn.variance_of_mean:.2g} of that between subsamples. They hold "
        "for data sets of as many items drawn from the same source; other data may differ more."
    ]


def describe_metrics(methods: Sequence[Method], metrics: Sequence[str]) -> list[str]:
    """By what methods are ranked, who has no value of it, and what internal metrics do not say.

    Parameters
    ----------
    methods : sequence of Method
        The methods, best first.
    metrics : sequence of str
        The metrics that decide.
    """
    sentences = [
        f"The score is the mean of {', '.join(metrics)}, each in standard deviations between "
        "methods."
    ]
    for label in metrics:
        # Why a method failed is said elsewhere.
        succeeded = [method for method in methods if not method.reason]
        names = [method.name for method in succeeded if method.values[label] is None]
        if names:
            sentences.append(
                f"Last by {label}, as a value is missing in some subsamples: {', '.join(names)}."
            )
    if set(metrics) <= set(INTERNAL):
        sentences.append(
            "These metrics use no labels: each prefers its own idea of a cluster, and none says "
            "whether there are clusters."
        )
    return [" ".join(sentences)]


def describe_scale(use: Any, problem: Problem) -> list[str]:
    """Whether one column of data that could be standardised decides the distances.

    Parameters
    ----------
    use : DatasetUse
        The data set.
    problem : Problem
        The data that it makes.
    """
    if use.params.get("standardise", True) or use.params.get("scale"):
        return []  # it is, or it cannot be
    vectors = problem.vectors
    if not isinstance(vectors, np.ndarray):
        return []
    variance = vectors.var(axis=0)
    share = variance.max() / max(variance.sum(), np.finfo(float).tiny)
    if len(variance) < 2 or share < DOMINANT:
        return []
    return [
        f"One of {len(variance)} columns has {share:.1%} of the variance, so it decides the "
        "distances; standardise=true gives all columns the same weight."
    ]
