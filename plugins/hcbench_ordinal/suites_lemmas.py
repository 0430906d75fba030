"""Lemmas 5.2, 5.4 and 5.6 of Emamjomeh-Zadeh & Kempe 2018, by numbers that the algorithm reports.

The published strategy runs with both stages, even where the first one saves no queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hcbench import Claim, Suite
from hcbench_ordinal.bounds import weight_rounds
from hcbench_ordinal.references import PAPERS
from hcbench_ordinal.suites_noiseless import RECOVERY, truth
from hcbench_ordinal.suites_noisy import (
    AGAINST_THE_TREE,
    ALL_CORRECT,
    BINOMIAL,
    DELTA,
    ERRORS,
    REPETITIONS,
    answers,
    insertion,
)

P = 0.9
SIZES = (128, 256, 512)
WEIGHTS = insertion(f"{BINOMIAL}, skip=false", P)


def _claims() -> Iterator[Claim]:
    for errors in ERRORS:
        for n in SIZES:
            kind = f"{errors} errors, p = {P}, n = {n}"
            yield Claim(
                claim=f"Lemma 5.4, O(log n + log(1/delta)) candidates: {kind}",
                algorithm=WEIGHTS,
                dataset=truth(n, "random"),
                oracle=answers(P, errors),
                metric="candidates (reported)",
                paper=str(weight_rounds(P, DELTA / n / 2, 0.5, 2 * n - 3)),
                relation="<=",
                every_repetition=True,
                note="at most one for each round of the weights",
            )
            yield Claim(
                claim=f"Lemma 5.4, the target is one with probability 1 - delta: {kind}",
                algorithm=WEIGHTS,
                dataset=truth(n, "random"),
                oracle=answers(P, errors),
                metric="missed (reported)",
                paper=f"{DELTA / 2}",
                relation="<=",
                note="of n - 2 insertions, each with delta / 2n; " + AGAINST_THE_TREE,
            )
            yield Claim(
                claim=f"Lemmas 5.4 and 5.6, both stages find the true tree: {kind}",
                algorithm=WEIGHTS,
                dataset=truth(n, "random"),
                oracle=answers(P, errors),
                metric=RECOVERY,
                paper=f"{1 - DELTA}",
                relation=">=",
                note=ALL_CORRECT,
            )
        yield Claim(
            claim="Lemma 5.2, O(log n + log(1/delta)) vertex queries an insertion: "
            f"{errors} errors",
            algorithm=WEIGHTS,
            dataset="random-tree",
            oracle=answers(P, errors),
            metric="vertex_queries (reported)",
            exponent="n",
            paper=f"{_rate():.3f}",
            relation="<=",
            within=0.05,
            note="the rate of ln(n / delta) over the same n; of fewer items the weights often mark "
            "all vertices before their last round",
        )


def _rate() -> float:
    """Slope of log(ln(n / delta)) against log(n), from the least to the largest size."""
    low, high = SIZES[0], SIZES[-1]
    return math.log(math.log(high / DELTA) / math.log(low / DELTA)) / math.log(high / low)


LEMMAS = Suite(
    name="emamjomeh2018-lemmas",
    doc="Lemmas 5.2, 5.4 and 5.6: vertex queries and candidates of an insertion, as reported by "
    "the published strategy.",
    algorithms=(WEIGHTS,),
    datasets=tuple(truth(n, "random") for n in SIZES),
    oracles=tuple(answers(P, errors) for errors in ERRORS),
    metrics=(RECOVERY, "queries"),
    repetitions=REPETITIONS,
    claims=tuple(_claims()),
    paper=PAPERS["emamjomeh2018"],
)
