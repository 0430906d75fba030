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
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import axes_of
from hcbench.analysis.ranking_texts import significance_lines
from hcbench.analysis.ranks import profile
from hcbench.analysis.tradeoffs import tradeoff
from hcbench.analysis.views import curves, scaling
from hcbench.errors import HcbenchError
from hcbench.figures.charts import curve_chart, exponent_text, profile_chart
from hcbench.figures.tradeoff_charts import tradeoff_chart
from hcbench.pages.report.charts import draw_chart, draw_ranks
from hcbench.pages.report.figures import BASE, DARK, Cell, make_table, sentence, short
from hcbench.pages.report.leaderboards import (
    make_leaderboard,
    make_rankboard,
    make_scoreboard,
)
from hcbench.pages.report.tables import (
    MOST_ROWS,
    cells_table,
    claims_table,
    leaderboard_table,
    means_table,
    pairs_table,
)

if TYPE_CHECKING:
    from hcbench.analysis.ranks import Ranking
    from hcbench.analysis.views import CurveView
    from hcbench.pages.report.contents import Contents
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results

#: A data set and an algorithm, and the figure of their tree.
Tree = tuple[list[str], dict[str, Any]]
#: What is shown in a section, as in the description of this module.
Block = dict[str, Any]
#: A value of each control, and what is shown for them.
View = tuple[Sequence[str], Sequence[Block]]

#: The choice that shows average ranks instead of the values of one metric.
ALL_RANKS = "average ranks by all metrics"
_MOST_TOGETHER = 6  # data sets in one figure of quality and cost
_MOST_POINTS = 1000  # in figures of one data set each
_MOST_PAIRS = 55  # algorithms whose pairs are listed
_MOST_EXCLUDED = 3  # blocks that are named


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
        # A page without figures does not load plotly.
        self.data |= {"base": BASE, "dark": DARK}
        self.data["figures"].setdefault(name, figure)
        return {"figure": name}

    def add(self, name: str, controls: Sequence[str], views: Iterable[View]) -> None:
        """Add a section, if it shows anything."""
        filled_views = []
        for values, blocks in views:
            if blocks:
                filled_views.append([list(values), list(blocks)])
        if filled_views:
            self.data["sections"][name] = {"controls": list(controls), "views": filled_views}


def describe_page(
    contents: Contents,
    trees: Sequence[Tree] = (),
    without: str = "",
    most_rows: int = MOST_ROWS,
) -> dict[str, Any]:
    """The data of a page.

    Parameters
    ----------
    contents : Contents
    trees : sequence of (list of str, dict)
        The data set and the algorithm of each tree, and its figure.
    without : str
        Which trees are not shown.
    most_rows : int
        Of the table of cells; of more, the first repetitions and all failures are shown.
    """
    results = contents.results
    page = Sections(f"{results.suite.name or 'run'}-{contents.run.id}")
    # The order of the sections is that of the menu.
    if results.judged:
        _add_claims(page, results)
    if results.run_groups:
        _add_leaderboard(page, results)
        _add_ranks(page, results)
        _add_curves(page, results)
        _add_growth(page, results)
    _add_trees(page, trees, without)
    if results.run_groups:
        _add_rows(page, results, most_rows)
    return page.data


def _add_claims(page: Sections, results: Results) -> None:
    blocks: list[Block] = [page.table("claims", claims_table(results))]
    if results.false_verdicts.by_interval:
        blocks.append({"lines": [sentence(results.false_verdicts.text)]})
    page.add("claims", (), [((), blocks)])


def _add_trees(page: Sections, trees: Sequence[Tree], without: str) -> None:
    views: list[View] = []
    for (dataset, name), tree in trees:
        blocks: list[Block] = [page.figure(f"tree of {name} on {dataset}", tree)]
        if without:
            blocks.append({"lines": [without]})
        views.append(((dataset, name), blocks))
    page.add("trees", ("Data set", "Algorithm"), views)


# ---- Leaderboard ---------------------------------------------------------------------------------


