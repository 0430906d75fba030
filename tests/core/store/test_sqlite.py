"""Files of strangers, of killed runs, and on file systems without locks."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from hcbench.cli import main
from hcbench.errors import StoreError
from hcbench.store import Store
from hcbench.store.sqlite import SoleWriter, connect, file_system, why_unsafe
from tests.core.store.test_store import begin, make_outcome, save


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        save(store, begin(store), [make_outcome()])
    return path


def change(path: Path, *statements: str) -> None:
    raw = sqlite3.connect(path)
    for statement in statements:
        raw.execute(statement)
    raw.commit()
    raw.close()


# ---- Strangers -----------------------------------------------------------------------------------

HOSTILE = {
    "trigger": [
        "CREATE TRIGGER favour AFTER INSERT ON metric_values "
        "BEGIN UPDATE metric_values SET value = 1; END"
    ],
    "view": [
        "DROP TABLE summaries",
        "CREATE VIEW summaries AS WITH RECURSIVE endless(run) AS "
        "(SELECT 1 UNION ALL SELECT run + 1 FROM endless) "
        "SELECT run, 1 AS cells, 1 AS reused, 1 AS failed, 1 AS checksum, NULL AS packed "
        "FROM endless",
    ],
    "view of another name": ["CREATE VIEW innocent AS SELECT 1"],
    "virtual table": ["CREATE VIRTUAL TABLE words USING fts5(text)"],
    "computed column": ["ALTER TABLE cells ADD COLUMN computed AS (seconds * 0)"],
}


@pytest.mark.attack("hostile stores")
@pytest.mark.parametrize("statements", HOSTILE.values(), ids=HOSTILE)
def test_a_store_that_could_run_code_of_others_is_refused(
    filled: Path, statements: list[str]
) -> None:
    change(filled, *statements)
    before = filled.read_bytes()
    began = time.monotonic()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="which hcbench never makes") as caught:
            Store(filled, read_only=read_only)
        assert str(filled) in str(caught.value)
        assert "\n" not in str(caught.value)
    done = CliRunner().invoke(main, ["results", "--store", str(filled)])
    assert (done.exit_code != 0, "Traceback" in done.output) == (True, False)
    merged = str(filled.with_name("mine.sqlite"))
    done = CliRunner().invoke(main, ["results", "merge", str(filled), "--store", merged])
    assert done.exit_code != 0
    assert time.monotonic() - began < 60, "its query has no end"
    assert filled.read_bytes() == before


def test_a_store_of_ours_is_not_refused(filled: Path) -> None:
    change(filled, "ANALYZE")  # makes tables of SQLite's own
    with Store(filled) as store:
        assert len(store.outcomes()) == 1


# ---- Killed runs ---------------------------------------------------------------------------------


def keep_log(path: Path, target: Path) -> Path:
    """Copy a store as a killed run leaves it: the last cells are in its log only."""
    with Store(path) as store:
        run = begin(store)
        save(store, run, [make_outcome(key="f" * 32, repetition=1)])
        log = path.with_name(f"{path.name}-wal")
        assert log.stat().st_size
        target.mkdir()
        for file in (path, log):
            shutil.copy(file, target)
    return target / path.name


@pytest.mark.attack("edges")
def test_a_killed_run_can_be_read_where_nothing_can_be_written(
    filled: Path, tmp_path: Path
) -> None:
    copy = keep_log(filled, tmp_path / "medium")
    # Whoever runs this may be root, who can write anything: a folder in place of the shared memory
    # makes it as impossible as on a medium that is read-only.
    copy.with_name(f"{copy.name}-shm").mkdir()
    before = {file.name: file.read_bytes() for file in copy.parent.iterdir() if file.is_file()}
    with Store(copy, read_only=True) as store:
        assert len(store.outcomes()) == 2
    after = {file.name: file.read_bytes() for file in copy.parent.iterdir() if file.is_file()}
    assert after == before


@pytest.mark.attack("edges")
def test_a_file_that_a_crash_has_damaged_is_not_written(filled: Path, tmp_path: Path) -> None:
    with Store(filled) as store:
        outcomes = [make_outcome(key=f"{n:032x}", repetition=n) for n in range(300)]
        save(store, begin(store), outcomes)
    copy = keep_log(filled, tmp_path / "crashed")
    raw = sqlite3.connect(copy)
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (root,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'points'").fetchone()
    (size,) = raw.execute("PRAGMA page_size").fetchone()
    raw.close()
    content = bytearray(copy.read_bytes())
    content[(root - 1) * size : root * size] = bytes(size)  # a page that was never written
    copy.write_bytes(content)
    copy.with_name(f"{copy.name}-wal").write_bytes(b"\0" * 64)  # what it left is unreadable
    with Store(copy) as store, pytest.raises(StoreError, match="malformed") as caught:
        begin(store)
    assert "recover what is readable" in str(caught.value)


# ---- File systems --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/home/me/results", "nfs4"),
        ("/home/me/my results/deep", "fuse.sshfs"),
        ("/home", "nfs4"),
        ("/homes", "ext4"),
        ("/mnt/c", "9p"),
    ],
)
def test_the_file_system_of_a_folder_is_that_of_the_innermost_mount(
    tmp_path: Path, folder: str, expected: str
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "40 22 0:40 / /home rw shared:1 - nfs4 server:/home rw,vers=4.2\n"
        "41 40 0:41 / /home/me/my\\040results rw - fuse.sshfs me@server: rw\n"
        "42 22 0:42 / /mnt/c rw - 9p drvfs rw\n"
    )
    assert file_system(Path(folder), mounts) == expected


def test_a_local_folder_is_safe_for_several_processes(tmp_path: Path) -> None:
    assert why_unsafe(tmp_path) == ""


@pytest.mark.attack("storage without locks")
def test_where_locks_do_not_hold_one_process_writes(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    mark = tmp_path / "store.sqlite-writer"
    first = SoleWriter(file, "it is on a network file system (nfs4)")
    first.acquire()
    first.acquire()  # another store of the same process
    first.release()
    assert not mark.exists()
    # Another process of this machine, and one of another.
    for holder in (f"{socket.gethostname()} {os.getppid()}", "elsewhere 1"):
        mark.write_text(holder)
        with pytest.raises(StoreError, match="where two would destroy it") as caught:
            first.acquire()
        message = str(caught.value)
        assert "PostgreSQL" in message
        assert str(mark) in message
        assert holder.split()[1] in message
        first.release()
        assert mark.read_text() == holder, "only its own is removed"
    # A process of this machine that was killed.
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    mark.write_text(f"{socket.gethostname()} {process.pid}")
    first.acquire()
    assert mark.read_text() == f"{socket.gethostname()} {os.getpid()}"


#: A file system without locks: each lock that is asked for is granted.
NO_LOCKS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

static int pass_on(const char *name, int file, int command, void *argument) {
    switch (command) {
    case F_SETLK: case F_SETLKW: case F_OFD_SETLK: case F_OFD_SETLKW:
        return 0;
    case F_GETLK: case F_OFD_GETLK:
        ((struct flock *)argument)->l_type = F_UNLCK;
        return 0;
    }
    int (*original)(int, int, ...) = dlsym(RTLD_NEXT, name);
    return original(file, command, argument);
}
int fcntl(int file, int command, ...) {
    va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
    return pass_on("fcntl", file, command, argument);
}
int fcntl64(int file, int command, ...) {
    va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
    return pass_on("fcntl64", file, command, argument);
}
"""


