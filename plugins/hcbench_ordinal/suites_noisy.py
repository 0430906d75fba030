"""Section 5 of Emamjomeh-Zadeh & Kempe 2018: queries of a tree if some answers are wrong.

Each p of an algorithm is paired with each p of an oracle, as a suite pairs algorithms with oracles;
claims are about equal ones. Wrong answers are random, or those of an adversary who always gives the
item with the smallest number.
"""

from __future__ import annotations

from collections.abc import Iterator

from hcbench import Claim, Figure, Suite
from hcbench_ordinal.references import PAPERS
from hcbench_ordinal.suites_noiseless import RECOVERY, rate, truth

PS = (0.6, 0.7, 0.8, 0.9)
DELTA = 0.05
SIZES = (32, 64, 128, 256)
PUBLISHED_SIZES = (32,)
"""As published, an insertion takes 10^3 to 10^5 queries, and 128 items as many as a suite."""
ERRORS = ("random", "adversarial")
BAYES, BAYES_RANDOM, REPEAT, LEAD, PUBLISHED, BINOMIAL = (
    "bayes",
    "bayes, wrong=random",
    "repeat",
    "repeat, stop=lead",
    "paper",
    "paper, repetitions=binomial",
)
STRATEGIES = (BAYES, BAYES_RANDOM, LEAD, REPEAT, BINOMIAL, PUBLISHED)
REPETITIONS = 64
ALL_CORRECT = (
    f"all of {REPETITIONS} trees must be correct: then the exact one-sided bound of the proportion "
    "at 96 % is 0.951"
)


def insertion(strategy: str, p: float) -> str:
    """Name of the algorithm, with the probability of a correct answer."""
    return f"NoisyInsertion[p={p}, delta={DELTA}, strategy={strategy}]"


def answers(p: float, errors: str) -> str:
    """Name of the oracle."""
    return f"ordinal-queries[noise={1 - p:.1f}, wrong={errors}]"


def sizes_of(strategy: str) -> tuple[int, ...]:
    """Numbers of items for a strategy."""
    return PUBLISHED_SIZES if strategy.startswith("paper") else SIZES


def has_guarantee(strategy: str, errors: str) -> bool:
    """Whether a strategy has a guarantee for errors of this kind."""
    return strategy != BAYES_RANDOM or errors == "random"


def _recovered() -> Iterator[Claim]:
    for strategy in STRATEGIES:
        for errors in ERRORS:
            if not has_guarantee(strategy, errors):
                continue
            for p in PS:
                for n in sizes_of(strategy):
                    yield Claim(
                        claim="Theorem 5.1, the true tree with probability 1 - delta: "
                        f"{strategy}, {errors} errors, p = {p}, n = {n}",
                        algorithm=insertion(strategy, p),
                        dataset=truth(n, "random"),
                        oracle=answers(p, errors),
                        metric=RECOVERY,
                        paper=f"{1 - DELTA}",
                        relation=">=",
                        note=ALL_CORRECT,
                    )


def _queries() -> Iterator[Claim]:
    for p in PS:
        for errors in ERRORS:
            yield Claim(
                claim=f"Theorem 5.1, O(n log n) queries at a constant delta: {BAYES}, {errors} "
                f"errors, p = {p}",
                algorithm=insertion(BAYES, p),
                dataset="random-tree",
                oracle=answers(p, errors),
                metric="queries",
                exponent="n",
                paper=f"{rate(SIZES):.3f}",
                relation="<=",
                within=0.1,
                note="the rate of n log2 n over the same n",
            )
            yield Claim(
                claim="Section 1, repeating each query takes more than O(n log n): "
                f"{REPEAT}, {errors} errors, p = {p}",
                algorithm=insertion(REPEAT, p),
                dataset="random-tree",
                oracle=answers(p, errors),
                metric="queries",
                exponent="n",
                paper=f"{rate(SIZES):.3f}",
                relation=">",
                note="the rate of n log2 n over the same n",
            )
            for n in SIZES:
                yield Claim(
                    claim="Section 1, a factor of log n is avoided: "
                    f"{BAYES}, {errors} errors, p = {p}, n = {n}",
                    algorithm=insertion(BAYES, p),
                    better_than=insertion(REPEAT, p),
                    dataset=truth(n, "random"),
                    oracle=answers(p, errors),
                    metric="queries",
                    note="bayes is ours; the paper's own takes more than repeat at any feasible n",
                )


AGAINST_THE_TREE = "against the places in the tree that was found, nearly always the true one"


def _vertex_queries() -> Iterator[Claim]:
    for strategy in (BINOMIAL, PUBLISHED):
        for errors in ERRORS:
            for p in PS:
                yield Claim(
                    claim="Lemma 5.3, a simulated vertex query is correct with probability p: "
                    f"{strategy}, {errors} errors, p = {p}",
                    algorithm=insertion(strategy, p),
                    dataset=truth(PUBLISHED_SIZES[0], "random"),
                    oracle=answers(p, errors),
                    metric="correct (reported)",
                    paper=f"{p}",
                    relation=">=",
                    note=AGAINST_THE_TREE,
                )


_ONLY = tuple(
    (insertion(strategy, p), truth(n, "random"), answers(p, errors))
    for strategy in STRATEGIES
    for p in PS
    for n in sizes_of(strategy)
    for errors in ERRORS
)

NOISY = Suite(
    name="emamjomeh2018-noisy",
    doc="Theorem 5.1: probability of the true tree if answers are correct with probability p, and "
    "the number of queries. Lemma 5.3, by the numbers that the published strategy reports.",
    algorithms=tuple(dict.fromkeys(algorithm for algorithm, *_ in _ONLY)),
    datasets=tuple(dict.fromkeys(dataset for _, dataset, _ in _ONLY)),
    oracles=tuple(answers(p, errors) for errors in ERRORS for p in PS),
    metrics=(RECOVERY, "queries"),
    only=_ONLY,
    repetitions=REPETITIONS,
    claims=(*_recovered(), *_queries(), *_vertex_queries()),
    figures=(
        Figure(
            name="emamjomeh2018-noisy-recovery",
            doc="Proportion of correct trees, with exact 95% intervals, against n.",
            function="hcbench_ordinal.figures_noisy:recovery",
        ),
        Figure(
            name="emamjomeh2018-noisy-queries",
            doc="Mean queries per insertion against n.",
            function="hcbench_ordinal.figures_noisy:queries",
        ),
    ),
    paper=PAPERS["emamjomeh2018"],
)
