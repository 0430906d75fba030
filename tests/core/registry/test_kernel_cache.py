"""Stored kernels are used only if everything compiled into them is unchanged."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

import hcbench
from hcbench.registry import kernel_cache
from hcbench.registry.kernel_cache import VARIABLE, _temporary_parent, kernel_folder
from tests.core.registry.test_plugins import install, site

__all__ = ["site"]

CORE = Path(hcbench.__file__).parent
PACKAGE = {
    "__init__.py": "from hcbench import hookimpl\n",
    "inner.py": """
        from numba import njit


        @njit(cache=True)
        def inner(x):
            return x + 1
        """,
    "limits.py": "LIMIT = 10\n",
    "outer.py": """
        from numba import njit

        from .inner import inner
        from .limits import LIMIT


        @njit(cache=True)
        def outer(x):
            return min(inner(x), LIMIT)
        """,
    "other.py": "import hcbench\n",
}
#: As the program and tests do, before numba is imported.
PREPARED = """
import os
from hcbench.registry.kernel_cache import kernel_environment
os.environ.update(kernel_environment())
"""
CALL = "from {} import outer; print(outer({}), *outer.stats.cache_hits.values())"


@pytest.fixture
def run(
    site: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], list[int]]:
    """Run code in a process that imports from the site; return the numbers it prints."""
    monkeypatch.setenv(VARIABLE, str(tmp_path_factory.mktemp("kernels")))

    def run(code: str) -> list[int]:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), *sys.path])}
        done = subprocess.run(
            [sys.executable, "-c", PREPARED + code],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        return [int(word) for word in done.stdout.split()]

    return run


def write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(dedent(text))


def replace_in(file: Path, old: str, new: str) -> None:
    text, written = file.read_text(), file.stat().st_mtime
    assert old in text
    file.write_text(text.replace(old, new))
    # Python takes an equal size and second for no change.
    os.utime(file, (written + 2, written + 2))


@pytest.mark.slow
def test_a_kernel_is_compiled_again_when_what_it_uses_has_changed(
    site: Path, run: Callable[[str], list[int]]
) -> None:
    install(site, "theirs", {"main": "import theirs_kernels.outer\n"})
    package = site / "theirs_kernels"
    write(package, PACKAGE)
    call = CALL.format("theirs_kernels.outer", 1)
    assert run(call) == [2]  # compiled, as nothing is stored
    replace_in(package / "other.py", "\n", "\n\nVERSION = 2\n")  # outer does not import it
    assert run(call) == [2, 1]
    replace_in(package / "inner.py", "x + 1", "x + 5")
    assert run(call) == [6]
    assert run(call) == [6, 1]
    replace_in(package / "limits.py", "10", "4")  # a constant in a file without kernels
    assert run(call) == [4]


@pytest.mark.slow
def test_a_kernel_of_a_plugin_is_compiled_again_when_one_of_core_has_changed(
    site: Path, run: Callable[[str], list[int]]
) -> None:
    shutil.copytree(CORE, site / "hcbench", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "theirs.py").write_text(
        dedent(
            """
            import numpy as np
            from numba import njit

            from hcbench.compiled import scramble


            @njit(cache=True)
            def outer(x):
                return scramble(np.uint64(x))
            """
        )
    )
    call = CALL.format("theirs", 0)
    assert run(call) == [0]
    assert run(call) == [0, 1]
    kernels = site / "hcbench/oracle/_kernels.py"
    replace_in(kernels, "return x ^ (x >> np.uint64(31))", "return x + np.uint64(7)")
    assert run(call) == [7]


ANSWERS = """
    from numba import njit


    @njit(cache=True)
    def first(floats, ints, i, j, k, l, key, time):
        return 1


    @njit(cache=True)
    def second(floats, ints, i, j, k, l, key, time):
        return -1
    """
ASK = """
from numba.core.event import install_recorder
from hcbench import Answers, Oracle
import theirs

for answer in (theirs.first, theirs.second):
    with install_recorder("numba:compile") as compiled:
        answers = Answers(kind="quadruplet-queries", n=4, arity=4, compiled=answer)
        print(Oracle(answers).ask([[0, 1, 2, 3]])[0], int(len(compiled.buffer) > 0))
