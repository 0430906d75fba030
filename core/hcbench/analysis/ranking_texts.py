"""Rankings with their tests in words, and as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hcbench.analysis.blocks import Blocks
from hcbench.analysis.groups import MOST_FAILED
from hcbench.analysis.ranks import Ranking

# How failures count, by the option that says it.
_FAILED = {
    "worst": (
        f"an algorithm ranks last where more than {100 * MOST_FAILED:g} % of its repetitions "
        "failed, otherwise by the others"
    ),
    "drop": "repetitions in which an algorithm failed are excluded",
}
# Algorithms that are listed before "and 3 more".
_MOST_NAMED = 8


def significance_lines(ranking: Ranking) -> tuple[str, ...]:
    """The blocks, the test of any difference and the tests of pairs, as text.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> ranking = hcbench.analysis.ranking(results, "AARI")
    >>> for line in significance_lines(ranking):
    ...     print(line)
    over 2 data sets (average of the repetitions on each)
    too few for any significant difference of two: 2 algorithms need at least 6 data sets
    (alpha 0.05)
    """
    if ranking.inference.reason:
        return (blocks_text(ranking), f"no test of differences: {ranking.inference.reason}")
    lines = (blocks_text(ranking), omnibus_line(ranking), pairs_line(ranking))
    # Of two algorithms there is no omnibus test.
    return tuple(filter(None, lines))


def blocks_text(blocks: Blocks) -> str:
    """What the blocks are, the treatment of failures, and the number of excluded blocks.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> blocks_text(hcbench.analysis.ranking(results, "AARI"))
    'over 2 data sets (average of the repetitions on each)'
    """
    inference = blocks.inference
    over = inference.count(blocks.n_blocks)
    holds = f"so that conclusions hold for {inference.subject} only"
    if inference.unit == "repetition" and inference.has_variants:
        what = f"each with new data of {inference.families_text}; average of these, {holds}"
    elif inference.unit == "repetition":
        what = f"each with new data, {holds}"
    elif inference.unit == "family":
        over = inference.families_text
        what = "average of the repetitions on each data set, then of the data sets of a family"
    else:
        what = "average of the repetitions on each"
    text = f"over {over} ({what})"
    if blocks.has_failures:
        text += f"; {_failures_text(blocks)}"
    if blocks.excluded:
        text += f"; {len(blocks.excluded)} excluded, as not all algorithms ran"
    return text


def _failures_text(blocks: Blocks) -> str:
    """How failures count in ranks."""
    if blocks.failed == "worst" and blocks.inference.unit == "repetition":
        return "failed repetitions rank last"
    return _FAILED[blocks.failed]


def omnibus_line(ranking: Ranking) -> str:
    """Friedman's test and the critical difference."""
    parts = []
    test = ranking.friedman
    if test.p is not None and test.statistic is not None:
        statistic = f"Friedman χ²({test.degrees}) = {test.statistic:.2f}"
        part = f"{statistic}, p {format_p(test.p)} ({_METHODS[test.method]})"
        if test.f_p is not None:
            part += f", Iman-Davenport F p {format_p(test.f_p)}"
        parts.append(part)
    elif len(ranking.competitors) > 2:
        parts.append(f"no Friedman test: {test.reason}")
    if ranking.nemenyi.value is not None:
        parts.append(
            f"critical difference {ranking.nemenyi.value:.2f} (Nemenyi, alpha {_alpha(ranking)})"
        )
    return "; ".join(parts)


# How the p value of Friedman's test is computed, in words.
_METHODS = {
    "chi-square": "chi-square distribution",
    "exact": "exact",
    "permutations": "by permutations",
    "": "",
}


def pairs_line(ranking: Ranking) -> str:
    """The algorithms significantly worse than the best; or that there are too few blocks."""
    if not ranking.test:
        needed = f"at least {ranking.inference.count(ranking.least_blocks)}"
        number = len(ranking.competitors)
        return (
            f"too few for any significant difference of two: {number} algorithms need {needed} "
            f"(alpha {_alpha(ranking)})"
        )
    how = f"({TESTS[ranking.test]}, alpha {_alpha(ranking)})"
    worse = ranking.worse_than_best
    best = ranking.competitors[0]
    if not worse:
        return f"none is significantly worse than {best} {how}"
    return f"significantly worse than {best} {how}: {_listed(worse)}"


#: The tests of pairs in words.
TESTS: Mapping[str, str] = {
    "holm": "Holm-corrected signed-rank tests",
    "nemenyi": "Nemenyi's test",
}


def _alpha(ranking: Ranking) -> str:
    return f"{ranking.alpha:g}"


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    if more > 0:
        return f"{listed} and {more} more"
    return listed


def format_p(p: float) -> str:
    """A p value with its relation, such as "= 0.026" or "< 0.001"."""
    if p < 0.001:
        return "< 0.001"
    if p < 0.1:
        return f"= {p:.3f}"
    return f"= {p:.2f}"


def describe_ranking(ranking: Ranking) -> dict[str, Any]:
    """A ranking with all its tests, as plain values."""
    names = ranking.competitors
    groups = []
    for clique in ranking.cliques:
        groups.append([names[i] for i in clique])
    # The groups are those of the test that decides.
    groups_of_test: dict[str, list[list[str]] | None] = {"nemenyi": None, "holm": None}
    if ranking.test:
        groups_of_test[ranking.test] = groups
    failures = {}
    for name in names:
        failures[name] = list(ranking.failures.get(name, (0, 0)))
    families = {}
    for family, datasets in ranking.inference.families.items():
        families[family] = list(datasets)
    return {
        "metric": ranking.metric.label,
        "block": ranking.unit,
        "blocks": list(ranking.names),
        "families": families,
        "failed": ranking.failed,
        "left_out": list(map(asdict, ranking.excluded)),
        "average_ranks": dict(zip(names, ranking.ranks, strict=True)),
        "failures": failures,
        "friedman": asdict(ranking.friedman),
        "test": ranking.test,
        "nemenyi": asdict(ranking.nemenyi),
        "groups": groups_of_test,
        "pairs": list(map(asdict, ranking.pairs)),
    }
