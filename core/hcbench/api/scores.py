"""Scores of trees, each by each metric against each truth, as tables, JSON and CSV.

`INAPPLICABLE` is the title of the table of metrics that do not apply.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hcbench.analysis.blocks import why_outside
from hcbench.analysis.notes import Note, describe_notes
from hcbench.analysis.tables import (
    ARROWS,
    BEST_TRUTH,
    NOTHING,
    Block,
    Notes,
    Reason,
    TableEntry,
    format_spread,
    notes_of_block,
    to_latex,
    to_markdown,
)
from hcbench.plan.presentation import MetricInfo
from hcbench.results.results import to_csv

INAPPLICABLE = "does not apply"


@dataclass(frozen=True, slots=True)
class Score:
    """The value of one metric for one tree.

    Attributes
    ----------
    metric : MetricInfo
        The metric.
    truth : str
        The name of the truth; "" if the metric uses none.
    tree : str
        The label of the tree.
    value : float or None
        The value; None unless the status is ok.
    status : {"ok", "skipped", "error"}
        Whether there is a value, the metric does not apply, or it failed.
    reason : str
        Why there is no value.
    note : str
        What a value depends on besides; "" if on nothing.
    best_tree, best_truth : bool
        Whether no other tree agrees better with this truth, and no other truth with this tree,
        unless all agree equally.
    low, high : float or None
        Of several trees, whose mean the value is: the quantiles of 2.5 and 97.5 % of their values.
    n_trees : int
        The number of trees that have a value; 1 of a single one.
    """

    metric: MetricInfo
    truth: str
    tree: str
    value: float | None
    status: str = "ok"
    reason: str = ""
    note: str = ""
    best_tree: bool = False
    best_truth: bool = False
    low: float | None = None
    high: float | None = None
    n_trees: int = 1

    @property
    def worth(self) -> float:
        """The value if more is better, its negative if less is; NaN if it cannot be compared."""
        if self.value is None:
            return math.nan
        # A metric without a direction describes a tree, and none is better.
        signs = {"higher": 1.0, "lower": -1.0, "none": math.nan}
        return signs[self.metric.direction] * self.value

    @property
    def leaves_range(self) -> bool:
        """Whether the value is outside of the interval of the metric."""
        return self.value is not None and self.metric.leaves_range(self.value)


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """Values of trees, in the order of metrics, truths and trees.

    Attributes
    ----------
    scores : sequence of Score
        The scores.
    trees, truths : tuple of str
        The labels of the trees and the names of the truths.
    remarks : tuple of Note
        What was noticed while the files were read.
    """

    scores: Sequence[Score]
    trees: tuple[str, ...]
    truths: tuple[str, ...]
    remarks: tuple[Note, ...] = ()

    @property
    def errors(self) -> list[Score]:
        """The scores whose metric failed."""
        errors = []
        for score in self.scores:
            if score.status == "error":
                errors.append(score)
        return errors

    @property
    def notes(self) -> tuple[Note, ...]:
        """The footnotes of the tables, why metrics do not apply, and the remarks."""
        notes: list[Note] = []
        for block in self.blocks:
            notes += notes_of_block(block, "missing")
            if block.title == INAPPLICABLE:
                notes += map(_note_of_inapplicable, block.rows)
        return tuple(notes) + self.remarks

    # ---- Tables ----------------------------------------------------------------------------------

    @property
    def blocks(self) -> list[Block]:
        """The table of values, a column for each tree; and a table of inapplicable metrics."""
        with_values: dict[tuple[str, str], list[Score]] = {}
        inapplicable: list[Score] = []
        for row, group in groupby(self.scores, lambda score: (score.metric.label, score.truth)):
            scores = list(group)
            if _has_entry(scores):
                with_values[row] = scores
            else:
                inapplicable += scores
        blocks = []
        if with_values:
            blocks.append(self._table(with_values))
        if inapplicable:
            blocks.append(self._reasons(inapplicable))
        return blocks

    def _table(self, rows: Mapping[tuple[str, str], Sequence[Score]]) -> Block:
        """The table of values."""
        notes = Notes()
        has_truths = len(self.truths) > 1  # one truth is in the title
        header = ["metric"]
        if has_truths:
            header.append("truth")
        n_texts = len(header)
        table = []
        for (label, truth), scores in rows.items():
            row = [TableEntry(f"{label}{ARROWS[scores[0].metric.direction]}")]
            if has_truths:
                row.append(TableEntry(truth or NOTHING))
            for score in scores:
                row.append(self._entry(score, notes))
            table.append(tuple(row))
        title = "scores"
        if len(self.truths) == 1:
            title = f"against {self.truths[0]}"
        return Block(
            title=title,
            header=tuple(header) + self.trees,
            numeric=(False,) * n_texts + (True,) * len(self.trees),
            rows=tuple(table),
            notes=notes.texts,
            note_kinds=notes.kinds,
        )

    def _entry(self, score: Score, notes: Notes) -> TableEntry:
        """The cell of a score, with the marks of its footnotes."""
        metric = score.metric
        if score.value is None:
            text = "n/a"
            if score.status == "error":
                text = "error"
            return TableEntry(text, marks=notes.mark([Reason(score.reason)]))
        text = format_spread(score.value, None, metric.unit, metric.interval)
        if score.low is not None and score.high is not None:
            low = format_spread(score.low, None, metric.unit, metric.interval)
            high = format_spread(score.high, None, metric.unit, metric.interval)
            text += f" [{low}, {high}]"
        # The order of the reasons is that of the footnotes.
        reasons = []
        if score.best_truth:
            reasons.append(Reason(BEST_TRUTH, kind="truth"))
        if score.note:
            reasons.append(Reason(score.note, kind="run"))
        if score.leaves_range:
            reasons.append(Reason(f"{why_outside(metric)}: not compared", kind="range"))
        return TableEntry(text, score.best_tree, notes.mark(reasons))

    def _reasons(self, scores: Sequence[Score]) -> Block:
        """Why metrics are inapplicable; with the truth or tree if a metric has several reasons."""
        # By reason and metric, the truths or trees in their order (a dictionary keeps it).
        reasons: dict[str, dict[str, dict[str, None]]] = {}
        for score in scores:
            name = score.tree
            if len(self.truths) > 1:
                name = score.truth
            metrics = reasons.setdefault(score.reason, {})
            metrics.setdefault(score.metric.label, {})[name] = None
        # How many reasons a metric has: with several, each needs the truths or trees it is of.
        counts: Counter[str] = Counter()
        for metrics in reasons.values():
            counts.update(metrics.keys())
        rows = []
        for reason, metrics in reasons.items():
            texts = []
            for label, names in metrics.items():
                if counts[label] > 1:
                    texts.append(f"{label} ({', '.join(names)})")
                else:
                    texts.append(label)
            rows.append((TableEntry(", ".join(texts)), TableEntry(reason)))
        return Block(
            title=INAPPLICABLE, header=("metric", "why"), numeric=(False, False), rows=tuple(rows)
        )

    def legend(self, best: str) -> list[str]:
        """The meaning of the signs; ``best`` is the mark of the best tree."""
        text = "↑ more is better, ↓ less is better"
        if len(self.trees) > 1:
            text += f", {best} is the best tree"
        lines = [text]
        for score in self.scores:
            if score.low is not None:
                lines.append("mean [2.5 %, 97.5 %] of the trees of a file")
                break
        return lines

    # ---- Written forms ---------------------------------------------------------------------------

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One entry for each score, in plain values; infinite values are None, with a reason."""
        return [_describe(score) for score in self.scores]

    def to_json(self) -> str:
        """One strict JSON object with ``trees``, ``truths``, ``scores`` and ``notes``."""
        content = {
            "trees": list(self.trees),
            "truths": list(self.truths),
            "scores": self.rows,
            "notes": describe_notes(self.notes),
        }
        return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """A row for each score."""
        return to_csv(self.rows)

    def to_markdown(self) -> str:
        """The tables in Markdown."""
        return to_markdown(self.blocks, self.legend("bold"))

    def to_latex(self) -> str:
        r"""The tables in LaTeX; they need ``\usepackage{booktabs}``."""
        return to_latex(self.blocks, self.legend("bold"))


def _has_entry(scores: Sequence[Score]) -> bool:
    """Whether a row of the table shows something: a failure, unlike what does not apply."""
    return any(score.value is not None or score.status == "error" for score in scores)


def _describe(score: Score) -> dict[str, Any]:
    """A score in plain values."""
    value = score.value
    reason = score.reason
    # JSON has neither infinity nor NaN.
    if value is None or not math.isfinite(value):
        reason = reason or f"the value is {value}"
        value = None
    return {
        "metric": score.metric.label,
        "truth": score.truth,
        "tree": score.tree,
        "value": value,
        "status": score.status,
        "reason": reason,
        "note": score.note,
        "direction": score.metric.direction,
        "unit": score.metric.unit,
        "best_tree": score.best_tree,
        "best_truth": score.best_truth,
        "low": _finite(score.low),
        "high": _finite(score.high),
        "n_trees": score.n_trees,
    }


def _finite(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return value


def _note_of_inapplicable(row: Sequence[TableEntry]) -> Note:
    """Why metrics do not apply, from a row of the table of these."""
    metrics, reason = row
    return Note(kind="inapplicable", text=reason.text, table=INAPPLICABLE, rows=(metrics.text,))
