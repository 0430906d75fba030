"""The tables of a report: leaderboards, means, single cells, claims and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hcbench.analysis.labels import labels_of
from hcbench.analysis.ranking_texts import TESTS
from hcbench.analysis.tables import ARROWS, NOTHING, TableEntry, format_numbers, format_spread
from hcbench.claims.descriptions import describe_claimed, describe_measured
from hcbench.pages.report.figures import Cell, Column, make_table, short
from hcbench.registry.names import format_value

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.ranks import Ranking
    from hcbench.claims.family_verdicts import FamilyVerdict
    from hcbench.claims.verdicts import Verdict
    from hcbench.pages.report.leaderboards import Leaderboard, LeaderRow
    from hcbench.plan.outcome import Outcome
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results

#: Of the table of cells, which a browser still shows at once.
MOST_ROWS = 10_000
KEY_LENGTH = 8  # characters of a key, enough for `hcbench rerun`


def metric_column(metric: MetricInfo) -> dict[str, Any]:
    """The column of a metric."""
    return {"label": f"{metric.label}{ARROWS[metric.direction]}", "best": metric.direction}


def average_cell(group: Group, metric: MetricInfo) -> Cell:
    """The average of a group with its spread."""
    numbers = group.numbers(metric)
    if not numbers:
        return None
    return [format_numbers(numbers, metric), short(group.average(metric))]


# ---- Leaderboard ---------------------------------------------------------------------------------


def leaderboard_table(board: Leaderboard) -> dict[str, Any]:
    """A leaderboard; variants of an algorithm follow a row that summarises them."""
    header: list[Column] = ["algorithm"]
    if board.ranked:
        header.append({"label": "mean rank", "best": "lower"})
    for column in board.columns:
        properties = {"label": column.title, "best": column.direction}
        if column.family:
            properties["family"] = column.family
        header.append(properties)
    # Rows are filtered by the tags, which are no column to be looked at. Runs of earlier versions
    # have none.
    has_tags = any(row.tags for row in board.rows)
    if has_tags:
        header.append({"label": "tag", "filter": True, "hidden": True, "control": True})
    rows = []
    kinds = []
    for name, members in _families(board).items():
        is_family = bool(members[0].family)
        if is_family:
            # All variants are of one algorithm.
            rows.append(_family_row(board, name, members) + _tag_cells(members[0], has_tags))
            kinds.append("family")
        for row in members:
            rows.append(_leader_row(board, row) + _tag_cells(row, has_tags))
            kinds.append(_kind_of_row(row))
    return {**make_table("algorithm", header, rows), "kinds": kinds}


def _families(board: Leaderboard) -> dict[str, list[LeaderRow]]:
    """The rows of each family, in the order of their best; others are families of one."""
    families: dict[str, list[LeaderRow]] = {}
    for row in board.rows:
        families.setdefault(row.family or row.name, []).append(row)
    return families


def _kind_of_row(row: LeaderRow) -> str:
    """The kind by which the page styles a row and folds it into its family."""
    if row.reference:
        return "reference"
    if row.family:
        return "variant"
    return ""


def _leader_row(board: Leaderboard, row: LeaderRow) -> list[Cell]:
    cells: list[Cell] = [row.name]
    if board.ranked:
        # References, and algorithms that are not on all data sets, have no rank.
        rank_cell = None
        if row.rank is not None:
            rank_cell = [f"{row.rank:.2f}", short(row.rank)]
        cells.append(rank_cell)
    for score in row.scores:
        cells.append(_score_cell(board, score))
    return cells


def _tag_cells(row: LeaderRow, has_tags: bool) -> list[Cell]:
    """The cell of the tags, if there is such a column."""
    if not has_tags:
        return []
    return [[", ".join(row.tags), None, {"parts": list(row.tags)}]]


def _score_cell(board: Leaderboard, score: TableEntry) -> Cell:
    """A score, with its shade, whether it is the best, and its footnotes."""
    # A page has no mark in empty cells, so that columns can be sorted.
    text = score.text
    if text == NOTHING:
        text = ""
    properties: dict[str, Any] = {}
    if score.heat is not None:
        properties["heat"] = score.heat
    if score.bold:
        properties["best"] = True
    if score.marks:
        # Marks are the numbers of footnotes, from 1.
        notes = [board.notes[mark - 1] for mark in score.marks]
        properties["note"] = "; ".join(notes)
    cell: list[Any] = [text, short(score.value)]
    if properties:
        cell.append(properties)
    return cell


def _family_row(board: Leaderboard, name: str, members: Sequence[LeaderRow]) -> list[Cell]:
    """The range of the values of the variants of an algorithm."""
    row: list[Cell] = [f"{name} ({len(members)} variants)"]
    if board.ranked:
        ranks = []
        for member in members:
            if member.rank is not None:
                ranks.append((member.rank, f"{member.rank:.2f}"))
        row.append(_range_cell(ranks))
    for place in range(len(board.columns)):
        values = []
        for member in members:
            score = member.scores[place]
            if score.value is not None:
                values.append((score.value, score.text))
        row.append(_range_cell(values))
    return row


def _range_cell(values: Sequence[tuple[float, str]]) -> Cell:
    """The smallest and the largest of numbers with their texts; None if there are none."""
    if not values:
        return None
    lowest, lowest_text = min(values)
    _, highest_text = max(values)
    # The spread of repetitions has no room.
    start = lowest_text.partition(" ± ")[0]
    end = highest_text.partition(" ± ")[0]
    if start != end:
        return [f"{start} to {end}", short(lowest)]
    return [start, short(lowest)]


# ---- Rows ----------------------------------------------------------------------------------------


def means_table(results: Results) -> dict[str, Any]:
    """One row per algorithm, data set, oracle, budget and checkpoint."""
    places = _Places(results)
    header = places.columns()
    n_names = _count_visible(header)
    header.append("done")
    for metric in results.metrics:
        header.append(metric_column(metric))
        # These are only in the CSV.
        header.append({"label": f"{metric.label} std", "hidden": True})
        header.append({"label": f"{metric.label} n", "hidden": True})
    rows = []
    for group in results.run_groups:
        row = places.cells(group)
        row.append(_done_cell(group))
        for metric in results.metrics:
            summary = group.summary(metric)
            cell = average_cell(group, metric) or _missing_cell(group, metric)
            row += [cell, short(summary.std), summary.n]
        rows.append(row)
    return {**make_table("row", header, rows), "names": n_names}


def _done_cell(group: Group) -> list[Any]:
    """How many repetitions have a result."""
    n_done = int((group.outcomes.column("status") == "ok").sum())
    count = len(group.outcomes)
    cell: list[Any] = [f"{n_done} of {count}", n_done / count]
    if n_done != count:
        cell.append({"badge": "bad"})
    return cell


def _missing_cell(group: Group, metric: MetricInfo) -> Cell:
    """The first reason why a metric has no value; None if there is none."""
    for _, value in sorted(group.values(metric).special_values.items()):
        if value.reason:
            return ["n/a", None, {"note": value.reason}]
    return None


def cells_table(results: Results, most_rows: int = MOST_ROWS) -> dict[str, Any]:
    """One row per cell and checkpoint; of very many, the failures and the first repetitions."""
    places = _Places(results)
    header = places.columns()
    # A row is identified by its repetition, too.
    n_names = _count_visible(header) + 1
    header.append("repetition")
    header += [{"label": "status", "filter": True}, "cell", {"label": "seed", "hidden": True}]
    for metric in results.metrics:
        header.append(metric_column(metric))
    most = max(1, most_rows // len(results.run_groups))
    rows = []
    for group in results.run_groups:
        place = places.cells(group)
        values = [(metric, group.values(metric)) for metric in results.metrics]
        failed = group.outcomes.failed
        for i in range(len(failed)):
            # Failures are what a reader looks for in single cells.
            if i >= most and not failed[i]:
                continue
            row = place + _outcome_cells(group.outcomes[i])
            for metric, values_of_metric in values:
                row.append(_value_cell(values_of_metric[i].value, metric))
            rows.append(row)
    return {**make_table("cell", header, rows), "names": n_names}


def _outcome_cells(outcome: Outcome) -> list[Cell]:
    """The repetition, the status, the key and the seed of a cell."""
    status: Cell = outcome.status
    if outcome.status != "ok":
        badge = {"badge": "bad", "note": outcome.reason or "unknown reason"}
        status = [outcome.status, outcome.status, badge]
    # A seed may have more digits than the numbers of a script.
    return [outcome.repetition, status, outcome.key[:KEY_LENGTH], str(outcome.seed)]


def _value_cell(value: float | None, metric: MetricInfo) -> Cell:
    if value is None:
        return None
    return [format_spread(value, None, metric.unit, metric.interval), short(value)]


def _count_visible(columns: Sequence[Column]) -> int:
    """How many columns are shown, and not only filtered and exported."""
    return sum("hidden" not in column for column in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class _VaryingParameter:
    """A parameter with several values.

    Attributes
    ----------
    kind : {"dataset", "oracle", "algorithm"}
        Whose parameter it is.
    name : str
    texts : dict of str to str
        The text of the value of each label that has it.
    """

    kind: str
    name: str
    texts: dict[str, str]


#: Points of a group with the titles of their columns, and what is shown where there is none.
_POINTS = {
    "oracle": ("oracle", NOTHING),
    "budget": ("budget", "none"),
    "checkpoint": ("after queries", "end"),
}


class _Places:
    """The cells that identify groups: labels and, where they vary, points and parameters.

    Parameters
    ----------
    results : Results
    """

    def __init__(self, results: Results) -> None:
        self.results = results
        self.keys = []
        for key in _POINTS:
            points = {getattr(group, key) for group in results.run_groups}
            # "" is that of algorithms without an oracle.
            if len(points - {""}) > 1:
                self.keys.append(key)
        self.parameters = list(_varying_parameters(results))

    def columns(self) -> list[Column]:
        """The columns, all of which are filters; parameters are nothing else."""
        labels = ["algorithm", "data set"]
        for key in self.keys:
            title, _ = _POINTS[key]
            labels.append(title)
        columns: list[Column] = [{"label": label, "filter": True} for label in labels]
        for parameter in self.parameters:
            label = f"{parameter.name} of {parameter.kind.replace('dataset', 'data set')}"
            columns.append({"label": label, "filter": True, "hidden": True})
        return columns

    def cells(self, group: Group) -> list[Cell]:
        """The cells of a group that ran."""
        algorithm: Cell = group.algorithm
        notes = self._notes(group)
        if notes:
            algorithm = [group.algorithm, group.algorithm, {"note": "; ".join(notes)}]
        cells: list[Cell] = [algorithm, group.dataset]
        for key in self.keys:
            cells.append(_point_cell(getattr(group, key), key))
        for parameter in self.parameters:
            # A label without the parameter has an empty cell.
            cells.append(parameter.texts.get(getattr(group, parameter.kind)))
        return cells

    def _notes(self, group: Group) -> list[str]:
        """What is to be known about the results of a group, each once."""
        notes = []
        if self.results.is_reference(group):
            notes.append("a reference, which is not ranked")
        informed = self.results.informed(group)
        if informed:
            notes.append(informed)
        notes_of_outcomes: dict[str, None] = {}
        for some in group.outcomes.column("notes"):
            notes_of_outcomes |= dict.fromkeys(some)
        return notes + list(notes_of_outcomes)


def _point_cell(point: str | int | None, key: str) -> Cell:
    """An oracle, a budget or a checkpoint."""
    if isinstance(point, int):
        return [f"{point:,}", point]
    if point:
        return point
    _, text = _POINTS[key]
    return [text, None]


def _varying_parameters(results: Results) -> Iterator[_VaryingParameter]:
    """The parameters of data sets, oracles and algorithms with several values."""
    for kind in ("dataset", "oracle", "algorithm"):
        labels_of_groups = [getattr(group, kind) for group in results.run_groups]
        labels = labels_of(results, kind, labels_of_groups)
        texts: dict[str, dict[str, str]] = {}
        for text, label in labels.items():
            for name, value in label.params.items():
                texts.setdefault(name, {})[text] = format_value(value)
        # A parameter with one value distinguishes nothing.
        for name, texts_of_labels in texts.items():
            if len(set(texts_of_labels.values())) > 1:
                yield _VaryingParameter(kind=kind, name=name, texts=texts_of_labels)


# ---- Claims and ranks ----------------------------------------------------------------------------

#: Styles of verdicts on a page; others are plain.
_BADGES = {
    "reproduced": "good",
    "differs": "bad",
    "erratum confirmed": "odd",
    "erratum refuted": "bad",
}


def verdict_badge(word: str) -> str:
    """The style of a verdict."""
    return _BADGES.get(word, "plain")


def claims_table(results: Results) -> dict[str, Any]:
    """The claims of the suite with their verdicts; a family opens to its members."""
    header: list[Column] = [
        {"label": "claim", "wide": True},
        "paper",
        "measured, 95 % interval",
        {"label": "verdict", "filter": True},
        {"label": "note", "wide": True},
    ]
    rows = []
    kinds = []
    for family in results.judged_families:
        if not family.is_single:
            rows.append(_family_of_claims_row(family))
            kinds.append("family")
        for verdict in family.verdicts:
            rows.append(_claim_row(verdict))
            if family.is_single:
                kinds.append("")
            else:
                kinds.append("variant")
    return {**make_table("claim", header, rows), "page": 10, "kinds": kinds}


def _family_of_claims_row(family: FamilyVerdict) -> list[Cell]:
    """A claim about several algorithms or data sets."""
    # The badge is that of the verdict on all members, if they have the same.
    words = list(family.counts)
    word = ""
    if len(words) == 1:
        word = words[0]
    # A range of means has no number to be sorted by.
    measured: Cell = None
    if family.measured:
        measured = [family.measured, None]
    return [
        family.claim.claim,
        describe_claimed(family.claim),
        measured,
        [family.verdict, family.verdict, {"badge": verdict_badge(word)}],
        "; ".join(family.notes),
    ]


def _claim_row(verdict: Verdict) -> list[Cell]:
    measured: Cell = None
    text = describe_measured(verdict)
    if text:
        measured = [text, short(verdict.measured)]
    word = verdict.verdict
    return [
        verdict.claim.claim,
        describe_claimed(verdict.claim),
        measured,
        [word, word, {"badge": verdict_badge(word)}],
        verdict.note,
    ]


def pairs_table(ranking: Ranking) -> dict[str, Any]:
    """The test of all pairs that decides."""
    header = ["better rank", "than", "difference of ranks"]
    # Nemenyi's test has no p of a pair.
    has_p = ranking.test == "holm"
    if has_p:
        header.append("p, Holm-corrected")
    header.append(f"differs: {TESTS[ranking.test]}")
    rows = []
    for pair in ranking.pairs:
        difference = [f"{pair.rank_difference:.2f}", short(pair.rank_difference)]
        row: list[Cell] = [pair.first, pair.second, difference]
        if has_p:
            p_cell = None
            if pair.p_holm is not None:
                p_cell = [f"{pair.p_holm:.2g}", short(pair.p_holm)]
            row.append(p_cell)
        differs = "no"
        if pair.differs:
            differs = "yes"
        row.append(differs)
        rows.append(row)
    return {**make_table("pair", header, rows), "page": 10}
