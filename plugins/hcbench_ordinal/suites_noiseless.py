"""Sections 3 and 4 of Emamjomeh-Zadeh & Kempe 2018: queries of a tree with correct answers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hcbench import Claim, Figure, Suite
from hcbench_ordinal.bounds import information_bound, noiseless_queries
from hcbench_ordinal.references import PAPERS

SIZES = tuple(2**k for k in range(6, 13))
SHAPES = ("random", "balanced", "caterpillar", "yule")
EXACT, FAST, TOPDOWN = (
    f"InsertionClustering[separator={name}]" for name in ("exact", "fast", "topdown")
)
DESCENT, BINARY = (f"QuickClustering[merge={name}]" for name in ("descent", "binary-search"))
ALGORITHMS = {
    EXACT: "insertion, exact",
    FAST: "insertion, fast",
    TOPDOWN: "insertion, top down",
    DESCENT: "quick, descent",
    BINARY: "quick, binary search",
}
RECOVERY, UNBALANCED = "exact-recovery", "unbalanced-splits"
MOST_UNBALANCED = 125 / 128
CONSTANT = 2
"""Factor of n log2 n for the queries of QuickClustering; not specified in the paper."""


def truth(n: int, shape: str) -> str:
    """Name of the data set."""
    return f"random-tree[n={n}, shape={shape}]"


def n_log_n(n: int) -> float:
    """Return n log2 n."""
    return n * math.log2(n)


def rate(sizes: tuple[int, ...]) -> float:
    """Slope of log(n log2 n) against log(n) by least squares, as for a claim about an exponent."""
    logs = [math.log(n) for n in sizes]
    mean = sum(logs) / len(logs)
    heights = [math.log(n_log_n(n)) for n in sizes]
    pairs = zip(logs, heights, strict=True)
    return sum((x - mean) * y for x, y in pairs) / sum((x - mean) ** 2 for x in logs)


def _recovered() -> Iterator[Claim]:
    for algorithm, name in ALGORITHMS.items():
        for shape in SHAPES:
            for n in SIZES:
                yield Claim(
                    claim=f"Theorems 3.2 and 4.3, the true tree: {name}, {shape}, n = {n}",
                    algorithm=algorithm,
                    dataset=truth(n, shape),
                    metric=RECOVERY,
                    paper="1",
                    every_repetition=True,
                )


def _theorem_3_2() -> Iterator[Claim]:
    for algorithm in (DESCENT, BINARY):
        name = ALGORITHMS[algorithm]
        for shape in SHAPES:
            yield Claim(
                claim=f"Theorem 3.2, queries grow as n log n: {name}, {shape}",
                algorithm=algorithm,
                dataset=f"random-tree[shape={shape}]",
                metric="queries",
                exponent="n",
                paper=f"{rate(SIZES):.3f}",
                relation="<=",
                within=0.05,
                note="the rate of n log2 n over the same n; a lower-order term makes it steeper",
            )
            for n in SIZES:
                yield Claim(
                    claim=f"Theorem 3.2, O(n log n) queries: {name}, {shape}, n = {n}",
                    algorithm=algorithm,
                    dataset=truth(n, shape),
                    metric="queries",
                    paper=f"{CONSTANT * n_log_n(n):.0f}",
                    relation="<=",
                    note=f"on average at most {CONSTANT} n log2 n, where the paper has O()",
                )


def _lemma_3_1() -> Iterator[Claim]:
    for shape in SHAPES:
        for n in SIZES:
            yield Claim(
                claim="Lemma 3.1, at most 125/128 of all pairs of pivots split the items too "
                f"unevenly: {shape}, n = {n}",
                algorithm=DESCENT,
                dataset=truth(n, shape),
                metric=UNBALANCED,
                paper=str(MOST_UNBALANCED),
                relation="<=",
                every_repetition=True,
                note="counted over all pairs of items of each tree",
            )


def _section_3() -> Iterator[Claim]:
    for algorithm, name in ALGORITHMS.items():
        for n in SIZES:
            yield Claim(
                claim=f"Section 3, at least log3 (2n-3)!! queries: {name}, n = {n}",
                algorithm=algorithm,
                dataset=truth(n, "random"),
                metric="queries",
                paper=f"{information_bound(n):.1f}",
                relation=">=",
                note="on average, as all (2n-3)!! trees are equally likely here",
            )


def _theorem_4_3() -> Iterator[Claim]:
    for shape in SHAPES:
        for n in SIZES:
            yield Claim(
                claim="Theorem 4.3, at most the sum of floor(log2(2i-3)) queries: "
                f"{ALGORITHMS[EXACT]}, {shape}, n = {n}",
                algorithm=EXACT,
                dataset=truth(n, shape),
                metric="queries",
                paper=str(noiseless_queries(n)),
                relation="<=",
                every_repetition=True,
            )
            yield Claim(
                claim=f"Theorem 4.3, at most n log2 n queries: {ALGORITHMS[FAST]}, {shape}, "
                f"n = {n}",
                algorithm=FAST,
                dataset=truth(n, shape),
                metric="queries",
                paper=f"{n_log_n(n):.0f}",
                relation="<=",
                every_repetition=True,
                note="the theorem is about exact; fast also satisfied its bound when measured",
            )


def _top_down() -> Iterator[Claim]:
    for n in SIZES:
        yield Claim(
            claim="Section 4, n log2 n queries from the root down where the height is log2 n: "
            f"balanced, n = {n}",
            algorithm=TOPDOWN,
            dataset=truth(n, "balanced"),
            metric="queries",
            paper=f"{n_log_n(n):.0f}",
            relation="<=",
            every_repetition=True,
        )
    yield Claim(
        claim="Section 4, linear time an item from the root down where it is not: caterpillar",
        algorithm=TOPDOWN,
        dataset="random-tree[shape=caterpillar]",
        metric="queries",
        exponent="n",
        paper="2",
        within=0.1,
    )


NOISELESS = Suite(
    name="emamjomeh2018-noiseless",
    doc="Lemma 3.1, theorems 3.2 and 4.3: number of correct answers for a tree, against n log2 n "
    "and log3 (2n-3)!!.",
    algorithms=tuple(ALGORITHMS),
    datasets=tuple(truth(n, shape) for shape in SHAPES for n in SIZES),
    oracles=("ordinal-queries",),
    metrics=(RECOVERY, "queries", UNBALANCED),
    repetitions=20,
    claims=(
        *_recovered(),
        *_lemma_3_1(),
        *_theorem_3_2(),
        *_section_3(),
        *_theorem_4_3(),
        *_top_down(),
    ),
    figures=(
        Figure(
            name="emamjomeh2018-questions",
            doc="Queries over n log2 n against n, with the bounds, a panel for each shape.",
            function="hcbench_ordinal.figures:adaptive_queries",
        ),
        Figure(
            name="emamjomeh2018-lemma3.1",
            doc="Proportion of uneven splits against n, with the bound of lemma 3.1.",
            function="hcbench_ordinal.figures:unbalanced",
        ),
    ),
    paper=PAPERS["emamjomeh2018"],
)
