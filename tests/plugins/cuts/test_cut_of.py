"""Trees to be cut, made of other data: content, true clusters, and errors."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import hcbench
from hcbench import DataError, DataRequest, ParameterError, Tree, load_registry
from hcbench.errors import UnknownNameError
from hcbench.plan.plan import make_plan
from hcbench.registry.suite import Suite
from hcbench.run.cell import run_job
from hcbench.run.inputs import make_problem
from hcbench.run.job import Call
from hcbench.run.tasks import make_job
from hcbench_cuts.cut_of import cut_of, hard_cut, random_cut
from tests.core.trees import trees

FIVE = Tree([5, 5, 6, 7, 7, 6, 8, 8, -1])  # (((0,1),2),(3,4))


def plan_with(name):
    suite = Suite(name="s", doc="d", algorithms=("BF",), datasets=(name,), metrics=("ARI",))
    plan = make_plan(suite, load_registry())
    return [cell.key for cell in plan.cells]


def use(name):
    (found,) = load_registry().use_datasets(name)
    return found


def made(name, seed=1):
    found = use(name)
    provided = found.provides
    problem = make_problem(Call(found.spec.function, found.params), seed, provided)
    assert problem.provides == provided, "neither less nor more than it declares"
    return problem


def is_cut(problem):
    """Whether the true clusters are nodes of the tree."""
    labels = problem.levels[:, 0]
    for code in np.unique(labels):
        members = np.flatnonzero(labels == code)
        node = members[0]
        for member in members[1:]:
            node = int(problem.tree.lca(node, member))
        if problem.tree.sizes[node] != members.size:
            return False
    return True


# ---- Laws ----------------------------------------------------------------------------------------


def cuts_of(tree, node=None):
    """All cuts below a node, as sets of nodes."""
    node = tree.root if node is None else node
    found = [frozenset({node})]
    if node >= tree.n:
        below = [frozenset()]
        for child in tree.children(node):
            below = [one | other for one in below for other in cuts_of(tree, int(child))]
        found += below
    return found


@settings(max_examples=25)
@given(trees(min_leaves=1, max_leaves=7), st.integers(0, 10**6))
def test_every_cut_is_drawn_equally_often(tree, seed):
    cuts = cuts_of(tree)
    if len(cuts) > 60:
        return
    rng = np.random.default_rng(seed)
    drawn = Counter(frozenset(random_cut(tree, rng).nodes.tolist()) for _ in range(40 * len(cuts)))
    assert set(drawn) <= set(cuts)
    if len(cuts) > 1:
        assert stats.chisquare([drawn[cut] for cut in cuts]).pvalue > 1e-6


@pytest.mark.slow
def test_each_node_is_below_the_cut_with_a_constant_probability():
    """Eq. (1) of the paper for P = alpha, each cut of a small tree."""
    alpha, draws = 0.3, 20_000
    rng = np.random.default_rng(5)
    drawn = Counter(frozenset(random_cut(FIVE, rng, alpha).nodes.tolist()) for _ in range(draws))
    expected = {}
    for cut in cuts_of(FIVE):
        above = {v for v in range(5, 9) if any(v in ancestors(FIVE, u) for u in cut)}
        below = [u for u in cut if u >= 5]
        expected[cut] = draws * (1 - alpha) ** len(above) * alpha ** len(below)
    assert sum(expected.values()) == pytest.approx(draws)
    assert stats.chisquare([drawn[c] for c in expected], list(expected.values())).pvalue > 1e-4


def ancestors(tree, node):
    found = set()
    while tree.parent[node] >= 0:
        node = int(tree.parent[node])
        found.add(node)
    return found


def k_tilde(tree, cut):
    """Leaves of the tree of the nodes above the cut and its lower boundary, without T's leaves."""
    above_cut = {v for u in cut for v in ancestors(tree, u) | {u} if v >= tree.n}
    return sum(not above_cut & set(tree.children(v).tolist()) for v in above_cut)


@pytest.mark.slow
@settings(max_examples=25)
@given(trees(min_leaves=2, max_leaves=9, binary=True), st.integers(0, 10**6))
def test_the_hard_prior_is_uniform_over_2_to_the_b_cuts_of_theorem_2(tree, seed):
    """For each b up to |L_s|, the numbers of cuts and K-tilde that appendix B.2 shows."""
    rng = np.random.default_rng(seed)
    pairs = sum(bool((tree.children(v) < tree.n).all()) for v in range(tree.n, tree.n_nodes))
    for b in range(1, min(pairs, 4) + 1):
        drawn = Counter(frozenset(hard_cut(tree, rng, b).nodes.tolist()) for _ in range(40 * 2**b))
        assert set(drawn) <= set(cuts_of(tree))
        assert len(drawn) == 2**b
        assert stats.chisquare(list(drawn.values())).pvalue > 1e-6
        assert all(b <= k_tilde(tree, cut) <= 2 * b for cut in drawn)
    with pytest.raises(ParameterError, match=f"k={pairs + 1}: .* has {pairs} subtrees"):
        hard_cut(tree, rng, pairs + 1)


