"""Run methods on a data set and on subsamples of it, and say which of them is best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    DataError,
    NotApplicableError,
    Outcome,
    ParameterError,
    Problem,
    Registry,
    Result,
    agreement,
    common_items,
    compare,
    load_registry,
)
from hcbench_recommend.deciding import DECIMALS, ROUNDING_ERROR, Drawn, decide
from hcbench_recommend.subsample import size_of_part

#: The quick standard set. Those that do not apply, or are not installed, are left out.
METHODS = (
    *("UPGMA", "Complete", "Single", "Ward", "HDBSCAN", "DotProduct"),
    *("sk-bisecting-kmeans", "fast-plscan", "higra-bpt", "skn-paris"),
)
#: A tree without any information: what is not better than it is not recommended.
BASELINE = "Random"
#: What decides if the data have labels or a true tree.
EXTERNAL = ("AARI", "dendrogram-purity", "triplet-agreement[count=resolved-in-truth]")
#: What decides otherwise.
INTERNAL = ("silhouette", "cophenetic-correlation", "dasgupta-normalised[similarity=gaussian]")
#: Methods that take less than so many times as long as the fastest have the same cost, since calls
#: of one method differ by less for no reason.
FASTER = 2.0
#: Calls on all items of which the median time is taken; only one of a method that takes longer than
#: `LONG` seconds, which differ little from call to call.
CALLS, LONG = 5, 2.0
#: A column with this share of the variance of all is told of.
DOMINANT = 0.9
#: Items of a subsample: a share of all, and at most so many, as internal metrics need O(n²) time.
SHARE, MOST = 0.8, 5000
#: Items that a subsample must have.
LEAST = 20
#: Subsamples by default: 5 take half of the time, and find much less.
SUBSAMPLES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What one method did.

    Attributes
    ----------
    name : str
    values : mapping of metric to float or None
        Means over the subsamples; None if a value is missing in any.
    score : float
        The mean over subsamples of `hcbench_recommend.deciding.score_methods`; methods are ordered
        by it.
    low, high : float or None
        The 95 % interval of how far it is behind the first; None if there is none.
    note : str
        Why there is no interval; "" if there is one.
    rank : float
        Mean over subsamples of its rank by score; 1 is the best.
    best : int
        Number of subsamples in which its score is the best, ties included.
    stability : float or None
        Mean proportion of the triplets of common items on which its trees of two subsamples agree.
    seconds : float or None
        Of a call on all items: the median of `CALLS`, or of one if that is long.
    peak_bytes : float or None
        Of a call on all items.
    reason : str
        Why it has no result on all items, or on some of the subsamples; "" if it has.
    """

    name: str
    values: Mapping[str, float | None]
    score: float
    low: float | None
    high: float | None
    note: str
    rank: float
    best: int
    stability: float | None
    seconds: float | None
    peak_bytes: float | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """Methods, best first, and what can be said about them.

    Attributes
    ----------
    data : str
    methods : tuple of Method
    metrics : tuple of str
        Those that decide.
    undecided : tuple of str
        The first, and the methods that are not separated from it: a set that holds the best in 95 %
        of cases.
    subsamples : int
    text : str
        The recommendation in words.
    sentences : tuple of str
        It, and what it costs, how sure it is, by what it was found, and the notes.
    notes : tuple of str
        What to keep in mind; the last of the sentences.
    results : StoredResults
        Of the subsamples.
    """

    data: str
    methods: tuple[Method, ...]
    metrics: tuple[str, ...]
    undecided: tuple[str, ...]
    subsamples: int
    text: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    results: Any

    def to_dict(self) -> dict[str, Any]:
        """All but the results, for JSON."""
        return {
            "data": self.data,
            "recommendation": self.text,
            "sentences": list(self.sentences),
            "notes": list(self.notes),
            "undecided": list(self.undecided),
            "subsamples": self.subsamples,
            "metrics": list(self.metrics),
            "methods": [asdict(method) for method in self.methods],
        }