def make_leaderboards(results: Results) -> list[tuple[MetricInfo, dict[str, Any]]]:
    """The leaderboard by each metric; on one data set all are the same table.

    The metric that the suite names first leads, and then quality comes before costs, of which those
    come last that fewer than half of the groups have.
    """
    metrics = _leading_metrics(results)
    datasets = {group.dataset for group in results.run_groups}
    if len(datasets) == 1:
        table = leaderboard_table(make_scoreboard(results))
        return [(metric, table) for metric in metrics]
    boards = []
    for metric in metrics:
        boards.append((metric, leaderboard_table(make_leaderboard(results, metric))))
    return boards


def _leading_metrics(results: Results) -> list[MetricInfo]:
    """The metrics in the order of their leaderboards."""
    first = results.suite.metrics[:1]
    rare_below = len(results.groups) / 2

    def rank(metric: MetricInfo) -> tuple[bool, bool, bool]:
        """Where the metric belongs: False comes before True."""
        is_rare = False
        if metric.cost:
            n_groups = 0
            for group in results.groups:
                if group.numbers(metric):
                    n_groups += 1
            is_rare = n_groups < rare_below
        return metric.label not in first, metric.cost, is_rare

    return sorted(results.metrics, key=rank)


def _add_leaderboard(page: Sections, results: Results) -> None:
    boards = make_leaderboards(results)
    costs = []
    for metric, _ in boards:
        if metric.cost:
            costs.append(metric)
    # On one data set all metrics share one table.
    different_boards = {id(board) for _, board in boards}
    is_shared = len(different_boards) < len(boards)
    views: list[View] = []
    for metric, board in boards:
        name = f"leaderboard {metric.label}"
        if is_shared:
            name = "leaderboard"
        table = page.table(name, {**board, "state": "leaderboard"})
        tradeoffs = []
        if not metric.cost:
            tradeoffs = _draw_tradeoffs(page, results, metric, costs)
        for cost, dataset, figure in tradeoffs:
            views.append(((metric.label, cost, dataset), [table, figure]))
        # The shared table is not repeated for a metric that has nothing else to show.
        if not tradeoffs and not (is_shared and views):
            views.append(((metric.label, "", ""), [table]))
    rankboard = make_rankboard(results)
    if rankboard is not None:
        table = page.table("average ranks", leaderboard_table(rankboard))
        views.append(((ALL_RANKS, "", ""), [table]))
    page.add("leaderboard", ("Metric", "Cost", "Data set of the figure"), views)