def test_hard_cuts_by_hand():
    """((0,1),2) and (3,4) are each whole or cut once: 4 cuts; only the root: 2."""
    rng = np.random.default_rng(1)
    drawn = {b: {tuple(hard_cut(FIVE, rng, b).nodes) for _ in range(100)} for b in (1, 2)}
    assert drawn[1] == {(8,), (6, 7)}
    assert drawn[2] == {(6, 7), (2, 5, 7), (3, 4, 6), (2, 3, 4, 5)}
    star = Tree([6, 6, 7, 7, 8, 8, 9, 9, 9, -1])  # three pairs below the root
    assert {tuple(hard_cut(star, rng, 1).nodes) for _ in range(100)} == {(9,), (6, 7, 8)}
    with pytest.raises(ParameterError, match=r"k=2: .* has 1 or 3 subtrees"):
        hard_cut(star, rng, 2)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["balanced", "caterpillar"])
def test_cuts_of_large_trees_are_drawn_in_linear_time_and_exactly(shape):
    """N(T) of a balanced tree of 2^14 leaves has about 2900 digits."""
    problem = made(f"cut-of[tree={shape},n=16384]")
    assert is_cut(problem)
    if shape == "caterpillar":
        sizes = np.sort(np.bincount(problem.levels[:, 0]))
        assert (sizes[:-1] == 1).all()


@pytest.mark.parametrize("law", ["uniform", "constant,alpha=0.4", "top-k,k=3", "hard,k=2"])
@pytest.mark.parametrize("source", ["tree=UPGMA,data=wine", "tree=yule,n=50"])
def test_the_truth_of_a_realisable_law_is_a_cut(law, source):
    problem = made(f"cut-of[{source},law={law}]")
    assert is_cut(problem)
    assert problem.levels.shape == (problem.n, 1)
    assert list(problem.truths) == ["labels"]
    if "top-k" in law:
        assert (hcbench.Partition(problem.levels[:, 0])) == problem.tree.cut(3)


# ---- Trees ---------------------------------------------------------------------------------------


def test_the_tree_is_that_of_the_algorithm_with_its_heights():
    problem = made("cut-of[tree='UPGMA[metric=cosine]',data='wine[standardise=true]',law=labels]")
    wine = made("wine[standardise=true]")
    assert problem.tree == hcbench.fit("UPGMA", wine, metric="cosine")
    assert problem.tree.height is not None
    assert (problem.levels == wine.levels).all()
    assert (problem.vectors == wine.vectors).all()


def test_names_nest_without_quotes_too():
    quoted = use("cut-of[tree='Single',data='random-tree[n=20,shape=yule]']")
    bare = use("cut-of[tree=Single,data=random-tree[n=20,shape=yule]]")
    assert quoted.params == bare.params
    assert quoted.identity == bare.identity


def test_a_list_of_trees_is_a_grid():
    uses = load_registry().use_datasets("cut-of[tree=[UPGMA,Single],data=wine]")
    assert [u.params["tree"] for u in uses] == ["UPGMA", "Single"]


def test_the_true_tree_of_the_data_can_be_cut():
    problem = made("cut-of[tree=truth,data='random-tree[n=30,degree=4]',law=constant,alpha=0.2]")
    assert not problem.tree.is_binary
    assert is_cut(problem)
    same = made("cut-of[tree=Truth,data='random-tree[n=30,degree=4]',law=top-k,k=30]")
    assert same.tree == problem.tree
    assert (same.levels[:, 0] == np.arange(30)).all()


# ---- Seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "is_random"),
    [
        ("cut-of[tree=UPGMA,data=wine,law=labels]", False),
        ("cut-of[tree=UPGMA,data=wine,law=top-k,k=4]", False),
        ("cut-of[tree=UPGMA,data=wine]", True),
        ("cut-of[tree=caterpillar,n=9,law=top-k,k=4]", True),
        ("cut-of[tree=UPGMA,data=wine,law=hard,k=4]", True),
        ("cut-of[tree=UPGMA,data='planted[N0=3]',law=labels]", True),
    ],
)
def test_another_seed_gives_other_data_if_declared_random(name, is_random):
    found = use(name)
    assert found.is_random == is_random
    one, other = made(name, 1), made(name, 2)
    assert (one.digest() != other.digest()) == is_random
    assert made(name, 1).digest() == one.digest()


def test_fixed_data_have_the_same_tree_in_all_repetitions():
    one, other = (made("cut-of[tree=UPGMA,data=wine]", seed) for seed in (1, 2))
    assert one.tree == other.tree
    assert (one.levels != other.levels).any()


