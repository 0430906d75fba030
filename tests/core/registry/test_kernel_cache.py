"""Cached kernels are reused only if everything compiled into them is unchanged."""

import importlib
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from pathlib import Path
from textwrap import dedent
from typing import TextIO
from uuid import uuid4

import pytest
from numba.core.event import install_recorder

from hcbench.registry.fingerprint import read_sources
from tests.core.forks import Fork

CORE = Path(__file__).parents[3] / "core" / "hcbench"
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
}
CALL = "from theirs.outer import outer; print(outer({}), *outer.stats.cache_hits.values())"


@pytest.fixture
def run(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[int]]:
    """Run code in a process that imports from tmp_path; return the numbers it prints."""
    cache = str(tmp_path_factory.getbasetemp() / "cache")

    def run(code: str) -> list[int]:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        environment["XDG_CACHE_HOME"] = cache
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr
        return [int(word) for word in done.stdout.split()]

    return run


@pytest.fixture
def run_in_a_fork(tmp_path: Path) -> Callable[[str], list[int]]:
    """The same, in a copy of this process: hcbench and numba are imported."""

    def execute(told: TextIO, code: str) -> None:
        sys.path.insert(0, str(tmp_path))
        with redirect_stdout(told):
            exec(code, {})

    return lambda code: [int(word) for word in Fork(execute, code).wait().split()]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "theirs").mkdir()
    for name, text in PACKAGE.items():
        (tmp_path / "theirs" / name).write_text(dedent(text))
    return tmp_path / "theirs"


def replace_in(file: Path, old: str, new: str) -> None:
    text, written = file.read_text(), file.stat().st_mtime
    assert old in text
    file.write_text(text.replace(old, new))
    os.utime(
        file, (written + 2, written + 2)
    )  # Python takes an equal size and second for no change


@pytest.mark.slow
def test_a_kernel_is_compiled_again_when_what_it_uses_has_changed_but_not_for_docstrings(
    package: Path, run: Callable[[str], list[int]], run_in_a_fork: Callable[[str], list[int]]
) -> None:
    assert run_in_a_fork(CALL.format(1)) == [2]  # compiled, as nothing is stored
    replace_in(package / "limits.py", "LIMIT", '"""How far it goes."""\n\nLIMIT')
    replace_in(package / "__init__.py", "\n", "\n\nVERSION = 2\n")  # outer does not import it
    assert run_in_a_fork(CALL.format(1)) == [2, 1]
    replace_in(package / "inner.py", "x + 1", "x + 5")
    assert run_in_a_fork(CALL.format(1)) == [6]
    assert run(f"import numba; {CALL.format(1)}") == [6, 1], "numba may be imported first"
    replace_in(package / "limits.py", "10", "4")  # a constant in a file without kernels
    assert run_in_a_fork(CALL.format(1)) == [4]


@pytest.mark.slow
def test_a_kernel_in_a_plugin_file_is_compiled_again_when_one_of_core_has_changed(
    tmp_path: Path, run: Callable[[str], list[int]]
) -> None:
    shutil.copytree(CORE, tmp_path / "hcbench", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "theirs.py").write_text(
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
    call = CALL.replace(".outer", "").format(0)
    assert run(call) == [0]
    assert run(call) == [0, 1]
    kernels = tmp_path / "hcbench/oracle/_kernels.py"
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
            made = Answers(kind="quadruplet-queries", n=4, arity=4, compiled=answer)
            print(Oracle(made).ask([[0, 1, 2, 3]])[0], int(len(compiled.buffer) > 0))
    """


@pytest.mark.slow
def test_the_loop_over_compiled_answers_is_stored_for_each_oracle(
    tmp_path: Path, run_in_a_fork: Callable[[str], list[int]]
) -> None:
    new = f"# {uuid4()}, as the loop is stored beside core\nimport hcbench\n"
    (tmp_path / "theirs.py").write_text(new + dedent(ANSWERS))
    assert run_in_a_fork(dedent(ASK)) == [1, 1, -1, 1]
    assert run_in_a_fork(dedent(ASK)) == [1, 0, -1, 0]
    replace_in(tmp_path / "theirs.py", "return 1", "return 1 - 1")
    assert run_in_a_fork(dedent(ASK)) == [0, 1, -1, 1]


@pytest.mark.slow
def test_kernels_of_packages_without_hcbench_are_left_to_numba(
    package: Path, run: Callable[[str], list[int]]
) -> None:
    (package / "__init__.py").write_text("")
    assert run(CALL.format(1)) == [2]
    assert run(f"import hcbench; {CALL.format(1)}") == [2, 1]  # with or without hcbench


@pytest.mark.slow
def test_of_processes_that_need_a_kernel_at_a_time_one_compiles_it(package: Path) -> None:
    begin = package.parent / "begin"

    def compile_it(told: TextIO) -> None:
        sys.path.insert(0, str(package.parent))
        kernels = [
            getattr(importlib.import_module(f"theirs.{name}"), name) for name in ("inner", "outer")
        ]
        print("imported", file=told)
        while not begin.exists():
            time.sleep(0.001)
        with install_recorder("numba:compile") as compilations:
            kernels[1](1)
        told_of = [event.data["dispatcher"] for _, event in compilations.buffer]
        assert kernels[1] in told_of, "who waits for a kernel is told too, and times it again"
        print(*(sum(kernel.stats.cache_misses.values()) for kernel in kernels), file=told)

    processes = [Fork(compile_it) for _ in range(2)]
    assert [process.told.readline() for process in processes] == ["imported\n"] * 2
    begin.touch()
    # The second reads `outer` from the cache, and with it what it calls.
    assert sorted(process.wait() for process in processes) == ["0 0\n", "1 1\n"]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text("x = 1\n")
    (before,) = read_sources([file])
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    file.write_text("x = 2\n")
    os.utime(file, ns=times)  # within the resolution of time stamps: the change is invisible
    (after,) = read_sources([file])
    assert after.digest != before.digest


@pytest.mark.slow
def test_digests_of_files_are_stored_until_their_folder_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    reading = "from pathlib import Path; from hcbench.registry.fingerprint import read_sources; "

    def read(name: str) -> str:
        code = f"{reading}print(read_sources([Path({str(tmp_path / name)!r})])[0].digest)"
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout

    def ask(command: str) -> list[tuple[str, str]]:
        with closing(sqlite3.connect(stored)) as connection, connection:
            return connection.execute(command).fetchall()

    for name in ("one.py", "two.py"):
        (tmp_path / name[:3]).mkdir()
        (tmp_path / name[:3] / name).write_text("x = 1\n")
        os.utime(tmp_path / name[:3] / name, (1e9, 1e9))
    digest = read("one/one.py")
    (stored,) = (tmp_path / "cache/hcbench").iterdir()
    place = str(tmp_path / "one")
    assert (place, "one.py") in ask("SELECT folder, name FROM sources")
    ask("UPDATE sources SET digest = '0123456789abcdef'")
    assert read("one/one.py") == "0123456789abcdef\n"  # it is not parsed again
    shutil.rmtree(place)
    read("two/two.py")
    assert (place, "one.py") not in ask("SELECT folder, name FROM sources")
    stored.write_text("damaged")
    assert read("two/two.py") == digest


def test_without_a_cache_files_are_read_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no folder").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no folder"))
    (tmp_path / "code.py").write_text("from . import a\nfrom .b import c\nimport d.e\n")
    os.utime(tmp_path / "code.py", (1e9, 1e9))
    (source,) = read_sources([tmp_path / "code.py"])
    assert source.imports == [".", ".a", ".b", ".b.c", "d.e"]
