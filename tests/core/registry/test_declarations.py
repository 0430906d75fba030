"""What specs declare beside their function: tags, licences, other names, sizes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import hcbench
from hcbench import (
    AlgorithmSpec,
    DatasetSpec,
    Figure,
    OracleSpec,
    Parameter,
    Suite,
    load_registry,
)
from hcbench.cli import main
from hcbench.errors import InvalidSpecError, SuiteError, UnknownNameError
from hcbench.plan.plan import make_plan
from hcbench.run.cell import run_job
from hcbench.run.rescore import use_described
from hcbench.run.tasks import make_job

PLUGIN = '''
"""Two algorithms, of which one had another name, and a data set."""
import numpy as np
from hcbench import AlgorithmSpec, DatasetSpec, Parameter, Problem, Reference, hookimpl

def chain(oracle, items, rng):
    return np.array([(0, 1), *((items.n + k, k + 2) for k in range(items.n - 2))])

def points(seed, *, n):
    return Problem(n=n or 4, vectors=np.arange(n or 4)[:, None] * 1.0)

PAPER = Reference("roe2020", "article", {"author": "Roe, R.", "title": "T", "year": "2020"})

@hookimpl
def hcbench_algorithms():
    made = {"function": chain, "accepts": ("vectors",)}
    return [
        AlgorithmSpec(name="Chain", doc="One.", tags=("toy",), aliases=("Old-Chain",), min_items=5,
            licence="GPL-3.0-only", memory=lambda n: 2**30 * n, **made),
        AlgorithmSpec(name="Other", doc="Two.", paper=PAPER, **made),
        AlgorithmSpec(name="Binary", doc="Two.", binary_only=True, **made),
        AlgorithmSpec(name="Lacking", doc="Three.", requires=("no-such-library", "numpy"), **made),
    ]

@hookimpl
def hcbench_datasets():
    n = Parameter("n", None, "Items.", type="int")
    return [DatasetSpec(name="row", function=points, doc="Points.", provides=("vectors",),
        parameters=(n,))]
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    path = tmp_path / "chains.py"
    path.write_text(PLUGIN)
    return path


def call(*args: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, list(map(str, args)))


def test_a_tag_stands_for_all_that_have_it_and_papers_are_tags(file: Path) -> None:
    registry = load_registry([file])
    for text, labels in [("@toy", ["Chain"]), ("@TOY", ["Chain"]), ("@paper:roe2020", ["Other"])]:
        assert [use.label for use in registry.use_algorithms(text)] == labels
    with pytest.raises(
        UnknownNameError, match="no algorithm has the tag 'toys'; tags are active, "
    ):
        registry.use_algorithms("@toys")


def test_parameters_of_a_tag_or_pattern_are_those_of_each() -> None:
    uses = load_registry().use_algorithms("@phylogeny[metric=cosine]")
    assert [use.label for use in uses] == ["skbio-nj[metric=cosine]", "skbio-upgma[metric=cosine]"]


@pytest.mark.slow
def test_an_alias_works_and_one_line_tells_the_registered_name(file: Path) -> None:
    registry = load_registry([file])
    with pytest.warns(UserWarning, match="old-chain is another name of the algorithm Chain"):
        (old,) = registry.use_algorithms("old-chain")
    (new,) = registry.use_algorithms("Chain")
    assert (old.label, old.identity) == (new.label, new.identity)  # one stored result serves both
    with pytest.warns(UserWarning, match="chains:Old-Chain is another name"):
        (full,) = registry.use_algorithms("chains:Old-Chain")
    assert full.identity == new.identity
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as outside of tests
        shown = call("info", "Old-Chain", "--plugin", file)
    assert shown.stdout.startswith("Chain: algorithm\n")
    warned = (
        "hcbench: warning: Old-Chain is another name of the algorithm Chain; results have the name "
        "Chain\n"
    )
    assert shown.stderr == warned
    assert call("info", "Chain", "--plugin", file).stderr == ""


def test_an_alias_is_listed_and_found(file: Path) -> None:
    listed = json.loads(
        call("list", "--search", "old-ch", "--plugin", file, "--format=json").stdout
    )
    (chain,) = listed["algorithms"]
    assert (chain["name"], chain["aliases"]) == ("Chain", ["Old-Chain"])
    shown = call("list", "algorithms", "--search", "old-ch", "--plugin", file).stdout
    assert "aliases Old-Chain" in shown
    assert "Old-Chain" in call("info", "Chain", "--plugin", file).stdout


def test_a_stored_cell_is_found_that_has_a_former_name(file: Path) -> None:
    stored = {"name": "chains:Old-Chain", "params": {}}  # as `Cell.describe` writes it
    with pytest.warns(UserWarning, match="Old-Chain is another name"):
        assert use_described(load_registry([file]), "algorithm", stored).label == "Chain"


def test_too_few_items_are_inapplicable_in_the_plan_or_skipped_in_the_worker(file: Path) -> None:
    registry = load_registry([file])
    suite = Suite(name="", algorithms=("Chain", "Other"), datasets=("row[n=[4,5]]",), repetitions=1)
    plan = make_plan(suite, registry)
    why = "Chain needs 5 items or more, and row[n=4] has 4"
    assert [(each.algorithm, each.reason) for each in plan.inapplicable] == [("Chain", why)]
    assert [c.labels[:2] for c in plan.cells] == [
        ("Other", "row[n=4]"),
        ("Chain", "row[n=5]"),
        ("Other", "row[n=5]"),
    ]
    plan = make_plan(Suite(name="", algorithms=("Chain",), datasets=("row",)), registry)
    outcome = run_job(make_job(plan.cells[0], []))  # how many items it has is known here only
    assert (outcome.status, outcome.reason) == ("skipped", "it needs 5 items or more, not 4")


def test_fit_refuses_too_few_items(file: Path) -> None:
    (chain,) = load_registry([file]).use_algorithms("Chain")
    with pytest.raises(hcbench.DataError, match="Chain needs 5 items or more, and the data has 4"):
        hcbench.fit(chain, np.arange(8.0).reshape(4, 2))


def test_specs_refuse_a_text_where_names_belong() -> None:
    given = {"function": "a:b", "doc": "", "provides": ()}
    fields = ("tags", "aliases", "requires", "provides", "truths", "suffixes", "optional_files")
    for field in fields:
        with pytest.raises(InvalidSpecError, match=f"A: {field} is a tuple of names, got 'x'"):
            DatasetSpec(name="A", **given | {field: "x"})
    with pytest.raises(InvalidSpecError, match="'a b' cannot be a name"):
        DatasetSpec(name="A", **given, aliases=("a b",))
    algorithm: dict[str, Any] = {"function": "a:b", "doc": "", "accepts": ("vectors",)}
    for field in ("accepts", "hints"):
        with pytest.raises(InvalidSpecError, match=f"A: {field} is a tuple of names, got 'x'"):
            AlgorithmSpec(name="A", **algorithm | {field: "x"})
    with pytest.raises(InvalidSpecError, match="parameter p: choices is a tuple of names"):
        Parameter("p", "a", "A choice.", choices="abc")  # type: ignore[arg-type]


def test_suites_and_figures_refuse_a_text_where_names_belong() -> None:
    for field in ("algorithms", "datasets", "oracles", "metrics", "only"):
        with pytest.raises(SuiteError, match=f"{field} is a tuple of names, got 'UPGMA'"):
            Suite(**{"name": "s", field: "UPGMA"})
    figure: dict[str, Any] = {"name": "f", "doc": "", "x": "dataset.n", "metric": "AARI"}
    for field in ("panel", "line", "where", "bound", "level", "claims"):
        with pytest.raises(SuiteError, match=f"figure f: {field} is a tuple of names, got 'n'"):
            Figure(**figure | {field: "n"})


def test_specs_refuse_what_no_data_set_provides() -> None:
    words = "vectors, similarity, graph, comparisons, held_out, truth, heights, levels, tree"
    given: dict[str, Any] = {"name": "A", "function": "a:b", "doc": ""}
    with pytest.raises(InvalidSpecError, match=f"A: provides has 'hights'; it may have {words}"):
        DatasetSpec(**given, provides=("truth", "hights"))
    depending = DatasetSpec(**given, provides=lambda params: ("truth", "hights"))
    with pytest.raises(InvalidSpecError, match="A: provides has 'hights'"):
        depending.provides_with({})
    with pytest.raises(InvalidSpecError, match=f"A: needs has 'vector'; it may have {words}"):
        OracleSpec(**given, kind="vectors", needs=("similarity|vector",))
    assert OracleSpec(**given, kind="vectors", needs=("similarity|vectors", "tree")).needs


@pytest.mark.slow
def test_list_tells_how_to_install_what_is_missing(file: Path) -> None:
    shown = call("list", "--plugin", file).stderr
    assert "Lacking (pip install no-such-library)" in " ".join(shown.split())


@pytest.mark.slow
def test_list_filters_by_tag_licence_oracle_and_text(file: Path) -> None:
    for filters, names in [
        (["--tag", "toy"], ["Chain"]),
        (["--licence", "gpl-3"], ["Chain"]),
        (["--tag", "toy", "--licence", "MIT"], []),
        (["--accepts", "quadruplet-queries"], ["4K-AL-act", "CL", "Random", "SL", "Truth"]),
        (["--search", "linkage by fastcluster"], ["fc-linkage", "fc-vector"]),
    ]:
        short = call("list", *filters, "--short", "--plugin", file)
        assert short.stdout.split() == names, short.stderr
    told = call("list", "metrics", "--tag", "none").stdout
    assert told.startswith("There are no such metrics. Tags are comparisons, cost, curve, ")
    (row,) = json.loads(call("list", "--tag", "toy", "--format", "json", "--plugin", file).stdout)[
        "algorithms"
    ]
    assert (row["tags"], row["licence"]) == (["toy"], "GPL-3.0-only")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100])
def test_list_is_an_overview_that_fits_a_screen(columns: int) -> None:
    lines = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, ["list"]).stdout.splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) <= columns
    text = " ".join(" ".join(lines).split())
    assert "quadruplet-queries 3 4K-AL-act, CL, SL" in text
    everything = load_registry()
    for kind in ("algorithms", "datasets", "oracles", "metrics"):
        entries = getattr(everything, kind).entries
        assert f"{kind} {len(entries)} " in text


@pytest.mark.slow
def test_every_built_in_algorithm_has_tags_and_a_licence() -> None:
    rows = json.loads(call("list", "algorithms", "--format", "json").stdout)["algorithms"]
    assert [row["name"] for row in rows if not row["tags"] or not row["licence"]] == []


THREADS = '''
"""Notes how many threads a cell may use."""
import os, warnings
import numpy as np, threadpoolctl
from hcbench import AlgorithmSpec, ModelWarning, hookimpl

def noting(oracle, items, rng):
    from numba.np.ufunc import parallel
    pools = {pool["num_threads"] for pool in threadpoolctl.threadpool_info()}
    counts = (os.environ["OMP_NUM_THREADS"], parallel.get_thread_count(), parallel.NUM_THREADS)
    warnings.warn(ModelWarning(f"{counts} {pools}"))
    return np.array([(0, 1), *((items.n + k, k + 2) for k in range(items.n - 2))])

@hookimpl
def hcbench_algorithms():
    return [AlgorithmSpec(name="Noting", doc="One.", function=noting, accepts=("vectors",))]
'''


@pytest.mark.slow
def test_cells_have_as_many_threads_as_asked_for_and_are_stored_apart(tmp_path: Path) -> None:
    file, store = tmp_path / "noting.py", tmp_path / "store.sqlite"
    file.write_text(THREADS)
    given = {"store": store, "plugins": [file], "repetitions": 1}
    points = {"row": np.arange(4.0)[:, None]}
    one = hcbench.compare(["Noting"], points, **given).outcomes[0]
    two = hcbench.compare(["Noting"], points, threads=2, **given).outcomes[0]
    assert one.notes == ("('1', 1, 1) {1}",)
    assert two.notes == ("('2', 2, 2) {2}", "ran on 2 threads")
    assert one.key != two.key
    again = [hcbench.compare(["Noting"], points, threads=t, **given).outcomes[0] for t in (1, 2)]
    assert [(each.key, each.reused) for each in again] == [(one.key, True), (two.key, True)]


def test_a_dry_run_tells_which_calls_take_more_memory_than_the_limit(file: Path) -> None:
    run = (
        "compare",
        "--algos",
        "Chain",
        "--datasets",
        "row[n=[5,6]]",
        "--dry-run",
        "--plugin",
        file,
    )
    shown = call(*run, "--memory", "5.5GiB").stdout
    assert "memory: Chain on row[n=6] takes about 6 GiB; the limit is 5.5 GiB\n" in shown
    assert "memory: Chain on row[n=5]" not in shown


@pytest.mark.parametrize("name", ["numpy>=2", "numpy[dev]", "scikit learn", "", "pkg==1"])
def test_a_version_in_requires_is_refused(name: str) -> None:
    with pytest.raises(InvalidSpecError, match="name a distribution without a version"):
        AlgorithmSpec(name="x", function="a:b", doc="", accepts=("vectors",), requires=(name,))


@pytest.mark.parametrize("name", ["numpy", "scikit-learn", "ruamel.yaml", "a", "my_pkg"])
def test_distributions_are_required_by_their_names(name: str) -> None:
    AlgorithmSpec(name="x", function="a:b", doc="", accepts=("vectors",), requires=(name,))
