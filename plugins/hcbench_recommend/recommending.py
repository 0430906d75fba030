"""Run methods on a data set and on subsamples of it, and say which of them is best."""

from __future__ import annotations

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
    Result,
    compare,
    load_registry,
)
from hcbench.results import agreement, common_items

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
#: Share of the subsamples in which one method must be better than another.
CONFIDENT = 0.8
#: The fastest method is named if each other takes at least so many times as long, since calls of
#: one method differ by less for no reason.
FASTER = 2.0
#: Calls on all items of which the median time is taken; only one of a method that takes longer than
#: `LONG` seconds, which differ little from call to call.
CALLS, LONG = 5, 2.0
#: A column with this share of the variance of all is told of.
DOMINANT = 0.9
#: Items of a subsample: a share of all, and at most so many, as internal metrics need O(n²) time.
SHARE, MOST = 0.8, 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What one method did.

    Attributes
    ----------
    name : str
    values : mapping of metric to float or None
        Means over the subsamples; None if a value is missing in any.
    rank : float
        Mean over subsamples and deciding metrics; 1 is the best.
    best : int
        Number of subsamples in which its mean rank over the metrics is the best, ties included.
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
        The methods that are not separated from the first, and itself.
    subsamples : int
    text : str
        The recommendation in words.
    sentences : tuple of str
        It, and what it costs, how sure it is, and by what it was found.
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
    results: Any

    def to_dict(self) -> dict[str, Any]:
        """All but the results, for JSON."""
        return {
            "data": self.data,
            "recommendation": self.text,
            "sentences": list(self.sentences),
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
    subsamples: int = 5,
    share: float | None = None,
    **options: Any,
) -> Recommendation:
    """Compare methods on a data set and on random subsamples of it.

    In each subsample the methods are ranked by each deciding metric, ties sharing their mean rank
    and failures last, and the ranks are averaged over the metrics. The method of the best mean over
    the subsamples leads. A method is separated from it if the leader is better in at least 80 % of
    the subsamples; the leader is recommended if all others are separated from it.

    Parameters
    ----------
    data : str or path
        A data set or a file, as for `hcbench.compare`.
    algos : sequence of str
        By default the quick standard set.
    metrics : sequence of str
        Those that decide; by default external ones if there are labels or a true tree, else
        internal ones.
    subsamples : int
        At least 2.
    share : float, optional
        Of the items that are in a subsample; by default 0.8, or less for at most 5000 items.
    **options
        ``seed``, ``n_jobs``, ``timeout``, ``memory``, ``store``, ``progress`` and ``fresh`` of
        `hcbench.compare`.

    Returns
    -------
    Recommendation

    Raises
    ------
    HcbenchError
        If a name or the data are wrong.
    """
    if subsamples < 2:
        raise ParameterError(f"subsamples={subsamples}: at least 2 are needed, to compare them")
    written = f"./{data}" if isinstance(data, Path) and "/" not in str(data) else str(data)
    uses = load_registry().use_datasets(written)
    if len(uses) != 1:
        raise DataError(f"{written} means {len(uses)} data sets; recommend one at a time")
    problem = uses[0].spec.load()(0, **uses[0].params)
    share = share or min(SHARE, float(f"{MOST / problem.n:.2g}"))
    provides = uses[0].spec.provides_with(uses[0].params)
    deciding = tuple(metrics) or (EXTERNAL if provides & {"truth", "levels"} else INTERNAL)
    measured = tuple(dict.fromkeys((*deciding, *INTERNAL)))
    algorithms = tuple(dict.fromkeys((*(algos or METHODS), BASELINE)))
    whole = compare(
        algorithms, [written], metrics=["seconds"], repetitions=1, exclusive=True, **options
    )
    times = _times(whole, written, options)
    part = f"subsample[of={written!r}, share={share}]"
    results = compare(algorithms, [part], metrics=measured, repetitions=subsamples, **options)
    drawn = f"{subsamples} random subsamples of {round(share * problem.n)} of {problem.n} items"
    found = _judge(written, whole.outcomes, times, results, deciding, subsamples, drawn)
    return replace(found, sentences=(*found.sentences, *describe_scale(uses[0], problem)))


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
    subsamples: int,
    drawn: str,
) -> Recommendation:
    on_all = {outcome.algorithm: outcome for outcome in whole}
    by_name: dict[str, list[Outcome]] = {}
    for outcome in results.outcomes:
        if outcome.status != "skipped" and on_all[outcome.algorithm].status != "skipped":
            by_name.setdefault(outcome.algorithm, []).append(outcome)
    names = [name for name, outcomes in by_name.items() if any(o.points for o in outcomes)]
    infos = {metric.label: metric for metric in results.metrics if metric.label in deciding}
    tables = {
        label: _values([by_name[name] for name in names], label, subsamples) for label in infos
    }
    tables = {label: table for label, table in tables.items() if np.isfinite(table).any()}
    if not tables or set(names) <= {BASELINE}:
        reasons = [o.reason for o in (*whole, *results.outcomes) if o.reason]
        why = reasons[0] if reasons else f"no value of {', '.join(deciding)} is defined"
        raise DataError(f"{data}: there is nothing to recommend, as {why}")
    ranks = mean_ranks(
        [table if infos[label].direction == "higher" else -table for label, table in tables.items()]
    )
    best = np.isclose(ranks, ranks.min(axis=0)).sum(axis=1)
    order = np.argsort(ranks.mean(axis=1), kind="stable")
    methods = tuple(
        Method(
            name=names[m],
            values={
                label: float(table[m].mean()) if np.isfinite(table[m]).all() else None
                for label, table in tables.items()
            },
            rank=float(ranks[m].mean()),
            best=int(best[m]),
            stability=_stability(results.results_of(by_name[names[m]])),
            seconds=times.get(names[m]),
            peak_bytes=on_all[names[m]].cost.peak_bytes,
            reason=next((o.reason for o in (on_all[names[m]], *by_name[names[m]]) if o.failed), ""),
        )
        for m in order
    )
    undecided = [methods[k].name for k in not_separated(ranks[order])]
    text = in_words(methods, undecided, subsamples)
    wins = int((ranks[order[0]] < ranks[order[:2][-1]] - 1e-9).sum())
    return Recommendation(
        data=data,
        methods=methods,
        metrics=tuple(tables),
        undecided=tuple(undecided),
        subsamples=subsamples,
        text=text,
        sentences=(
            text,
            *describe_costs(methods, undecided),
            *describe_confidence(methods, wins, drawn),
            *describe_metrics(methods, tuple(tables)),
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


def mean_ranks(tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Ranks of methods in each subsample, averaged over metrics.

    Parameters
    ----------
    tables : sequence of (methods, subsamples) arrays
        Of each metric; higher is better. NaN ranks last; values that agree to 9 digits are ties.

    Returns
    -------
    (methods, subsamples) array
        1 is the best; ties share their mean rank.
    """
    from scipy.stats import rankdata

    rounded = [-np.nan_to_num(np.round(table, 9), nan=-np.inf) for table in tables]
    ranks: NDArray[np.float64] = np.mean([rankdata(table, axis=0) for table in rounded], axis=0)
    return ranks


def not_separated(ranks: NDArray[np.float64]) -> list[int]:
    """Methods than which the first is not better in `CONFIDENT` of the subsamples; itself first.

    Parameters
    ----------
    ranks : (methods, subsamples) array
        As of `mean_ranks`, the best method first.
    """
    better = (ranks[0] < ranks - 1e-9).mean(axis=1)
    return np.flatnonzero(better < CONFIDENT - 1e-9).tolist()


def _stability(results: Sequence[Result | None]) -> float | None:
    """Mean agreement of the trees of two subsamples on their common items."""
    values = []
    for one, other in combinations([result for result in results if result is not None], 2):
        with suppress(NotApplicableError):  # too few common items, or partitions
            values.append(agreement("triplet-agreement", *common_items(one, other)))
    return float(np.mean(values)) if values else None


def in_words(methods: Sequence[Method], undecided: Sequence[str], subsamples: int) -> str:
    """What can be said, in one or two sentences.

    Parameters
    ----------
    methods : sequence of Method
        Best first.
    undecided : sequence of str
        The first, and those that are not separated from it.
    subsamples : int
    """
    leader = methods[0]
    if BASELINE in undecided:
        return (
            f"No recommendation: by these metrics {leader.name} is not separated from {BASELINE}, "
            "a random tree."
        )
    often = f"best in {leader.best} of {subsamples} subsamples"
    if len(undecided) == 1:
        return (
            f"Use {leader.name}: it is better than each other method in at least "
            f"{CONFIDENT:.0%} of the subsamples, and {often}."
        )
    listed = f"{', '.join(undecided[:-1])} and {undecided[-1]}"
    times = {m.name: m.seconds for m in methods if m.name in undecided and m.seconds is not None}
    fastest = sorted(times, key=lambda name: times[name])[:2]
    apart = len(fastest) == 2 and times[fastest[1]] >= FASTER * times[fastest[0]]
    cost = f" {fastest[0]} is the fastest of them." if apart else ""
    if set(undecided) == {method.name for method in methods} - {BASELINE}:
        return f"No recommendation: nothing separates the methods on these data.{cost}"
    return (
        f"{listed} are not separated from each other by these data: {leader.name} has the best "
        f"mean rank, and is {often}.{cost}"
    )


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


def describe_confidence(methods: Sequence[Method], wins: int, drawn: str) -> list[str]:
    """How often the first method is better than the second, and what that does not mean.

    Parameters
    ----------
    methods : sequence of Method
        Best first.
    wins : int
        Number of subsamples in which the first has a better rank than the second.
    drawn : str
        The subsamples in words.
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
    return [
        f"Of {drawn}, {first.name} is better than the second, {second.name}, in {wins}. Their "
        f"means: {', '.join(means) or 'none in common'}.{stable} "
        "Subsamples share items, so this is no test; other data may differ more."
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
    told = [f"Methods are ranked by the mean of their ranks by {', '.join(metrics)}."]
    for label in metrics:
        without = [m.name for m in methods if m.values[label] is None and not m.reason]
        if without:
            told.append(
                f"Ranked last by {label}, of which they have no value: {', '.join(without)}."
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
