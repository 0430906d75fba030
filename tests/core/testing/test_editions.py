"""Editions: stored results outlive changes of code that leave results as they are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hcbench.cli import main
from hcbench.errors import InvalidSpecError
from hcbench.plan.plan import make_plan
from hcbench.registry import Registry, with_defaults
from hcbench.registry.plugins import Plugins
from hcbench.registry.specs import AlgorithmSpec
from hcbench.registry.suite import Suite
from hcbench.testing.editions import compare_editions
from hcbench.testing.subjects import subjects_of

RECORD = Path(__file__).parents[2] / "editions.json"
PLUGIN = """
from hcbench import AlgorithmSpec, Tree, hookimpl

def comb(oracle, items, rng):
    order = list(range(items.n)){order}
    parent = [0] * (2 * items.n - 1)
    node = order[0]
    for place, item in enumerate(order[1:]):
        parent[node] = parent[item] = items.n + place
        node = items.n + place
    parent[node] = -1
    return Tree(parent)

@hookimpl
def hcbench_algorithms():
    return [AlgorithmSpec(
        name="Comb", function=comb, doc="A comb.", accepts=("vectors",), random=False{edition}
    )]
"""


def write(folder: Path, *, edition: int | None = None, order: str = "", comment: str = "") -> Path:
    text = "" if edition is None else f", edition={edition}"
    file = folder / "combs.py"
    file.write_text(PLUGIN.format(order=order, edition=text) + comment)
    return file


def key_with(file: Path) -> str:
    """The key of a cell of the plugin's algorithm."""
    registry = Registry(Plugins([file]))
    suite = Suite(
        name="s",
        algorithms=("Comb",),
        datasets=("iris",),
        oracles=("vectors",),
        metrics=("AARI",),
        repetitions=1,
    )
    (cell,) = make_plan(with_defaults(suite, registry), registry).cells
    return cell.key


def test_an_edition_stands_for_the_code_in_the_key(tmp_path: Path) -> None:
    first = key_with(write(tmp_path, edition=1))
    assert key_with(write(tmp_path, edition=1, comment="# why\n")) == first
    assert key_with(write(tmp_path, edition=2)) != first


def test_without_an_edition_the_code_is_in_the_key(tmp_path: Path) -> None:
    first = key_with(write(tmp_path))
    assert key_with(write(tmp_path, comment="# why\n")) != first
    assert key_with(write(tmp_path)) == first


@pytest.mark.parametrize("edition", [0, -1, "1", 1.0, True])
def test_an_edition_is_a_number_from_1(edition: object) -> None:
    with pytest.raises(InvalidSpecError, match="edition is an integer from 1"):
        AlgorithmSpec(
            name="A",
            function="a:b",
            doc="A.",
            accepts=("vectors",),
            edition=edition,  # type: ignore[arg-type]
        )


def test_a_release_does_not_change_the_keys_of_built_in_specs(tmp_path: Path) -> None:
    # A release is installed from a wheel: its metadata, which come first here, name no folder.
    about = tmp_path / "hcbench-9.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hcbench\nVersion: 9.9\n")
    program = (
        "import json\n"
        "from hcbench import load_registry\n"
        "(use,) = load_registry().use_algorithms('UPGMA')\n"
        "print(json.dumps(use.fingerprints))\n"
    )
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    editions = json.loads(done.stdout)
    assert editions["hcbench core"] == "edition 1"
    assert editions["hcbench:vectors"] == "edition 1"


def test_machines_of_one_run_need_the_same_code_whatever_its_edition(tmp_path: Path) -> None:
    codes = []
    for comment in ("", "# why\n"):
        registry = Registry(Plugins([write(tmp_path, edition=1, comment=comment)]))
        (use,) = registry.use_algorithms("Comb")
        codes.append(use.code)
    assert codes[0] != codes[1]


# ---- hcbench check --editions --------------------------------------------------------------------


def check(file: Path, record: Path) -> Result:
    arguments = ["check", str(file), "--editions", str(record), "--format", "json"]
    return CliRunner().invoke(main, arguments)


def finding_of(result: Result) -> tuple[str, str]:
    (finding,) = json.loads(result.stdout)["editions"]
    return finding["status"], finding["reason"]


def test_results_that_change_need_another_edition(tmp_path: Path) -> None:
    record = tmp_path / "editions.json"
    assert finding_of(check(write(tmp_path, edition=1), record)) == ("recorded", "")
    assert finding_of(check(write(tmp_path, edition=1), record)) == ("as before", "")
    same = check(write(tmp_path, edition=1, comment="# why\n"), record)
    assert (same.exit_code, *finding_of(same)) == (0, "same results", "")
    for _ in range(2):
        changed = check(write(tmp_path, edition=1, order="[::-1]"), record)
        status, reason = finding_of(changed)
        assert (changed.exit_code, status) == (1, "changed")
        assert "vectors: clusters is" in reason
        assert "write edition=2 in its spec, or restore its results" in reason
    raised = check(write(tmp_path, edition=2, order="[::-1]"), record)
    assert (raised.exit_code, *finding_of(raised)) == (0, "recorded", "")


def test_a_spec_without_an_edition_is_not_checked(tmp_path: Path) -> None:
    done = check(write(tmp_path), tmp_path / "editions.json")
    assert done.exit_code == 0
    assert finding_of(done)[0] == "not checked"


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "editions.json"
    record.write_text('{"a": {"b": 1}}')
    done = check(write(tmp_path, edition=1), record)
    assert done.exit_code == 2
    assert "is no record of hcbench check --editions" in done.stderr
    assert json.loads(record.read_text()) == {"a": {"b": 1}}


def test_options_of_checks_are_refused_beside_editions(tmp_path: Path) -> None:
    arguments = ["check", "UPGMA", "--editions", str(tmp_path / "e.json"), "--list"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert "--editions runs no checks; omit --list" in done.stderr


@pytest.mark.slow
def test_results_of_built_in_specs_are_those_of_their_edition(tmp_path: Path) -> None:
    """If this fails, results have changed: stored ones would be reused although they differ."""
    record = tmp_path / "editions.json"
    shutil.copyfile(RECORD, record)
    findings = compare_editions(subjects_of("hcbench"), record)
    changed = [finding for finding in findings if finding.status == "changed"]
    assert not changed
    checked = [finding for finding in findings if finding.status in ("as before", "same results")]
    assert len(checked) > 140
