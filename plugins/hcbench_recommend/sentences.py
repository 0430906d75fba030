"""What can be said about methods, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hcbench import Problem
from hcbench.model import shell_command
from hcbench.registry import format_name
from hcbench_recommend.deciding import Drawn
from hcbench_recommend.recommendation import BASELINE, INTERNAL, LEAST_REPLICATION, Method

#: Methods that take less than so many times as long as the fastest have the same cost, since calls
#: of one method differ by less for no reason.
FASTER = 2.0
#: The most names in a sentence.
MOST_NAMES = 5
#: Clusters are predicted well from here on (Tibshirani & Walther 2005: 0.8 to 0.9).
STRONG = 0.8
#: A column with this share of the variance of all columns is mentioned.
DOMINANT = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What was compared, and how.

    Attributes
    ----------
    data : str
        The data set or file.
    n_methods : int
        The number of methods, without the baseline.
    distances : tuple of str
        The distances that were tried.
    is_replicated : bool
        Whether halves of the items decide, and no metrics.
    """

    data: str
    n_methods: int
    distances: tuple[str, ...]
    is_replicated: bool = False

    @property
    def among(self) -> str:
        """What the recommendation was chosen from."""
        text = f"Among {self.n_methods} methods"
        if len(self.distances) > 1 or self.distances[0] != "euclidean":
            text += f" with {listed([_AS_ADJECTIVES[name] for name in self.distances])} distances"
        return text


_AS_ADJECTIVES = {"euclidean": "Euclidean", "correlation": "correlation", "cosine": "cosine"}


