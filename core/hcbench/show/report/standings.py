"""Rankings and the growth of costs, from `analysis.views`, as data of the page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Any

from hcbench.analysis import views
from hcbench.analysis.views.tradeoffs import find_fronts
from hcbench.errors import HcbenchError
from hcbench.show.report.cells import short

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.analysis.views.curves import CurveView, Line
    from hcbench.analysis.views.ranks import Ranking

MOST_PAIRS = 1500  # pairs of 55 algorithms


def why_unranked(results: Results) -> str:
    """Why no metric of quality gives a ranking; "" if one does."""
    if results.rankings:
        return ""
    for metric in results.metrics:
        if not metric.cost and metric.direction != "none":
            try:
                views.ranking(results, metric.label)
            except HcbenchError as error:
                return _sentence(str(error))
    return "No metric of quality was measured, so there is nothing to rank by."


def describe_standings(results: Results) -> dict[str, Any]:
    """All rankings with tests and profiles."""
    described = [_describe(results, ranking) for ranking in results.rankings]
    return {"views": described, "reason": why_unranked(results)}


def _describe(results: Results, ranking: Ranking) -> dict[str, Any]:
    return {
        "metric": results.metrics.index(ranking.metric),
        "competitors": list(ranking.competitors),
        "algorithms": _algorithms(results, ranking.competitors),
        "ranks": [short(rank) for rank in ranking.ranks],
        "cd": short(ranking.nemenyi.value),
        "alpha": ranking.alpha,
        "cliques": [list(clique) for clique in ranking.cliques if len(clique) > 1],
        "holmCliques": [list(clique) for clique in ranking.holm_cliques if len(clique) > 1],
        "unit": ranking.unit,
        "blocks": ranking.n_blocks,
        "lines": [_sentence(line) for line in views.significance_lines(ranking)],
        "leftOut": [[block.block, block.reason] for block in ranking.excluded],
        "pairs": [
            [
                pair.first,
                pair.second,
                short(pair.rank_difference),
                pair.nemenyi_differs,
                short(pair.p_holm),
                pair.differs,
            ]
            for pair in ranking.pairs[:MOST_PAIRS]
        ],
        **_describe_profile(results, ranking.metric.label),
    }


def _describe_profile(results: Results, metric: str) -> dict[str, Any]:
    try:
        view = views.profile(results, metric)
    except HcbenchError as error:
        return {"profile": None, "profileReason": _sentence(str(error))}
    described = {
        "competitors": list(view.blocks.competitors),
        "algorithms": _algorithms(results, view.blocks.competitors),
        "by": view.profile.by,
        "within": [[short(x) for x in steps.tolist()] for steps in view.profile.within],
        "share": [[short(x) for x in steps.tolist()] for steps in view.profile.share],
    }
    return {"profile": described, "profileReason": ""}


def describe_growth(results: Results) -> dict[str, Any]:
    """Each cost against the number of items, with fitted exponents."""
    costs = [(i, metric.label) for i, metric in enumerate(results.metrics) if metric.cost]
    described = []
    if any(axis.kind == "n" for axis in views.axes_of(results)):
        for place, label in costs:
            with suppress(HcbenchError):  # this cost was not measured
                described.append(_describe_scaling(views.scaling(results, label, "n"), place))
        reason = "No cost was measured on data of several sizes."
    else:
        reason = "All data sets have the same number of items, or it is unknown."
    if not costs:
        reason = "No cost was measured; choose some, for example --metrics queries,seconds."
    return {"views": described, "reason": reason}


def _describe_scaling(view: CurveView, metric: int) -> dict[str, Any]:
    return {
        "metric": metric,
        "x": view.x.title,
        "interval": view.interval,
        "panels": [
            {
                "title": panel.title,
                "lines": [_describe_line(line) for line in panel.lines if not line.flat],
            }
            for panel in view.panels
        ],
    }


def _describe_line(line: Line) -> dict[str, Any]:
    law = line.fit
    return {
        "name": line.name,
        "algorithm": line.algorithm,
        "points": [
            [short(p.x), short(p.average), short(p.low), short(p.high)] for p in line.points
        ],
        "fit": None
        if law is None
        else [short(law.exponent), short(law.high - law.exponent), short(law.factor), law.n_points],
    }


def describe_fronts(results: Results) -> dict[str, list[list[int]]]:
    """Pareto fronts as numbers of groups, by the numbers of a metric of quality and a cost."""
    fronts: dict[str, list[list[int]]] = {}
    number = {group: i for i, group in enumerate(results.groups)}
    for (q, quality), (c, cost) in product(enumerate(results.metrics), repeat=2):
        if cost.cost and not quality.cost:
            fronts[f"{q} {c}"] = [
                [number[groups[place]] for place in front]
                for dataset in results.datasets
                if (groups := [g for g in results.groups if g.dataset == dataset])
                for front in find_fronts(results, groups, quality, cost)
            ]
    return fronts


def describe_looks(results: Results) -> dict[str, Any]:
    """Colours on light and dark backgrounds, symbol and dash of each algorithm."""
    looks = views.looks_of(results)
    return {name: [look.colour, look.dark, look.symbol, look.dash] for name, look in looks.items()}


def _algorithms(results: Results, competitors: Sequence[str]) -> list[str]:
    """The algorithm of each competitor, whose name may also contain an oracle or a budget."""
    by_length = sorted(results.algorithms, key=len, reverse=True)
    return [next((a for a in by_length if name.startswith(a)), name) for name in competitors]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
