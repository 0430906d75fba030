"""What an algorithm can reach of the cell, of other cells and of the machine.

Those about the machine need bubblewrap, as the promises in the README do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench.plan.seeds import derive_seed
from hcbench_strict.key import machine_key
from hcbench_strict.sandbox import sandbox_program

pytestmark = pytest.mark.slow  # each cell starts a Python

ENCLOSED = pytest.mark.skipif(sandbox_program() is None, reason="bubblewrap is needed")

PLUGIN = """
import os, socket
from pathlib import Path
import numpy as np
from hcbench import AlgorithmSpec, hookimpl

def succeeds(attempt):
    try:
        return float(attempt())
    except Exception:
        return 0.0

def write(path):
    Path(path).write_text("0")
    return True

def read(path):
    Path(path).read_bytes()
    return True

def processes():
    return sum(name.isdecimal() for name in os.listdir("/proc"))

def connect():
    with socket.create_connection(("127.0.0.1", {port}), 1):
        return True

def cluster(oracle, items, rng):
    parent = f"/proc/{{os.getppid()}}"
    kernels = os.environ["NUMBA_CACHE_DIR"]
    oracle.report(
        writes_the_store=succeeds(lambda: write("{store}")),
        reads_the_store=succeeds(lambda: read("{store}")),
        reads_a_private_file=succeeds(lambda: read("{private}")),
        writes_beside_itself=succeeds(lambda: write(Path(__file__).parent / "kept.txt")),
        keeps_a_file=succeeds(lambda: write("kept.txt")),
        leaves_code_in_the_cache=succeeds(lambda: kernels == {cache!r}),
        reads_the_key=succeeds(lambda: b"HCBENCH_LLM_KEY" in b"".join(
            file.read_bytes() for file in Path("/proc").glob("[0-9]*/environ"))),
        forges_the_peak=succeeds(lambda: "hcbench.run" in Path(parent, "cmdline").read_text()
            and write(parent + "/clear_refs")),
        processes=processes(),
        connects=succeeds(connect),
    )
    return np.arange(items.n) % 2

@hookimpl
def hcbench_algorithms():
    return [AlgorithmSpec(name=name, function=f"{{__name__}}:cluster", doc="Tries.",
                          accepts=("vectors",), returns="partition") for name in ("one", "two")]
"""


@pytest.mark.attack("strict")
@ENCLOSED
def test_with_bubblewrap_nothing_of_the_machine_can_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    results = tmp_path / "results"
    code = tmp_path / "code"
    for folder in (results, code):
        folder.mkdir()
    private = tmp_path / "private.txt"
    private.write_text("secret")
    monkeypatch.setenv("HCBENCH_LLM_KEY", "secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        plugin = code / "tries.py"
        text = PLUGIN.format(
            port=server.getsockname()[1],
            store=results / "store.sqlite",
            private=private,
            cache=os.environ.get("NUMBA_CACHE_DIR", ""),
        )
        plugin.write_text(text)
        rows = hcbench.compare(
            ["one", "two"],
            datasets=["iris[n=20]", "wine[n=20]"],
            plugins=[plugin],
            executor="strict",
            repetitions=1,
            n_jobs=1,
            store=results / "store.sqlite",
            metrics=["queries"],
        ).rows
    assert [row["reason"] for row in rows] == [""] * 4
    for row in rows:
        reported = {}
        for label, value in row["metrics"].items():
            if value and label.endswith(" (reported)"):
                reported[label.removesuffix(" (reported)")] = value
        # It writes into its own folder, which goes with the cell, and sees the process that waits
        # for it and itself.
        assert reported.pop("processes") <= 3
        assert reported.pop("keeps_a_file") == 1
        assert reported == {}
    assert not (code / "kept.txt").exists()


def counts_its_calls(oracle: Any, items: Any, rng: Any) -> Any:
    """Say how many calls have left a mark in the current folder and in the temporary one."""
    import tempfile

    for name, folder in (("here", Path()), ("temporary", Path(tempfile.gettempdir()))):
        mark = folder / f"{name}-{items.n}"
        oracle.report(**{name: float(mark.exists())})
        mark.write_text("")
    return np.arange(items.n) % 2


@pytest.mark.attack("strict")
def test_each_cell_has_a_folder_of_its_own(tmp_path: Path) -> None:
    spec = hcbench.AlgorithmSpec(
        name="counts",
        function=counts_its_calls,
        doc="d",
        accepts=("vectors",),
        returns="partition",
    )
    rows = hcbench.compare(
        [spec],
        datasets=["iris[n=20]"],
        executor="strict",
        repetitions=3,
        n_jobs=1,
        store=tmp_path / "store.sqlite",
        metrics=["queries"],
    ).rows
    for row in rows:
        assert row["reason"] == ""
        assert (row["metrics"]["here (reported)"], row["metrics"]["temporary (reported)"]) == (0, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store.sqlite"]


def tells_its_seeds(oracle: Any, items: Any, rng: Any) -> Any:
    import random

    entropy = rng.bit_generator.seed_seq.entropy
    oracle.report(entropy=float(entropy % 2**53), drawn=rng.random(), global_one=random.random())
    return np.arange(items.n) % 2


@pytest.mark.attack("strict")
def test_seeds_say_nothing_about_the_cell_and_can_be_repeated(tmp_path: Path) -> None:
    spec = hcbench.AlgorithmSpec(
        name="seeds", function=tells_its_seeds, doc="d", accepts=("vectors",), returns="partition"
    )
    reported = []
    for number in range(2):
        (row,) = hcbench.compare(
            [spec],
            datasets=["iris[n=20]"],
            executor="strict",
            repetitions=1,
            seed=7,
            store=tmp_path / f"{number}.sqlite",
            metrics=["queries"],
        ).rows
        assert row["reason"] == ""
        reported.append(row["metrics"])
    assert reported[0] == reported[1]
    # What an ordinary worker uses is a hash of public names and the base seed.
    seed = derive_seed(7, "algorithm", "iris", 0)
    ordinary = np.random.default_rng(seed)
    assert reported[0]["entropy (reported)"] != float(seed % 2**53)
    assert reported[0]["drawn (reported)"] != ordinary.random()


@pytest.mark.attack("strict")
def test_the_key_of_the_machine_is_made_once_and_private(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from hcbench_strict.key import machine_key; "
        "print(machine_key(Path(sys.argv[1])).hex())"
    )
    command = [sys.executable, "-P", "-c", code, str(tmp_path / "new")]
    processes = []
    for _ in range(3):
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    keys = {process.communicate()[0].strip() for process in processes}
    assert keys == {machine_key(tmp_path / "new").hex()}
    (file,) = (tmp_path / "new").iterdir()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.attack("strict")
def test_without_bubblewrap_a_run_says_what_is_not_prevented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox_program.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    from hcbench_strict import open_strict

    try:
        with open_strict(jobs=1, scheduler=None, threads=1):
            pass
        assert "bubblewrap is not installed or not permitted" in capsys.readouterr().err
    finally:
        sandbox_program.cache_clear()


def test_a_bubblewrap_that_cannot_work_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    sandbox_program.cache_clear()
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    try:
        assert shutil.which("bwrap") == str(program)
        assert sandbox_program() is None
    finally:
        sandbox_program.cache_clear()
