"""Who is better, and how cost grows, as the page has it; what it says is decided in `views`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hcbench.analysis import views
from hcbench.errors import HcbenchError
from hcbench.show.report.cells import short

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.analysis.views.ranks import Ranking

MOST_PAIRS = 1500  # of 55 competitors


@dataclass(frozen=True, slots=True)
class Standings:
    """Rankings by the metrics of quality.

    Attributes
    ----------
    rankings : tuple of Ranking
    reason : str
        Why there is none.
    """

    rankings: tuple[Ranking, ...]
    reason: str = ""


def find_standings(results: Results) -> Standings:
    """Rank by each metric of quality by which it can be done."""
    found, reasons = [], []
    for metric in results.metrics:
        if not metric.cost and metric.direction != "none":
            try:
                found.append(views.ranking(results, metric.label))
            except HcbenchError as error:
                reasons.append(str(error))
    default = "No metric of quality was measured, so there is nothing to rank by."
    return Standings(tuple(found), "" if found else _sentence([*reasons, default][0]))


def describe_standings(results: Results, standings: Standings) -> dict[str, Any]:
    """All rankings with tests and profiles."""
    described = [_describe(results, ranking) for ranking in standings.rankings]
    return {"views": described, "reason": standings.reason}


def _describe(results: Results, ranking: Ranking) -> dict[str, Any]:
    return {
        "metric": _place(results, ranking.metric.label),
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
        "leftOut": [[left.block, left.reason] for left in ranking.left_out],
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
    found = []
    if any(axis.kind == "n" for axis in views.axes_of(results)):
        for place, label in costs:
            with suppress(HcbenchError):  # this cost was measured nowhere
                found.append(_describe_scaling(views.scaling(results, label, "n"), place))
        reason = "No cost was measured on data of several sizes."
    else:
        reason = "All data have the same number of items, as far as is known."
    if not costs:
        reason = "No cost was measured: --metrics queries,seconds measures two."
    return {"views": found, "reason": reason}


def _describe_scaling(view: views.CurveView, metric: int) -> dict[str, Any]:
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


def _describe_line(line: views.Line) -> dict[str, Any]:
    law = line.fit
    return {
        "name": line.name,
        "algorithm": line.algorithm,
        "points": [[short(p.x), short(p.mean), short(p.low), short(p.high)] for p in line.points],
        "fit": None
        if law is None
        else [short(law.exponent), short(law.standard_error), short(law.factor), law.n_points],
    }


def describe_looks(results: Results) -> dict[str, Any]:
    """Colour on light and on dark ground, sign and dash of each algorithm."""
    looks = views.looks_of(results)
    return {name: [look.colour, look.dark, look.symbol, look.dash] for name, look in looks.items()}


def _place(results: Results, metric: str) -> int:
    return next(i for i, known in enumerate(results.metrics) if known.label == metric)


def _algorithms(results: Results, competitors: Sequence[str]) -> list[str]:
    """The algorithm of each competitor, whose name may tell an oracle or a budget besides."""
    by_length = sorted(results.algorithms, key=len, reverse=True)
    return [next((a for a in by_length if name.startswith(a)), name) for name in competitors]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
