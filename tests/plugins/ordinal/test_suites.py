"""The suites of Emamjomeh-Zadeh & Kempe 2018: names, bounds, verdicts, and lemma 3.1."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binomtest

import hcbench
from hcbench import (
    Claim,
    DataRequest,
    NotApplicableError,
    Oracle,
    OracleRequest,
    Problem,
    Suite,
    Tree,
    score,
)
from hcbench.analysis.power_laws import log_log_slope
from hcbench.claims.relations import accepted_values
from hcbench.claims.verdicts import judge_claim
from hcbench.figures import draw_figures
from hcbench.plan.plan import make_plan
from hcbench.registry import Registry, load_registry
from hcbench.run.options import RunOptions
from hcbench.run.run import run_plan
from hcbench.store import Store
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_ordinal import bounds
from hcbench_ordinal.shapes import random_tree
from hcbench_ordinal.suites import (
    ADVERSARY,
    LEMMAS,
    NOISELESS,
    NOISY,
    NONADAPTIVE,
    PERMANENT,
    SUITES,
)
from hcbench_ordinal.suites_nonadaptive import RECOVERY
from tests.plugins.claims import members_of
from tests.plugins.ordinal.test_insertion import Recorder, binary_trees
from tests.plugins.registering import light_suites

pytestmark = pytest.mark.usefixtures("in_process")

SHAPES = ("random", "balanced", "caterpillar", "yule")
SIZES = (64, 128, 256, 512, 1024, 2048, 4096)
NOISY_SIZES = (32, 64, 128, 256)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


# ---- Names ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_plugin_registers_its_suites_and_imports_nothing_heavy():
    assert light_suites("hcbench_ordinal") == [suite.name for suite in SUITES]


def test_guarantees_are_claimed_for_the_stated_probability_of_correct_answers(
    registry: Registry,
):
    promised = set()
    for claim in members_of(NOISY):
        if claim.metric != RECOVERY:
            continue
        (algorithm,) = registry.use_algorithms(claim.algorithm)
        (oracle,) = registry.use_oracles(claim.oracle)
        assert float(algorithm.params["p"]) == pytest.approx(1 - float(oracle.params["noise"]))
        assert float(claim.paper) == 1 - float(algorithm.params["delta"])
        promised.add((algorithm.params["strategy"], algorithm.params["p"]))
    assert promised == set(product(("paper", "bayes", "repeat"), (0.6, 0.7, 0.8, 0.9)))


# ---- Bounds --------------------------------------------------------------------------------------


def test_queries_of_binary_search_add_up():
    # floor(log2 3) + floor(log2 5) + floor(log2 7) + floor(log2 9) = 1 + 2 + 2 + 3
    assert [bounds.noiseless_queries(n) for n in (1, 2, 3, 4, 5, 6)] == [0, 0, 1, 3, 5, 8]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_the_information_bound_counts_the_binary_trees(n: int):
    assert bounds.information_bound(n) == pytest.approx(math.log(len(list(binary_trees(n))), 3))


@pytest.mark.parametrize("n", SIZES)
def test_bounds_of_the_noiseless_suite(n: int):
    least = math.log(math.prod(range(1, 2 * n - 2, 2)), 3)
    most = sum(math.floor(math.log2(2 * i - 3)) for i in range(3, n + 1))
    assert query_bound(n, of="information") == pytest.approx(least, rel=1e-10)
    assert query_bound(n, of="binary-search") == most
    assert least < most < n * math.log2(n)
    assert query_bound(n, of="n-log-n", factor=2) == pytest.approx(2 * n * math.log2(n))


def query_bound(n: int, **parameters: object) -> float:
    tree = random_tree(DataRequest(seed=0), n=n).truth
    return score("query-bound", tree, Problem(n=n), **parameters)


def test_bounds_of_section_6():
    # 8 / 3 * 16 * 4, and all C(16, 3) triples.
    assert query_bound(16, of="degree", factor=8) == pytest.approx(512 / 3)
    assert query_bound(16, of="triples") == 560


def test_no_algorithm_finds_a_pair_in_a_star_with_fewer_queries():
    """Of n(n-1)/2 places a query of three items can find 3; on average half are excluded first."""
    for n in (4, 7, 10):
        places, found, needed = n * (n - 1) // 2, 0, 0.0
        while found < places:  # the best case: each query excludes 3 new places
            found += 3
            needed += 3 / places * (found // 3)
        assert query_bound(n, of="star-with-pair") <= needed


@pytest.mark.parametrize(("suite", "sizes"), [(NOISELESS, SIZES), (NOISY, NOISY_SIZES)])
def test_rates_are_those_of_n_log_n(suite: Suite, sizes: tuple[int, ...]):
    slope, _ = log_log_slope(sizes, [[n * math.log2(n)] * 2 for n in sizes])
    (printed,) = {c.paper for c in suite.claims if c.exponent and c.note.startswith("the rate of")}
    assert printed == f"{slope:.3f}"


def test_the_rate_and_the_rounds_of_lemma_5():
    sizes = (128, 256, 512)
    slope, _ = log_log_slope(sizes, [[math.log(n / 0.05)] * 2 for n in sizes])
    (rate,) = (claim for claim in LEMMAS.claims if claim.exponent)
    assert float(rate.paper) == pytest.approx(slope, abs=0.001)
    rounds = [c.paper for c in LEMMAS.claims if c.metric.startswith("candidates")]
    assert rounds == [str(bounds.weight_rounds(0.9, 0.05 / n / 2, 0.5, 2 * n - 3)) for n in sizes]


def test_fixed_triples_determine_no_more_trees_than_theorem_2_3_allows():
    """The number of the 315 balanced trees of 8 items that Build determines from triples."""
    n, rng = 8, np.random.default_rng(0)
    balanced = Tree([8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, -1])
    trees = [Recorder(balanced.relabel(order)) for order in _orders_of_a_balanced_tree()]
    assert len(trees) == 315
    triples = list(combinations(range(n), 3))
    for count in (6, 10, 13):
        chosen = [triples[t] for t in rng.choice(len(triples), count, replace=False)]
        answers_of_trees = [tuple(tree(*query) for query in chosen) for tree in trees]
        # Answers of a single tree determine it; no algorithm could do so from other answers.
        share = sum(answers_of_trees.count(a) == 1 for a in answers_of_trees) / 315
        assert share <= bounds.chance_of_fixed_triples(n, count)
        claimed = 24 * count / (n * (n - 1) * (n - 2))  # the paper's 1 - delta
        assert bounds.chance_of_fixed_triples(n, count) == pytest.approx(claimed)


def _orders_of_a_balanced_tree() -> list[list[int]]:
    """One for each balanced tree of 8 items: halves, quarters and pairs with rising first items."""

    def split(items: tuple[int, ...]) -> list[tuple[int, ...]]:
        if len(items) == 1:
            return [items]
        halves = [
            ((items[0], *rest), tuple(sorted(set(items[1:]) - set(rest))))
            for rest in combinations(items[1:], len(items) // 2 - 1)
        ]
        return [a + b for x, y in halves for a in split(x) for b in split(y)]

    return [list(order) for order in split(tuple(range(8)))]


# ---- Lemma 3.1 -----------------------------------------------------------------------------------


def unbalanced_share(tree: Tree, balance: float) -> float:
    """Pair by pair: the clusters that the children of their lowest common ancestor are."""
    clusters = [set(tree.leaves(v).tolist()) for v in range(tree.n_nodes)]
    uneven = 0
    for a, b in combinations(range(tree.n), 2):
        both = min((c for c in clusters if {a, b} <= c), key=len)
        side_a, side_b = (
            max((c for c in clusters if x in c and c < both), key=len) for x in (a, b)
        )
        uneven += max(len(side_a), len(side_b), tree.n - len(both)) > balance * tree.n
    return uneven / math.comb(tree.n, 2)


@pytest.mark.slow
@given(
    st.integers(3, 20),
    st.sampled_from(SHAPES),
    st.integers(2, 5),
    st.sampled_from([0.3, 0.5, 0.75, 0.9375, 1.0]),
    st.integers(0, 10**6),
)
def test_unbalanced_splits_are_counted_right(n, shape, degree, balance, seed):
    tree = random_tree(DataRequest(seed=seed), n=n, shape=shape, degree=degree).truth
    measured = score(f"unbalanced-splits[balance={balance}]", tree, Problem(n=n))
    assert measured == pytest.approx(unbalanced_share(tree, balance), abs=1e-12)


@given(st.integers(17, 400), st.sampled_from(SHAPES), st.integers(0, 10**6))
def test_lemma_3_1_holds_for_random_trees(n, shape, seed):
    tree = random_tree(DataRequest(seed=seed), n=n, shape=shape).truth
    assert score("unbalanced-splits", tree, Problem(n=n)) <= 125 / 128


@pytest.mark.slow
def test_quick_clustering_repeats_unbalanced_splits_as_often_as_measured():
    n, runs, balance = 12, 300, 0.7
    tree = random_tree(DataRequest(seed=0), n=n, shape="caterpillar").truth
    share = score(f"unbalanced-splits[balance={balance}]", tree, Problem(n=n))
    assert 0.2 < share < 0.8
    uneven, truth = 0, Recorder(tree)
    for seed in range(runs):
        recorder = Recorder(tree)
        hcbench.fit("QuickClustering", n=n, ordinal=recorder, balance=balance, seed=seed)
        first, second = recorder.asked[: n - 2], recorder.asked[n - 2 : 2 * (n - 2)]
        # A and B contain one pivot each.
        parts = np.bincount([0, 1, *(truth(*query) for query in first)], minlength=3)
        assert len({query[:2] for query in first}) == 1
        is_uneven = parts.max() > balance * n
        another = len({frozenset(q[:2]) for q in second}) == 1
        assert is_uneven == (another and len({x for q in second for x in q}) == n)
        uneven += is_uneven
    assert abs(uneven / runs - share) < 5 * math.sqrt(share * (1 - share) / runs)


def test_fewer_than_three_items_are_not_split():
    with pytest.raises(NotApplicableError, match="a split needs at least three items, got 2"):
        score("unbalanced-splits", Tree([2, 2, -1]), Problem(n=2))


# ---- Verdicts ------------------------------------------------------------------------------------


def test_a_probability_is_confirmed_only_if_all_trees_are_correct():
    runs, promised = NOISY.repetitions, 0.95

    def lower_bound(correct: int) -> float:
        # The level of the planned look is 96 %.
        return float(binomtest(correct, runs).proportion_ci(0.92, "exact").low)

    assert lower_bound(runs - 1) < promised <= lower_bound(runs)
    (note,) = {claim.note for claim in NOISY.claims if claim.metric == RECOVERY}
    assert f"all of {runs} trees" in note
    assert note.endswith(f"at 96 % is {lower_bound(runs):.3f}")


# ---- Running them --------------------------------------------------------------------------------


def run(suite: Suite, folder: Path) -> hcbench.Results:
    """Run a suite that plans the repetitions that it has."""
    registry = load_registry()
    plan = make_plan(replace(suite, first_look=suite.repetitions), registry)
    with Store(folder / "s.sqlite") as store:
        return hcbench.Results.of_plan(
            plan, run_plan(plan, registry.plugins, store, RunOptions(jobs=1))
        )


def check_verdicts(suite: Suite, results: hcbench.Results) -> None:
    """Assert that all means but slopes agree with their claims.

    With few repetitions the interval of a mean may leave a claim undecided.
    """
    verdicts = [judge_claim(claim, results) for claim in suite.claims]
    assert verdicts
    assert {verdict.verdict for verdict in verdicts} <= {"reproduced", "undecided"}
    for verdict in verdicts:
        claim = verdict.claim
        if verdict.verdict == "undecided" and not claim.exponent:
            low, high = accepted_values(claim, claim.relation)
            assert low <= verdict.measured <= high, verdict


def about(suite: Suite, *sizes: int) -> tuple[Claim, ...]:
    return tuple(c for c in members_of(suite) if any(f"[n={n}," in c.dataset for n in sizes))


@pytest.mark.slow
def test_a_small_noiseless_suite_is_reproduced_and_drawn(tmp_path: Path):
    datasets = ("random-tree[n=[64, 128], shape=[random, balanced, caterpillar, yule]]",)
    suite = replace(NOISELESS, datasets=datasets, repetitions=2, claims=about(NOISELESS, 64, 128))
    results = run(suite, tmp_path)
    assert {outcome.status for outcome in results.outcomes} == {"ok"}
    check_verdicts(suite, results)
    for drawn in draw_figures(results, tmp_path, store=tmp_path / "s.sqlite"):
        assert drawn.path is not None, drawn.reason


@pytest.mark.slow
def test_the_lemmas_of_section_5_are_reproduced_on_small_trees(tmp_path: Path):
    of_queries = [c for c in about(NOISY, 32) if "Lemma 5.3" in c.claim and "p = 0.9" in c.claim]
    noisy = replace(
        NOISY,
        algorithms=tuple({claim.algorithm for claim in of_queries}),
        datasets=("random-tree[n=32, shape=random]",),
        only=(),
        oracles=LEMMAS.oracles,
        claims=tuple(of_queries),
    )
    least = "random-tree[n=128, shape=random]"
    claims = tuple(c for c in about(LEMMAS, 128) if not c.exponent)
    lemmas = replace(LEMMAS, datasets=(least,), claims=claims)
    for suite in (noisy, lemmas):
        small = replace(suite, repetitions=3)
        results = run(small, tmp_path)
        check_verdicts(small, results)
        for verdict in (judge_claim(claim, results) for claim in small.claims):
            # Three equal numbers do not show how often another one occurs.
            is_of_probability = "with probability" in verdict.claim.claim
            if not is_of_probability and "find the true tree" not in verdict.claim.claim:
                assert verdict.verdict == "reproduced"
            assert verdict.verdict != "differs"


@pytest.mark.slow
def test_a_small_noisy_suite_is_reproduced_and_drawn(tmp_path: Path):
    claims = [c for c in about(NOISY, 32, 64) if "p=0.9," in c.algorithm]
    claims = [c for c in claims if "strategy=paper" not in c.algorithm and not c.exponent]
    suite = replace(
        NOISY,
        algorithms=tuple(dict.fromkeys(claim.algorithm for claim in claims)),
        datasets=("random-tree[n=[32, 64], shape=random]",),
        oracles=("ordinal-queries[noise=0.1, wrong=[random, adversarial]]",),
        only=(),
        repetitions=2,
        claims=tuple(claims),
    )
    results = run(suite, tmp_path)
    assert {outcome.status for outcome in results.outcomes} == {"ok"}
    check_verdicts(suite, results)
    for drawn in draw_figures(results, tmp_path, store=tmp_path / "s.sqlite"):
        assert drawn.path is not None, drawn.reason


@pytest.mark.slow
def test_a_small_nonadaptive_suite_is_reproduced_and_drawn(tmp_path: Path):
    only = tuple(pair for pair in NONADAPTIVE.only if "n=8," in pair[1] or "n=16," in pair[1])
    suite = replace(
        NONADAPTIVE,
        algorithms=tuple(dict.fromkeys(algorithm for algorithm, _ in only)),
        datasets=tuple(dict.fromkeys(dataset for _, dataset in only)),
        only=only,
        repetitions=5,
        claims=about(NONADAPTIVE, 8, 16),
    )
    results = run(suite, tmp_path)
    assert {outcome.status for outcome in results.outcomes} == {"ok"}
    check_verdicts(suite, results)
    for drawn in draw_figures(results, tmp_path, store=tmp_path / "s.sqlite"):
        assert drawn.path is not None, drawn.reason


@pytest.mark.slow
def test_small_suites_of_errors_are_reproduced_and_drawn(tmp_path: Path):
    name = "NoisyInsertion[p=0.9, delta=0.05, strategy=bayes]"
    claim = next(c for c in about(ADVERSARY, 16) if "p=0.9" in c.algorithm)
    adversary = replace(
        ADVERSARY,
        only=(),
        algorithms=(name,),
        datasets=("random-tree[n=16, shape=random]",),
        oracles=("ordinal-adversary[noise=0.1]",),
        claims=(replace(claim, algorithm=name),),
        repetitions=3,
    )
    permanent = replace(
        PERMANENT,
        oracles=("ordinal-queries[corrupt=0.2, ties=break]",),
        claims=tuple(c for c in members_of(PERMANENT) if "corrupt=0.2," in c.oracle),
        repetitions=3,
    )
    for suite in (adversary, permanent):
        results = run(suite, tmp_path)
        assert {outcome.status for outcome in results.outcomes} == {"ok"}
        check_verdicts(suite, results)
        for drawn in draw_figures(results, tmp_path, store=tmp_path / "s.sqlite"):
            assert drawn.path is not None, drawn.reason


@pytest.mark.slow
def test_figures_without_data_are_reported(tmp_path: Path):
    for suite in SUITES:
        small = replace(
            suite,
            algorithms=("UPGMA",),
            datasets=("random-tree[n=4]",),
            oracles=(),
            only=(),
            repetitions=1,
            claims=(),
        )
        results = run(small, tmp_path)
        for drawn in draw_figures(results, tmp_path, store=tmp_path / "s.sqlite"):
            assert drawn.path is None
            assert not drawn.failed, drawn.reason
            assert "was not measured" in drawn.reason


@pytest.mark.slow
def test_a_tree_built_from_some_triples_is_unique():
    """So Build returns a tree only if the triples identify it, as theorem 2.3 requires."""
    for seed in range(18):
        truth = random_tree(DataRequest(seed=seed), n=5).truth
        oracle = Oracle(
            ordinal_queries(OracleRequest(problem=Problem(n=5, truths={"t": truth}), seed=0))
        )
        tree = hcbench.fit("Build", oracle, count=1 + seed % 9, seed=seed)
        truth_recorder = Recorder(truth)
        asked_by_build = Recorder(truth)
        hcbench.fit("Build", n=5, ordinal=asked_by_build, count=1 + seed % 9, seed=seed)
        agreeing = [
            other
            for other in map(Tree.from_parents, binary_trees(5))
            if all(Recorder(other)(*q) == truth_recorder(*q) for q in asked_by_build.asked)
        ]
        assert tree.isomorphic(truth) == (len(agreeing) == 1)