def recommend(
    data: str | Path,
    algos: Sequence[str] = (),
    metrics: Sequence[str] = (),
    *,
    subsamples: int = SUBSAMPLES,
    share: float | None = None,
    **options: Any,
) -> Recommendation:
    """Compare methods on a data set and on random subsamples of it.

    In each subsample a method has a score, the mean of its standardised values of the deciding
    metrics. The method of the best mean score is recommended if it is better than each other one
    by a test at 5 % that allows for the items that subsamples share; otherwise those that may be
    the best are listed (`hcbench_recommend.deciding`).

    Parameters
    ----------
    data : str or path
        A data set or a file, as for `hcbench.compare`.
    algos : sequence of str
        At least two methods; by default the quick standard set. References are no methods.
    metrics : sequence of str
        Those that decide; by default external ones if there are labels or a true tree, else
        internal ones.
    subsamples : int
        At least 2.
    share : float, optional
        Of the items that are in a subsample, below 1; by default 0.8, or less for at most 5000
        items. A subsample has at least 20 items.
    **options
        ``seed``, ``n_jobs``, ``timeout``, ``memory``, ``store``, ``progress`` and ``fresh`` of
        `hcbench.compare`.

    Returns
    -------
    Recommendation

    Raises
    ------
    HcbenchError
        If a name, a number or the data are wrong.
    """
    if subsamples < 2:
        raise ParameterError(f"subsamples={subsamples}: at least 2 are needed, to compare them")
    registry = load_registry()
    methods, notes = _choose_methods(registry, algos)
    written = f"./{data}" if isinstance(data, Path) and "/" not in str(data) else str(data)
    uses = registry.use_datasets(written)
    if len(uses) != 1:
        raise DataError(f"{written} means {len(uses)} data sets; recommend one at a time")
    problem = uses[0].spec.load()(0, **uses[0].params)
    if share is None:
        share = min(SHARE, float(f"{MOST / problem.n:.2g}"))
    size = _size_of_subsamples(written, problem.n, share)
    provides = uses[0].spec.provides_with(uses[0].params)
    deciding = tuple(metrics) or (EXTERNAL if provides & {"truth", "levels"} else INTERNAL)
    measured = tuple(dict.fromkeys((*deciding, *INTERNAL)))
    algorithms = (*methods, BASELINE)
    whole = compare(
        algorithms, [written], metrics=["seconds"], repetitions=1, exclusive=True, **options
    )
    times = _times(whole, written, options)
    part = f"subsample[of={written!r}, share={share}]"
    results = compare(algorithms, [part], metrics=measured, repetitions=subsamples, **options)
    drawn = Drawn(subsamples=subsamples, size=size, n=problem.n)
    found = _judge(written, whole.outcomes, times, results, deciding, drawn)
    notes = (*found.notes, *results.caveats, *notes, *describe_scale(uses[0], problem))
    return replace(found, notes=notes, sentences=(*found.sentences, *notes))


