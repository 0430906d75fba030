"""Theorems 1, 2, 3 and 6 of Gentile et al. 2019: queries of searches without wrong answers.

Where the paper has an O(.), we use a constant for which the bound can be proved. OTS: each answer
leaves at most 2/3 of the cuts, so there are at most log_{3/2} N(T) queries. WDP: bisection by
probability on a path of h + 1 places takes at most H + 2 queries on average, where H is the entropy
of the place of the cut, and H <= log2(h + 1). Theorem 2: under its prior, uniform over 2^B cuts
(law=hard), B / 2 queries are necessary on average. K-tilde is a bound for each cut: each leaf of
the tree T'_c* has to be queried, so that no algorithm finds c* with fewer queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hcbench import Claim, Figure, Suite
from hcbench_cuts.references import PAPERS

ERROR = "clustering-error"
SHAPES = ("balanced", "caterpillar")
SIZES = (256, 1024, 4096, 16384)
N = 4096
ALPHA = 0.3
FEW, MANY = 10, 64
UNIFORM, CONSTANT, TOP = "law=uniform", f"law=constant, alpha={ALPHA}", f"law=top-k, k={FEW}"
INFORMED = f"WDP[prior={ALPHA}]"
LITERAL = "OTS[backbone=longest]"
SEARCHES = ("BF", "OTS", "WDP", INFORMED)

HARD = {"balanced": (64, 1024), "caterpillar": (1,), "UPGMA": (256,), "Single": (256,)}
"""B of theorem 2, at most |L_s(T)|."""

LOG2_CUTS = {"UPGMA": 916.8, "Single": 581.0}
"""log2 N(T) of two linkages of the digits, by ``log-cuts``; rounded down."""


def shape(name: str, law: str, n: int = N) -> str:
    """A cut of a tree of a regular shape."""
    return f"cut-of[tree={name}, n={n}, {law}]"


def real(linkage: str, law: str) -> str:
    """A cut of a linkage of 1797 digits."""
    return f"cut-of[data=digits, tree={linkage}, {law}]"


def hard(b: int) -> str:
    """The law of theorem 2's prior."""
    return f"law=hard, k={b}"


# ---- Properties of the regular shapes ------------------------------------------------------------


def log_cuts(name: str, n: int) -> float:
    """Logarithm of N(T): n of a caterpillar, 1 + N(left) N(right) by the levels of a full tree."""
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
    """The maximum average number of queries on a path: log2(h + 1) + 2."""
    return math.log2(h + 1) + 2


def rounded(bound: float) -> str:
    """A bound as printed in a claim."""
    return f"{bound:.5g}"


# ---- Theorems 1 to 3 -----------------------------------------------------------------------------


def _cuts() -> Iterator[tuple[str, str, float]]:
    """Data set, its description, and ln N(T)."""
    for name in SHAPES:
        for n in SIZES:
            for law in (UNIFORM, TOP):
                yield shape(name, law, n), f"{name}, n = {n}, {law}", log_cuts(name, n)
        yield shape(name, CONSTANT), f"{name}, n = {N}, {CONSTANT}", log_cuts(name, N)
    for linkage, log2 in LOG2_CUTS.items():
        for law in (UNIFORM, TOP, CONSTANT):
            yield real(linkage, law), f"{linkage} of the digits, {law}", log2 * math.log(2)


def _hard_cuts() -> Iterator[tuple[str, str, int]]:
    """Data set, its description, and B."""
    for name, sizes in HARD.items():
        for b in sizes:
            if name in SHAPES:
                yield shape(name, hard(b)), f"{name}, n = {N}, B = {b}", b
            else:
                yield real(name, hard(b)), f"{name} of the digits, B = {b}", b


