"""Theorems 4 and 5 of Gentile et al. 2019: wrong answers, and labels that are not a cut.

Theorem 4's error is taken from its proof: clusters are merged only at nodes of fewer than m pairs,
which in a full tree have fewer than 2 sqrt(m) leaves. The constant of theorem 5 is set to 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hcbench import Claim, Figure, Suite
from hcbench_cuts.references import PAPERS

ERROR = "clustering-error"
N = 4096
HEIGHT = 12
"""Of a full tree of N leaves."""
ALPHA = 0.3
FULL_TREE = f"cut-of[tree=balanced, n={N}, law=constant, alpha={ALPHA}]"
INFORMED = f"WDP[prior={ALPHA}]"
DELTA = 0.05

# ---- Theorem 4: noise ----------------------------------------------------------------------------

NOISES = (0.1, 0.2, 0.3)


def noisy(noise: float) -> str:
    """The noisy realisable setting."""
    return f"pair-queries[noise={noise}]"


def voting(noise: float) -> str:
    """N-WDP that knows the noise and the prior."""
    return f"N-WDP[noise={noise}, delta={DELTA}, prior={ALPHA}]"


def votes(noise: float) -> int:
    """Votes on a node, m = 2 ln(n / delta) / (1 - 2 lambda)^2, made odd."""
    return math.ceil(2 * math.log(N / DELTA) / (1 - 2 * noise) ** 2) | 1


def error_bound(noise: float) -> float:
    """2 sqrt(m) / n: in a full tree, clusters are merged only at nodes of fewer than m pairs."""
    return 2 * math.sqrt(votes(noise)) / N


def rounded(bound: float) -> str:
    """A bound as printed in a claim."""
    return f"{bound:.5g}"


def mean_k_tilde() -> float:
    """E[K-tilde] of `FULL_TREE`, by its levels; as ``mean-k-tilde[prior=0.3]`` of any tree.

    A node of height 1 is one leaf of T'_c*. A higher one is a leaf if it is at the cut, and
    otherwise has the leaves of its two children.
    """
    leaves = 1.0
    for _ in range(HEIGHT - 1):
        leaves = ALPHA + (1 - ALPHA) * 2 * leaves
    return leaves


def wdp_bound() -> float:
    """The maximum average number of queries of WDP on `FULL_TREE`, as ``wdp-bound[prior=0.3]``."""
    return mean_k_tilde() * (math.log2(HEIGHT + 1) + 2)


def _theorem_4() -> Iterator[Claim]:
    dataset = FULL_TREE
    for noise in NOISES:
        oracle, m = noisy(noise), votes(noise)
        yield Claim(
            claim=f"Theorem 4, the error of N-WDP against the truth: lambda = {noise}",
            algorithm=voting(noise),
            dataset=dataset,
            oracle=oracle,
            metric=ERROR,
            paper=rounded(error_bound(noise)),
            relation="<=",
            every_repetition=True,
            note=f"2 sqrt(m) / n with m = {m}; it holds with probability {1 - DELTA}",
        )
        yield Claim(
            claim=f"Theorem 4, m queries in the place of each one of WDP: lambda = {noise}",
            algorithm=voting(noise),
            dataset=dataset,
            oracle=oracle,
            metric="queries",
            paper=rounded(m * wdp_bound()),
            relation="<=",
        )
        for other in (INFORMED, "BF"):
            yield Claim(
                claim=f"Theorem 4, without votes {other} is misled: lambda = {noise}",
                algorithm=voting(noise),
                better_than=other,
                dataset=dataset,
                oracle=oracle,
                metric=ERROR,
            )


# ---- Theorem 5: NR -------------------------------------------------------------------------------

CLUSTERS = 10
ROUNDS = (1000, 3000, 10000, 30000, 100000)
DIGITS = 1797
LABELLED = "cut-of[data=digits, tree=Complete, law=labels]"
EXCESS = f"excess-risk[K={CLUSTERS}]"


def sampled(rounds: int) -> str:
    """NR in the class C(T, K)."""
    return f"NR[K={CLUSTERS}, rounds={rounds}]"


def passive(rounds: int) -> str:
    """ERM in the same class."""
    return f"ERM[K={CLUSTERS}, rounds={rounds}]"


def excess_bound(rounds: int) -> float:
    """sqrt(B ln t / t) + B ln t / t, B = K ln n + ln(1 / delta)."""
    b = CLUSTERS * math.log(DIGITS) + math.log(1 / DELTA)
    part = b * math.log(rounds) / rounds
    return math.sqrt(part) + part


def _theorem_5() -> Iterator[Claim]:
    for rounds in ROUNDS:
        if excess_bound(rounds) < 1:  # a risk is at most 1: a larger bound says nothing
            yield Claim(
                claim=f"Theorem 5, excess risk of NR under uniform pairs: t = {rounds}",
                algorithm=sampled(rounds),
                dataset=LABELLED,
                metric=EXCESS,
                paper=rounded(excess_bound(rounds)),
                relation="<=",
                every_repetition=True,
                note=f"constant 1, K = {CLUSTERS}, delta = {DELTA}; the bound of the labels is not "
                "judged, as it exceeds t: K R* is 1.08",
            )
        yield Claim(
            claim=f"Theorem 5, NR errs as ERM does that asks about all pairs: t = {rounds}",
            algorithm=sampled(rounds),
            better_than=passive(rounds),
            dataset=LABELLED,
            metric=EXCESS,
            within=0.001,
            note="both take the best cut of the same class",
        )
        yield Claim(
            claim=f"Theorem 5, NR asks about fewer pairs than it draws: t = {rounds}",
            algorithm=sampled(rounds),
            better_than=passive(rounds),
            dataset=LABELLED,
            metric="queries",
        )
    for few, many in ((ROUNDS[0], ROUNDS[2]), (ROUNDS[2], ROUNDS[4])):
        yield Claim(
            claim=f"Theorem 5, the excess risk falls with t: {many} against {few}",
            algorithm=sampled(many),
            better_than=sampled(few),
            dataset=LABELLED,
            metric=EXCESS,
        )


# ---- The suites ---------------------------------------------------------------------------------

THEOREM_4 = Suite(
    name="gentile2019-theorem4",
    doc="Theorem 4: N-WDP under persistent noise.",
    algorithms=(*map(voting, NOISES), INFORMED, "BF"),
    datasets=(FULL_TREE,),
    oracles=tuple(map(noisy, NOISES)),
    metrics=(ERROR, f"{ERROR}[against=answers]", "queries", "k-tilde", "n-clusters"),
    repetitions=50,
    claims=tuple(_theorem_4()),
    figures=(
        Figure(
            name="gentile2019-theorem4",
            doc="Error against the true cut by the noise, with the bound.",
            function="hcbench_cuts.figures:recovery",
        ),
    ),
    paper=PAPERS["gentile2019"],
)

THEOREM_5 = Suite(
    name="gentile2019-theorem5",
    doc="Theorem 5: the excess risk of NR over the best cut into few clusters; the truth is the "
    "labels of digits, which are not a cut.",
    algorithms=tuple(name for rounds in ROUNDS for name in (sampled(rounds), passive(rounds))),
    datasets=(LABELLED,),
    metrics=(EXCESS, ERROR, "queries", "draws", "n-clusters"),
    repetitions=20,
    claims=tuple(_theorem_5()),
    figures=(
        Figure(
            name="gentile2019-theorem5",
            doc="Excess risk and queries of NR and ERM against the pairs drawn.",
            function="hcbench_cuts.figures:excess",
        ),
    ),
    paper=PAPERS["gentile2019"],
)
