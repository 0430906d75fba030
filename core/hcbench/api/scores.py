"""Scores of given trees, each by each metric against each truth: ``hcbench score``.

Trees, truths and data from different files are brought into one order of the items. Files with
names (Newick, tables with a header or an index, ``--names``) are matched by them. Files without
names are in the order of ``--names``; without it their items are the numbers 0..n-1.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba.core.event import install_recorder
from numpy.typing import NDArray

from hcbench.analysis.notes import Note, describe_notes
from hcbench.analysis.ranks import why_outside
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
from hcbench.api.labels import read_labels
from hcbench.errors import DataError, NotApplicableError, ParameterError
from hcbench.files.tables import DECIMAL_COMMA, is_number, read_items, read_rows, table_rows
from hcbench.files.trees import TreeFile
from hcbench.model.cost import Cost
from hcbench.model.names import NamedItems, match_items
from hcbench.model.problem import Problem
from hcbench.model.trees import Tree
from hcbench.oracle.answers import Scored
from hcbench.plan.presentation import MetricInfo
from hcbench.registry import Registry, default_uses, make_use
from hcbench.registry.names import parse_name
from hcbench.registry.specs import MetricSpec, unmet
from hcbench.registry.uses import Use
from hcbench.run.cell import judge
from hcbench.run.job import Call

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

#: The title of the table of metrics that do not apply.
INAPPLICABLE = "does not apply"

_TABLES = (".csv", ".tsv")
LABELS = "labels"
"""The name of the truth that the labels give."""

_PART_OF_DISTANCE = {"half": "half of the merge distances", "whole": "the merge distances"}
_FEW = 12  # items with which a metric calls its kernels


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """The content of a file about items, and their names if it has any.

    The note is added to what is wrong with the items.
    """

    where: Path
    n: int
    names: tuple[str, ...] | None
    content: Any = None
    note: str = ""

    @property
    def items(self) -> NamedItems:
        """The items, for `match_items`."""
        return NamedItems(
            what=str(self.where),
            n=self.n,
            names=self.names,
            give=f"--names FILE, one a line in the order of {self.where}, or a table in this order",
        )


def read_matched(
    registry: Registry,
    trees: Sequence[TreeFile],
    *,
    truths: Sequence[TreeFile] = (),
    labels: str | None = None,
    similarity: str | None = None,
    vectors: str | None = None,
    names: Path | None = None,
) -> tuple[dict[str, Tree], dict[str, Problem]]:
    """Read trees and what to score them against, and bring their items into one order.

    Parameters
    ----------
    registry : Registry
    trees, truths : sequence of TreeFile
    labels : str, optional
        See `read_labels`.
    names : path, optional
    similarity, vectors : str, optional
        Written as data sets, ``FILE`` or ``FILE[param=value]``; read by the registered data set of
        the suffix.

    Returns
    -------
    trees : dict of label to Tree
    problems : dict of the name of a truth to Problem
        The problem that metrics see, with that truth alone; if there is no truth, the only key
        is "".

    Raises
    ------
    HcbenchError
        If a file cannot be read, or its items are not those of the others.
    """
    to_score, true = _read_trees(trees), _read_trees(truths)
    data = {
        role: _read_data(text, role, registry)
        for role, text in (("similarity", similarity), ("vectors", vectors))
        if text is not None
    }
    files = [*data.values(), *true.values(), *to_score.values()]
    given = None
    if names is not None:
        texts = _read_names(names)
        given = _Named(where=names, n=len(texts), names=texts)
        files.insert(0, given)
    read = None
    if labels is not None:
        known = next((one.names for one in files if one.names is not None), None)
        read = read_labels(labels, known, files[0].n)
        named = _Named(where=read.where, n=len(read.table), names=read.names, note=read.note)
        files.insert(len(data) + (given is not None), named)
    order = _Order.find(files, given)
    for one in files:
        order.rows(one)  # --names has no other content, but may not fit
    taken = {role: one.content.take(order.rows(one)) for role, one in data.items()}
    problem = Problem(
        n=order.items.n,
        names=order.names,
        **{role: getattr(content, role) for role, content in taken.items()},
    )
    hierarchies = {
        name: tree.with_names(order.names)
        for content in taken.values()
        for name, tree in content.truths.items()
    }
    hierarchies |= {label: order.tree(one) for label, one in true.items()}
    problems = {
        name: replace(problem, truths={name: tree})
        for name, tree in hierarchies.items()
        if name != LABELS
    }
    codes = next((one.levels for one in taken.values() if one.levels is not None), None)
    if read is not None:
        codes = read.table[order.rows(named)]
    if codes is not None:
        problems[LABELS] = replace(problem, levels=codes)
    return {label: order.tree(one) for label, one in to_score.items()}, problems or {"": problem}


# ---- Reading -------------------------------------------------------------------------------------


def _read_trees(files: Sequence[TreeFile]) -> dict[str, _Named]:
    """Trees by the labels of their files."""
    named = {}
    for label, file in zip(labels_of(files), files, strict=True):
        tree = file.read()
        if tree.names is None and file.is_newick:
            raise DataError(f"{file}: the leaves have no labels, and their order is arbitrary")
        named[label] = _Named(where=file.path, n=tree.n, names=tree.names, content=tree)
    return named


def labels_of(files: Sequence[TreeFile]) -> list[str]:
    """The names of the files, with their folders where two have the same.

    Raises
    ------
    DataError
        If a tree is given twice.
    """
    names = [file.name for file in files]
    texts = [str(file) for file in files]
    for text in texts:
        if texts.count(text) > 1:
            raise DataError(f"{text} is given twice; once is enough")
    return [n if names.count(n) == 1 else text for n, text in zip(names, texts, strict=True)]


def height_notes(files: Sequence[TreeFile], trees: Mapping[str, Tree]) -> dict[str, str]:
    """What the heights of trees from branch lengths are, by the labels of the trees."""
    notes = {}
    for label, file in zip(labels_of(files), files, strict=True):
        if not file.is_newick or trees[label].height is None:
            continue
        heights = file.heights or "half"
        note = f"heights={heights}: branch lengths of {label} sum to {_PART_OF_DISTANCE[heights]}"
        if file.heights is None:
            whole = replace(file, heights="whole")
            note += f", as by default; if they sum to the whole, give '{whole}'"
        notes[label] = note
    return notes


def _read_data(text: str, role: str, registry: Registry) -> _Named:
    name = parse_name(text)
    path = Path(name.base).expanduser()
    entry = registry.reader_of(path)
    if entry is None:
        raise DataError(f"{path}: data are read from {registry.file_endings} files")
    said = {"names", "delimiter"} & name.params.keys()
    given: dict[str, Any] = {"path": str(path), **({} if said else _index_of(path))}
    given |= name.params
    if role == "similarity" and not given.get("distance"):
        given["similarity"] = True
    use = make_use(entry.spec, entry.plugin, given)
    problem = use.spec.load()(0, **use.params)
    return _Named(where=path, n=problem.n, names=problem.names, content=problem)


def _index_of(path: Path) -> dict[str, str]:
    """The column of a table with the names of the rows, as a parameter of the data set.

    It is the first one if it holds text, or the numbers of the rows in any order, below a header or
    without one. The data set itself knows a first column without a name, as R and pandas write it.
    """
    if path.suffix.lower() not in _TABLES or not path.is_file():
        return {}
    rows = [cells for _, cells in table_rows(path)]
    if len({len(cells) for cells in rows}) != 1:
        return {}
    header, first = rows[0], rows[min(1, len(rows) - 1)]
    if not header[0]:
        return {}
    if all(map(_looks_numeric, header)):
        column = {cells[0] for cells in rows}
        has_index = len(header) > 1 and column == set(map(str, range(len(rows))))
        return {"names": "1"} if has_index else {}
    if is_number(first[0]):
        column = {cells[0] for cells in rows[1:]}
        if column != set(map(str, range(len(rows) - 1))):
            return {}
    return {"names": header[0]}


def _looks_numeric(cell: str) -> bool:
    return is_number(cell) or DECIMAL_COMMA.fullmatch(cell) is not None


def _read_names(path: Path) -> tuple[str, ...]:
    """The names in a file with one a line, or those of the rows of a table."""
    if path.suffix.lower() not in _TABLES or len(read_rows(path)[0][1]) == 1:
        return read_items(path).texts
    rows = [cells for _, cells in read_rows(path)]
    if rows[0][0] and not _index_of(path):
        raise DataError(f"{path}: no column names the rows; give a file with one name a line")
    return tuple(cells[0] for cells in rows[1:])


# ---- One order -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """The items in the common order, and the names that they then have.

    Attributes
    ----------
    items : NamedItems
    names : tuple of str or None
        None if the items are numbers.
    given : _Named or None
        The file of ``--names``, in whose order files without names are.
    note : str
        Of the file that gives the order.
    """

    items: NamedItems
    names: tuple[str, ...] | None
    given: _Named | None
    note: str = ""

    @classmethod
    def find(cls, files: Sequence[_Named], given: _Named | None) -> _Order:
        """The order of ``--names``, of the first file with names, or of the numbers of items."""
        if given is not None:
            return cls(items=given.items, names=given.names, given=given)
        most = max(one.n for one in files)
        numbers = set(map(str, range(most)))
        for one in files:
            if one.names is not None and not set(one.names) <= numbers:
                return cls(items=one.items, names=one.names, given=None, note=one.note)
        for one in files:
            if one.names is None:
                return cls(items=one.items, names=None, given=None, note=one.note)
        first = files[0]
        in_order = tuple(map(str, range(first.n)))
        return cls(items=replace(first.items, names=in_order), names=None, given=None)

    def rows(self, one: _Named) -> NDArray[np.int64]:
        """The positions of the items in a file, in this order.

        Raises
        ------
        DataError
            If it has other items, or another number of them.
        """
        items = one.items
        if items.names is None and self.given is not None:
            items = replace(items, names=self.given.names)
        try:
            return match_items(items, self.items)
        except DataError as error:
            raise DataError(f"{error}{one.note or self.note}") from None

    def tree(self, one: _Named) -> Tree:
        """The tree of a file, with the leaves in this order."""
        tree: Tree = one.content.relabel(np.argsort(self.rows(one)))
        return tree.with_names(self.names)


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
    value : float or None
        None unless the status is ok.
    status : {"ok", "skipped", "error"}
    reason : str
        Why there is no value.
    note : str
        What a value depends on besides; "" if on nothing.
    best_tree, best_truth : bool
        Whether no other tree agrees better with this truth, and no other truth with this tree,
        unless all agree equally.
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

    @property
    def worth(self) -> float:
        """The value if more is better, its negative if less is; NaN if it cannot be compared."""
        signs = {"higher": 1.0, "lower": -1.0, "none": math.nan}
        return math.nan if self.value is None else signs[self.metric.direction] * self.value

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
    trees, truths : tuple of str
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
        return [score for score in self.scores if score.status == "error"]

    @property
    def notes(self) -> tuple[Note, ...]:
        """The footnotes of the tables, why metrics do not apply, and the remarks."""
        notes: list[Note] = []
        for block in self.blocks:
            notes += notes_of_block(block, "missing")
            if block.title == INAPPLICABLE:
                for metrics, reason in block.rows:
                    rows = (metrics.text,)
                    notes.append(
                        Note(kind="inapplicable", text=reason.text, table=INAPPLICABLE, rows=rows)
                    )
        return (*notes, *self.remarks)

    # ---- Tables ----------------------------------------------------------------------------------

    @property
    def blocks(self) -> list[Block]:
        """The table of values, a column for each tree; and a table of inapplicable metrics."""
        shown: dict[tuple[str, str], list[Score]] = {}
        excluded: list[Score] = []
        for row, group in groupby(self.scores, lambda score: (score.metric.label, score.truth)):
            scores = list(group)
            if any(s.value is not None or s.status == "error" for s in scores):
                shown[row] = scores
            else:
                excluded += scores
        blocks = [self._table(shown)] if shown else []
        return blocks + ([self._reasons(excluded)] if excluded else [])

    def _table(self, rows: Mapping[tuple[str, str], Sequence[Score]]) -> Block:
        notes, several = Notes(), len(self.truths) > 1
        table = []
        for (label, truth), scores in rows.items():
            head = [TableEntry(f"{label}{ARROWS[scores[0].metric.direction]}")]
            head += [TableEntry(truth or NOTHING)] if several else []
            table.append((*head, *(self._entry(score, notes) for score in scores)))
        header = ("metric", *(["truth"] if several else []), *self.trees)
        numeric = (False, *([False] if several else []), *(True for _ in self.trees))
        title = f"against {self.truths[0]}" if len(self.truths) == 1 else "scores"
        return Block(title, header, numeric, tuple(table), notes.texts, note_kinds=notes.kinds)

    def _entry(self, score: Score, notes: Notes) -> TableEntry:
        metric = score.metric
        if score.value is None:
            text = "error" if score.status == "error" else "n/a"
            return TableEntry(text, marks=notes.mark([Reason(score.reason)]))
        text = format_spread(score.value, None, metric.unit, metric.interval)
        reasons = [Reason(BEST_TRUTH, kind="truth")] if score.best_truth else []
        if score.note:
            reasons.append(Reason(score.note, kind="run"))
        if score.leaves_range:
            reasons.append(Reason(f"{why_outside(metric)}: not compared", kind="range"))
        return TableEntry(text, score.best_tree, notes.mark(reasons))

    def _reasons(self, scores: Sequence[Score]) -> Block:
        """Why metrics are inapplicable; with the truth or tree if a metric has several reasons."""
        reasons: dict[str, dict[str, dict[str, None]]] = {}
        for score in scores:
            where = score.truth if len(self.truths) > 1 else score.tree
            metrics = reasons.setdefault(score.reason, {})
            metrics.setdefault(score.metric.label, {})[where] = None
        count = Counter(label for metrics in reasons.values() for label in metrics)
        rows = []
        for reason, metrics in reasons.items():
            texts = [
                f"{label} ({', '.join(where)})" if count[label] > 1 else label
                for label, where in metrics.items()
            ]
            rows.append((TableEntry(", ".join(texts)), TableEntry(reason)))
        return Block(INAPPLICABLE, ("metric", "why"), (False, False), tuple(rows))

    def legend(self, best: str) -> list[str]:
        """The meaning of the signs; ``best`` is the mark of the best tree."""
        several = f", {best} is the best tree" if len(self.trees) > 1 else ""
        return [f"↑ more is better, ↓ less is better{several}"]

    # ---- Written forms ---------------------------------------------------------------------------

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One entry for each score, in plain values; infinite values are None, with a reason."""
        rows = []
        for score in self.scores:
            value = score.value
            is_finite = value is not None and math.isfinite(value)
            rows.append(
                {
                    "metric": score.metric.label,
                    "truth": score.truth,
                    "tree": score.tree,
                    "value": value if is_finite else None,
                    "status": score.status,
                    "reason": score.reason or ("" if is_finite else f"the value is {value}"),
                    "note": score.note,
                    "direction": score.metric.direction,
                    "unit": score.metric.unit,
                    "best_tree": score.best_tree,
                    "best_truth": score.best_truth,
                }
            )
        return rows

    def to_json(self) -> str:
        """One strict JSON object with ``trees``, ``truths``, ``scores`` and ``notes``."""
        everything = {
            "trees": list(self.trees),
            "truths": list(self.truths),
            "scores": self.rows,
            "notes": describe_notes(self.notes),
        }
        return json.dumps(everything, indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """A row for each score."""
        import pandas

        text: str = pandas.DataFrame(self.rows, dtype=object).to_csv(index=False)
        return text

    def to_markdown(self) -> str:
        """The tables in Markdown."""
        return to_markdown(self.blocks, self.legend("bold"))

    def to_latex(self) -> str:
        r"""The tables in LaTeX; they need ``\usepackage{booktabs}``."""
        return to_latex(self.blocks, self.legend("bold"))


def score_trees(
    trees: Mapping[str, Tree],
    problems: Mapping[str, Problem],
    metrics: Sequence[Use[MetricSpec]],
    notes: Mapping[str, str] | None = None,
) -> Scores:
    """Score each tree by each metric, against each truth if the metric uses one.

    Values of metrics that use the unit of heights have the note of their tree.

    Where kernels have to be compiled, a second process compiles those of the last metrics.
    """
    scores: list[Score] = []
    helper = None
    try:
        with install_recorder("numba:compile") as compiled:
            for at, use in enumerate(metrics):
                found = _scores_of(use, trees, problems)
                scores += _noted(found, notes or {}) if use.spec.uses_height_unit else found
                if compiled.buffer and helper is None:
                    helper = _compile_ahead(trees, problems, metrics[:at:-1])
    finally:
        if helper is not None:
            helper.kill()
            helper.join()
    truths = tuple(name for name in problems if name)
    best_trees = _are_best(scores, lambda score: score.truth)
    best_truths = _are_best(scores, lambda score: score.tree)
    marked = [
        replace(score, best_tree=tree, best_truth=truth)
        for score, tree, truth in zip(scores, best_trees, best_truths, strict=True)
    ]
    return Scores(marked, tuple(trees), truths)


def _scores_of(
    use: Use[MetricSpec], trees: Mapping[str, Tree], problems: Mapping[str, Problem]
) -> list[Score]:
    """The scores by one metric."""
    spec = use.spec
    info = MetricInfo(
        use.label, spec.direction, spec.unit, spec.cost, spec.interval, outside=spec.outside
    )
    found = [
        [_score(info, truth, use, problem, label, tree) for label, tree in trees.items()]
        for truth, problem in _against(use, problems)
    ]
    if not spec.needs and len({tuple((s.value, s.reason) for s in one) for one in found}) == 1:
        found = [[replace(score, truth="") for score in found[0]]]  # it uses none
    return [score for one in found for score in one]


def _noted(scores: Sequence[Score], notes: Mapping[str, str]) -> list[Score]:
    """Values with the notes of their trees."""
    noted = []
    for score in scores:
        note = "" if score.value is None else notes.get(score.tree, "")
        noted.append(replace(score, note=note))
    return noted


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
            few = np.arange(min(tree.n, _FEW))
            one = {"": tree.restrict(few)}
            given = {name: problem.take(few) for name, problem in problems.items()}
            for use in metrics:
                _scores_of(use, one, given)

    process = multiprocessing.get_context("fork").Process(target=compile_all, daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it has threads of BLAS, which rest
        process.start()
    return process


def _score(
    info: MetricInfo, truth: str, use: Use[MetricSpec], problem: Problem, label: str, tree: Tree
) -> Score:
    scored = Scored(problem=problem, result=tree, cost=Cost())
    found = judge(Call(partial(_value, use), {}), scored)
    return Score(info, truth, label, found.value, found.status, found.reason)


def _are_best(scores: Sequence[Score], group: Callable[[Score], str]) -> list[bool]:
    """Whether each score is the best of its metric and group, unless all of these are equal.

    None is if a value is outside of the interval of the metric.
    """
    incomparable = {score.metric.label for score in scores if score.leaves_range}
    rivals: dict[tuple[str, str], list[float]] = {}
    for score in scores:
        if not math.isnan(score.worth) and score.metric.label not in incomparable:
            rivals.setdefault((score.metric.label, group(score)), []).append(score.worth)
    grouped = [rivals.get((score.metric.label, group(score)), [0.0]) for score in scores]
    return [min(of) < score.worth == max(of) for score, of in zip(scores, grouped, strict=True)]


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
    named = use.params.get("truth")
    if isinstance(named, str):
        return [(named, problems.get(named, first))]
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
        raise NotApplicableError(str(error)) from error
    return value