def _theorem_1() -> Iterator[Claim]:
    for dataset, what, log_n in _cuts():
        for name in ("OTS", LITERAL):
            yield Claim(
                claim=f"Theorem 1, {name} asks O(log N) queries: {what}",
                algorithm=name,
                dataset=dataset,
                metric="queries",
                paper=rounded(log_n / math.log(1.5)),
                relation="<=",
                every_repetition=True,
                note="log N to the base 3/2",
            )
            yield Claim(
                claim=f"Lemma 1, each answer leaves a third of the cuts or more: {name}, {what}",
                algorithm=name,
                dataset=dataset,
                metric="queries",
                paper=rounded(0.9999 * log_n / math.log(3)),
                relation=">=",
                every_repetition=True,
                note="so at least log N to the base 3, rounded down; theorem 1 follows from the "
                "other side, at most two thirds",
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
                    claim=f"log2 N queries are needed in the mean of all cuts: {name}, {what}",
                    algorithm=name,
                    dataset=dataset,
                    metric="queries",
                    paper=rounded(log_n / math.log(2)),
                    relation=">=",
                    note="the entropy of the cut; not in the paper",
                )
        if TOP in dataset:
            yield Claim(
                claim=f"Section 3, BF asks at most 2 K - 1 queries: {what}",
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
                claim=f"Theorem 2, no fewer than K-tilde queries: {name}, {what}",
                algorithm=name,
                dataset=dataset,
                metric="queries",
                than_metric="k-tilde",
                relation=">=",
                every_repetition=True,
                note="for each cut; the theorem is about the mean over a hard prior",
            )
    for law in (UNIFORM, CONSTANT):
        yield Claim(
            claim=f"Section 3, the average complexity E[K-tilde]: balanced, n = {N}, {law}",
            algorithm="WDP",
            dataset=shape("balanced", law),
            metric="k-tilde",
            paper=rounded(mean_k_tilde("balanced", N, law)),
            note="by recursion over the levels of the tree",
        )


def _hard_prior() -> Iterator[Claim]:
    for dataset, what, b in _hard_cuts():
        for name in SEARCHES:
            yield Claim(
                claim=f"Theorem 2, B / 2 queries are needed of its prior: {name}, {what}",
                algorithm=name,
                dataset=dataset,
                metric="queries",
                paper=rounded(b / 2),
                relation=">=",
            )
            yield Claim(
                claim=f"B queries are needed of theorem 2's prior: {name}, {what}",
                algorithm=name,
                dataset=dataset,
                metric="queries",
                paper=str(b),
                relation=">=",
                every_repetition=True,
                note="not in the paper: at least K-tilde, which is at least B",
            )
            yield Claim(
                claim=f"Section 3, {name} finds c*: {what}",
                algorithm=name,
                dataset=dataset,
                metric=ERROR,
                paper="0",
                relation="<=",
                every_repetition=True,
            )
        for relation, bound, side in ((">=", b, "B <= K-tilde"), ("<=", 2 * b, "K-tilde <= 2 B")):
            yield Claim(
                claim=f"Theorem 2, {side}: {what}",
                algorithm="OTS",
                dataset=dataset,
                metric="k-tilde",
                paper=str(bound),
                relation=relation,
                every_repetition=True,
            )
    for b in HARD["balanced"]:
        yield Claim(
            claim=f"Theorem 2, E[K-tilde]: balanced, n = {N}, B = {b}",
            algorithm="OTS",
            dataset=shape("balanced", hard(b)),
            metric="k-tilde",
            paper=rounded(1.5 * b),
            note="each of B nodes counts once or, with its children, twice",
        )


def _lemma_3() -> Iterator[Claim]:
    for n in SIZES:
        yield Claim(
            claim=f"Lemma 3, WDP selects K-tilde paths: one of a line, n = {n}",
            algorithm="WDP",
            dataset=shape("caterpillar", UNIFORM, n),
            metric="queries",
            paper=str(math.ceil(math.log2(n)) + 1),
            relation="<=",
            every_repetition=True,
            note="a second path would need its own search; bisection of n equally likely places "
            "takes at most log2 n + 1 queries",
        )


