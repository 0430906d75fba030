"""Run methods on a data set and on subsamples of it, and say which of them is best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hcbench import DataError, DatasetSpec, ParameterError, Problem, compare, load_registry
from hcbench.registry import Registry, Use, format_name, parse_name, split_alias
from hcbench_recommend.deciding import Drawn
from hcbench_recommend.judging import Measured, judge
from hcbench_recommend.recommendation import (
    BASELINE,
    EXTERNAL,
    INTERNAL,
    OF_ANSWERS,
    Recommendation,
)
from hcbench_recommend.sentences import describe_scale
from hcbench_recommend.subsample import size_of_part

#: The quick standard set. Those that do not apply, or are not installed, are left out.
METHODS = (
    "UPGMA",
    "Complete",
    "Single",
    "Ward",
    "HDBSCAN",
    "DotProduct",
    "sk-bisecting-kmeans",
    "fast-plscan",
    "higra-bpt",
    "skn-paris",
)
#: The quick set for comparisons that a crowd has answered.
METHODS_OF_ANSWERS = ("4-AL", "4K-AL", "tK-AL", "AL-rowsum", "tSTE-AL", "FORTE-AL")
#: The number of calls on all items of which the median time is taken.
CALLS = 5
#: Seconds: a method that takes longer is called once, as such times differ little.
LONG = 2.0
#: The share of the items that are in a subsample, by default.
SHARE = 0.8
#: The most items of a subsample by default, as internal metrics need O(n²) time.
MOST = 5000
#: The fewest items of a subsample.
LEAST = 20
#: Subsamples by default: 5 take half of the time, and find much less.
SUBSAMPLES = 10


def recommend(
    data: str | Path,
    algos: Sequence[str] = (),
    metrics: Sequence[str] = (),
    *,
    subsamples: int = SUBSAMPLES,
    share: float | None = None,
    command: str | None = None,
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
        The metrics that decide; by default external ones if there are labels or a true tree, else
        internal ones.
    subsamples : int
        The number of subsamples, at least 2.
    share : float, optional
        The share of the items that are in a subsample, below 1; by default 0.8, or less for at
        most 5000 items. A subsample has at least 20 items.
    command : str, optional
        What ``hcbench results`` shows as the origin of the runs.
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
    name = _name_of_data(data)
    uses = registry.use_datasets(name)
    if len(uses) != 1:
        raise DataError(f"{name} means {len(uses)} data sets; recommend one at a time")
    use = uses[0]
    are_answers = _are_answers(use)
    standard = METHODS_OF_ANSWERS if are_answers else METHODS
    methods, notes = _choose_methods(registry, algos, standard)
    problem = use.spec.load()(0, **use.params)
    drawn, part = _draw(name, use, problem, subsamples, share)
    deciding = tuple(metrics) or _deciding_metrics(use)
    algorithms = (*methods, BASELINE)
    if command is None:
        command = f"hcbench_recommend.recommending.recommend({name!r})"
    # A shell ignores what is behind the #, so that the command can be pasted.
    timing = {**options, "command": f"{command}  # times on all items"}
    on_all = compare(
        algorithms, [name], metrics=["seconds"], repetitions=1, exclusive=True, **timing
    )
    times = _times(on_all, name, timing)
    reported = deciding
    if not are_answers:
        # Internal metrics are in the report, also where they do not decide.
        reported = tuple(dict.fromkeys(deciding + INTERNAL))
    ranking = {**options, "command": f"{command}  # ranks in random parts"}
    results = compare(algorithms, [part], metrics=reported, repetitions=subsamples, **ranking)
    measured = Measured(
        data=name,
        on_all={outcome.algorithm: outcome for outcome in on_all.outcomes},
        times=times,
        results=results,
        drawn=drawn,
    )
    recommendation = judge(measured, deciding)
    all_notes = list(recommendation.notes) + list(results.caveats) + list(notes)
    all_notes += describe_scale(use, problem)
    sentences = list(recommendation.sentences) + all_notes
    return replace(recommendation, notes=tuple(all_notes), sentences=tuple(sentences))


def _name_of_data(data: str | Path) -> str:
    """The name of a data set, or of a file, which has a slash."""
    name = str(data)
    if isinstance(data, Path) and "/" not in name:
        return f"./{name}"
    return name


def _are_answers(use: Use[DatasetSpec]) -> bool:
    """Whether nothing but the answers of a crowd is known, some of which can be held out."""
    provided = use.spec.provides_with(use.params)
    if "comparisons" not in provided or provided & {"truth", "levels"}:
        return False
    return "held_out" in use.params and not provided & {"vectors", "similarity", "graph"}


def _deciding_metrics(use: Use[DatasetSpec]) -> tuple[str, ...]:
    """The metrics that decide, where the user names none."""
    if _are_answers(use):
        return OF_ANSWERS
    if use.spec.provides_with(use.params) & {"truth", "levels"}:
        return EXTERNAL
    return INTERNAL


def _draw(
    name: str, use: Use[DatasetSpec], problem: Problem, subsamples: int, share: float | None
) -> tuple[Drawn, str]:
    """What is drawn from the data, and the name of the data set that draws it.

    Raises
    ------
    ParameterError
        If the subsamples would all be the same, or are too small.
    """
    if _are_answers(use):
        return _draw_answers(name, problem, subsamples, share)
    if share is None:
        # Two digits, as the share is part of the name of the subsamples.
        share = min(SHARE, float(f"{MOST / problem.n:.2g}"))
    size = _size_of_subsamples(name, problem.n, share)
    part = format_name("subsample", {"of": name, "share": share})
    return Drawn(subsamples=subsamples, size=size, n=problem.n), part


def _draw_answers(
    name: str, problem: Problem, subsamples: int, share: float | None
) -> tuple[Drawn, str]:
    """The answers that methods get; the metric tells how well the others are predicted."""
    share = SHARE if share is None else share
    if not 0 < share < 1:
        raise ParameterError(f"share={share}: a share is below 1, such as {SHARE}")
    assert problem.comparisons is not None
    n = len(problem.comparisons)
    if problem.held_out is not None:
        n += len(problem.held_out)
    size = round(share * n)
    if n - size < LEAST:
        raise ParameterError(
            f"{name}: of {n} answers {n - size} are held out, and {LEAST} is the least; collect "
            "more answers, or take a smaller share"
        )
    label, described = split_alias(name)
    file = parse_name(described)
    params = {"held_out": round(1 - share, 6), **file.params}
    part = format_name(file.base, params)
    if label:
        part = f"{label}={part}"
    return Drawn(subsamples=subsamples, size=size, n=n, are_answers=True), part


def _choose_methods(
    registry: Registry, algos: Sequence[str], standard: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the methods without the references, and a note on what is not compared."""
    if not algos:
        return standard, ()
    methods: dict[str, None] = {}
    references: dict[str, None] = {}
    for name in algos:
        for use in registry.use_algorithms(name):
            if use.spec.reference:
                references[use.label] = None
            else:
                methods[use.label] = None
    if len(methods) < 2:
        raise ParameterError(
            f"algos={', '.join(algos)}: at least 2 methods are needed, as one cannot be compared "
            "(Random and Truth are references); name another one, or none for the standard set"
        )
    if not references:
        return tuple(methods), ()
    note = (
        f"References are no methods, and none is recommended: {', '.join(references)}. {BASELINE} "
        "is always compared, as a baseline."
    )
    return tuple(methods), (note,)


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


def _times(on_all: Any, data: str, options: Mapping[str, Any]) -> dict[str, float]:
    """The median time of several calls of each method on all items, one cell at a time.

    Parameters
    ----------
    on_all : StoredResults
        The results of one call of each method on all items.
    data : str
        The data set or file.
    options : mapping
        Options of `hcbench.compare`.
    """
    times: dict[str, list[float]] = {}
    short = []
    for outcome in on_all.outcomes:
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
