"""Run methods on a data set and on subsamples of it, and say which of them is best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hcbench import DataError, DatasetSpec, ParameterError, Problem, compare, load_registry
from hcbench.commands import display
from hcbench.plan import Outcome
from hcbench.registry import Registry, Use, format_name, parse_name
from hcbench.run import make_data
from hcbench_recommend.candidates import Candidate, algorithms_of, candidates_of
from hcbench_recommend.choosing import (
    METHODS,
    METHODS_OF_ANSWERS,
    are_answers,
    choose_distances,
    choose_methods,
    deciding_metrics,
    halves_decide,
)
from hcbench_recommend.deciding import Drawn
from hcbench_recommend.drawing import MOST, check_size, draw_parts
from hcbench_recommend.judging import (
    Measured,
    judge,
    stability_of,
    tables_of_metrics,
    with_results,
)
from hcbench_recommend.recommendation import (
    BASELINE,
    INTERNAL,
    Recommendation,
)
from hcbench_recommend.replicating import Halves, tables_of
from hcbench_recommend.sentences import describe_scale

#: The number of calls on all items of which the median time is taken.
CALLS = 5
#: Seconds: a method that takes longer is called once, as such times differ little.
LONG = 2.0
#: The share of the items that are in a half.
HALF_OF_ITEMS = 0.5
#: Subsamples by default: 5 take half of the time, and find much less.
SUBSAMPLES = 10


def recommend(
    data: str | Path,
    algos: Sequence[Any] = (),
    metrics: Sequence[str] = (),
    *,
    distances: Sequence[str] = (),
    subsamples: int = SUBSAMPLES,
    share: float | None = None,
    plugins: Sequence[str | Path] = (),
    command: str | None = None,
    **options: Any,
) -> Recommendation:
    """Compare methods on parts of a data set, and say which of them suits it.

    With labels, a true tree or metrics that are named, each method has a score in each of several
    random subsamples: the mean of its standardised values of these metrics. Without them, the items
    are divided into halves several times, and the score is how far the clusters of one half are
    found again in the other; see `hcbench.analysis.replication`. The method of the best mean score
    is recommended if it is better than each other one by a test at 5 % that allows for the items
    that the parts share; otherwise those that may be the best are listed
    (`hcbench_recommend.deciding`).

    Parameters
    ----------
    data : str or path
        A data set or a file, as for `hcbench.compare`.
    algos : sequence of str, AlgorithmSpec or callable
        At least two methods, as for `hcbench.compare`; by default the quick standard set and the
        methods of ``plugins``. References are no methods.
    metrics : sequence of str
        The metrics that decide; by default external ones if there are labels or a true tree, else
        the halves decide.
    distances : sequence of str
        Of `hcbench_recommend.rows.DISTANCES`: the distances that are tried, by scaling the rows. By
        default all for dense vectors of at least 5 columns, and the Euclidean one otherwise, or
        where a method has a ``metric`` that is given.
    subsamples : int
        The number of subsamples or of divisions into halves, at least 2.
    share : float, optional
        The share of the items that are in a subsample, below 1; by default 0.8, or less for at
        most 5000 items. A subsample has at least 20 items. Halves have no share.
    plugins : sequence of path
        Plugin files, whose methods take part.
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
    registry = load_registry(plugins)
    name = _name_of_data(data)
    uses = registry.use_datasets(name)
    if len(uses) != 1:
        raise DataError(f"{name} means {len(uses)} data sets; recommend one at a time")
    use = uses[0]
    standard: tuple[str, ...] = METHODS
    if are_answers(use):
        standard = METHODS_OF_ANSWERS
    methods, notes = choose_methods(registry, algos, standard)
    problem = make_data(use)
    if command is None:
        command = f"hcbench_recommend.recommending.recommend({name!r})"
    compared = Compared(
        name=name,
        use=use,
        problem=problem,
        registry=registry,
        algorithms=methods.entries + (BASELINE,),
        distances=choose_distances(distances, problem, methods.metrics),
        metric_of=methods.metrics,
        options={**options, "plugins": plugins},
        command=command,
    )
    if halves_decide(use, metrics, share):
        measured = compared.on_halves(subsamples)
    else:
        deciding = tuple(metrics) or deciding_metrics(use)
        measured = compared.on_subsamples(deciding, subsamples, share)
    recommendation = judge(measured)
    all_notes = list(recommendation.notes)
    if not recommendation.is_replicated:
        all_notes += measured.results.caveats
    all_notes += notes + describe_scale(use, problem)
    sentences = list(recommendation.sentences) + all_notes
    return replace(recommendation, notes=tuple(all_notes), sentences=tuple(sentences))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The data and the methods of a recommendation.

    Attributes
    ----------
    name : str
        The data set or file.
    use : DatasetUse
    problem : Problem
        The data.
    registry : Registry
    algorithms : tuple of str, AlgorithmSpec or callable
        With the baseline.
    distances : tuple of str
        The distances that are tried.
    metric_of : mapping of str to str
        The parameter ``metric`` of methods for which it is given, by their labels.
    options : mapping
        Options of `hcbench.compare`.
    command : str
        The origin of the runs.
    """

    name: str
    use: Use[DatasetSpec]
    problem: Problem
    registry: Registry
    algorithms: tuple[Any, ...]
    distances: tuple[str, ...]
    metric_of: Mapping[str, str]
    options: Mapping[str, Any]
    command: str

    def on_halves(self, divisions: int) -> Measured:
        """Run the methods on halves of the items, and compare these."""
        halves = Halves(
            of=self.name,
            problem=self.problem,
            distances=self.distances,
            divisions=divisions,
            draw=int(self.options.get("seed", 0)),
            registry=self.registry,
        )
        check_size(self.name, self.problem.n, halves.size, HALF_OF_ITEMS)
        internal_metrics: tuple[str, ...] = INTERNAL
        if self.problem.n > MOST:
            # They need O(n²) time.
            internal_metrics = ()
        results, on_all, times = self._on_all(internal_metrics)
        halves.run(self.algorithms, self._with_command("halves of the items"))
        outcomes = {}
        for candidate in self._candidates(results):
            outcomes[candidate.name] = halves.outcomes_of(candidate)
        candidates = with_results(self._candidates(results), on_all, outcomes)
        is_quiet = self.options.get("progress") is False
        with display(quiet=is_quiet) as shown:

            def show(done: int, total: int) -> None:
                if shown is not None:
                    shown.show(done, total, lambda: [f"{done} of {total} divisions compared"])

            replication = halves.measure(candidates, self.metric_of, show)
        tables = tables_of(candidates, replication, divisions)
        reported_tables = {}
        if replication:
            reported_tables = tables
        return Measured(
            data=self.name,
            candidates=candidates,
            on_all=on_all,
            outcomes=outcomes,
            times=times,
            tables=reported_tables,
            directed=list(tables.values()),
            drawn=Drawn(subsamples=divisions, size=halves.size, n=2 * halves.size, are_halves=True),
            distances=self.distances,
            replication=replication,
            results=results,
        )

    def on_subsamples(
        self, deciding: Sequence[str], subsamples: int, share: float | None
    ) -> Measured:
        """Run the methods on subsamples, in which metrics decide."""
        drawn, part = draw_parts(self.name, self.use, self.problem, subsamples, share)
        all_results, on_all, times = self._on_all(())
        reported = tuple(deciding)
        parts = [part]
        if not drawn.are_answers:
            # Internal metrics are in the report, also where they do not decide.
            reported = tuple(dict.fromkeys(reported + INTERNAL))
            parts = [_with_distance(part, distance) for distance in self.distances]
        results = compare(
            self.algorithms,
            parts,
            metrics=reported,
            repetitions=subsamples,
            **self._with_command("ranks in random parts"),
        )
        grouped = self._by_candidate(all_results, results.outcomes, parts)
        candidates = with_results(self._candidates(all_results), on_all, grouped)
        groups = [grouped[candidate.name] for candidate in candidates]
        tables, directed = tables_of_metrics(results, groups, deciding, subsamples)
        stability = {}
        for candidate, group in zip(candidates, groups, strict=True):
            stability[candidate.name] = stability_of(results.results_of(group))
        return Measured(
            data=self.name,
            candidates=candidates,
            on_all=on_all,
            outcomes=grouped,
            times=times,
            tables=tables,
            directed=directed,
            drawn=drawn,
            distances=self.distances,
            stability=stability,
            results=results,
        )

    def _on_all(self, metrics: Sequence[str]) -> tuple[Any, dict[str, Outcome], dict[str, float]]:
        """The results of one call on all items, also by candidate, and the times of methods."""
        datasets = [self._all_items(distance) for distance in self.distances]
        options = self._with_command("times on all items")
        results = compare(
            self.algorithms,
            datasets,
            metrics=("seconds",) + tuple(metrics),
            repetitions=1,
            exclusive=True,
            **options,
        )
        grouped = self._by_candidate(results, results.outcomes, datasets)
        on_all = {name: outcomes[0] for name, outcomes in grouped.items()}
        plain = [self.registry.use_datasets(datasets[0])[0].label]
        outcomes = [outcome for outcome in results.outcomes if outcome.dataset in plain]
        times = _times(outcomes, self.algorithms, datasets[0], options)
        return results, on_all, times

    def _all_items(self, distance: str) -> str:
        """The name of the data set with its rows scaled."""
        if distance == "euclidean":
            return self.name
        return format_name("rows", {"of": self.name, "distance": distance})

    def _candidates(self, results: Any) -> list[Candidate]:
        return candidates_of(algorithms_of(results.outcomes), self.distances)

    def _by_candidate(
        self, all_results: Any, outcomes: Iterable[Outcome], datasets: Sequence[str]
    ) -> dict[str, list[Outcome]]:
        """Outcomes by the name of the candidate; the data sets are those of the distances."""
        distance_of = {}
        for distance, dataset in zip(self.distances, datasets, strict=True):
            distance_of[self.registry.use_datasets(dataset)[0].label] = distance
        name_of = {}
        for candidate in self._candidates(all_results):
            name_of[candidate.algorithm, candidate.distance] = candidate.name
        grouped: dict[str, list[Outcome]] = {name: [] for name in name_of.values()}
        for outcome in outcomes:
            name = name_of.get((outcome.algorithm, distance_of[outcome.dataset]))
            # The baseline counts once.
            if name is not None:
                grouped[name].append(outcome)
        return grouped

    def _with_command(self, what: str) -> dict[str, Any]:
        # A shell ignores what is behind the #, so that the command can be pasted.
        return {**self.options, "command": f"{self.command}  # {what}"}


def _with_distance(part: str, distance: str) -> str:
    """The name of a subsample with its rows scaled."""
    if distance == "euclidean":
        return part
    name = parse_name(part)
    return format_name(name.base, {**name.params, "distance": distance})


def _name_of_data(data: str | Path) -> str:
    """The name of a data set, or of a file, which has a slash."""
    name = str(data)
    if isinstance(data, Path) and "/" not in name:
        return f"./{name}"
    return name


def _times(
    outcomes: Sequence[Outcome], algorithms: Sequence[Any], data: str, options: Mapping[str, Any]
) -> dict[str, float]:
    """The median time of several calls of each method on all items, one cell at a time.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Those of one call of each method on all items.
    algorithms : sequence of str, AlgorithmSpec or callable
        The methods; a caller's own are called once.
    data : str
        The data set or file.
    options : mapping
        Options of `hcbench.compare`.
    """
    times: dict[str, list[float]] = {}
    short = []
    for outcome in outcomes:
        if outcome.cost.seconds is None:
            continue
        times[outcome.algorithm] = [outcome.cost.seconds]
        if outcome.cost.seconds <= LONG and _is_registered(outcome.algorithm, algorithms):
            short.append(outcome.algorithm)
    if short:
        more = compare(
            short, [data], metrics=["seconds"], repetitions=CALLS, exclusive=True, **options
        )
        for outcome in more.outcomes:
            if outcome.repetition > 0 and outcome.cost.seconds is not None:
                times[outcome.algorithm].append(outcome.cost.seconds)
    return {name: float(np.median(seconds)) for name, seconds in times.items()}


def _is_registered(label: str, algorithms: Sequence[Any]) -> bool:
    """Whether a label is a name that can be compared again, and no function of the caller."""
    functions = [item for item in algorithms if not isinstance(item, str)]
    names = [getattr(item, "name", getattr(item, "__name__", "")) for item in functions]
    return label not in names