"""


@pytest.mark.slow
def test_the_loop_over_compiled_answers_is_stored_for_each_oracle(
    site: Path, run: Callable[[str], list[int]]
) -> None:
    (site / "theirs.py").write_text(dedent(ANSWERS))
    assert run(ASK) == [1, 1, -1, 1]
    assert run(ASK) == [1, 0, -1, 0]
    replace_in(site / "theirs.py", "return 1", "return 1 - 1")
    assert run(ASK)[:2] == [0, 1]


PLUGIN = """
    from hcbench import MetricSpec, hookimpl
    from numba import njit

    from {helper} import inner


    @njit(cache=True)
    def outer(x):
        return inner(x)


    def number(scored):
        return outer(1)


    @hookimpl
    def hcbench_metrics():
        return [MetricSpec(name="number", doc="One.", function=number, direction="higher")]
    """


@pytest.mark.slow
def test_workers_compile_a_plugin_file_again_when_a_module_beside_it_has_changed(
    tmp_path: Path,
) -> None:
    """By the program, as whose options the file is given."""
    helper = f"h_{tmp_path.name}"
    helper = "".join(letter for letter in helper if letter.isalnum())
    write(
        tmp_path, {"plugin.py": PLUGIN.format(helper=helper), f"{helper}.py": PACKAGE["inner.py"]}
    )
    command = [sys.executable, "-m", "hcbench", "compare", "--algos", "UPGMA"]
    command += ["--datasets", "iris[n=12]", "--metrics", "number", "-r", "1"]
    command += ["--plugin", str(tmp_path / "plugin.py"), "--format", "csv"]
    command += ["--store", str(tmp_path / "store.sqlite")]

    def number() -> str:
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert ",2.0" in number()
    replace_in(tmp_path / f"{helper}.py", "x + 1", "x + 5")
    assert ",6.0" in number()


# ---- The folder ----------------------------------------------------------------------------------


def test_the_user_may_say_where_the_folders_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    folder = kernel_folder()
    assert folder.parent == tmp_path
    assert folder.is_dir()
    monkeypatch.setenv(VARIABLE, str(folder))
    assert kernel_folder() == folder, "a child process uses the folder of its parent"
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert kernel_folder() == tmp_path / "hcbench/kernels" / folder.name


def test_a_folder_that_was_not_used_for_a_month_is_removed_when_another_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, recent, foreign = (
        tmp_path / name
        for name in ("hcbench-0123456789abcdef", "hcbench-0123456789abcde0", "theirs")
    )
    for folder, days in ((old, 31), (recent, 29), (foreign, 99)):
        folder.mkdir()
        used = time.time() - days * 24 * 3600
        os.utime(folder, (used, used))
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    kernel_folder()
    assert not old.exists()
    assert recent.exists()
    assert foreign.exists()


def test_only_what_kernels_import_changes_the_folder(tmp_path: Path) -> None:
    write(tmp_path, {**PACKAGE, "plugin.py": "from outer import outer\nimport other\n"})
    replace_in(tmp_path / "outer.py", ".inner", "inner")
    replace_in(tmp_path / "outer.py", ".limits", "limits")
    file = tmp_path / "plugin.py"
    folders = [kernel_folder([file])]
    for name in ("other.py", "plugin.py", "outer.py"):
        (tmp_path / name).write_text((tmp_path / name).read_text() + "# changed\n")
        folders.append(kernel_folder([file]))
    # numba itself compares outer.py, which no other kernel imports.
    assert len(set(folders)) == 1
    for name in ("inner.py", "limits.py"):
        (tmp_path / name).write_text((tmp_path / name).read_text() + "# changed\n")
        folders.append(kernel_folder([file]))
    assert len(set(folders)) == 3


def test_all_kernels_of_ours_are_found() -> None:
    """Each file whose functions numba compiles is a kernel file."""
    sources = [*CORE.rglob("*.py"), *(CORE.parents[1] / "plugins").rglob("*.py")]
    decorated = [path for path in sources if "\n@njit" in path.read_text(encoding="utf-8")]
    assert len(decorated) > 40
    assert [path for path in decorated if not kernel_cache.is_kernel_file(path)] == []


@pytest.mark.attack("containers")
@pytest.mark.slow
def test_without_a_writable_cache_cells_run_and_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "file/cache")}
    environment |= {"TMPDIR": str(tmp_path)}
    del environment[VARIABLE]
    command = [sys.executable, "-P", "-m", "hcbench", "compare", "--algos", "UPGMA,Random"]
    command += ["--datasets", "iris[n=20]", "-r1", "--store", str(tmp_path / "s.sqlite"), "-q"]
    for _ in range(2):
        done = subprocess.run(
            [*command, "--fresh"], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        (line,) = [line for line in done.stderr.splitlines() if "compiled code" in line]
        assert str(tmp_path / "file/cache/hcbench/kernels") in line
        assert VARIABLE in line
    (parent,) = tmp_path.glob("hcbench-kernels-*")
    assert parent.stat().st_mode & 0o077 == 0
    assert list(parent.rglob("*.nbi")), "the second run has found them"


def test_a_temporary_cache_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"hcbench-kernels-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    _temporary_parent.cache_clear()
    try:
        assert kernel_folder().parent != tmp_path / f"hcbench-kernels-{os.getuid()}"
        assert list((tmp_path / "elsewhere").iterdir()) == []
    finally:
        _temporary_parent.cache_clear()