def _draw_tradeoffs(
    page: Sections, results: Results, metric: MetricInfo, costs: Sequence[MetricInfo]
) -> list[tuple[str, str, dict[str, str]]]:
    """Figures of a metric against each cost: the cost, the data set or "", and the figure."""
    figures = []
    for cost in costs:
        try:
            view = tradeoff(results, metric.label, cost.label)
        except HcbenchError:
            # Nothing has both the metric and the cost.
            continue
        views = {"": view}
        note = ""
        n_datasets = len(view.panels)
        if n_datasets > _MOST_TOGETHER:
            # A figure for each of the first data sets, as long as the page stays small.
            sizes = [len(panel.points) for panel in view.panels]
            largest = max(sizes)
            most = max(_MOST_POINTS // largest, 1)
            views = {}
            for panel in view.panels[:most]:
                views[panel.dataset] = replace(view, panels=(panel,))
            if n_datasets > most:
                note = f"Only the first {most} of {n_datasets} data sets have a figure."
        for dataset, view_of_dataset in views.items():
            name = f"{metric.label} against {cost.label} {dataset}".strip()
            chart = tradeoff_chart(view_of_dataset, results)
            figure = page.figure(name, draw_chart(chart, note))
            figures.append((cost.label, dataset, figure))
    return figures


# ---- Ranks ---------------------------------------------------------------------------------------


def _add_ranks(page: Sections, results: Results) -> None:
    views: list[View] = []
    for ranking in results.rankings:
        if ranking.is_shown:
            views.append(((ranking.metric.label,), _rank_blocks(page, results, ranking)))
    page.add("ranks", ("Metric",), views)


def _rank_blocks(page: Sections, results: Results, ranking: Ranking) -> list[Block]:
    """The ranks by a metric, their profile and, of not too many algorithms, the tests of pairs."""
    label = ranking.metric.label
    figure = page.figure(f"ranks {label}", draw_ranks(ranking, results))
    blocks: list[Block] = [{"lines": _rank_lines(ranking)}, figure]
    # A metric with values of both signs has no profile.
    with suppress(HcbenchError):
        chart = draw_chart(profile_chart(profile(results, label), results))
        blocks.append({"title": "Performance profile"})
        blocks.append(page.figure(f"profile {label}", chart))
    if ranking.test and len(ranking.competitors) <= _MOST_PAIRS:
        blocks.append({"title": "Pairwise tests"})
        blocks.append(page.table(f"pairs {label}", pairs_table(ranking)))
    return blocks


def _rank_lines(ranking: Ranking) -> list[str]:
    """What the tests say, and which blocks are not ranked."""
    lines = list(map(sentence, significance_lines(ranking)))
    for block in ranking.excluded[:_MOST_EXCLUDED]:
        lines.append(f"Excluded: {block.block}: {block.reason}.")
    n_more = len(ranking.excluded) - _MOST_EXCLUDED
    if n_more > 0:
        lines.append(f"Excluded: {n_more} more.")
    return lines


# ---- Curves and growth ---------------------------------------------------------------------------


def _add_curves(page: Sections, results: Results) -> None:
    views: list[View] = []
    for axis in axes_of(results):
        if axis.kind == "n":
            # Sizes have a section of their own: growth.
            continue
        along = axis.title
        if "." in axis.id:
            # A name that parameters of several kinds have.
            along = f"{axis.name} of {axis.kind.replace('dataset', 'data set')}"
        for metric in results.metrics:
            # Not every metric has values at two places of the axis.
            with suppress(HcbenchError):
                view = curves(results, axis.id, metric.label)
                name = f"{metric.label} along {axis.id}"
                figure = page.figure(name, draw_chart(curve_chart(view, results)))
                views.append(((along, metric.label), [figure]))
    page.add("curves", ("Along", "Metric"), views)


def _add_growth(page: Sections, results: Results) -> None:
    kinds = {axis.kind for axis in axes_of(results)}
    if "n" not in kinds:
        # All data sets have one size.
        return
    views: list[View] = []
    for metric in results.metrics:
        if not metric.cost:
            continue
        with suppress(HcbenchError):
            view = scaling(results, metric.label, "n")
            rows = _exponent_rows(view)
            # A few sizes of different data show no growth.
            if not rows:
                continue
            header = ["algorithm", "panel", "exponent [95 % interval]", "sizes"]
            table = make_table("fit", header, rows)
            chart = draw_chart(curve_chart(view, results, growth=True))
            blocks = [
                page.figure(f"growth of {metric.label}", chart),
                page.table(f"exponents of {metric.label}", table),
            ]
            views.append(((metric.label,), blocks))
    page.add("growth", ("Cost",), views)


def _exponent_rows(view: CurveView) -> list[list[Cell]]:
    """A row for each power law."""
    rows: list[list[Cell]] = []
    for panel in view.panels:
        for line in panel.lines:
            if line.fit is None:
                continue
            exponent = [exponent_text(line.fit), short(line.fit.exponent)]
            rows.append([line.name, panel.title, exponent, line.fit.n_points])
    return rows


# ---- Rows ----------------------------------------------------------------------------------------


def _add_rows(page: Sections, results: Results, most_rows: int) -> None:
    table = cells_table(results, most_rows)
    blocks: list[Block] = []
    n_outcomes = 0
    for group in results.run_groups:
        n_outcomes += len(group.outcomes)
    n_hidden = n_outcomes - len(table["rows"])
    if n_hidden:
        line = (
            f"The first repetitions and all failures: {n_hidden:,} more are in the store, which "
            f"hcbench results show --format csv prints."
        )
        blocks.append({"lines": [line]})
    blocks.append(page.table("cells", table))
    views: list[View] = [(("each repetition",), blocks)]
    repetitions = [len(group.outcomes) for group in results.groups]
    if max(repetitions) > 1:
        # The first view is the one that a reader sees first.
        views.insert(0, (("means",), [page.table("means", means_table(results))]))
    page.add("rows", ("Rows",), views)
