"""Scoring trees that were made elsewhere: ``hcbench score``."""

from __future__ import annotations

import math
import multiprocessing
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numba.core.event import install_recorder

from hcbench.api.scores import Score, Scores
from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem
from hcbench.model.trees import Tree
from hcbench.oracle.answers import Scored
from hcbench.plan.presentation import MetricInfo
from hcbench.registry import Registry
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.resolving import default_uses
from hcbench.registry.specs import unmet
from hcbench.registry.uses import Use
from hcbench.run.cell import judge
from hcbench.run.job import Call

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

#: So many items are enough for a metric to call all its kernels, and take it no time.
_FEW = 12
#: What a problem has of a truth; a metric that needs none of these judges the tree with the data.
_OF_TRUTH = frozenset(("truth", "levels", "heights"))


def score_trees(
    trees: Mapping[str, Tree],
    problems: Mapping[str, Problem],
    metrics: Sequence[Use[MetricSpec]],
    notes: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Scores:
    """Score each tree by each metric, against each truth if the metric uses one.

    Where kernels have to be compiled, a second process compiles those of the last metrics.

    Parameters
    ----------
    trees : mapping of str to Tree
        The trees by their labels.
    problems : mapping of str to Problem
        The problems by the names of their truths, as `read_matched` returns them.
    metrics : sequence of Use
        The metrics.
    notes : mapping of str to str, optional
        The notes of trees for values that depend on the unit of their heights.
    progress : callable, optional
        Called after each tree with how many values are computed, and of how many. A tree has one
        value of each metric, also where there are several truths.

    Returns
    -------
    Scores
    """
    scores: list[Score] = []
    count = _Count(len(metrics) * len(trees), progress)
    helper = None
    try:
        with install_recorder("numba:compile") as compiled:
            for number, use in enumerate(metrics):
                of_metric = _scores_of(use, trees, problems, count.tell)
                count.earlier += len(trees)
                if use.spec.uses_height_unit:
                    of_metric = _with_notes(of_metric, notes or {})
                scores += of_metric
                if compiled.buffer and helper is None:
                    # From the last metric on, so that both processes compile different kernels.
                    remaining = metrics[number + 1 :]
                    helper = _compile_ahead(trees, problems, remaining[::-1])
    finally:
        if helper is not None:
            helper.kill()
            helper.join()
    # The problem called "" has no truth.
    truths = tuple(filter(None, problems))
    return Scores(scores=_with_best(scores), trees=tuple(trees), truths=truths)


@dataclass(slots=True)
class _Count:
    """How many values are computed, and who is told.

    Attributes
    ----------
    total : int
        Of all metrics and trees.
    progress : callable or None
        Called with the number of values so far, and the total.
    earlier : int
        The number of values of the metrics before.
    """

    total: int
    progress: Callable[[int, int], None] | None
    earlier: int = 0

    def tell(self, done: int) -> None:
        """Tell of the values of the metric that is being computed."""
        if self.progress is not None:
            self.progress(self.earlier + done, self.total)


def _scores_of(
    use: Use[MetricSpec],
    trees: Mapping[str, Tree],
    problems: Mapping[str, Problem],
    tell: Callable[[int], None],
) -> list[Score]:
    """The scores by one metric; it tells after each of them for how many trees that stands."""
    spec = use.spec
    info = MetricInfo(
        label=use.label,
        direction=spec.direction,
        unit=spec.unit,
        cost=spec.cost,
        interval=spec.interval,
        outside=spec.outside,
    )
    by_truth: list[list[Score]] = []
    against = _against(use, problems)
    n_scored = 0
    for truth, problem in against:
        scores_of_truth = []
        for label, tree in trees.items():
            scores_of_truth.append(_score(info, truth, use, problem, label, tree))
            n_scored += 1
            tell(n_scored // len(against))
        by_truth.append(scores_of_truth)
    # A metric that declares no needs may use a truth: its values tell.
    if not spec.needs and _are_equal(by_truth):
        return [replace(score, truth="") for score in by_truth[0]]
    return list(chain.from_iterable(by_truth))


def _are_equal(by_truth: Sequence[Sequence[Score]]) -> bool:
    """Whether the scores against all truths are the same."""
    different = set()
    for scores in by_truth:
        of_truth = [(score.value, score.reason) for score in scores]
        different.add(tuple(of_truth))
    return len(different) == 1


def _with_notes(scores: Sequence[Score], notes: Mapping[str, str]) -> list[Score]:
    """Scores, whose values have the notes of their trees."""
    with_notes = []
    for score in scores:
        note = ""
        if score.value is not None:
            note = notes.get(score.tree, "")
        with_notes.append(replace(score, note=note))
    return with_notes


def _compile_ahead(
    trees: Mapping[str, Tree],
    problems: Mapping[str, Problem],
    metrics: Sequence[Use[MetricSpec]],
) -> BaseProcess:
    """Start a copy of this process that computes metrics of a few items, for their kernels."""

    def compile_all() -> None:
        warnings.simplefilter("ignore")
        with suppress(Exception):  # of a few items only, or the caller will meet it as well
            tree = next(iter(trees.values()))
            items = np.arange(min(tree.n, _FEW))
            small_tree = {"": tree.restrict(items)}
            small_problems = {name: problem.take(items) for name, problem in problems.items()}
            for use in metrics:
                _scores_of(use, small_tree, small_problems, lambda _done: None)

    # A fork has the registry and the data already; what it compiles, it leaves in numba's cache,
    # where this process finds it. It is killed when the scores are there, whatever it does.
    process = multiprocessing.get_context("fork").Process(target=compile_all, daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it has threads of BLAS, which rest
        process.start()
    return process


def _score(
    info: MetricInfo, truth: str, use: Use[MetricSpec], problem: Problem, label: str, tree: Tree
) -> Score:
    """The score of one tree against one truth."""
    scored = Scored(problem=problem, result=tree, cost=Cost())
    value = judge(Call(partial(_value, use), {}), scored)
    return Score(
        metric=info,
        truth=truth,
        tree=label,
        value=value.value,
        status=value.status,
        reason=value.reason,
    )


def summarise_files(scores: Scores, groups: Mapping[str, Sequence[str]]) -> Scores:
    """Scores with one entry for all trees of a file.

    Parameters
    ----------
    scores : Scores
        Of single trees.
    groups : mapping of str to sequence of str
        The labels of the trees of each file, by its label, in the order of the trees.
    """
    has_many = False
    file_of = {}
    for label, labels in groups.items():
        if tuple(labels) != (label,):
            has_many = True
        for name in labels:
            file_of[name] = label
    if not has_many:
        return scores
    # Scores by metric, truth and file, in the order in which these occur.
    gathered: dict[tuple[str, str, str], list[Score]] = {}
    for score in scores.scores:
        place = (score.metric.label, score.truth, file_of[score.tree])
        gathered.setdefault(place, []).append(score)
    summarised = []
    for (_, _, label), of_file in gathered.items():
        if groups[label] == (label,):
            summarised += of_file
        else:
            summarised.append(_summarise(of_file, label))
    return replace(scores, scores=_with_best(summarised), trees=tuple(groups))


def _summarise(scores: Sequence[Score], label: str) -> Score:
    """The mean and the interval of the scores of several trees."""
    values = []
    without_value = []
    for score in scores:
        if score.value is None:
            without_value.append(score)
        else:
            values.append(score.value)
    if not values:
        # Mostly one reason for all trees, such as a truth without heights.
        return replace(scores[0], tree=label)
    low, high = np.quantile(values, [0.025, 0.975])
    note = scores[0].note
    if without_value:
        missing = f"{len(without_value)} of {len(scores)} trees have no value, the first as "
        note = "; ".join(filter(None, [note, missing + without_value[0].reason]))
    return replace(
        scores[0],
        tree=label,
        value=float(np.mean(values)),
        status="ok",
        reason="",
        note=note,
        low=float(low),
        high=float(high),
        n_trees=len(values),
    )


def _with_best(scores: Sequence[Score]) -> list[Score]:
    """Scores that tell which are the best of a metric, by truth and by tree."""
    best_trees = _are_best(scores, lambda score: score.truth)
    best_truths = _are_best(scores, lambda score: score.tree)
    marked = []
    for score, best_tree, best_truth in zip(scores, best_trees, best_truths, strict=True):
        marked.append(replace(score, best_tree=best_tree, best_truth=best_truth))
    return marked


def _are_best(scores: Sequence[Score], group: Callable[[Score], str]) -> list[bool]:
    """Whether each score is the best of its metric and group, unless all of these are equal.

    None is if a value is outside of the interval of the metric.
    """
    incomparable = set()
    for score in scores:
        if score.leaves_range:
            incomparable.add(score.metric.label)
    # What compares: the values by metric and group.
    rivals: dict[tuple[str, str], list[float]] = {}
    for score in scores:
        if not math.isnan(score.worth) and score.metric.label not in incomparable:
            rivals.setdefault((score.metric.label, group(score)), []).append(score.worth)
    are_best = []
    for score in scores:
        worths = rivals.get((score.metric.label, group(score)))
        is_best = False
        if worths is not None:
            # NaN, which has no value, equals nothing and so is no best either.
            is_best = min(worths) < score.worth == max(worths)
        are_best.append(is_best)
    return are_best


def default_metrics(registry: Registry) -> list[Use[MetricSpec]]:
    """All metrics of quality, those against a truth first, with their default parameters."""
    uses = []
    for use in default_uses(registry.metrics):
        # Costs are of the call that made a tree, which is unknown.
        if not use.spec.cost:
            uses.append(use)
    return sorted(uses, key=lambda use: not _compares(use.spec))


def _compares(spec: MetricSpec) -> bool:
    """Whether a metric compares with a truth, or may do so because it declares no needs."""
    if not spec.needs:
        return True
    return any(not _OF_TRUTH.isdisjoint(need.split("|")) for need in spec.needs)


def _against(use: Use[MetricSpec], problems: Mapping[str, Problem]) -> list[tuple[str, Problem]]:
    """The truths that a metric is computed with: the one that it names, or all of them."""
    first = next(iter(problems.values()))
    if not _compares(use.spec) or use.spec.cost:
        return [("", first)]
    name = use.params.get("truth")
    if isinstance(name, str):
        # Without such a truth the metric says so.
        return [(name, problems.get(name, first))]
    return list(problems.items())


def _value(use: Use[MetricSpec], scored: Scored) -> float:
    """The value of a metric; inapplicable parameters are no mistake of the caller."""
    spec = use.spec
    if spec.cost:
        raise NotApplicableError("a cost of the call that made the tree, which is unknown")
    missing = unmet(spec.needs, scored.problem.provides)
    if missing:
        raise NotApplicableError(f"needs {missing}, which these files do not provide")
    if spec.result == "partition":
        raise NotApplicableError("judges partitions, not trees")
    try:
        value: float = spec.load()(scored, **use.params)
    except ParameterError as error:
        # A default, such as the number of clusters, may not fit these trees.
        raise NotApplicableError(str(error)) from error
    return value
