"""Tables of the page, as plain values that its script sorts, filters and pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import labels_of
from hcbench.analysis.groups import KINDS
from hcbench.analysis.leaderboard import Leaderboard, LeaderRow, Score
from hcbench.analysis.tables import ARROWS, NOTHING, format_numbers, format_spread
from hcbench.analysis.verdicts import describe_claimed, describe_measured
from hcbench.registry.names import format_value

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.ranks import Ranking
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo

Cell = Any  # a text, a number, None, or [text, value to sort by, properties]
KEY_LENGTH = 8  # characters of a key, enough for `hcbench rerun`


def make_table(
    noun: str, header: Iterable[str | dict[str, Any]], rows: Iterable[Sequence[Cell]]
) -> dict[str, Any]:
    """A table.

    Parameters
    ----------
    noun : str
        What a row is.
    header : iterable of str or dict
        The labels of columns; or mappings with a ``label`` and properties: ``best``, which values
        are better; ``filter``, whether rows are filtered by it; ``hidden``, whether it is only
        filtered and exported; ``wide``, whether it has long texts.
    rows : iterable of sequence
        A cell is a text, a number, None, or a list of text, value and properties: ``href``,
        ``heat``, ``best``, ``note``, ``badge``.

    Returns
    -------
    dict
        Others may be added: ``names``, how many columns identify a row; ``page``, the rows of a
        page; ``kinds`` of rows; ``state``, the name under which choices are kept.
    """
    columns = [{"label": about} if isinstance(about, str) else about for about in header]
    return {"noun": noun, "columns": columns, "rows": [list(row) for row in rows]}


def short(value: float | None) -> float | None:
    """A number with seven digits for strict JSON; None if it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.7g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def metric_column(metric: MetricInfo) -> dict[str, Any]:
    """The column of a metric."""
    return {"label": f"{metric.label}{ARROWS[metric.direction]}", "best": metric.direction}


def average_cell(group: Group, metric: MetricInfo) -> Cell:
    """The average of a group with its spread."""
    numbers = group.numbers(metric)
    return [format_numbers(numbers, metric), short(group.average(metric))] if numbers else None


# ---- Leaderboard ---------------------------------------------------------------------------------


def leaderboard_table(board: Leaderboard) -> dict[str, Any]:
    """A leaderboard; variants of an algorithm follow a row that summarises them."""
    header: list[str | dict[str, Any]] = ["algorithm"]
    header += [{"label": "mean rank", "best": "lower"}] * board.ranked
    header += [{"label": label, "best": direction} for label, direction in board.columns]
    families: dict[str, list[LeaderRow]] = {}
    for row in board.rows:
        families.setdefault(row.family or row.name, []).append(row)
    rows, kinds = [], []
    for name, members in families.items():
        if members[0].family:
            rows.append(_family_row(board, name, members))
            kinds.append("family")
        for row in members:
            rank = [None if row.rank is None else [f"{row.rank:.2f}", short(row.rank)]]
            rows.append(
                [row.name, *rank * board.ranked, *(_score_cell(board, s) for s in row.scores)]
            )
            kinds.append("reference" if row.reference else "variant" if row.family else "")
    return {**make_table("algorithm", header, rows), "kinds": kinds}


def _score_cell(board: Leaderboard, score: Score) -> Cell:
    about: dict[str, Any] = {}
    if score.heat is not None:
        about["heat"] = score.heat
    if score.best:
        about["best"] = True
    if score.marks:
        about["note"] = "; ".join(board.notes[mark - 1] for mark in score.marks)
    cell = ["" if score.text == NOTHING else score.text, short(score.value)]
    return [*cell, about] if about else cell


def _family_row(board: Leaderboard, name: str, members: Sequence[LeaderRow]) -> list[Cell]:
    """The range of the values of the variants of an algorithm."""
    row: list[Cell] = [f"{name} ({len(members)} variants)"]
    if board.ranked:
        ranks = sorted((r.rank, f"{r.rank:.2f}") for r in members if r.rank is not None)
        row.append(_range(ranks))
    for place in range(len(board.columns)):
        scores = [row.scores[place] for row in members]
        row.append(_range(sorted((s.value, s.text) for s in scores if s.value is not None)))
    return row


def _range(values: Sequence[tuple[float, str]]) -> Cell:
    if not values:
        return None
    (low, first), (_, last) = values[0], values[-1]
    first, last = (text.partition(" ± ")[0] for text in (first, last))
    return [first if first == last else f"{first} to {last}", short(low)]


# ---- Rows ----------------------------------------------------------------------------------------


def means_table(results: Results) -> dict[str, Any]:
    """One row per algorithm, data set, oracle, budget and checkpoint."""
    groups = _run_groups(results)
    header: list[str | dict[str, Any]] = [*_place_columns(results), "done"]
    for metric in results.metrics:
        header.append(metric_column(metric))
        header += [{"label": f"{metric.label} {what}", "hidden": True} for what in ("std", "n")]
    rows = []
    for place, group in zip(_places(results, groups), groups, strict=True):
        ok = sum(o.status == "ok" for o in group.outcomes)
        done = [f"{ok} of {len(group.outcomes)}", ok / len(group.outcomes)]
        row: list[Cell] = [*place, [*done, {"badge": "bad"}] if done[1] != 1 else done]
        for metric in results.metrics:
            summary = group.summary(metric)
            reason = next((v.reason for v in group.values(metric) if v.reason), "")
            missing = ["n/a", None, {"note": reason}] if reason else None
            row += [average_cell(group, metric) or missing, short(summary.std), summary.n]
        rows.append(row)
    return {**make_table("row", header, rows), "names": _count_names(results)}


