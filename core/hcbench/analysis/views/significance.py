"""What a ranking may claim, in words and in plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench.analysis.views.blocks import Blocks
    from hcbench.analysis.views.ranks import Ranking

_FAILED = {
    "worst": "who failed in a repetition is last there",
    "drop": "repetitions in which somebody failed do not count",
}
_MOST_NAMED = 8


def significance_lines(ranking: Ranking) -> tuple[str, ...]:
    """A ranking's tests in words: over what, whether there is a difference, and of whom."""
    return (blocks_line(ranking), omnibus_line(ranking), pairs_line(ranking))


def blocks_line(ranking: Ranking) -> str:
    """Over what the ranks are, and how failures count."""
    return blocks_text(ranking.blocks)


def blocks_text(blocks: Blocks) -> str:
    """What the blocks are, how failures count, and how many were left out."""
    what = (
        "mean of the repetitions on each"
        if blocks.unit == "data set"
        else "of one data set, so that it tells of this one alone"
    )
    left = len(blocks.left_out)
    without = f"; {left} left out, as not all took part" if left else ""
    count = _count(len(blocks.names), blocks.unit)
    return f"over {count} ({what}); {_FAILED[blocks.failed]}{without}"


def omnibus_line(ranking: Ranking) -> str:
    """Whether the ranks differ more than by chance; and by how much two must."""
    parts = []
    test = ranking.friedman
    if test.p is not None and test.statistic is not None:
        f = "" if test.f_p is None else f", Iman-Davenport F p {format_p(test.f_p)}"
        parts.append(
            f"Friedman χ²({test.degrees}) = {test.statistic:.2f}, p {format_p(test.p)} "
            f"({_METHODS[test.method]}){f}"
        )
    elif len(ranking.order) > 2:
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
    """Who is significantly worse than the best; or that so few blocks can tell nobody apart."""
    how = f"(signed-rank tests after Holm, alpha {_alpha(ranking)})"
    if ranking.too_few_blocks:
        return (
            f"too few to call any two different, however much they differ: {len(ranking.order)} "
            f"algorithms need at least {ranking.least_blocks} {ranking.unit}s {how}"
        )
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
    """A p value with its relation: "= 0.026", "< 0.001"."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}" if p < 0.1 else f"= {p:.2f}"


def describe_ranking(ranking: Ranking) -> dict[str, Any]:
    """A ranking with all its tests, in plain values."""
    names = ranking.competitors
    return {
        "metric": ranking.metric.label,
        "block": ranking.unit,
        "blocks": list(ranking.blocks.names),
        "failed": ranking.failed,
        "left_out": [asdict(left) for left in ranking.left_out],
        "average_ranks": dict(zip(names, ranking.ranks, strict=True)),
        "friedman": asdict(ranking.friedman),
        "nemenyi": asdict(ranking.nemenyi),
        "groups": {
            "nemenyi": [[names[i] for i in clique] for clique in ranking.cliques],
            "holm": [[names[i] for i in clique] for clique in ranking.holm_cliques],
        },
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "rank_difference": pair.rank_difference,
                "nemenyi_differs": pair.nemenyi_differs,
                "wilcoxon": asdict(pair.test),
                "p_holm": pair.p_holm,
                "differs": pair.differs,
            }
            for pair in ranking.pairs
        ],
    }
