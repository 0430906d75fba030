"""The statements that a ranking supports, as text and as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench.analysis.views.blocks import Blocks
    from hcbench.analysis.views.ranks import Ranking

_FAILED = {
    "worst": "failed runs rank last",
    "drop": "repetitions in which an algorithm failed are excluded",
}
_MOST_NAMED = 8


def significance_lines(ranking: Ranking) -> tuple[str, ...]:
    """The blocks, the test of any difference and the tests of pairs, as text."""
    if ranking.inference.reason:
        return (blocks_text(ranking), f"no test of differences: {ranking.inference.reason}")
    return (blocks_text(ranking), omnibus_line(ranking), pairs_line(ranking))


def blocks_text(blocks: Blocks) -> str:
    """What the blocks are, the treatment of failures, and the number of excluded blocks."""
    what = (
        "mean of the repetitions on each"
        if blocks.inference.unit == "data set"
        else f"each with new data, so that conclusions hold for {blocks.inference.about} only"
    )
    count = len(blocks.excluded)
    without = f"; {count} excluded, as not all algorithms ran" if count else ""
    included = _count(len(blocks.names), blocks.inference.unit)
    return f"over {included} ({what}); {_FAILED[blocks.failed]}{without}"


def omnibus_line(ranking: Ranking) -> str:
    """Friedman's test and the critical difference."""
    parts = []
    test = ranking.friedman
    if test.p is not None and test.statistic is not None:
        f = "" if test.f_p is None else f", Iman-Davenport F p {format_p(test.f_p)}"
        parts.append(
            f"Friedman χ²({test.degrees}) = {test.statistic:.2f}, p {format_p(test.p)} "
            f"({_METHODS[test.method]}){f}"
        )
    elif len(ranking.competitors) > 2:
        parts.append(f"no Friedman test: {test.reason}")
    if ranking.nemenyi.value is not None:
        parts.append(
            f"critical difference {ranking.nemenyi.value:.2f} (Nemenyi, alpha {_alpha(ranking)})"
        )
    return "; ".join(parts) or ranking.nemenyi.reason


_METHODS = {
    "chi-square": "chi-square distribution",
    "exact": "exact",
    "permutations": "by permutations",
    "": "",
}


def pairs_line(ranking: Ranking) -> str:
    """The algorithms significantly worse than the best; or that there are too few blocks."""
    how = f"(Holm-corrected signed-rank tests, alpha {_alpha(ranking)})"
    if ranking.too_few_blocks:
        needed = f"at least {_count(ranking.least_blocks, ranking.unit)}"
        number = len(ranking.competitors)
        return f"too few for any significant difference: {number} algorithms need {needed} {how}"
    worse, best = ranking.worse_than_best, ranking.competitors[0]
    if not worse:
        return f"none is significantly worse than {best} {how}"
    return f"significantly worse than {best} {how}: {_listed(worse)}"


def _alpha(ranking: Ranking) -> str:
    return f"{ranking.alpha:g}"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def format_p(p: float) -> str:
    """A p value with its relation, such as "= 0.026" or "< 0.001"."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}" if p < 0.1 else f"= {p:.2f}"


def describe_ranking(ranking: Ranking) -> dict[str, Any]:
    """A ranking with all its tests, as plain values."""
    names = ranking.competitors
    return {
        "metric": ranking.metric.label,
        "block": ranking.unit,
        "blocks": list(ranking.names),
        "failed": ranking.failed,
        "left_out": [asdict(block) for block in ranking.excluded],
        "average_ranks": dict(zip(names, ranking.ranks, strict=True)),
        "friedman": asdict(ranking.friedman),
        "nemenyi": asdict(ranking.nemenyi),
        "groups": {
            "nemenyi": [[names[i] for i in clique] for clique in ranking.cliques],
            "holm": [[names[i] for i in clique] for clique in ranking.holm_cliques],
        },
        "pairs": [asdict(pair) for pair in ranking.pairs],
    }