def listed(names: Sequence[str]) -> str:
    """Names with commas, and "and" before the last."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def in_words(methods: Sequence[Method], undecided: Sequence[str], setting: Setting) -> str:
    """What can be said, in one or two sentences.

    Parameters
    ----------
    methods : sequence of Method
        The methods, best first.
    undecided : sequence of str
        The first, and those that are not separated from it.
    setting : Setting
    """
    choices = [method for method in methods if method.algorithm != BASELINE]
    if len(choices) == 1:
        return f"No recommendation: {choices[0].name} is the only method that has results."
    if undecided == [BASELINE]:
        return f"No recommendation: {BASELINE}, a random tree, is better than each method."
    if setting.is_replicated:
        best = max(choices, key=_replication_of)
        if _replication_of(best) < LEAST_REPLICATION:
            return _nothing_is_stable(best, setting)
    if len(undecided) == 1:
        why = "by these metrics, and this is wrong in at most 5 % of cases"
        if setting.is_replicated:
            why = "by the clusters that halves of the items find again (a t test at 5 %)"
        return f"{setting.among}, use {undecided[0]}: it is better than each other one {why}."
    names = few(undecided)
    set_of_best = "(a set that holds the best in 95 % of cases)"
    if setting.is_replicated:
        set_of_best = "(not separated from the first by a t test at 5 %)"
    separated = f"{setting.among}, none is separated: {names} {set_of_best}"
    if BASELINE in undecided:
        return f"{separated}. No recommendation, as {BASELINE} is a random tree."
    return (
        f"{separated}; by score, {undecided[0]} is the first; {name_cheapest(methods, undecided)}."
    )


def few(names: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    if len(names) <= MOST_NAMES + 1:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more (* in the table)"


def _replication_of(method: Method) -> float:
    value = method.values.get("replication")
    return -1.0 if value is None else value


def _nothing_is_stable(best: Method, setting: Setting) -> str:
    """That no clusters are found again."""
    return (
        f"{setting.among}, none is recommended, as nothing is stable: the clusters of one half of "
        "the items are not found again in the other half more than in data without clusters. The "
        f"best replication is that of {best.name}, {_replication_of(best):z.2f}, where 1 is the "
        f"same clusters, 0 is no more than in data without clusters, and {LEAST_REPLICATION} is "
        "the least for a recommendation."
    )


def describe_replication(methods: Sequence[Method], setting: Setting) -> list[str]:
    """Which clusters of the first method are found again, how it is run, and what is not known.

    Parameters
    ----------
    methods : sequence of Method
        The methods, best first.
    setting : Setting
    """
    first = methods[0]
    if not setting.is_replicated or _replication_of(first) < LEAST_REPLICATION:
        return []
    assert first.strength is not None
    text = (
        f"{first.name} cut into {first.clusters} clusters: those of one half and those predicted "
        f"from the other have an adjusted Rand index of {first.rand:.2f} ({first.reference:.2f} in "
        f"data without clusters) and a prediction strength of {first.strength:.2f}"
    )
    if first.strength < STRONG:
        text += f", below the {STRONG} of clusters that are predicted well"
    sentences = [f"{text}."]
    sentences.append(f"Its tree: {_command_of_tree(first, setting.data)}")
    return sentences


def _command_of_tree(method: Method, data: str) -> str:
    """The command that writes the tree of a method."""
    if method.distance != "euclidean":
        data = format_name("rows", {"of": data, "distance": method.distance})
    return shell_command("hcbench", "tree", method.algorithm, data, "-o", "tree.nwk")


def name_cheapest(methods: Sequence[Method], undecided: Sequence[str]) -> str:
    """Which of the undecided methods is the fastest, or are, as small differences do not count.

    Parameters
    ----------
    methods : sequence of Method
    undecided : sequence of str
        The first, and those that are not separated from it.
    """
    # A method costs the same with all distances.
    times = {}
    for method in methods:
        if method.name in undecided and method.seconds is not None:
            times[method.algorithm] = method.seconds
    if not times:
        return "their costs are not known"
    least = min(times.values())
    cheapest = [name for name, seconds in times.items() if seconds < FASTER * least]
    if len(cheapest) == len(times):
        return "by cost, they are alike"
    cheapest.sort(key=lambda name: times[name])
    return f"by cost, {' or '.join(cheapest)}"


def mebibytes(size: float) -> str:
    """A number of bytes in MiB."""
    return "under 1" if size < 2**20 else f"{size / 2**20:.0f}"


def describe_costs(methods: Sequence[Method], undecided: Sequence[str]) -> list[str]:
    """What a call on all items costs: the first methods that may be the best, and the slowest.

    Parameters
    ----------
    methods : sequence of Method
        The methods, best first.
    undecided : sequence of str
        The first, and those that are not separated from it.
    """
    # A method costs the same with all distances.
    by_algorithm: dict[str, Method] = {}
    for method in methods:
        if method.seconds is not None and method.algorithm != BASELINE:
            by_algorithm.setdefault(method.algorithm, method)
    if not by_algorithm:
        return []
    slowest = max(by_algorithm, key=lambda name: by_algorithm[name].seconds or 0.0)
    described: list[str] = []
    for name, method in by_algorithm.items():
        if method.name in undecided and len(described) < MOST_NAMES:
            described.append(name)
    if slowest not in described:
        described.append(slowest)
    costs = []
    for name in described:
        method = by_algorithm[name]
        cost = f"{name} {method.seconds:.2g} s"
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
    if drawn.are_halves:
        parts = f"divisions of {drawn.n} items into halves"
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
    if drawn.are_halves:
        return [
            "All divisions are of the same items, which the intervals allow for: the variance of a "
            f"mean is taken to be {drawn.variance_of_mean:.2g} of that between divisions (Nadeau & "
            "Bengio 2003)."
        ]
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
    if "replication" in metrics:
        return [_about_replication(methods)]
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


def _about_replication(methods: Sequence[Method]) -> str:
    """What decides where nothing but the data are there, and what it does not know."""
    failed = [method.name for method in methods if method.values["replication"] is None]
    text = (
        "The score is the mean of two criteria, each in standard deviations between methods: "
        "replication, the adjusted Rand index of the clusters of one half of the items and those "
        "that the other half predicts, above that in data without clusters; and information, "
        "their mutual information above chance in nats, the mean over numbers of clusters."
    )
    if failed:
        text += f" Last, as a result is missing on a half: {few(failed)}."
    text += (
        " No labels are used: what is found again need not be what you look for. Euclidean "
        "distances find items of one level, correlation distances items that rise and fall "
        "together; which of these you mean, no number says."
    )
    if not any(method.reference for method in methods):
        text += " The data have no dense vectors, so there are no data without clusters to compare."
    return text


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
