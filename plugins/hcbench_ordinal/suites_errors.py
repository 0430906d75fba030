"""Errors that are not random, of sections 5 and 6 of Emamjomeh-Zadeh & Kempe 2018.

An adversary who knows the weights of the search, as theorem 5.1 allows; and the errors of Eriksson,
Dasarathy, Singh & Nowak 2011, who replace distances of pairs permanently.
"""

from __future__ import annotations

from collections.abc import Iterator

from hcbench import Claim, Figure, Suite
from hcbench_ordinal.references import PAPERS
from hcbench_ordinal.suites_noiseless import RECOVERY, truth
from hcbench_ordinal.suites_noisy import BAYES, BAYES_RANDOM, DELTA, REPEAT, insertion

AGREEMENT = "triplet-agreement"
REPETITIONS = 200

# ---- The adversary -------------------------------------------------------------------------------

PS = (0.6, 0.7, 0.8, 0.9)
SIZES = {BAYES: (16, 32), REPEAT: (16,), BAYES_RANDOM: (16, 32)}
STRATEGIES = tuple(SIZES)


def adversary(p: float) -> str:
    """Name of the oracle."""
    return f"ordinal-adversary[noise={1 - p:.1f}]"


def _against_the_adversary() -> Iterator[Claim]:
    for strategy in (BAYES, REPEAT):
        for p in PS:
            for n in SIZES[strategy]:
                yield Claim(
                    claim="Theorem 5.1, the true tree with probability 1 - delta against an "
                    f"adversary who knows the weights: {strategy}, p = {p}, n = {n}",
                    algorithm=insertion(strategy, p),
                    dataset=truth(n, "random"),
                    oracle=adversary(p),
                    metric=RECOVERY,
                    paper=f"{1 - DELTA}",
                    relation=">=",
                    note="repeat uses nearly all of delta, so that 200 trees often leave it "
                    "undecided"
                    if strategy == REPEAT
                    else "the strategy is ours",
                )
    for p in PS[:2]:
        yield Claim(
            claim="Section 5, wrong answers may be adversarial: to take them for random fails "
            f"more often, p = {p}, n = 32",
            algorithm=insertion(BAYES, p),
            better_than=insertion(BAYES_RANDOM, p),
            dataset=truth(32, "random"),
            oracle=adversary(p),
            metric=RECOVERY,
        )


# ---- Permanent errors of pairs -------------------------------------------------------------------

CORRUPT = (0.02, 0.05, 0.1, 0.2)
PAIRS_DATA = truth(64, "balanced")
P = 0.8
EXHAUSTIVE, PLAIN = "Bottom-up", "InsertionClustering"
REPEATING = (insertion(BAYES, P), insertion(REPEAT, P))


def corrupted(share: float) -> str:
    """Name of the oracle; ties are broken, as corrupted pairs have distances of other pairs."""
    return f"ordinal-queries[corrupt={share}, ties=break]"


def _permanent() -> Iterator[Claim]:
    for share in CORRUPT:
        if share > CORRUPT[0]:
            for algorithm, name in zip(REPEATING, (BAYES, REPEAT), strict=True):
                yield Claim(
                    claim="Section 6, repeated queries get the same wrong answers, so that theorem "
                    f"5.1 does not hold: {name}, {share:.0%} of the pairs corrupt",
                    algorithm=algorithm,
                    dataset=PAIRS_DATA,
                    oracle=corrupted(share),
                    metric=RECOVERY,
                    paper=f"{1 - DELTA}",
                    relation="<",
                    note=f"p = {P}, n = 64",
                )
        yield Claim(
            claim="Section 6, under permanent errors large clusters can be recovered: at least 0.9 "
            f"of all triples, {share:.0%} of the pairs corrupt",
            algorithm=EXHAUSTIVE,
            dataset=PAIRS_DATA,
            oracle=corrupted(share),
            metric=AGREEMENT,
            paper="0.9",
            relation=">=",
            note="by all C(n,3) queries; the algorithm of Eriksson et al. needs O(n log^2 n). "
            "Three quarters of all triples meet at the root",
        )
        yield Claim(
            claim="Section 6, permanent errors are averaged by queries of other triples, not by "
            f"repetition: {share:.0%} of the pairs corrupt",
            algorithm=EXHAUSTIVE,
            better_than=insertion(REPEAT, P),
            dataset=PAIRS_DATA,
            oracle=corrupted(share),
            metric=AGREEMENT,
        )


# ---- The suites ----------------------------------------------------------------------------------

_ONLY = tuple(
    (insertion(strategy, p), truth(n, "random"), adversary(p))
    for strategy in STRATEGIES
    for p in PS
    for n in SIZES[strategy]
)

ADVERSARY = Suite(
    name="emamjomeh2018-adversary",
    doc="Theorem 5.1 against an adversary who knows the weights of all places.",
    algorithms=tuple(dict.fromkeys(algorithm for algorithm, *_ in _ONLY)),
    datasets=tuple(dict.fromkeys(dataset for _, dataset, _ in _ONLY)),
    oracles=tuple(map(adversary, PS)),
    metrics=(RECOVERY, "queries"),
    only=_ONLY,
    repetitions=REPETITIONS,
    claims=tuple(_against_the_adversary()),
    figures=(
        Figure(
            name="emamjomeh2018-adversary",
            doc="Proportion of correct trees, with exact 95% intervals, against p.",
            function="hcbench_ordinal.figures_errors:against_the_adversary",
        ),
    ),
    paper=PAPERS["emamjomeh2018"],
)

PERMANENT = Suite(
    name="emamjomeh2018-eriksson",
    doc="Section 6: distances of some pairs are permanently replaced, as in Eriksson et al. 2011.",
    algorithms=(EXHAUSTIVE, PLAIN, *REPEATING),
    datasets=(PAIRS_DATA,),
    oracles=tuple(map(corrupted, CORRUPT)),
    metrics=(RECOVERY, AGREEMENT, "queries"),
    repetitions=20,
    claims=tuple(_permanent()),
    figures=(
        Figure(
            name="emamjomeh2018-eriksson",
            doc="Triples of the true tree that are found, against the proportion of corrupt pairs.",
            function="hcbench_ordinal.figures_errors:permanent",
        ),
    ),
    paper=PAPERS["emamjomeh2018"],
)
