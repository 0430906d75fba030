"""The suites of Ghoshdastidar et al. 2019: names, claims, and small runs."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

import hcbench
from hcbench import Claim, Problem, Suite, Tree
from hcbench.claims.verdicts import Verdict, judge_claim
from hcbench.figures import draw_figures
from hcbench.plan.plan import make_plan
from hcbench.registry import Registry, load_registry
from hcbench.run.options import RunOptions
from hcbench.run.run import run_plan
from hcbench.store import Store
from hcbench_quadruplets import suites, suites_planted, suites_real
from hcbench_quadruplets.suites import SUITES, THEOREMS
from tests.plugins.claims import members_of
from tests.plugins.registering import light_suites

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


# ---- Names ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_plugin_registers_its_suites_and_imports_nothing_heavy():
    assert light_suites("hcbench_quadruplets") == [suite.name for suite in SUITES]


# ---- Numbers -------------------------------------------------------------------------------------


def linkage_bound(n: int, **parameters: object) -> float:
    return hcbench.score("linkage-bound", Tree([n] * n + [-1]), Problem(n=n), **parameters)


@pytest.mark.parametrize("n", [16, 40, 80, 240])
def test_bounds_of_proposition_1(n: int):
    pairs = sum(1 for i in range(n) for j in range(i))
    depth = next(k for k in range(64) if 2**k >= pairs)
    assert linkage_bound(n) == pairs - 1
    assert linkage_bound(n, of="sorting") == pairs * depth


@pytest.mark.parametrize(("size", "fails", "recovers"), [(10, 0.0379, 1.0342), (30, 0.0461, 1.116)])
def test_separations_are_on_the_right_side_of_the_bounds_of_theorem_1(
    size: int, fails: float, recovers: float
):
    of_theorem_1 = [c for c in members_of(THEOREMS) if c.claim.startswith("Theorem 1,")]
    deltas = {claim.dataset.rpartition("=")[2] for claim in of_theorem_1}
    assert {f"{fails}]", f"{recovers}]"} <= deltas
    # sigma is 0.1, eta 0.1, and there are 8 times as many items as in a cluster.
    least = 0.1 * 4 * math.sqrt(math.log(8 * size / 0.1))
    assert least <= recovers < least + 0.001
    most = 0.1 * math.sqrt(math.log(size)) / 4
    assert most - 0.001 < fails <= most


def test_recovery_in_all_repetitions_decides_the_claims_about_its_probability():
    suite = THEOREMS
    shares = [
        claim
        for claim in suite.claims
        if claim.metric == "exact-recovery" and claim.relation == ">="
    ]
    places = {claim.claim.partition(", ")[0] for claim in shares}
    assert places == {"Theorem 1", "Theorem 2", "Theorem 4"}
    for claim in shares:
        # The exact lower bound of a proportion of 1 at the 96 % of the planned look.
        assert 0.04 ** (1 / suite.repetitions) > float(claim.paper), claim.claim


@pytest.mark.parametrize("n", [64, 128, 256, 512])
def test_queries_of_theorem_2_are_bounded_by_2_q_n_squared_per_reference(n: int):
    per_reference = 2 * 8 * n * math.log(n)  # q = 8 ln N / N
    bound = linkage_bound(n, of="landmarks", factor=8, references=20)
    assert bound == pytest.approx(20 * per_reference, rel=1e-3)
    chance = f"q={8 * math.log(n) / n:.5f}".rstrip("0")
    of_size = [c for c in members_of(THEOREMS) if f"N0={n // 2}," in c.dataset]
    active = [c for c in of_size if c.algorithm.startswith("4K-AL-act")]
    assert active
    assert all(chance in claim.algorithm for claim in active)


def test_theorem_2_requires_more_items_than_can_be_run():
    delta = 0.5**2 / 100 * 2 * math.exp(-2 * 2**2)  # eta = 0.5, delta/sigma = 2, L = 1
    n = (2 * 4 / delta) ** 2  # N / 2 > 4 sqrt(N) / Delta
    assert n > 1e13
    file = Path(suites.__file__).with_name("ghoshdastidar2019-theorems.toml")
    assert "10^13" in file.read_text()


def test_planted_data_are_those_of_section_4_1(registry: Registry):
    for suite in (suites_planted.FIGURE_2, suites_planted.FIGURE_S1, suites_planted.FIGURE_2_CODE):
        uses = [use for text in suite.datasets for use in registry.use_datasets(text)]
        assert [use.params["delta"] for use in uses] == [k / 50 for k in range(1, 11)]
        for use in uses:
            fixed = {name: use.params[name] for name in ("N0", "L", "mu", "sigma")}
            assert fixed == {"N0": 30, "L": 3, "mu": 0.8, "sigma": 0.1}
    assert [
        use.params["p"] for use in registry.use_oracles(suites_planted.FIGURE_S1.oracles[0])
    ] == [
        *(k / 100 for k in range(1, 11)),
        1.0,
    ]


def test_comparisons_and_cost_of_figure_3_are_by_cosine_similarity(registry: Registry):
    suite = suites_real.FIGURE_3
    oracles = [use for text in suite.oracles for use in registry.use_oracles(text)]
    costs = registry.use_metrics(suites_real.COST)
    assert {use.params["similarity"] for use in (*oracles, *costs)} == {"cosine"}


def test_the_embeddings_get_the_same_comparisons(registry: Registry):
    cells = make_plan(suites_real.FIGURE_3, registry).cells
    oracles_run = {
        (base, cell.dataset.identity, cell.oracle.identity)
        for cell in cells
        if (base := cell.algorithm.spec.name) in ("4-AL", "tSTE-AL", "FORTE-AL")
    }
    assert {h[1:] for h in oracles_run if h[0] == "4-AL"} == {
        h[1:] for h in oracles_run if h[0] == "tSTE-AL"
    }
    assert all("quadruplet-set" in oracle for _, _, oracle in oracles_run)


# ---- Running them --------------------------------------------------------------------------------


def small(suite: Suite, **changes: object) -> Suite:
    return replace(suite, **{"repetitions": 2, **changes})  # type: ignore[arg-type]


def run(suite: Suite, folder: Path) -> hcbench.Results:
    registry = load_registry()
    plan = make_plan(suite, registry)
    with Store(folder / "s.sqlite") as store:
        return hcbench.Results.of_plan(
            plan, run_plan(plan, registry.plugins, store, RunOptions(jobs=1))
        )


@pytest.mark.slow
def test_a_small_figure_2_has_verdicts_and_is_drawn(tmp_path: Path):
    data = "planted[N0=3, L=2, sigma=0.1, delta=[0.1, 0.4]]"
    claim = Claim(
        claim="p has little impact",
        algorithm="4-AL",
        dataset="planted[N0=3, L=2, delta=0.4]",
        oracle="quadruplet-set[p=0.5]",
        than_oracle="quadruplet-set[p=1]",
        metric="AARI",
        relation="=",
        within=1.0,
    )
    suite = small(
        suites_planted.FIGURE_2,
        algorithms=("SL", "CL", "4-AL", "4-AL-I3", "4K-AL-act[p=0.5]"),
        datasets=(data,),
        oracles=("quadruplet-set[p=[0.5, 1.0]]",),
        claims=(*suites_planted.FIGURE_2.claims[:1], claim),
        repetitions=6,  # fewer equal differences exclude no rare difference above 1
        first_look=6,
    )
    results = run(suite, tmp_path)
    assert {outcome.status for outcome in results.outcomes} == {"ok"}
    absent, found = (judge_claim(c, results) for c in suite.claims)
    assert absent.verdict == "not run"
    assert found.verdict == "reproduced"
    assert_difference_between_oracles(found, results)
    (drawn,) = draw_figures(results, tmp_path, store=tmp_path / "s.sqlite")
    assert drawn.path is not None, drawn.reason


def assert_difference_between_oracles(found: Verdict, results: hcbench.Results) -> None:
    mean = {
        row["oracle"]: row["mean"]
        for row in results.summary
        if (row["algorithm"], row["metric"]) == ("4-AL", "AARI") and "0.4" in row["dataset"]
    }
    few, all_of_them = (mean[f"quadruplet-set[p={p}]"] for p in ("0.5", "1.0"))
    assert found.measured == pytest.approx(few - all_of_them)


@pytest.mark.slow
def test_small_theorems_are_drawn_and_proposition_1_holds(tmp_path: Path):
    few = "planted[N0=10,L=3,sigma=0.1,delta=1.0342]"
    datasets = ("planted[N0=2,L=3,sigma=0.1,delta=0.1]", few)
    claims = tuple(c for c in members_of(THEOREMS) if c.dataset.replace(" ", "") in datasets)
    suite = small(
        THEOREMS,
        algorithms=("SL", "CL", "SL[ask=merge-sort]", "CL[ask=merge-sort]"),
        datasets=datasets,
        oracles=(),
        only=(),
        claims=claims,
    )
    results = run(suite, tmp_path)
    verdicts = [judge_claim(claim, results) for claim in suite.claims]
    assert {v.verdict for v in verdicts if v.claim.every_repetition} == {"reproduced"}
    first, *others = draw_figures(results, tmp_path, store=tmp_path / "s.sqlite")
    assert first.path is not None, first.reason
    # No kernel ran: the others note that data are missing.
    assert not any(drawn.failed for drawn in others)


@pytest.mark.slow
def test_figures_without_data_are_reported(tmp_path: Path):
    suite = small(
        suites_real.FIGURE_3, algorithms=("4-AL",), datasets=("planted[N0=2, L=2]",), claims=()
    )
    results = run(replace(suite, oracles=("quadruplet-set[p=1]",)), tmp_path)
    of_all, *of_one = draw_figures(results, tmp_path, store=tmp_path / "s.sqlite")
    assert of_all.path is not None, of_all.reason
    for drawn in of_one:
        assert drawn.path is None
        assert not drawn.failed, drawn.reason
        assert drawn.reason == "dasgupta was not measured against oracle.p"
