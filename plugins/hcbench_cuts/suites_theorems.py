"""Theorems 1 to 6 of Gentile et al. 2019, as far as they can be measured.

Where the paper has an O(.), a constant is taken for which the bound can be shown. OTS: an answer
leaves at most 2/3 of the cuts, so that there are no more than log_{3/2} N(T) of them. WDP: a search
on a path of h + 1 places asks H + 2 questions at most in the mean, H being the entropy of the place
of the cut, by bisection of its weight, and H <= log2(h + 1). Theorem 2's bound holds cut by cut:
each leaf of the tree T'_c* has to be asked about, so that no algorithm finds c* from fewer than
K-tilde questions; its prior, uniform over 2^B cuts, is no law of ``cut-of``. Of theorem 5 the
constant is taken to be 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hcbench import Claim, Figure, Suite
from hcbench_cuts.references import GENTILE_2019

ERROR = "clustering-error"
SHAPES = ("balanced", "caterpillar")
SIZES = (256, 1024, 4096, 16384)
N = 4096
ALPHA = 0.3
FEW, MANY = 10, 64
UNIFORM, CONSTANT, TOP = "law=uniform", f"law=constant, alpha={ALPHA}", f"law=top-k, k={FEW}"
INFORMED = f"WDP[prior={ALPHA}]"
SEARCHES = ("BF", "OTS", "WDP", INFORMED)

LOG2_CUTS = {"UPGMA": 917.0, "Single": 581.0}
"""log2 N(T) of two linkages of the digits, by ``log-cuts``; rounded down."""


def shape(name: str, law: str, n: int = N) -> str:
    """A cut of a tree of a regular shape."""
    return f"cut-of[tree={name}, n={n}, {law}]"


def real(linkage: str, law: str) -> str:
    """A cut of a linkage of 1797 digits."""
    return f"cut-of[data=digits, tree={linkage}, {law}]"


# ---- What is known of the regular shapes ---------------------------------------------------------


def log_cuts(name: str, n: int) -> float:
    """ln N(T): N = n of a caterpillar, N(i) = 1 + N(left) N(right) level by level of a full tree."""
    if name == "caterpillar":
        return math.log(n)
    found = 0.0
    for _ in range(height(name, n)):
        found = 2 * found + math.log1p(math.exp(-2 * found))
    return found


def height(name: str, n: int) -> int:
    """Edges from the root to the deepest leaf."""
    return n - 1 if name == "caterpillar" else round(math.log2(n))


def mean_k_tilde(name: str, n: int, law: str) -> float:
    """E[K-tilde] over a law of cuts; a caterpillar has one path.

    In a full tree a node of height j > 1 is one leaf of T'_c* if it is below the cut, else it has
    those of its children; one of height 1 is a leaf in either case.
    """
    if name == "caterpillar":
        return 1.0
    found, log_n = 1.0, math.log(2)
    for _ in range(height(name, n) - 1):
        log_n = 2 * log_n + math.log1p(math.exp(-2 * log_n))
        below = ALPHA if law == CONSTANT else math.exp(-log_n)
        found = below + (1 - below) * 2 * found
    return found


def log2_places(h: int) -> float:
    """The most questions on a path in the mean, one by one path: log2(h + 1) + 2."""
    return math.log2(h + 1) + 2


def _printed(bound: float) -> str:
    return f"{bound:.5g}"


# ---- Theorems 1 to 3 -----------------------------------------------------------------------------


def _cuts() -> Iterator[tuple[str, str, float]]:
    """Data set, what it is, and ln N(T)."""
    for name in SHAPES:
        for n in SIZES:
            for law in (UNIFORM, TOP):
                yield shape(name, law, n), f"{name}, n = {n}, {law}", log_cuts(name, n)
        yield shape(name, CONSTANT), f"{name}, n = {N}, {CONSTANT}", log_cuts(name, N)
    for linkage, log2 in LOG2_CUTS.items():
        for law in (UNIFORM, TOP, CONSTANT):
            yield real(linkage, law), f"{linkage} of the digits, {law}", log2 * math.log(2)


def _theorem_1() -> Iterator[Claim]:
    for dataset, what, log_n in _cuts():
        yield Claim(
            claim=f"Theorem 1, OTS asks O(log N) questions: {what}",
            algorithm="OTS",
            dataset=dataset,
            metric="queries",
            paper=_printed(log_n / math.log(1.5)),
            relation="<=",
            every_repetition=True,
            note="log N to the base 3/2",
        )
        for name in SEARCHES[:3]:
            yield Claim(
                claim=f"Section 3, {name} finds c*: {what}",
                algorithm=name,
                dataset=dataset,
                metric=ERROR,
                paper="0",
                relation="<=",
                every_repetition=True,
            )
        if UNIFORM in dataset:
            for name in SEARCHES:
                yield Claim(
                    claim=f"log2 N questions are needed in the mean of all cuts: {name}, {what}",
                    algorithm=name,
                    dataset=dataset,
                    metric="queries",
                    paper=_printed(log_n / math.log(2)),
                    relation=">=",
                    note="the entropy of the cut; not in the paper",
                )
        if TOP in dataset:
            yield Claim(
                claim=f"Section 3, BF asks at most 2 K - 1 questions: {what}",
                algorithm="BF",
                dataset=dataset,
                metric="queries",
                paper=str(2 * FEW - 1),
                relation="<=",
                every_repetition=True,
            )
    for name, rate, relation in (("BF", "1", "="), ("OTS", "0.25", "<="), ("WDP", "0.25", "<=")):
        yield Claim(
            claim=f"Figure 2, right: on a line {name} asks {'n' if rate == '1' else 'log n'}",
            algorithm=name,
            dataset=shape("caterpillar", UNIFORM),
            metric="queries",
            paper=rate,
            relation=relation,
            within=0.15 if relation == "=" else 0.0,
            exponent="n",
            note="log n from 256 to 16384 grows as n^0.13",
        )


def _theorem_2() -> Iterator[Claim]:
    for dataset, what, _ in _cuts():
        for name in SEARCHES:
            yield Claim(
                claim=f"Theorem 2, no fewer than K-tilde questions: {name}, {what}",
                algorithm=name,
                dataset=dataset,
                metric="queries",
                than_metric="k-tilde",
                relation=">=",
                every_repetition=True,
                note="of each cut, where the theorem speaks of the mean of a hard prior",
            )
    for law in (UNIFORM, CONSTANT):
        yield Claim(
            claim=f"Section 3, the average complexity E[K-tilde]: balanced, n = {N}, {law}",
            algorithm="WDP",
            dataset=shape("balanced", law),
            metric="k-tilde",
            paper=_printed(mean_k_tilde("balanced", N, law)),
            note="by recursion over the levels of the tree",
        )


def _theorem_3() -> Iterator[Claim]:
    for name in SHAPES:
        for law, prior in ((UNIFORM, "WDP"), (CONSTANT, INFORMED)):
            for n in SIZES if law == UNIFORM else (N,):
                paths = mean_k_tilde(name, n, law)
                yield Claim(
                    claim="Theorem 3, WDP asks O(E[K-tilde] log h) questions: "
                    f"{name}, n = {n}, {law}",
                    algorithm=prior,
                    dataset=shape(name, law, n),
                    metric="queries",
                    paper=_printed(paths * log2_places(height(name, n))),
                    relation="<=",
                    note=f"E[K-tilde] = {paths:.4g}, times log2(h + 1) + 2",
                )
        yield Claim(
            claim=f"Theorem 3, of few clusters the rate is log h: {name}, {TOP}",
            algorithm=INFORMED,
            dataset=shape(name, TOP),
            metric="queries",
            paper="0.25",
            relation="<=",
            exponent="n",
        )
    places = [(f"{name}, n = {N}", shape(name, CONSTANT)) for name in SHAPES]
    places += [(f"{linkage} of the digits", real(linkage, CONSTANT)) for linkage in LOG2_CUTS]
    for what, dataset in places:
        for other in ("WDP", "OTS"):
            yield Claim(
                claim=f"Theorem 3, WDP profits from a prior: {what}, {CONSTANT}, against {other}",
                algorithm=INFORMED,
                better_than=other,
                dataset=dataset,
                metric="queries",
            )


# ---- Theorem 6: bands ----------------------------------------------------------------------------

BANDS = (3, 5, 11)
IN_BAND = shape("balanced", f"law=top-k, k={MANY}")
"""The cut at depth 6 of a full tree of height 12, which each of these numbers of bands has."""


def banded(bands: int) -> str:
    """WDP with parallel bands as its prior."""
    return f"WDP[prior=bands, bands={bands}]"


def _theorem_6() -> Iterator[Claim]:
    for bands in BANDS:
        yield Claim(
            claim=f"Theorem 6, WDP asks O(K-tilde log b) questions: b = {bands}, K = {MANY}",
            algorithm=banded(bands),
            dataset=IN_BAND,
            metric="queries",
            paper=_printed(MANY * log2_places(bands)),
            relation="<=",
            note="K-tilde = K, times log2(b + 1) + 2: b places and the rest",
        )
        yield Claim(
            claim=f"Theorem 6, bands say more than a uniform prior: b = {bands}, K = {MANY}",
            algorithm=banded(bands),
            better_than="WDP",
            dataset=IN_BAND,
            metric="queries",
        )


# ---- Theorem 5: NR -------------------------------------------------------------------------------

CLUSTERS, DELTA = 20, 0.05
ROUNDS = (300, 1000, 3000, 10000, 30000)
DIGITS = 1797
LABELLED = real("UPGMA", "law=labels")
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
        yield Claim(
            claim=f"Theorem 5, excess risk of NR under uniform pairs: t = {rounds}",
            algorithm=sampled(rounds),
            dataset=LABELLED,
            metric=EXCESS,
            paper=_printed(excess_bound(rounds)),
            relation="<=",
            every_repetition=True,
            note=f"constant 1, K = {CLUSTERS}, delta = {DELTA}",
        )
        yield Claim(
            claim=f"Theorem 5, NR errs as ERM does that asks about all pairs: t = {rounds}",
            algorithm=sampled(rounds),
            better_than=passive(rounds),
            dataset=LABELLED,
            metric=EXCESS,
            within=0.01,
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


# ---- Theorem 4: noise ----------------------------------------------------------------------------

NOISES = (0.1, 0.2, 0.3)


def noisy(noise: float) -> str:
    """The noisy realisable setting."""
    return f"pair-queries[noise={noise}]"


def voting(noise: float) -> str:
    """N-WDP that knows the noise and the prior."""
    return f"N-WDP[noise={noise}, delta={DELTA}, prior={ALPHA}]"


def votes(noise: float) -> int:
    """m = 2 ln(n / delta) / (1 - 2 lambda)^2, made odd."""
    return math.ceil(2 * math.log(N / DELTA) / (1 - 2 * noise) ** 2) | 1


def error_bound(noise: float) -> float:
    """2 sqrt(m) / n: clusters are merged at nodes of fewer than m pairs alone, in a full tree."""
    return 2 * math.sqrt(votes(noise)) / N


def _theorem_4() -> Iterator[Claim]:
    dataset = shape("balanced", CONSTANT)
    for noise in NOISES:
        oracle, m = noisy(noise), votes(noise)
        yield Claim(
            claim=f"Theorem 4, the error of N-WDP against the truth: lambda = {noise}",
            algorithm=voting(noise),
            dataset=dataset,
            oracle=oracle,
            metric=ERROR,
            paper=_printed(error_bound(noise)),
            relation="<=",
            every_repetition=True,
            note=f"2 sqrt(m) / n with m = {m}; it holds with probability {1 - DELTA}",
        )
        paths = mean_k_tilde("balanced", N, CONSTANT)
        yield Claim(
            claim=f"Theorem 4, m questions in the place of each one of WDP: lambda = {noise}",
            algorithm=voting(noise),
            dataset=dataset,
            oracle=oracle,
            metric="queries",
            paper=_printed(m * paths * log2_places(height("balanced", N))),
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


# ---- The suites ----------------------------------------------------------------------------------


def _pairs() -> Iterator[tuple[str, str]]:
    """Which algorithm runs on which data."""
    for dataset, _, _ in _cuts():
        yield from ((name, dataset) for name in SEARCHES)
    yield from ((banded(bands), IN_BAND) for bands in BANDS)
    yield from ((name, IN_BAND) for name in SEARCHES)


_ONLY = tuple(dict.fromkeys(_pairs()))

THEOREMS = Suite(
    name="gentile2019-theorems",
    doc="Theorems 1, 2, 3 and 6: questions of BF, OTS and WDP on random cuts, against log N, "
    "K-tilde, log h and log b.",
    algorithms=tuple(dict.fromkeys(algorithm for algorithm, _ in _ONLY)),
    datasets=tuple(dict.fromkeys(dataset for _, dataset in _ONLY)),
    metrics=("queries", "k-tilde", "log-cuts", "n-clusters", ERROR),
    only=_ONLY,
    repetitions=20,
    claims=(*_theorem_1(), *_theorem_2(), *_theorem_3(), *_theorem_6()),
    figures=(
        Figure(
            name="gentile2019-theorems1-3",
            doc="Questions against log N(T), and against K-tilde, with the bounds.",
            function="hcbench_cuts.figures:questions",
        ),
    ),
    paper=GENTILE_2019,
)

THEOREM_4 = Suite(
    name="gentile2019-theorem4",
    doc="Theorem 4: N-WDP where a part of the pairs is answered wrongly for good.",
    algorithms=(*map(voting, NOISES), INFORMED, "BF"),
    datasets=(shape("balanced", CONSTANT),),
    oracles=tuple(map(noisy, NOISES)),
    metrics=(ERROR, f"{ERROR}[against=answers]", "queries", "k-tilde", "n-clusters"),
    repetitions=20,
    claims=tuple(_theorem_4()),
    figures=(
        Figure(
            name="gentile2019-theorem4",
            doc="Error against the true cut by the noise, with the bound.",
            function="hcbench_cuts.figures:recovery",
        ),
    ),
    paper=GENTILE_2019,
)

THEOREM_5 = Suite(
    name="gentile2019-theorem5",
    doc="Theorem 5: the excess risk of NR over the best cut into few clusters, labels of digits "
    "being the truth, which no cut has.",
    algorithms=tuple(name for rounds in ROUNDS for name in (sampled(rounds), passive(rounds))),
    datasets=(LABELLED,),
    metrics=(EXCESS, ERROR, "queries", "draws", "n-clusters"),
    repetitions=20,
    claims=tuple(_theorem_5()),
    figures=(
        Figure(
            name="gentile2019-theorem5",
            doc="Excess risk and questions of NR and ERM against the pairs drawn.",
            function="hcbench_cuts.figures:excess",
        ),
    ),
    paper=GENTILE_2019,
)
