"""What decides a result belongs to its key: helper modules, data files, and their bytes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench import AlgorithmSpec, MetricSpec, load_registry
from hcbench.errors import DataError, InvalidSpecError, PluginError
from hcbench.registry import Registry
from hcbench.registry.making import make_use
from hcbench.registry.plugin_files import lasting_path
from hcbench.registry.plugins import Plugin, Plugins
from hcbench.testing import checks_of
from tests.core.registry.test_plugins import install, site

__all__ = ["site"]

PLUGIN = """
    import importlib
    from hcbench import AlgorithmSpec, Partition, hookimpl
    {imports}

    def halves(oracle, items, rng):
        "Two halves, or what the helper says."
        {inside}
        return Partition([item % {value} for item in range(items.n)])

    @hookimpl
    def hcbench_algorithms():
        return [
            AlgorithmSpec(
                name="Halves", function={function}, doc="Two halves.", accepts=("vectors",),
                returns="partition", files={files},
            )
        ]
"""


def write_plugin(folder: Path, name: str = "halves.py", **parts: Any) -> Path:
    """Write a plugin file whose helpers are beside it."""
    known = {"imports": "", "inside": "pass", "value": "2", "function": "halves", "files": ()}
    file = folder / name
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text(dedent(PLUGIN.format(**{**known, **parts})))
    return file


def write_files(folder: Path, contents: dict[str, str]) -> None:
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(content)


def rewrite(path: Path, content: str) -> None:
    """Change a file, but neither its size nor its time stamp."""
    status = path.stat()
    path.write_text(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


def key_part(file: Path) -> str:
    (use,) = Registry(Plugins([file])).use_algorithms("Halves")
    return use.identity


#: How a plugin comes by the number of clusters: its imports, the line in its function, the
#: expression, and the files beside it, of which the last one has the number.
HELPERS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "a module": ("import h_one", "pass", "h_one.K", {"h_one.py": "K = 2\n"}),
    "a name of a module": ("from h_two import K", "pass", "K", {"h_two.py": "K = 2\n"}),
    "inside a function": ("", "import h_three", "h_three.K", {"h_three.py": "K = 2\n"}),
    "a module that a module imports": (
        "import h_four",
        "pass",
        "h_four.K",
        {"h_four.py": "from h_five import K\n", "h_five.py": "K = 2\n"},
    ),
    "a package that exports": (
        "import p_one",
        "pass",
        "p_one.K",
        {"p_one/__init__.py": "from .core import K\n", "p_one/core.py": "K = 2\n"},
    ),
    "a subpackage": (
        "from p_two.sub import deep",
        "pass",
        "deep.K",
        {
            "p_two/__init__.py": "",
            "p_two/sub/__init__.py": "",
            "p_two/sub/deep.py": "from ..numbers import K\n",
            "p_two/numbers.py": "K = 2\n",
        },
    ),
    "a folder without __init__": (
        "import p_three.core",
        "pass",
        "p_three.core.K",
        {"p_three/core.py": "K = 2\n"},
    ),
    "all names": (
        "from p_four import *",
        "pass",
        "core.K",
        {"p_four/__init__.py": "__all__ = ['core']\n", "p_four/core.py": "K = 2\n"},
    ),
    "by its name": (
        "",
        "h = importlib.import_module('h_six')",
        "h.K",
        {"h_six.py": "K = 2\n"},
    ),
    "by its relative name": (
        "import p_five",
        "pass",
        "p_five.K()",
        {
            "p_five/__init__.py": "from importlib import import_module\n"
            "def K():\n    return import_module('.core', __name__).K\n",
            "p_five/core.py": "K = 2\n",
        },
    ),
    "by __import__": ("", "h = __import__('h_seven')", "h.K", {"h_seven.py": "K = 2\n"}),
}


@pytest.mark.parametrize("kind", HELPERS)
def test_an_edit_of_a_helper_changes_the_key_of_a_plugin_file(kind: str, tmp_path: Path) -> None:
    imports, inside, value, files = HELPERS[kind]
    file = write_plugin(tmp_path, imports=imports, inside=inside, value=value)
    write_files(tmp_path, {**files, "unrelated.py": "K = 2\n"})
    before = key_part(file)
    rewrite(tmp_path / "unrelated.py", "K = 3\n")
    assert key_part(file) == before, "it imports no such module"
    rewrite(tmp_path / list(files)[-1], "K = 3\n")
    assert key_part(file) != before


def test_the_module_of_a_lazily_named_function_is_a_helper(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, function="'h_lazy:halves'")
    write_files(tmp_path, {"h_lazy.py": "def halves(oracle, items, rng):\n    return 2\n"})
    before = key_part(file)
    rewrite(tmp_path / "h_lazy.py", "def halves(oracle, items, rng):\n    return 3\n")
    assert key_part(file) != before


def test_a_cycle_of_helpers_ends(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, imports="import h_cycle")
    write_files(tmp_path, {"h_cycle.py": "import h_back\n", "h_back.py": "import h_cycle\n"})
    (plugin,) = (p for p in Plugins([file]).loaded if p.file == file)
    assert [path.name for path in plugin.code] == ["h_back.py", "h_cycle.py", "halves.py"]


def test_helpers_of_one_name_beside_two_plugin_files_are_refused(tmp_path: Path) -> None:
    files = []
    for folder in ("a", "b"):
        files.append(write_plugin(tmp_path / folder, f"{folder}.py", imports="import h_same"))
        write_files(tmp_path / folder, {"h_same.py": "K = 2\n"})
    with pytest.raises(PluginError, match="two plugin files have a module h_same beside them"):
        Plugins(files)


def test_what_is_installed_goes_before_a_module_beside_a_plugin_file(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, imports="import colorsys")
    write_files(tmp_path, {"colorsys.py": "raise OSError\n"})
    (plugin,) = (p for p in Plugins([file]).loaded if p.file == file)
    assert plugin.code == [file]


def test_the_folder_of_a_plugin_file_is_on_the_path_only_while_it_is_needed(tmp_path: Path) -> None:
    file = write_plugin(
        tmp_path, imports="import h_top", inside="import h_inside", value="h_inside.K"
    )
    write_files(tmp_path, {"h_top.py": "K = 2\n", "h_inside.py": "K = 2\n"})
    before = list(sys.path)
    registry = load_registry([file])
    assert sys.path == before
    with registry.plugins.importable(), registry.plugins.importable():
        assert sys.path == [*before, str(tmp_path)]
        assert lasting_path() == before
    assert sys.path == before
    (halves,) = registry.use_algorithms("Halves")
    partition = hcbench.fit(halves, np.zeros((4, 1)))
    assert partition.labels.tolist() == [0, 1, 0, 1]
    assert sys.path == before


def test_a_folder_that_was_on_the_path_before_stays_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_plugin(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = list(sys.path)
    with Plugins([file]).importable():
        assert lasting_path() == sys.path == before
    assert sys.path == before


@pytest.mark.slow
def test_an_installed_plugin_depends_on_the_modules_beside_its_own(site: Path) -> None:
    source = "import beside_code\nfrom hcbench import hookimpl\n"
    install(site, "beside", {"main": source})
    write_files(site, {"beside_code.py": "K = 2\n", "other_code.py": "K = 2\n"})

    def fingerprint() -> str:
        (found,) = (p for p in Plugins().loaded if p.distribution == "beside")
        return found.fingerprint

    before = fingerprint()
    rewrite(site / "other_code.py", "K = 3\n")
    assert fingerprint() == before
    rewrite(site / "beside_code.py", "K = 3\n")
    assert fingerprint() != before


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_an_edited_helper_is_executed_and_not_what_is_stored_of_it(tmp_path: Path) -> None:
    """In one process, and in the second of the first run."""
    file = write_plugin(tmp_path, imports="import h_edited", value="h_edited.K")
    write_files(tmp_path, {"h_edited.py": "K = 2\n"})

    def clusters() -> Any:
        results = hcbench.compare(
            "Halves",
            "iris[n=12]",
            metrics="n-clusters",
            repetitions=1,
            plugins=[file],
            store=tmp_path / "s.sqlite",
        )
        (row,) = results.rows
        return row["metrics"]["n-clusters"], row["reused"]

    assert clusters() == (2, False)
    assert clusters() == (2, True)
    rewrite(tmp_path / "h_edited.py", "K = 3\n")
    assert clusters() == (3, False)
    rewrite(tmp_path / "h_edited.py", "K = 2\n")
    assert clusters() == (2, True)


@pytest.mark.slow
def test_stored_bytecode_of_the_same_second_is_not_executed(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, imports="import h_stored", value="h_stored.K")
    write_files(tmp_path, {"h_stored.py": "K = 2\n"})
    command = [sys.executable, "-c", "import h_stored; print(h_stored.K)"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}

    def executed() -> str:
        return subprocess.run(command, env=environment, capture_output=True, text=True).stdout

    assert executed() == "2\n"
    rewrite(tmp_path / "h_stored.py", "K = 3\n")
    assert executed() == "2\n", "Python compares the time and the size"
    Plugins([file])
    assert executed() == "3\n"
    assert Path(importlib.util.cache_from_source(str(tmp_path / "h_stored.py"))).is_file()


@pytest.mark.slow
def test_stored_bytecode_of_a_package_that_is_edited_is_not_executed(site: Path) -> None:
    install(site, "edited", {"main": "from edited_code import K\n"})
    write_files(site, {"edited_code.py": "K = 2\n"})
    command = [sys.executable, "-c", "import edited_code; print(edited_code.K)"]
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": ""}

    def executed() -> str:
        return subprocess.run(command, env=environment, capture_output=True, text=True).stdout

    assert executed() == "2\n"
    rewrite(site / "edited_code.py", "K = 3\n")
    Plugins()
    assert executed() == "3\n"


# ---- Files of data -------------------------------------------------------------------------------


def test_a_declared_file_of_data_belongs_to_the_key(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, files=("weights.csv", "tables"))
    contents = {"weights.csv": "0.5\n", "tables/a.csv": "1\n", "tables/b/c.csv": "2\n"}
    write_files(tmp_path, contents)
    keys = [key_part(file)]
    for name, content in contents.items():
        rewrite(tmp_path / name, content.replace(content[0], "9"))
        keys.append(key_part(file))
    assert len(set(keys)) == 4
    write_files(tmp_path, contents)
    assert key_part(file) == keys[0]


def test_a_declared_file_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, files=("weight.csv",))
    write_files(tmp_path, {"weights.csv": "0.5\n"})
    with pytest.raises(DataError, match=r"weight\.csv: No such file.*did you mean .*weights\.csv"):
        key_part(file)


def test_files_of_every_kind_of_spec_may_be_parameters_or_paths(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("1\n")
    (tmp_path / "given.csv").write_text("1\n")
    plugin = Plugin("mine", "main", "1", tmp_path / "plugin.py", tmp_path / "plugin.py")
    (tmp_path / "plugin.py").touch()
    parameter = hcbench.Parameter("path", "", "A file.")
    common = {"name": "A", "function": "m:f", "doc": "", "parameters": (parameter,)}
    specs: list[Any] = [
        AlgorithmSpec(**common, accepts=("vectors",), files=("path", "own.csv")),
        MetricSpec(**common, direction="higher", files=("path", "own.csv")),
        hcbench.DatasetSpec(**common, provides=("vectors",), files=("path", "own.csv")),
        hcbench.OracleSpec(**common, kind="vectors", needs=(), files=("path", "own.csv")),
    ]
    for spec in specs:
        given = str(tmp_path / "given.csv")
        before = make_use(spec, plugin, {"path": given}).identity
        for name in ("own.csv", "given.csv"):
            rewrite(tmp_path / name, "2\n")
            assert make_use(spec, plugin, {"path": given}).identity != before
            rewrite(tmp_path / name, "1\n")
        assert make_use(spec, plugin, {"path": given}).identity == before
    with pytest.raises(InvalidSpecError, match="files is a tuple of names"):
        AlgorithmSpec(**common, accepts=("vectors",), files="own.csv")


def test_the_bytes_of_the_users_files_decide_not_their_time_stamps(tmp_path: Path) -> None:
    rows = "a,1.0,2.0\nb,1.5,2.5\nc,9.0,9.5\n"
    data, truth = tmp_path / "data.csv", tmp_path / "truth.nwk"
    data.write_text(rows)
    truth.write_text("((a,b),c);")
    link, folder = tmp_path / "link.csv", tmp_path / "pictures"
    link.symlink_to(data)
    folder.mkdir()
    (folder / "a.txt").write_text("1")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/b.txt").write_text("1")
    (folder / "more").symlink_to(tmp_path / "linked")
    (folder / "again").symlink_to(folder)
    names = [f"{data}[truth='{truth}']", f"{link}[truth='{truth}']"]

    def keys() -> list[str]:
        return [use.identity for name in names for use in load_registry().use_datasets(name)]

    before = keys()
    rewrite(data, rows.replace("9.5", "9.6"))
    assert not {*before} & {*keys()}
    rewrite(data, rows)
    rewrite(truth, "((a,c),b);")
    assert not {*before} & {*keys()}
    from hcbench.registry.uses import file_digest

    digests = {file_digest(str(folder))}
    rewrite(folder / "a.txt", "2")
    digests.add(file_digest(str(folder)))
    rewrite(tmp_path / "linked/b.txt", "2")
    digests.add(file_digest(str(folder)))
    assert len(digests) == 3


# ---- hcbench check -------------------------------------------------------------------------------


def finding(file: Path) -> tuple[str, str]:
    (check,) = (c for c in checks_of("Halves", plugins=[file]) if c.name == "key")
    found = check.run()
    return found.status, found.reason


def test_a_check_names_what_a_key_cannot_hold(tmp_path: Path) -> None:
    (tmp_path / "weights.csv").write_text("1\n")
    reading = "open('weights.csv').read()"
    undeclared = finding(write_plugin(tmp_path, "one.py", inside=reading))
    assert undeclared == (
        "failed",
        "Halves names a file that is not declared (one.py, line 8), so results are reused when it "
        "changes; declare it: files=('weights.csv',)",
    )
    declared = write_plugin(tmp_path, "two.py", inside=reading, files=("weights.csv",))
    assert finding(declared) == ("passed", "")
    computed = write_plugin(tmp_path, "three.py", inside="importlib.import_module('h_' + 'one')")
    status, reason = finding(computed)
    assert status == "failed"
    assert reason.startswith("Halves imports a module whose name is computed (three.py, line 8)")
