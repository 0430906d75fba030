"""Section 6 of Emamjomeh-Zadeh & Kempe 2018: trees whose nodes have more than two children.

The paper's O(d / log d n log n) is without a constant; here it is 1, with logarithms to the base 2.
A star one of whose leaves is a pair takes Omega(n^2) queries: a query of three items can find the
pair only if it contains both, which concerns 3 of the n(n-1)/2 equally likely places. So any
algorithm needs at least n(n-1)/12 of them on average.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hcbench import Claim, Figure, Suite
from hcbench_ordinal.references import PAPERS
from hcbench_ordinal.suites_noiseless import ALGORITHMS, BINARY, EXACT, FAST, RECOVERY, n_log_n

SIZES = (64, 256, 1024)
DEGREES = (3, 4, 8, 16, 32)
STARS = (16, 32, 64, 128, 256)
FIRST = "QuickClustering[pivots=first]"
NAMES = {
    **{name: ALGORITHMS[name] for name in (EXACT, FAST, BINARY)},
    FIRST: "deterministic quick (Benson et al.)",
}


def bounded(n: int, degree: int) -> str:
    """Name of a random tree whose nodes have at most this number of children."""
    return f"random-tree[n={n}, degree={degree}]"


def star(n: int) -> str:
    """Name of a star with a pair."""
    return f"random-tree[n={n}, shape=star-with-pair]"


def most_queries(n: int, degree: int) -> float:
    """Return d / log2 d n log2 n."""
    return degree / math.log2(degree) * n_log_n(n)


def needed_queries(n: int) -> float:
    """The least mean number of queries for a star with a pair, n(n-1)/12."""
    return n * (n - 1) / 12


def _recovered() -> Iterator[Claim]:
    places = [(f"degree {d}, n = {n}", bounded(n, d)) for d in DEGREES for n in SIZES]
    places += [(f"star with a pair, n = {n}", star(n)) for n in STARS]
    for algorithm, name in NAMES.items():
        for what, dataset in places:
            yield Claim(
                claim=f"Section 6, the true tree: {name}, {what}",
                algorithm=algorithm,
                dataset=dataset,
                metric=RECOVERY,
                paper="1",
                every_repetition=True,
            )


def _of_degree() -> Iterator[Claim]:
    for algorithm in (EXACT, FAST):
        for d in DEGREES:
            for n in SIZES:
                yield Claim(
                    claim=f"Section 6, O(d / log d n log n) queries: {NAMES[algorithm]}, "
                    f"degree {d}, n = {n}",
                    algorithm=algorithm,
                    dataset=bounded(n, d),
                    metric="queries",
                    paper=f"{most_queries(n, d):.0f}",
                    relation="<=",
                    every_repetition=True,
                    note="constant 1, logarithms to the base 2",
                )


def _of_stars() -> Iterator[Claim]:
    for algorithm, name in NAMES.items():
        yield Claim(
            claim=f"Section 6, a star with a pair takes n^2 queries: {name}",
            algorithm=algorithm,
            dataset="random-tree[shape=star-with-pair]",
            metric="queries",
            exponent="n",
            paper="2",
            within=0.1,
        )
        for n in STARS:
            yield Claim(
                claim=f"Section 6, at least n(n-1)/12 queries for a star with a pair: {name}, "
                f"n = {n}",
                algorithm=algorithm,
                dataset=star(n),
                metric="queries",
                paper=f"{needed_queries(n):.1f}",
                relation=">=",
                note="on average over the places of the pair; the paper has Omega(n^2)",
            )


DEGREES_SUITE = Suite(
    name="emamjomeh2018-section6",
    doc="Section 6: queries for trees of degree 3 to 32, and for a star with one pair, which needs "
    "n^2.",
    algorithms=tuple(NAMES),
    datasets=(
        *(bounded(n, d) for d in DEGREES for n in SIZES),
        *map(star, STARS),
    ),
    oracles=("ordinal-queries",),
    metrics=(RECOVERY, "queries"),
    repetitions=20,
    claims=(*_recovered(), *_of_degree(), *_of_stars()),
    figures=(
        Figure(
            name="emamjomeh2018-section6",
            doc="Queries against the degree, and against n for stars with a pair.",
            function="hcbench_ordinal.figures:by_degree",
        ),
    ),
    paper=PAPERS["emamjomeh2018"],
)