@pytest.mark.attack("storage without locks", by_chance=True)
@pytest.mark.skipif(sys.platform != "linux", reason="replaces a function of Linux")
@pytest.mark.slow
def test_two_runs_on_storage_without_locks_lose_nothing(tmp_path: Path, attack_turn: int) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    (tmp_path / "nolocks.c").write_text(NO_LOCKS)
    library = tmp_path / "nolocks.so"
    command = [
        compiler,
        "-shared",
        "-fPIC",
        "-o",
        str(library),
        str(tmp_path / "nolocks.c"),
        "-ldl",
    ]
    subprocess.run(command, check=True)
    store = tmp_path / "store.sqlite"
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    runs = []
    for seed in range(3):
        command = [sys.executable, "-P", "-m", "hcbench", "compare", "--algos", "Random", "-r40"]
        command += [
            "--datasets",
            "iris[n=20]",
            "--seed",
            str(10 * attack_turn + seed),
            "--store",
            str(store),
            "-q",
        ]
        runs.append(subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True))
    messages = []
    for run in runs:
        _, printed = run.communicate()
        if run.returncode:
            messages.append(printed)
    raw = sqlite3.connect(store)
    assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    (cells,) = raw.execute("SELECT count(*) FROM cells").fetchone()
    raw.close()
    done = len(runs) - len(messages)
    assert done >= 1
    assert cells == 40 * done
    for message in messages:
        assert "PostgreSQL" in message
        assert "its file system has no locks" in message
    assert not store.with_name(f"{store.name}-writer").exists()


@pytest.mark.attack("hostile stores")
def test_a_file_is_opened_with_what_sqlite_advises_for_those_of_strangers(filled: Path) -> None:
    connection = connect(str(filled))
    assert connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
    assert connection.execute("PRAGMA cell_size_check").fetchone() == (1,)
    connection.close()