def _theorem_3() -> Iterator[Claim]:
    for name in SHAPES:
        for law, prior in ((UNIFORM, "WDP"), (CONSTANT, INFORMED)):
            for n in SIZES if law == UNIFORM else (N,):
                paths = mean_k_tilde(name, n, law)
                yield Claim(
                    claim="Theorem 3, WDP asks O(E[K-tilde] log h) queries: "
                    f"{name}, n = {n}, {law}",
                    algorithm=prior,
                    dataset=shape(name, law, n),
                    metric="queries",
                    paper=rounded(paths * log2_places(height(name, n))),
                    relation="<=",
                    note=f"E[K-tilde] = {paths:.4g}, times log2(h + 1) + 2; Q of algorithm 1 "
                    "includes the top node of the path, unlike as printed",
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
IN_BAND = {
    f"balanced, K = {MANY}": (shape("balanced", f"law=top-k, k={MANY}"), MANY),
    "caterpillar, K = 2048": (shape("caterpillar", "law=top-k, k=2048"), 1),
    "UPGMA of the digits, K = 899": (real("UPGMA", "law=top-k, k=899"), 510),
    "Single of the digits, K = 899": (real("Single", "law=top-k, k=899"), 234),
}
"""Cuts in the middle of the distinct heights, which is a band of each odd number of them: the data
set, and K-tilde."""


def banded(bands: int) -> str:
    """WDP with parallel bands as its prior."""
    return f"WDP[prior=bands, bands={bands}]"


def _theorem_6() -> Iterator[Claim]:
    for what, (dataset, paths) in IN_BAND.items():
        for bands in BANDS:
            yield Claim(
                claim=f"Theorem 6, WDP asks O(K-tilde log b) queries: b = {bands}, {what}",
                algorithm=banded(bands),
                dataset=dataset,
                metric="queries",
                paper=rounded(paths * log2_places(bands)),
                relation="<=",
                note=f"K-tilde = {paths}, times log2(b + 1) + 2: b places and the rest",
            )
            yield Claim(
                claim=f"Theorem 6, bands say more than a uniform prior: b = {bands}, {what}",
                algorithm=banded(bands),
                better_than="WDP",
                dataset=dataset,
                metric="queries",
            )
        yield Claim(
            claim=f"Theorem 6, K-tilde of the cut: {what}",
            algorithm="WDP",
            dataset=dataset,
            metric="k-tilde",
            paper=str(paths),
            every_repetition=True,
        )


# ---- The suite -----------------------------------------------------------------------------------


def _pairs() -> Iterator[tuple[str, str]]:
    """Pairs of algorithms and data sets to run."""
    for dataset, *_ in (*_cuts(), *_hard_cuts()):
        yield from ((name, dataset) for name in SEARCHES)
    for dataset, *_ in _cuts():
        yield LITERAL, dataset
    for dataset, _ in IN_BAND.values():
        yield from ((banded(bands), dataset) for bands in BANDS)
        yield from ((name, dataset) for name in SEARCHES)


_ONLY = tuple(dict.fromkeys(_pairs()))

THEOREMS = Suite(
    name="gentile2019-theorems",
    doc="Theorems 1, 2, 3 and 6: queries of BF, OTS and WDP on random cuts, against log N, "
    "K-tilde, log h and log b.",
    algorithms=tuple(dict.fromkeys(algorithm for algorithm, _ in _ONLY)),
    datasets=tuple(dict.fromkeys(dataset for _, dataset in _ONLY)),
    metrics=("queries", "k-tilde", "log-cuts", "n-clusters", ERROR),
    only=_ONLY,
    repetitions=10,
    claims=(
        *_theorem_1(),
        *_theorem_2(),
        *_hard_prior(),
        *_lemma_3(),
        *_theorem_3(),
        *_theorem_6(),
    ),
    figures=(
        Figure(
            name="gentile2019-theorems1-3",
            doc="Queries against log N(T), and against K-tilde, with the bounds.",
            function="hcbench_cuts.figures:questions",
        ),
    ),
    paper=PAPERS["gentile2019"],
)
