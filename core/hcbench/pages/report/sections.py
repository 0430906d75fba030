"""The sections of a report, as plain values: tables and figures, and the choices between them.

A section has ``controls`` and ``views``: pairs of a value of each control and the blocks that are
shown for them. A block is ``{"table": id}``, ``{"figure": id}``, ``{"title": text}`` or
``{"lines": texts}``. A section without views is not on the page. The script of the page sorts,
filters and pages tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import axes_of, labels_of
from hcbench.analysis.ranks import TESTS, profile, significance_lines
from hcbench.analysis.tables import ARROWS, NOTHING, TableEntry, format_numbers, format_spread
from hcbench.analysis.views import curves, scaling, tradeoff
from hcbench.claims.family_verdicts import FamilyVerdict
from hcbench.claims.verdicts import Verdict, describe_claimed, describe_measured
from hcbench.errors import HcbenchError
from hcbench.figures.charts import curve_chart, exponent_text, profile_chart, tradeoff_chart
from hcbench.pages.report.charts import draw_chart, draw_ranks
from hcbench.pages.report.figures import BASE, DARK, Cell, make_table, sentence, short
from hcbench.pages.report.leaderboards import (
    Leaderboard,
    LeaderRow,
    make_leaderboard,
    make_scoreboard,
)
from hcbench.registry.names import format_value

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.ranks import Ranking
    from hcbench.pages.report.contents import Contents
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results

Tree = tuple[list[str], dict[str, Any]]
_MOST_TOGETHER = 6  # data sets in one figure of quality and cost
_MOST_POINTS = 1000  # in figures of one data set each
_MOST_PAIRS = 55  # algorithms whose pairs are listed


class Sections:
    """Collects the data of a page.

    Parameters
    ----------
    name : str
        The beginning of the names of downloads.

    Attributes
    ----------
    data : dict
        ``sections``, ``tables`` and ``figures`` by their names, and what all figures share.
    """

    def __init__(self, name: str) -> None:
        self.data: dict[str, Any] = {"name": name, "sections": {}, "tables": {}, "figures": {}}

    def table(self, name: str, table: dict[str, Any]) -> dict[str, str]:
        """Keep a table; the block that shows it."""
        self.data["tables"].setdefault(name, table)
        return {"table": name}

    def figure(self, name: str, figure: dict[str, Any]) -> dict[str, str]:
        """Keep a figure; the block that shows it."""
        self.data |= {"base": BASE, "dark": DARK}
        self.data["figures"].setdefault(name, figure)
        return {"figure": name}

    def add(
        self,
        name: str,
        controls: Sequence[str],
        shown: Iterable[tuple[Sequence[str], Sequence[dict[str, Any]]]],
    ) -> None:
        """Add a section, if it shows anything."""
        views = [[list(values), list(blocks)] for values, blocks in shown if blocks]
        if views:
            self.data["sections"][name] = {"controls": list(controls), "views": views}


def describe_page(
    contents: Contents, trees: Sequence[Tree] = (), without: str = ""
) -> dict[str, Any]:
    """The data of a page.

    Parameters
    ----------
    contents : Contents
    trees : sequence of (list of str, dict)
        The data set and the algorithm of each tree, and its figure.
    without : str
        Which trees are not shown.
    """
    results = contents.results
    page = Sections(f"{results.suite.name or 'run'}-{contents.run.id}")
    if results.judged:
        blocks: list[dict[str, Any]] = [page.table("claims", claims_table(results))]
        if results.false_verdicts.by_interval:
            blocks.append({"lines": [sentence(results.false_verdicts.text)]})
        page.add("claims", (), [((), blocks)])
    if results.run_groups:
        _add_leaderboard(page, results)
        _add_ranks(page, results)
        _add_curves(page, results)
        _add_growth(page, results)
    notes = [{"lines": [without]}] if without else []
    page.add(
        "trees",
        ("Data set", "Algorithm"),
        [
            ((dataset, name), [page.figure(f"tree of {name} on {dataset}", tree), *notes])
            for (dataset, name), tree in trees
        ],
    )
    if results.run_groups:
        _add_rows(page, results)
    return page.data


# ---- Leaderboard ---------------------------------------------------------------------------------


def make_leaderboards(results: Results) -> list[tuple[MetricInfo, dict[str, Any]]]:
    """The leaderboard by each metric; on one data set all are the same table.

    The metric that the suite names first leads, and then quality comes before costs, of which those
    come last that fewer than half of the groups have.
    """
    quality = [m for m in results.metrics if not m.cost]
    costs = [m for m in results.metrics if m.cost]
    half = len(results.groups) / 2
    costs.sort(key=lambda cost: sum(bool(g.numbers(cost)) for g in results.groups) < half)
    metrics = sorted([*quality, *costs], key=lambda m: m.label not in results.suite.metrics[:1])
    if len({group.dataset for group in results.run_groups}) == 1:
        table = leaderboard_table(make_scoreboard(results))
        return [(metric, table) for metric in metrics]
    return [(metric, leaderboard_table(make_leaderboard(results, metric))) for metric in metrics]


def _add_leaderboard(page: Sections, results: Results) -> None:
    boards = make_leaderboards(results)
    costs = [metric for metric, _ in boards if metric.cost]
    alone = len({id(board) for _, board in boards}) < len(boards)
    shown: list[Any] = []
    for metric, board in boards:
        name = "leaderboard" if alone else f"leaderboard {metric.label}"
        table = page.table(name, {**board, "state": "leaderboard"})
        drawn = [] if metric.cost else _draw_tradeoffs(page, results, metric, costs)
        if alone and not drawn and shown:
            continue
        for cost, dataset, figure in drawn:
            shown.append(((metric.label, cost, dataset), [table, figure]))
        if not drawn:
            shown.append(((metric.label, "", ""), [table]))
    page.add("leaderboard", ("Metric", "Cost", "Data set of the figure"), shown)


def _draw_tradeoffs(
    page: Sections, results: Results, metric: MetricInfo, costs: Sequence[MetricInfo]
) -> list[tuple[str, str, dict[str, str]]]:
    """Figures of a metric against each cost; of many data sets one for each of the first."""
    drawn = []
    for cost in costs:
        try:
            view = tradeoff(results, metric.label, cost.label)
        except HcbenchError:
            continue
        parts, note = [("", view)], ""
        if len(view.panels) > _MOST_TOGETHER:
            most = max(_MOST_POINTS // max(len(panel.points) for panel in view.panels), 1)
            parts = [(p.dataset, replace(view, panels=(p,))) for p in view.panels[:most]]
            if len(view.panels) > most:
                note = f"Only the first {most} of {len(view.panels)} data sets have a figure."
        for title, part in parts:
            name = f"{metric.label} against {cost.label} {title}".strip()
            figure = page.figure(name, draw_chart(tradeoff_chart(part, results), note))
            drawn.append((cost.label, title, figure))
    return drawn


# ---- Ranks, curves, growth, rows -----------------------------------------------------------------


def _add_ranks(page: Sections, results: Results) -> None:
    shown = []
    for ranking in results.rankings:
        if not ranking.is_shown:
            continue
        label = ranking.metric.label
        lines = [sentence(line) for line in significance_lines(ranking)]
        lines += [f"Excluded: {block.block}: {block.reason}." for block in ranking.excluded[:3]]
        if len(ranking.excluded) > 3:
            lines.append(f"Excluded: {len(ranking.excluded) - 3} more.")
        figure = draw_ranks(ranking, results)
        blocks: list[dict[str, Any]] = [{"lines": lines}, page.figure(f"ranks {label}", figure)]
        with suppress(HcbenchError):
            chart = draw_chart(profile_chart(profile(results, label), results))
            blocks += [{"title": "Performance profile"}, page.figure(f"profile {label}", chart)]
        if ranking.test and len(ranking.competitors) <= _MOST_PAIRS:
            pairs = page.table(f"pairs {label}", pairs_table(ranking))
            blocks += [{"title": "Pairwise tests"}, pairs]
        shown.append(((label,), blocks))
    page.add("ranks", ("Metric",), shown)


def _add_curves(page: Sections, results: Results) -> None:
    shown = []
    others = [axis for axis in axes_of(results) if axis.kind != "n"]  # see growth
    for axis, metric in product(others, results.metrics):
        with suppress(HcbenchError):
            view = curves(results, axis.id, metric.label)
            name = f"{metric.label} along {axis.id}"
            figure = page.figure(name, draw_chart(curve_chart(view, results)))
            title = f"{axis.name} of {axis.kind.replace('dataset', 'data set')}"
            along = title if "." in axis.id else axis.title
            shown.append(((along, metric.label), [figure]))
    page.add("curves", ("Along", "Metric"), shown)


def _add_growth(page: Sections, results: Results) -> None:
    shown = []
    has_sizes = any(axis.kind == "n" for axis in axes_of(results))
    for metric in results.metrics if has_sizes else ():
        if not metric.cost:
            continue
        with suppress(HcbenchError):
            view = scaling(results, metric.label, "n")
            rows = [
                [
                    line.name,
                    panel.title,
                    [exponent_text(line.fit), short(line.fit.exponent)],
                    line.fit.n_points,
                ]
                for panel in view.panels
                for line in panel.lines
                if line.fit is not None
            ]
            if rows:  # a few sizes of different data show no growth
                figure = draw_chart(curve_chart(view, results, growth=True))
                header = ["algorithm", "panel", "exponent [95 % interval]", "sizes"]
                table = make_table("fit", header, rows)
                blocks = [
                    page.figure(f"growth of {metric.label}", figure),
                    page.table(f"exponents of {metric.label}", table),
                ]
                shown.append(((metric.label,), blocks))
    page.add("growth", ("Cost",), shown)


def _add_rows(page: Sections, results: Results) -> None:
    table = cells_table(results)
    blocks: list[dict[str, Any]] = [page.table("cells", table)]
    hidden = sum(len(group.outcomes) for group in results.run_groups) - len(table["rows"])
    if hidden:
        line = (
            f"The first repetitions and all failures: {hidden:,} more are in the store, which "
            f"hcbench results show --format csv prints."
        )
        blocks.insert(0, {"lines": [line]})
    shown = [(("each repetition",), blocks)]
    if any(len(group.outcomes) > 1 for group in results.groups):
        shown.insert(0, (("means",), [page.table("means", means_table(results))]))
    page.add("rows", ("Rows",), shown)


MOST_ROWS = 10_000  # of the table of cells, which a browser still shows at once
KEY_LENGTH = 8  # characters of a key, enough for `hcbench rerun`


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


def _score_cell(board: Leaderboard, score: TableEntry) -> Cell:
    about: dict[str, Any] = {}
    if score.heat is not None:
        about["heat"] = score.heat
    if score.bold:
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
    columns, places = _places(results)
    header: list[str | dict[str, Any]] = [*columns, "done"]
    for metric in results.metrics:
        header.append(metric_column(metric))
        header += [{"label": f"{metric.label} {what}", "hidden": True} for what in ("std", "n")]
    rows = []
    for place, group in zip(places, results.run_groups, strict=True):
        ok = int((group.outcomes.column("status") == "ok").sum())
        done = [f"{ok} of {len(group.outcomes)}", ok / len(group.outcomes)]
        row: list[Cell] = [*place, [*done, {"badge": "bad"}] if done[1] != 1 else done]
        for metric in results.metrics:
            summary = group.summary(metric)
            others = sorted(group.values(metric).special_values.items())
            reason = next((value.reason for _, value in others if value.reason), "")
            missing = ["n/a", None, {"note": reason}] if reason else None
            row += [average_cell(group, metric) or missing, short(summary.std), summary.n]
        rows.append(row)
    names = sum("hidden" not in column for column in columns)
    return {**make_table("row", header, rows), "names": names}


def cells_table(results: Results) -> dict[str, Any]:
    """One row per cell and checkpoint; of very many, the failures and the first repetitions."""
    columns, places = _places(results)
    most = max(1, MOST_ROWS // len(results.run_groups))
    header: list[str | dict[str, Any]] = [*columns, "repetition"]
    header += [{"label": "status", "filter": True}, "cell", {"label": "seed", "hidden": True}]
    rows = []
    for place, group in zip(places, results.run_groups, strict=True):
        values = [(metric, group.values(metric)) for metric in results.metrics]
        failed = group.outcomes.failed
        for i in range(len(failed)):
            if i >= most and not failed[i]:
                continue
            outcome = group.outcomes[i]
            bad = {"badge": "bad", "note": outcome.reason or "unknown reason"}
            status = outcome.status
            row: list[Cell] = [*place, outcome.repetition]
            row.append(status if status == "ok" else [status, status, bad])
            row += [outcome.key[:KEY_LENGTH], str(outcome.seed)]
            row += [_value_cell(of_metric[i].value, metric) for metric, of_metric in values]
            rows.append(row)
    names = sum("hidden" not in column for column in columns) + 1
    table = make_table("cell", [*header, *map(metric_column, results.metrics)], rows)
    return {**table, "names": names}


def _value_cell(value: float | None, metric: MetricInfo) -> Cell:
    if value is None:
        return None
    return [format_spread(value, None, metric.unit, metric.interval), short(value)]


_POINTS = {
    "oracle": ("oracle", NOTHING),
    "budget": ("budget", "none"),
    "checkpoint": ("after queries", "end"),
}


def _places(results: Results) -> tuple[list[dict[str, Any]], list[list[Cell]]]:
    """Columns that identify groups, and their cells for each group that ran.

    These are the labels, the points that vary, and, as filters, the parameters that do.
    """
    groups = results.run_groups
    keys = [key for key in _POINTS if len({getattr(group, key) for group in groups} - {""}) > 1]
    parameters = _parameters(results)
    shown = ["algorithm", "data set", *(_POINTS[key][0] for key in keys)]
    columns: list[dict[str, Any]] = [{"label": label, "filter": True} for label in shown]
    for kind, name, _ in parameters:
        label = f"{name} of {kind.replace('dataset', 'data set')}"
        columns.append({"label": label, "filter": True, "hidden": True})
    places = []
    for group in groups:
        notes = ["a reference, which is not ranked"] * results.is_reference(group)
        notes += [results.informed(group)] * bool(results.informed(group))
        notes += dict.fromkeys(note for some in group.outcomes.column("notes") for note in some)
        name = group.algorithm
        place: list[Cell] = [[name, name, {"note": "; ".join(notes)}] if notes else name]
        place.append(group.dataset)
        for key in keys:
            value = getattr(group, key)
            is_number = isinstance(value, int)
            place.append([f"{value:,}", value] if is_number else value or [_POINTS[key][1], None])
        place += [texts.get(getattr(group, kind)) for kind, _, texts in parameters]
        places.append(place)
    return columns, places


def _parameters(results: Results) -> list[tuple[str, str, dict[str, str]]]:
    """Parameters with several values: the kind, the name, and the text of each label's value."""
    found = []
    for kind in ("dataset", "oracle", "algorithm"):
        labels = labels_of(results, kind, (getattr(group, kind) for group in results.run_groups))
        for name in dict.fromkeys(name for label in labels.values() for name in label.params):
            texts = {
                text: format_value(label.params[name])
                for text, label in labels.items()
                if name in label.params
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
    """The claims of the suite with their verdicts; a family opens to its members."""
    header: list[str | dict[str, Any]] = [
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
            kinds.append("" if family.is_single else "variant")
    return {**make_table("claim", header, rows), "page": 10, "kinds": kinds}


def _family_of_claims_row(family: FamilyVerdict) -> list[Any]:
    """A claim about several algorithms or data sets."""
    words = list(family.counts)
    word = words[0] if len(words) == 1 else ""
    return [
        family.claim.claim,
        describe_claimed(family.claim),
        [family.measured, None] if family.measured else None,
        [family.verdict, family.verdict, {"badge": verdict_badge(word)}],
        "; ".join(family.notes),
    ]


def _claim_row(verdict: Verdict) -> list[Any]:
    text = describe_measured(verdict)
    word = verdict.verdict
    return [
        verdict.claim.claim,
        describe_claimed(verdict.claim),
        [text, short(verdict.measured)] if text else None,
        [word, word, {"badge": verdict_badge(word)}],
        verdict.note,
    ]


def pairs_table(ranking: Ranking) -> dict[str, Any]:
    """The test of all pairs that decides."""
    header = ["better rank", "than", "difference of ranks"]
    if ranking.test == "holm":
        header.append("p, Holm-corrected")
    header.append(f"differs: {TESTS[ranking.test]}")
    rows = []
    for pair in ranking.pairs:
        row: list[Any] = [
            pair.first,
            pair.second,
            [f"{pair.rank_difference:.2f}", short(pair.rank_difference)],
        ]
        if ranking.test == "holm":
            p = pair.p_holm
            row.append(None if p is None else [f"{p:.2g}", short(p)])
        row.append("yes" if pair.differs else "no")
        rows.append(row)
    return {**make_table("pair", header, rows), "page": 10}