def _choose_methods(
    registry: Registry, algos: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the methods without the references, and a note on what is not compared."""
    if not algos:
        return METHODS, ()
    methods: dict[str, None] = {}
    references: dict[str, None] = {}
    for name in algos:
        for use in registry.use_algorithms(name):
            if use.spec.reference:
                references[use.label] = None
            else:
                methods[use.label] = None
    if len(methods) < 2:
        named = ", ".join(algos)
        raise ParameterError(
            f"algos={named}: at least 2 methods are needed, as one cannot be compared (Random and "
            "Truth are references); name another one, or none for the standard set"
        )
    if not references:
        return tuple(methods), ()
    left_out = ", ".join(references)
    return tuple(methods), (
        f"References are no methods, and none is recommended: {left_out}. {BASELINE} is always "
        "compared, as a baseline.",
    )


def _size_of_subsamples(data: str, n: int, share: float) -> int:
    """The number of items in a subsample.

    Raises
    ------
    ParameterError
        If the subsamples would all be the same, or are too small.
    """
    if not 0 < share <= 1:
        raise ParameterError(f"share={share}: a share is between 0 and 1, such as {SHARE}")
    size = size_of_part(n, share)
    if size == n:
        raise ParameterError(
            f"share={share}: each subsample would have all {n} items of {data}, and equal copies "
            f"show nothing; take less, such as {SHARE}"
        )
    if size < LEAST:
        needed = math.ceil(LEAST / SHARE)
        way_out = f"take at least {needed} items"
        if n >= needed:
            way_out = f"take a larger share, such as {SHARE}"
        raise ParameterError(
            f"{data}: subsamples of {size} of {n} items are too small to compare methods, "
            f"{LEAST} is the least; {way_out}"
        )
    return size


def _times(whole: Any, data: str, options: Mapping[str, Any]) -> dict[str, float]:
    """The median time of several calls of each method on all items, one cell at a time.

    Parameters
    ----------
    whole : StoredResults
        Of one call of each.
    data : str
    options : mapping
        Of `hcbench.compare`.
    """
    times: dict[str, list[float]] = {}
    short = []
    for outcome in whole.outcomes:
        if outcome.cost.seconds is None:
            continue
        times[outcome.algorithm] = [outcome.cost.seconds]
        if outcome.cost.seconds <= LONG:
            short.append(outcome.algorithm)
    if short:
        more = compare(
            short, [data], metrics=["seconds"], repetitions=CALLS, exclusive=True, **options
        )
        for outcome in more.outcomes:
            if outcome.repetition > 0 and outcome.cost.seconds is not None:
                times[outcome.algorithm].append(outcome.cost.seconds)
    return {name: float(np.median(seconds)) for name, seconds in times.items()}


def _judge(
    data: str,
    whole: Sequence[Outcome],
    times: Mapping[str, float],
    results: Any,
    deciding: Sequence[str],
    drawn: Drawn,
) -> Recommendation:
    on_all = {outcome.algorithm: outcome for outcome in whole}
    by_name: dict[str, list[Outcome]] = {}
    for outcome in results.outcomes:
        if outcome.status != "skipped" and on_all[outcome.algorithm].status != "skipped":
            by_name.setdefault(outcome.algorithm, []).append(outcome)
    names = [name for name, outcomes in by_name.items() if any(o.points for o in outcomes)]
    infos = {metric.label: metric for metric in results.metrics if metric.label in deciding}
    tables = {
        label: _values([by_name[name] for name in names], label, drawn.subsamples)
        for label in infos
    }
    tables = {label: table for label, table in tables.items() if np.isfinite(table).any()}
    if not tables or set(names) <= {BASELINE}:
        reasons = [o.reason for o in (*whole, *results.outcomes) if o.reason]
        why = reasons[0] if reasons else f"no value of {', '.join(deciding)} is defined"
        raise DataError(f"{data}: there is nothing to recommend, as {why}")
    n_methods = len(set(names) - {BASELINE})
    directed = []
    for label, table in tables.items():
        directed.append(table if infos[label].direction == "higher" else -table)
    decision = decide(directed, drawn, n_methods)
    ranks = ranks_of(decision.scores)
    best = np.isclose(ranks, ranks.min(axis=0)).sum(axis=1)
    methods = []
    for m in decision.order:
        name = names[m]
        limits = decision.behind[m]
        methods.append(
            Method(
                name=name,
                values={
                    label: float(table[m].mean()) if np.isfinite(table[m]).all() else None
                    for label, table in tables.items()
                },
                score=float(decision.scores[m].mean()),
                low=limits.low if math.isfinite(limits.low) else None,
                high=limits.high if math.isfinite(limits.high) else None,
                note=limits.note,
                rank=float(ranks[m].mean()),
                best=int(best[m]),
                stability=_stability(results.results_of(by_name[name])),
                seconds=times.get(name),
                peak_bytes=on_all[name].cost.peak_bytes,
                reason=next((o.reason for o in (on_all[name], *by_name[name]) if o.failed), ""),
            )
        )
    undecided = [names[m] for m in decision.undecided]
    text = in_words(methods, undecided)
    first, second = decision.order[:2][0], decision.order[:2][-1]
    wins = int((decision.scores[first] > decision.scores[second] + ROUNDING_ERROR).sum())
    sentences = (
        text,
        *describe_costs(methods, undecided),
        *describe_confidence(methods, wins, drawn),
    )
    return Recommendation(
        data=data,
        methods=tuple(methods),
        metrics=tuple(tables),
        undecided=tuple(undecided),
        subsamples=drawn.subsamples,
        text=text,
        sentences=sentences,
        notes=(
            *describe_failures(methods),
            *describe_metrics(methods, tuple(tables)),
            *describe_error(drawn),
        ),
        results=results,
    )


def _values(
    groups: Sequence[Sequence[Outcome]], label: str, subsamples: int
) -> NDArray[np.float64]:
    """Values of a metric (methods, subsamples); NaN where there is none."""
    table = np.full((len(groups), subsamples), np.nan)
    for row, outcomes in zip(table, groups, strict=True):
        for outcome in outcomes:
            value = outcome.points[-1].values.get(label) if outcome.points else None
            if value is not None and value.value is not None:
                row[outcome.repetition] = value.value
    return table


def ranks_of(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of methods in each subsample: 1 has the best score, and ties share their mean rank."""
    from scipy.stats import rankdata

    ranks: NDArray[np.float64] = rankdata(-np.round(scores, DECIMALS), axis=0)
    return ranks


def _stability(results: Sequence[Result | None]) -> float | None:
    """Mean agreement of the trees of two subsamples on their common items."""
    values = []
    for one, other in combinations([result for result in results if result is not None], 2):
        with suppress(NotApplicableError):  # too few common items, or partitions
            values.append(agreement("triplet-agreement", *common_items(one, other)))
    return float(np.mean(values)) if values else None


def in_words(methods: Sequence[Method], undecided: Sequence[str]) -> str:
    """What can be said, in one or two sentences.

    Parameters
    ----------
    methods : sequence of Method
        Best first.
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
        Best first.
    undecided : sequence of str
        The first, and those that are not separated from it.
    """
    timed = [m for m in methods if m.seconds is not None and m.name != BASELINE]
    if not timed:
        return []
    slowest = max(timed, key=lambda m: m.seconds or 0.0)
    named = [m for m in timed if m.name in undecided or m is slowest]
    costs = [
        f"{m.name} {m.seconds:.2g} s"
        + ("" if m.peak_bytes is None else f" and {mebibytes(m.peak_bytes)} MiB")
        for m in named
    ]
    return [f"A call on all items takes: {'; '.join(costs)} ({slowest.name} is the slowest)."]


def describe_confidence(methods: Sequence[Method], wins: int, drawn: Drawn) -> list[str]:
    """How often and how far the first method is better than the second.

    Parameters
    ----------
    methods : sequence of Method
        Best first.
    wins : int
        Number of subsamples in which the first has a better score than the second.
    drawn : Drawn
    """
    if len(methods) == 1:
        return []
    first, second = methods[:2]
    floor = next((m.values for m in methods[2:] if m.name == BASELINE), {})
    means = [
        f"{label.partition('[')[0]} {one:z.3f} and {other:z.3f}"
        + ("" if (least := floor.get(label)) is None else f" ({BASELINE} {least:z.3f})")
        for label, one in first.values.items()
        if one is not None and (other := second.values[label]) is not None
    ]
    stable = (
        ""
        if first.stability is None
        else f" Two trees of {first.name} agree on {first.stability:.0%} of the triplets of common "
        "items, random ones on 33%."
    )
    interval = f"no interval, as {second.note}"
    if second.low is not None and second.high is not None:
        interval = f"95 % interval {second.low:z.2f} to {second.high:z.2f}"
    return [
        f"Of {drawn.subsamples} random subsamples of {drawn.size} of {drawn.n} items, {first.name} "
        f"is better than the second, {second.name}, in {wins}. Their "
        f"means: {', '.join(means) or 'none in common'}. Their scores differ by "
        f"{first.score - second.score:z.2f} ({interval}).{stable}"
    ]


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
        Best first.
    metrics : sequence of str
        Those that decide.
    """
    told = [
        f"The score is the mean of {', '.join(metrics)}, each in standard deviations between "
        "methods."
    ]
    for label in metrics:
        without = [m.name for m in methods if m.values[label] is None and not m.reason]
        if without:
            told.append(
                f"Last by {label}, as a value is missing in some subsamples: {', '.join(without)}."
            )
    if set(metrics) <= set(INTERNAL):
        told.append(
            "These metrics use no labels: each prefers its own idea of a cluster, and none says "
            "whether there are clusters."
        )
    return [" ".join(told)]


def describe_scale(use: Any, problem: Problem) -> list[str]:
    """Whether one column of data that could be standardised decides the distances.

    Parameters
    ----------
    use : DatasetUse
    problem : Problem
        Its data.
    """
    if use.params.get("standardise", True):
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