def cells_table(results: Results) -> dict[str, Any]:
    """One row per cell and checkpoint."""
    groups = _run_groups(results)
    header: list[str | dict[str, Any]] = [
        *_place_columns(results),
        "repetition",
        {"label": "status", "filter": True},
        "cell",
        {"label": "seed", "hidden": True},
        *map(metric_column, results.metrics),
    ]
    rows = []
    for place, group in zip(_places(results, groups), groups, strict=True):
        values = [(metric, group.values(metric)) for metric in results.metrics]
        for i, outcome in enumerate(group.outcomes):
            failed = {"badge": "bad", "note": outcome.reason or "unknown reason"}
            status = outcome.status
            row: list[Cell] = [
                *place,
                outcome.repetition,
                status if status == "ok" else [status, status, failed],
                outcome.key[:KEY_LENGTH],
                str(outcome.seed),
                *(_value_cell(of_metric[i].value, metric) for metric, of_metric in values),
            ]
            rows.append(row)
    return {**make_table("cell", header, rows), "names": _count_names(results) + 1}


def _value_cell(value: float | None, metric: MetricInfo) -> Cell:
    if value is None:
        return None
    return [format_spread(value, None, metric.unit, metric.interval), short(value)]


def _run_groups(results: Results) -> list[Group]:
    return [g for g in results.groups if any(o.status != "skipped" for o in g.outcomes)]


_POINTS = {"budget": ("budget", "none"), "checkpoint": ("after queries", "end")}


def _place_columns(results: Results) -> list[dict[str, Any]]:
    """Columns that identify a group: labels, points that vary, and parameters as filters."""
    columns: list[dict[str, Any]] = [
        {"label": "algorithm", "filter": True},
        {"label": "data set", "filter": True},
    ]
    columns += [{"label": "oracle", "filter": True}] * _varies(results, "oracle")
    for key, (label, _) in _POINTS.items():
        columns += [{"label": label, "filter": True}] * _varies(results, key)
    for kind, name, _ in _parameters(results):
        label = f"{name} of {kind.replace('dataset', 'data set')}"
        columns.append({"label": label, "filter": True, "hidden": True})
    return columns


def _count_names(results: Results) -> int:
    """The number of shown columns that identify a group."""
    return sum("hidden" not in column for column in _place_columns(results))


def _places(results: Results, groups: Sequence[Group]) -> list[list[Cell]]:
    parameters = _parameters(results)
    varies = {key: _varies(results, key) for key in ("oracle", *_POINTS)}
    places = []
    for group in groups:
        notes = ["a reference, which is not ranked"] * results.is_reference(group)
        notes += [results.informed(group)] * bool(results.informed(group))
        notes += dict.fromkeys(note for o in group.outcomes for note in o.notes)
        name = group.algorithm
        place: list[Cell] = [[name, name, {"note": "; ".join(notes)}] if notes else name]
        place.append(group.dataset)
        place += [group.oracle or NOTHING] * varies["oracle"]
        for key, (_, nothing) in _POINTS.items():
            value = getattr(group, key)
            text = nothing if value is None else f"{value:,}"
            place += [[text, value]] * varies[key]
        place += [texts.get(getattr(group, kind)) for kind, _, texts in parameters]
        places.append(place)
    return places


def _varies(results: Results, key: str) -> bool:
    return len({getattr(group, key) for group in _run_groups(results)} - {""}) > 1


def _parameters(results: Results) -> list[tuple[str, str, dict[str, str]]]:
    """Parameters with several values: the kind, the name, and the text of each label's value."""
    found = []
    for kind in KINDS:
        labels = dict.fromkeys(getattr(group, kind) for group in _run_groups(results))
        names = labels_of(results, kind, labels)
        for name in dict.fromkeys(key for label in labels for key in names[label].params):
            texts = {
                label: format_value(names[label].params[name])
                for label in labels
                if name in names[label].params
            }
            if len(set(texts.values())) > 1:
                found.append((kind, name, texts))
    return found


# ---- Claims and ranks ----------------------------------------------------------------------------

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
    """The claims of the suite with their verdicts."""
    header: list[str | dict[str, Any]] = [
        {"label": "claim", "wide": True},
        "paper",
        "measured, 95 % interval",
        {"label": "verdict", "filter": True},
        {"label": "note", "wide": True},
    ]
    rows = []
    for verdict in results.judged:
        text = describe_measured(verdict)
        measured = [text, short(verdict.measured)] if text else None
        word = verdict.verdict
        rows.append(
            [
                verdict.claim.claim,
                describe_claimed(verdict.claim),
                measured,
                [word, word, {"badge": verdict_badge(word)}],
                verdict.note,
            ]
        )
    return {**make_table("claim", header, rows), "page": 10}


def pairs_table(ranking: Ranking) -> dict[str, Any]:
    """The tests of all pairs."""
    header = ["better rank", "than", "difference of ranks"]
    header += ["differs by Nemenyi", "p, Holm-corrected", "differs by signed ranks"]
    rows = [
        [
            pair.first,
            pair.second,
            [f"{pair.rank_difference:.2f}", short(pair.rank_difference)],
            "yes" if pair.nemenyi_differs else "no",
            None if pair.p_holm is None else [f"{pair.p_holm:.2g}", short(pair.p_holm)],
            "yes" if pair.differs else "no",
        ]
        for pair in ranking.pairs
    ]
    return {**make_table("pair", header, rows), "page": 10}
