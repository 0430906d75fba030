"""The sections of a report, as plain values: tables and figures, and the choices between them.

A section has ``controls`` and ``views``: pairs of a value of each control and the blocks that are
shown for them. A block is ``{"table": id}``, ``{"figure": id}``, ``{"title": text}`` or
``{"lines": texts}``. A section without views is not on the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from hcbench.analysis import axes, ranks, views
from hcbench.analysis.leaderboard import make_leaderboard, make_scoreboard
from hcbench.errors import HcbenchError
from hcbench.show.report import charts, tables
from hcbench.show.report.figures import BASE, DARK, sentence
from hcbench.show.report.tables import make_table, short

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.analysis.views import TradeoffView
    from hcbench.plan.presentation import MetricInfo
    from hcbench.show.report.contents import Contents

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
        page.add("claims", (), [((), [page.table("claims", tables.claims_table(results))])])
    if any(o.status != "skipped" for o in results.outcomes):
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
    if any(o.status != "skipped" for o in results.outcomes):
        _add_rows(page, results)
    return page.data


# ---- Leaderboard ---------------------------------------------------------------------------------


def make_leaderboards(results: Results) -> list[tuple[MetricInfo, dict[str, Any]]]:
    """The leaderboard by each metric, quality first; on one data set all are the same table."""
    quality = [m for m in results.metrics if not m.cost]
    costs = [m for m in results.metrics if m.cost]
    costs.sort(key=lambda cost: -sum(bool(group.numbers(cost)) for group in results.groups))
    if len({o.dataset for o in results.outcomes if o.status != "skipped"}) == 1:
        table = tables.leaderboard_table(make_scoreboard(results))
        return [(metric, table) for metric in [*quality, *costs]]
    return [
        (metric, tables.leaderboard_table(make_leaderboard(results, metric)))
        for metric in [*quality, *costs]
    ]


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
            view = views.tradeoff(results, metric.label, cost.label)
        except HcbenchError:
            continue
        for title, part in _parts(view):
            name = f"{metric.label} against {cost.label} {title}".strip()
            figure = page.figure(name, charts.draw_tradeoff(part, results))
            drawn.append((cost.label, title, figure))
    return drawn


def _parts(view: TradeoffView) -> list[tuple[str, TradeoffView]]:
    if len(view.panels) <= _MOST_TOGETHER:
        return [("", view)]
    most = max(_MOST_POINTS // max(len(panel.points) for panel in view.panels), 1)
    return [(panel.dataset, replace(view, panels=(panel,))) for panel in view.panels[:most]]


# ---- Ranks, curves, growth, rows -----------------------------------------------------------------


def _add_ranks(page: Sections, results: Results) -> None:
    shown = []
    for ranking in results.rankings:
        if ranking.inference.reason:
            continue
        label = ranking.metric.label
        lines = [sentence(line) for line in ranks.significance_lines(ranking)]
        lines += [f"Excluded: {block.block}: {block.reason}." for block in ranking.excluded[:3]]
        if len(ranking.excluded) > 3:
            lines.append(f"Excluded: {len(ranking.excluded) - 3} more.")
        figure = charts.draw_ranks(ranking, results)
        blocks: list[dict[str, Any]] = [{"lines": lines}, page.figure(f"ranks {label}", figure)]
        with suppress(HcbenchError):
            profile = charts.draw_profile(ranks.profile(results, label), results)
            blocks += [{"title": "Performance profile"}, page.figure(f"profile {label}", profile)]
        if len(ranking.competitors) <= _MOST_PAIRS:
            pairs = page.table(f"pairs {label}", tables.pairs_table(ranking))
            blocks += [{"title": "Pairwise tests"}, pairs]
        shown.append(((label,), blocks))
    page.add("ranks", ("Metric",), shown)


def _add_curves(page: Sections, results: Results) -> None:
    shown = []
    others = [axis for axis in axes.axes_of(results) if axis.kind != "n"]  # see growth
    for axis, metric in product(others, results.metrics):
        with suppress(HcbenchError):
            view = views.curves(results, axis.id, metric.label)
            name = f"{metric.label} along {axis.id}"
            figure = page.figure(name, charts.draw_curves(view, results))
            title = f"{axis.name} of {axis.kind.replace('dataset', 'data set')}"
            along = title if "." in axis.id else axis.title
            shown.append(((along, metric.label), [figure]))
    page.add("curves", ("Along", "Metric"), shown)


def _add_growth(page: Sections, results: Results) -> None:
    shown = []
    if any(axis.kind == "n" for axis in axes.axes_of(results)):
        for metric in results.metrics:
            if not metric.cost:
                continue
            with suppress(HcbenchError):
                view = views.scaling(results, metric.label, "n")
                if not any(line.fit for panel in view.panels for line in panel.lines):
                    continue  # a few sizes of different data show no growth
                figure = charts.draw_curves(view, results, growth=True)
                blocks = [page.figure(f"growth of {metric.label}", figure)]
                rows = [
                    [
                        line.name,
                        panel.title,
                        [charts.exponent(line.fit), short(line.fit.exponent)],
                        line.fit.n_points,
                    ]
                    for panel in view.panels
                    for line in panel.lines
                    if line.fit is not None
                ]
                if rows:
                    header = ["algorithm", "panel", "exponent [95 % interval]", "sizes"]
                    table = make_table("fit", header, rows)
                    blocks.append(page.table(f"exponents of {metric.label}", table))
                shown.append(((metric.label,), blocks))
    page.add("growth", ("Cost",), shown)


def _add_rows(page: Sections, results: Results) -> None:
    shown = [(("each repetition",), [page.table("cells", tables.cells_table(results))])]
    if any(len(group.outcomes) > 1 for group in results.groups):
        shown.insert(0, (("means",), [page.table("means", tables.means_table(results))]))
    page.add("rows", ("Rows",), shown)
