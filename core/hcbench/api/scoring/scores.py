"""Scores of given trees: each by each metric, against each truth."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hcbench.analysis.ranks import why_outside
from hcbench.analysis.results import to_csv
from hcbench.analysis.tables import (
    ARROWS,
    BEST_TRUTH,
    NOTHING,
    Block,
    Entry,
    Notes,
    Reason,
    format_spread,
    to_latex,
    to_markdown,
)
from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem
from hcbench.oracle.scored import Scored
from hcbench.plan.outcome import Value
from hcbench.plan.plan import truth_named
from hcbench.plan.presentation import MetricInfo
from hcbench.registry import default_uses
from hcbench.registry.specs import unmet
from hcbench.run.cell import judge
from hcbench.run.job import Call

if TYPE_CHECKING:
    from hcbench.api.scoring.matching import Matched
    from hcbench.model.trees import Tree
    from hcbench.registry import Registry, Use
    from hcbench.registry.specs import MetricSpec

_OF_TRUTH = frozenset(("truth", "levels", "heights"))


@dataclass(frozen=True, slots=True)
class Score:
    """The value of one metric for one tree.

    Attributes
    ----------
    metric : MetricInfo
    truth : str
        "" if the metric uses none.
    tree : str
    value : Value
    best_tree, best_truth : bool
        Whether no other tree agrees better with this truth, and no other truth with this tree,
        unless all agree equally.
    """

    metric: MetricInfo
    truth: str
    tree: str
    value: Value
    best_tree: bool = False
    best_truth: bool = False

    @property
    def leaves_range(self) -> bool:
        """Whether the value is outside of the interval of the metric."""
        return self.value.value is not None and self.metric.leaves_range(self.value.value)


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """Values of trees, in the order of metrics, truths and trees.

    Attributes
    ----------
    scores : sequence of Score
    trees, truths : tuple of str
    """

    scores: Sequence[Score]
    trees: tuple[str, ...]
    truths: tuple[str, ...]

    @property
    def errors(self) -> list[Score]:
        """The scores whose metric failed."""
        return [score for score in self.scores if score.value.status == "error"]

    # ---- Tables ----------------------------------------------------------------------------------

    @property
    def blocks(self) -> list[Block]:
        """The table of values, a column for each tree; and a table of inapplicable metrics."""
        rows = self._rows()
        shown = {
            row: scores
            for row, scores in rows.items()
            if any(s.value.value is not None or s.value.status == "error" for s in scores)
        }
        excluded = [s for row, scores in rows.items() if row not in shown for s in scores]
        blocks = [self._table(shown)] if shown else []
        return blocks + ([self._reasons(excluded)] if excluded else [])

    def _rows(self) -> dict[tuple[str, str], list[Score]]:
        rows: dict[tuple[str, str], list[Score]] = {}
        for score in self.scores:
            rows.setdefault((score.metric.label, score.truth), []).append(score)
        return rows

    def _table(self, rows: Mapping[tuple[str, str], Sequence[Score]]) -> Block:
        notes, several = Notes(), len(self.truths) > 1
        table = []
        for (label, truth), scores in rows.items():
            head = [Entry(f"{label}{ARROWS[scores[0].metric.direction]}")]
            head += [Entry(truth or NOTHING)] if several else []
            table.append((*head, *(self._entry(score, notes) for score in scores)))
        header = ("metric", *(["truth"] if several else []), *self.trees)
        numeric = (False, *([False] if several else []), *(True for _ in self.trees))
        title = f"against {self.truths[0]}" if len(self.truths) == 1 else "scores"
        return Block(title, header, numeric, tuple(table), notes.texts)

    def _entry(self, score: Score, notes: Notes) -> Entry:
        value, metric = score.value, score.metric
        if value.value is None:
            text = "error" if value.status == "error" else "n/a"
            return Entry(text, marks=notes.mark([Reason(value.reason)]))
        text = format_spread(value.value, None, metric.unit, metric.interval)
        reasons = [Reason(BEST_TRUTH)] if score.best_truth else []
        if score.leaves_range:
            reasons.append(Reason(f"{why_outside(metric)}: not compared"))
        return Entry(text, score.best_tree, notes.mark(reasons))

    def _reasons(self, scores: Sequence[Score]) -> Block:
        """Why metrics are inapplicable; with the truth or tree if a metric has several reasons."""
        several = {
            label
            for label in {score.metric.label for score in scores}
            if len({s.value.reason for s in scores if s.metric.label == label}) > 1
        }
        reasons: dict[str, dict[str, dict[str, None]]] = {}
        for score in scores:
            where = score.truth if len(self.truths) > 1 else score.tree
            metrics = reasons.setdefault(score.value.reason, {})
            metrics.setdefault(score.metric.label, {})[where] = None
        rows = [
            (
                ", ".join(
                    f"{label} ({', '.join(where)})" if label in several else label
                    for label, where in metrics.items()
                ),
                reason,
            )
            for reason, metrics in reasons.items()
        ]
        entries = tuple((Entry(metrics), Entry(reason)) for metrics, reason in rows)
        return Block("does not apply", ("metric", "why"), (False, False), entries)

    def legend(self, best: str) -> list[str]:
        """The meaning of the signs; ``best`` is the mark of the best tree."""
        several = f", {best} is the best tree" if len(self.trees) > 1 else ""
        return [f"↑ more is better, ↓ less is better{several}"]

    # ---- Written forms ---------------------------------------------------------------------------

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One entry for each score, in plain values; infinite values are None, with a reason."""
        return [self._row(score) for score in self.scores]

    def _row(self, score: Score) -> dict[str, Any]:
        value = score.value.value
        is_finite = value is not None and math.isfinite(value)
        reason = score.value.reason or ("" if is_finite else f"the value is {value}")
        return {
            "metric": score.metric.label,
            "truth": score.truth,
            "tree": score.tree,
            "value": value if is_finite else None,
            "status": score.value.status,
            "reason": reason,
            "direction": score.metric.direction,
            "unit": score.metric.unit,
            "best_tree": score.best_tree,
            "best_truth": score.best_truth,
        }

    def to_json(self) -> str:
        """One strict JSON object with ``trees``, ``truths`` and ``scores``."""
        told = {"trees": list(self.trees), "truths": list(self.truths), "scores": self.rows}
        return json.dumps(told, indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """A row for each score."""
        return to_csv(self.rows)

    def to_markdown(self) -> str:
        """The tables in Markdown."""
        return to_markdown(self.blocks, self.legend("bold"))

    def to_latex(self) -> str:
        r"""The tables in LaTeX; they need ``\usepackage{booktabs}``."""
        return to_latex(self.blocks, self.legend("bold"))


def score_trees(matched: Matched, metrics: Sequence[Use[MetricSpec]]) -> Scores:
    """Score each tree by each metric, against each truth if the metric uses one."""
    scores: list[Score] = []
    for use in metrics:
        spec = use.spec
        info = MetricInfo(
            use.label, spec.direction, spec.unit, spec.cost, spec.interval, outside=spec.outside
        )
        found = [
            [
                Score(info, truth, label, _value(use, problem, tree))
                for label, tree in matched.trees.items()
            ]
            for truth, problem in _against(use, matched.problems)
        ]
        if not spec.needs and len({tuple(s.value for s in of_one) for of_one in found}) == 1:
            found = [[replace(score, truth="") for score in found[0]]]  # it uses none
        scores += [score for of_one in found for score in of_one]
    truths = tuple(name for name in matched.problems if name)
    best_trees = _are_best(scores, lambda score: score.truth)
    best_truths = _are_best(scores, lambda score: score.tree)
    marked = [
        replace(score, best_tree=tree, best_truth=truth)
        for score, tree, truth in zip(scores, best_trees, best_truths, strict=True)
    ]
    return Scores(marked, tuple(matched.trees), truths)


def _are_best(scores: Sequence[Score], group: Callable[[Score], str]) -> list[bool]:
    """Whether each score is the best of its metric and group, unless all of these are equal.

    None is if a value is outside of the interval of the metric.
    """
    incomparable = {score.metric.label for score in scores if score.leaves_range}
    signs = {"higher": 1.0, "lower": -1.0, "none": math.nan}
    worths: list[float] = []
    rivals: dict[tuple[str, str], list[float]] = {}
    for score in scores:
        value = score.value.value
        worths.append(math.nan if value is None else signs[score.metric.direction] * value)
        if not math.isnan(worths[-1]) and score.metric.label not in incomparable:
            rivals.setdefault((score.metric.label, group(score)), []).append(worths[-1])
    grouped = [rivals.get((score.metric.label, group(score)), [0.0]) for score in scores]
    return [min(of) < worth == max(of) for worth, of in zip(worths, grouped, strict=True)]


def default_metrics(registry: Registry) -> list[Use[MetricSpec]]:
    """All metrics of quality, those against a truth first, with their default parameters."""
    uses = [use for use in default_uses(registry.metrics) if not use.spec.cost]
    return sorted(uses, key=lambda use: not _compares(use.spec))


def _compares(spec: MetricSpec) -> bool:
    """Whether a metric compares with a truth, or may do so because it declares no needs."""
    words = {word for need in spec.needs for word in need.split("|")}
    return not words or bool(words & _OF_TRUTH)


def _against(use: Use[MetricSpec], problems: Mapping[str, Problem]) -> list[tuple[str, Problem]]:
    """The truths that a metric is computed with: the one that it names, or all of them."""
    first = next(iter(problems.values()))
    if not _compares(use.spec) or use.spec.cost:
        return [("", first)]
    named = truth_named(use)
    if named is not None:
        return [(named, problems.get(named, first))]
    return list(problems.items())


def _value(use: Use[MetricSpec], problem: Problem, tree: Tree) -> Value:
    spec = use.spec
    if spec.cost:
        return Value(None, "skipped", "a cost of the call that made the tree, which is unknown")
    missing = unmet(spec.needs, problem.provides)
    if missing:
        return Value(None, "skipped", f"needs {missing}, which these files do not provide")
    if spec.result == "partition":
        return Value(None, "skipped", "judges partitions, not trees")
    scored = Scored(problem=problem, result=tree, cost=Cost())
    return judge(_Applied(spec.function, use.params), scored)


class _Applied(Call):
    """A metric whose parameters may be inapplicable to the files, too."""

    def __call__(self, *args: Any) -> Any:
        try:
            return super().__call__(*args)
        except ParameterError as error:
            raise NotApplicableError(str(error)) from error