def test_nested_names_are_part_of_the_key(tmp_path: Path):
    file = tmp_path / "numbers.csv"
    name = f"cut-of[tree=UPGMA,data='{file}',law=top-k,k=2]"
    file.write_text("a,b\n1,2\n3,4\n9,9\n")
    before = use(name)
    assert {"hcbench:vectors", "hcbench:datasets", "hcbench:cuts"} <= set(before.fingerprints)
    file.write_text("a,b\n1,2\n3,4\n8,8\n")
    assert use(name).identity != before.identity


# ---- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("cut-of[tree=UPGMA]", ParameterError, "tree=UPGMA needs data="),
        ("cut-of[tree=UPGMAA,data=wine]", UnknownNameError, "did you mean"),
        ("cut-of[tree=UPGMA,data=wein]", UnknownNameError, "did you mean wine"),
        ("cut-of[tree=UPGMA,data=wine,n=5]", ParameterError, "n=5 is for a shape"),
        ("cut-of[tree=truth,data='./x.tsv']", DataError, "cannot read"),
        ("cut-of[law=labels]", ParameterError, "law=labels needs data="),
        ("cut-of[law=constant]", ParameterError, "law=constant needs alpha="),
        ("cut-of[law=top-k]", ParameterError, "law=top-k needs k="),
        ("cut-of[law=hard]", ParameterError, "law=hard needs k="),
        ("cut-of[law=top-k,k=3,alpha=0.5]", ParameterError, "alpha=0.5 is not for law=top-k"),
        ("cut-of[k=3]", ParameterError, "k=3 is not for law=uniform"),
        ("cut-of[tree=BF,data=wine]", ParameterError, "BF returns no tree"),
        ("cut-of[tree='UPGMA[metric=[cosine,euclidean]]',data=wine]", ParameterError, "means 2"),
    ],
)
def test_unknown_names_are_refused_when_planning(name, error, message):
    with pytest.raises(error, match=message):
        plan_with(name)


def test_more_clusters_than_items_are_refused():
    with pytest.raises(ParameterError, match="k=9 of 5 items"):
        cut_of(DataRequest(seed=0), tree="balanced", n=5, law="top-k", k=9)


def test_an_algorithm_that_does_not_accept_the_data_is_reported():
    with pytest.raises(hcbench.HcbenchError, match="Ward"):
        cut_of(DataRequest(seed=0), tree="Ward", data="random-tree[n=5]")


# ---- The plan ------------------------------------------------------------------------------------


def test_planning_makes_no_data(monkeypatch: pytest.MonkeyPatch):
    # What would read these data fails, as they are not there.
    monkeypatch.setenv("HCBENCH_DATA", "/nowhere")
    names = ("cut-of[tree=Single,data='mnist[n=10000]',law=labels]", "cut-of[n=100]")
    suite = Suite(name="s", doc="d", algorithms=("BF",), datasets=names, metrics=("ARI",))
    plan = make_plan(suite, load_registry())
    assert len(plan.cells) == 2 * suite.repetitions
    assert not plan.inapplicable
    assert len({cell.key for cell in plan.cells}) == len(plan.cells)


def test_missing_data_are_skipped_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def unknown(*_args, **_more):
        raise OSError("no such host")

    # Neither a folder of data, nor a cache, nor a network to download them from.
    monkeypatch.setenv("HCBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("socket.getaddrinfo", unknown)
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    suite = Suite(
        name="s",
        doc="d",
        algorithms=("BF",),
        datasets=("cut-of[tree=Single,data='mnist[n=51]',law=labels]",),
        metrics=("ARI",),
    )
    done = run_job(make_job(make_plan(suite, load_registry()).cells[0], ["ARI"]))
    assert done.status == "skipped"
    assert done.reason.startswith("mnist: no mnist/train-images-idx3-ubyte.gz")


def test_a_file_that_has_changed_is_read_again(tmp_path: Path):
    file = tmp_path / "numbers.csv"
    file.write_text("a,b\n1,2\n1,3\n9,9\n")
    name = f"cut-of[tree=UPGMA,data='{file}',law=top-k,k=2]"
    assert made(name).levels.ravel().tolist() == [0, 0, 1]
    file.write_text("a,b\n1,2\n9,8\n9,9\n")
    assert made(name).levels.ravel().tolist() == [0, 1, 1]


def test_mnist_has_its_ten_classes():
    folder = os.environ.get("HCBENCH_DATA")
    if not folder or not (Path(folder) / "mnist").is_dir():
        pytest.skip("no mnist in HCBENCH_DATA")
    problem = made("cut-of[tree=Median,data='mnist[n=400]',law=labels]")
    assert problem.n == problem.tree.n == 400
    assert set(problem.levels.ravel().tolist()) == set(range(10))
