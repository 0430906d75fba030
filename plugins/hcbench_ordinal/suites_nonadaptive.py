"""Theorem 2.3 of Emamjomeh-Zadeh & Kempe 2018: non-adaptive queries.

Its proof is about balanced trees of n = 2^k items in random order: k triples determine the tree
with probability at most 24 k / (n(n-1)(n-2)), four times their proportion of all triples. (Its
first sentence says that fewer than (1 - delta) n(n-1)(n-2) / 24 triples *fail* with probability
1 - delta; the rest shows that they fail with probability delta.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain

from hcbench import Claim, Figure, Suite
from hcbench_ordinal.bounds import chance_of_fixed_triples
from hcbench_ordinal.references import PAPERS

RECOVERY = "exact-recovery"
N_TRIPLES = "query-bound[of=triples]"
EXACT = "InsertionClustering[separator=exact]"
SIZES = (8, 16, 32, 64, 128)
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Proportions of all triples; the theorem applies to those below 1/4."""
ALL = "Bottom-up, Build"
"""The algorithms that ask about all triples, as claims name them."""


def truth(n: int) -> str:
    """Name of the data set."""
    return f"random-tree[n={n}, shape=balanced]"


def n_triples(n: int, share: float) -> int:
    """Number of triples for a proportion, rounded down."""
    return math.floor(share * math.comb(n, 3))


def build(count: int) -> str:
    """Name of Build with this number of random triples."""
    return f"Build[count={count}]"


ALL_TRIPLES = (
    Claim(
        claim="Section 2.2, all C(n,3) queries are enough",
        algorithm=ALL,
        dataset="random-tree[*]",
        metric=RECOVERY,
        paper="1",
        every_repetition=True,
    ),
    Claim(
        claim="Section 2.2, C(n,3) queries",
        algorithm=ALL,
        dataset="random-tree[*]",
        metric="queries",
        than_metric=N_TRIPLES,
        relation="=",
        every_repetition=True,
    ),
)


def n_log_n(n: int) -> int:
    """The number of adaptive queries to compare with: n log2 n, rounded down."""
    return math.floor(n * math.log2(n))


def _theorem_2_3() -> Iterator[Claim]:
    """The bound of the theorem, for each number of triples for which it is below 1."""
    for n in SIZES:
        for share in SHARES:
            count = n_triples(n, share)
            chance = chance_of_fixed_triples(n, count)
            if chance >= 1:
                continue
            yield Claim(
                claim="Theorem 2.3, k triples find the tree with probability 24 k / "
                f"(n(n-1)(n-2)) at most: n = {n}, k = {count}",
                algorithm=build(count),
                dataset=truth(n),
                metric=RECOVERY,
                paper=f"{chance:.4f}",
                relation="<=",
                note="random triples: for leaves in random order no others exceed the bound; the "
                "first sentence of the proof has 1 - delta for the delta that the rest shows",
            )


def _adaptive() -> Iterator[Claim]:
    """Insertion finds more trees than as many random triples."""
    for n in SIZES:
        yield Claim(
            claim="Section 1, adaptivity is crucial: n log2 n queries find the tree if each "
            f"depends on the answers before, n = {n}",
            algorithm=EXACT,
            better_than=build(n_log_n(n)),
            dataset=truth(n),
            metric=RECOVERY,
            note="against as many random triples",
        )


def _algorithms(n: int) -> list[str]:
    """The algorithms to run on trees of n items."""
    names = ["Bottom-up", "Build", EXACT]
    for share in SHARES:
        names.append(build(n_triples(n, share)))
    names.append(build(n_log_n(n)))
    return names


def _pairs() -> Iterator[tuple[str, str]]:
    """Pairs of algorithms and data sets to run."""
    for n in SIZES:
        for name in _algorithms(n):
            yield name, truth(n)


# Without repetitions: different proportions may be the same number of triples.
_ONLY = tuple(dict.fromkeys(_pairs()))
_ALGORITHMS = tuple(dict.fromkeys(algorithm for algorithm, _ in _ONLY))

NONADAPTIVE = Suite(
    name="emamjomeh2018-nonadaptive",
    doc="Theorem 2.3: probability that a proportion of all triples determines a balanced tree.",
    algorithms=_ALGORITHMS,
    datasets=tuple(map(truth, SIZES)),
    oracles=("ordinal-queries",),
    metrics=(RECOVERY, "queries", N_TRIPLES),
    only=_ONLY,
    repetitions=100,
    claims=tuple(chain(ALL_TRIPLES, _theorem_2_3(), _adaptive())),
    figures=(
        Figure(
            name="emamjomeh2018-theorem2.3",
            doc="Correct trees against the proportion of all triples, with the bound.",
            x="queries",
            x_per=N_TRIPLES,
            metric=RECOVERY,
            line=("dataset.n",),
            where=("algorithm=Build[*]",),
            claims=("Theorem 2.3",),
            printed=True,
        ),
        Figure(
            name="emamjomeh2018-adaptivity",
            doc="Correct trees against the number of triples: random ones, and those of insertion.",
            x="queries",
            metric=RECOVERY,
            panel=("dataset.n",),
            line=("algorithm",),
            where=("algorithm=Build[*], InsertionClustering[*]",),
            log="x",
            claims=("Section 1, adaptivity", "Section 2.2"),
        ),
    ),
    paper=PAPERS["emamjomeh2018"],
)
