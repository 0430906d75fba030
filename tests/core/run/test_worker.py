"""The pool survives all failures of jobs, reports them, and leaves no process."""

from __future__ import annotations

import math
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import pytest

from hcbench.errors import WorkerError
from hcbench.run.workers import Limits, Pool, Report
from hcbench.run.workers.encoding import encode
from hcbench.run.workers.messages import COMPILATION, Finished, Order, open_log, take_tail
from hcbench.run.workers.processes import family_resident, peak_since, reset_peak, resident
from tests.core.run import jobs

PERFORM = f"{jobs.__name__}:perform"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tell")


@pytest.fixture(scope="module")
def shared() -> Iterator[Pool]:
    """One pool for most tests, which also shows that it continues after each failure."""
    with Pool(2, PERFORM, preload=["numpy"]) as pool:
        yield pool


def run(pool: Pool, job: object, limits: Limits | None = None) -> Report:
    pool.submit("it", job, limits or Limits(seconds=20, grace=20))
    [report] = pool.wait(30)
    assert report.tag == "it"
    assert pool.running == []
    return report


def run_alone(pool: Pool, job: object) -> object:
    pool.submit("it", job, Limits())
    [report] = pool.wait(30)
    return report.value


def works(pool: Pool) -> bool:
    """Whether both slots still run jobs, once each."""
    for tag in range(2):
        pool.submit(tag, partial(jobs.add, tag, 1), Limits(seconds=10))
    reports = [*pool.wait(10)]
    while len(reports) < 2:
        reports += pool.wait(10)
    return {(r.tag, r.value, r.ending) for r in reports} == {(0, 1, "done"), (1, 2, "done")}


def gone(pids: list[int], within: float = 2.0) -> bool:
    until = time.monotonic() + within
    while any(map(alive, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


# Reports.


def test_every_job_is_reported_once_under_its_tag_in_whatever_order(shared: Pool) -> None:
    waiting = list(range(50))
    values: dict[object, object] = {}
    while waiting or shared.running:
        while waiting and (worker := shared.next_worker()) is not None:
            tag = waiting.pop()
            shared.submit(tag, partial(jobs.add, tag, 1000), Limits(), worker)
        for report in shared.wait():
            assert report.ending == "done"
            assert report.tag not in values
            values[report.tag] = report.value
    assert values == {tag: tag + 1000 for tag in range(50)}


def test_a_fast_job_does_not_wait_for_a_slow_one(shared: Pool) -> None:
    shared.submit("slow", partial(time.sleep, 0.5), Limits())
    shared.submit("fast", partial(jobs.add, 1, 1), Limits())
    assert [report.tag for report in shared.wait()] == ["fast"]
    assert [report.tag for report in shared.wait()] == ["slow"]


def test_waiting_ends_at_its_timeout_and_when_nothing_is_on_its_way(shared: Pool) -> None:
    assert shared.wait() == []
    shared.submit("slow", partial(time.sleep, 0.8), Limits())
    began = time.monotonic()
    assert shared.wait(0.1) == []
    assert 0.1 <= time.monotonic() - began < 0.8
    [(tag, phase, seconds)] = shared.running
    assert (tag, phase) == ("slow", "algorithm")
    assert 0.1 <= seconds < 0.8
    assert shared.wait()[0].ending == "done"


def test_more_jobs_than_slots_are_refused(shared: Pool) -> None:
    for tag in range(2):
        shared.submit(tag, partial(time.sleep, 0.05), Limits())
    with pytest.raises(WorkerError, match="all 2 slots are busy"):
        shared.submit(2, partial(time.sleep, 0), Limits())
    while shared.running:
        shared.wait()


def test_lambdas_and_large_arrays_travel_to_a_worker_and_long_texts_back(shared: Pool) -> None:
    data = np.arange(2_000_000, dtype=np.float64)  # more than a socket holds at once
    assert run(shared, lambda: "x" * data.size + str(data.sum())).value == (
        "x" * data.size + str(data.sum())
    )


def test_a_worker_stays_for_the_next_job_after_an_error(shared: Pool) -> None:
    before = [run(shared, os.getpid).value, run(shared, jobs.recurse).pid]
    assert run(shared, os.getpid).pid in before


# Failures of a job, and their reports.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("job", "ending", "reason"),
    [
        (jobs.segfault, "crash", r"^killed by signal 11 \(SIGSEGV\)$"),
        (
            partial(os._exit, 0),
            "crash",
            r"^exited with code 0 in phase 'algorithm' before returning \(os._exit\?\)$",
        ),
        (partial(os._exit, 7), "crash", "^exited with code 7 in phase"),
        (os.abort, "crash", "SIGABRT"),
        (jobs.kill_own_group, "crash", r"^killed by signal 9 \(possibly out of memory\)$"),
        (jobs.close_all_descriptors, "crash", "^closed its connection to the harness$"),
        (partial(sys.exit, 3), "error", "^SystemExit: 3$"),
        (partial(signal.raise_signal, signal.SIGINT), "error", "^KeyboardInterrupt: $"),
        (jobs.recurse, "error", "^RecursionError: maximum recursion depth"),
        (partial(int, "x"), "error", "^ValueError: invalid literal"),
        (jobs.unpicklable, "error", "^TypeError: a generator cannot be sent"),
        (jobs.Unreadable(), "error", "^ValueError: no$"),
        ((n for n in range(3)), "error", "^the job cannot be sent to a worker: TypeError"),
    ],
)
def test_failures_of_a_job_are_reported_and_the_pool_continues(
    shared: Pool, job: object, ending: str, reason: str
) -> None:
    report = run(shared, job)
    assert report.ending == ending
    assert re.search(reason, report.reason)
    assert report.value is None
    assert works(shared)


class Payload:
    """Creates a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return os.mkdir, (str(self.path),)


def test_a_forged_message_runs_nothing_in_the_main_process(shared: Pool, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    pickled = pickle.dumps(Payload(touched))
    wrong = [encode(Finished("1", "done")), encode(Order(1, b"", Limits()))]  # type: ignore[arg-type]
    for body in (pickled, b"", encode(["["] * 3), *wrong):
        report = run(shared, partial(jobs.write_to_sockets, len(body).to_bytes(8, "big") + body))
        assert report.ending == "crash"
        assert report.reason.startswith("wrote into its connection to the harness: ")
        assert works(shared)
    assert not touched.exists()


def test_a_segfault_shows_the_python_stack(shared: Pool) -> None:
    assert re.search(r"Segmentation fault[\s\S]*in segfault", run(shared, jobs.segfault).log)


def test_a_copy_of_a_worker_returns_crashes_and_is_killed_as_the_worker_itself() -> None:
    with Pool(1, f"{jobs.__name__}:perform_in_copy") as pool:
        first, second = run(pool, os.getpid), run(pool, os.getpid)
        assert first.value != second.value
        assert first.pid == second.pid
        assert first.value != first.pid
        crashed = run(pool, jobs.segfault)
        assert (crashed.ending, crashed.reason) == ("crash", "killed by signal 11 (SIGSEGV)")
        assert crashed.log.count("string_at") == 1
        for code in (0, 3):
            left = run(pool, partial(os._exit, code))
            assert left.ending == "crash"
            assert left.reason.startswith(f"exited with code {code}")
        late = run(pool, jobs.loop, Limits(seconds=0.3))
        assert late.ending == "timeout"
        heavy = run(pool, partial(jobs.hog, 200), Limits(memory=100 << 20))
        assert heavy.ending == "memory"
        assert run(pool, jobs.come_back_twice).value == "original"
        assert run(pool, partial(jobs.add, 1, 1)).value == 2


def test_an_error_shows_where_it_was_raised(shared: Pool) -> None:
    assert "return recurse(depth + 1) + 1" in run(shared, jobs.recurse).traceback


@pytest.mark.parametrize("job", [jobs.loop, jobs.ignore_sigterm])
def test_a_job_is_killed_at_its_time_limit(shared: Pool, job: Callable[[], None]) -> None:
    report = run(shared, job, Limits(seconds=0.2))
    assert report.ending == "timeout"
    assert report.reason == "phase 'algorithm' took longer than 0.2 s"
    assert 0.2 <= report.seconds < 2.0
    assert not alive(report.pid)
    assert works(shared)


def test_a_late_job_is_a_timeout_even_if_it_returned(shared: Pool) -> None:
    shared.submit("it", partial(time.sleep, 0.2), Limits(seconds=0.1))
    time.sleep(0.4)
    assert [report.ending for report in shared.wait()] == ["timeout"]


@pytest.mark.slow
def test_each_phase_has_the_limit_of_its_kind() -> None:
    with Pool(1, f"{jobs.__name__}:perform_phases") as pool:
        phases, ends = {"data": 0.4, "algorithm": 0.05, "metrics": 0.4}, []
        for limits in (Limits(0.3, None, 9.0), Limits(9.0, None, 0.3), Limits(0.01, None, 9.0)):
            pool.submit(None, phases, limits)
            [report] = pool.wait()
            ends.append((report.ending, report.phase))
        assert ends == [("done", "metrics"), ("timeout", "data"), ("timeout", "algorithm")]
        for phase, ending in (("data", "memory"), ("oracle", "memory"), ("imports", "done")):
            report = run(pool, {phase: -1}, Limits(memory=100 << 20))
            assert (report.ending, report.phase) == (ending, phase)


def test_produced_results_are_reported_despite_later_failures() -> None:
    endings = {
        "done": (partial(jobs.add, 1, 1), Limits()),
        "error": (jobs.recurse, Limits()),
        "crash": (jobs.segfault, Limits()),
        "timeout": (jobs.loop, Limits(grace=0.5)),
        "memory": (partial(jobs.hog, 400), Limits(memory=100 << 20)),
    }
    with Pool(2, f"{jobs.__name__}:perform_and_judge") as pool:
        for ending, (job, limits) in endings.items():
            report = run(pool, job, limits)
            assert (report.ending, report.phase) == (ending, "metrics")
            assert report.value == (2 if ending == "done" else "produced")


def test_a_killed_worker_is_distinguished_from_a_crash(shared: Pool) -> None:
    assert run(shared, lambda: os.kill(os.getpid(), signal.SIGKILL)).outside
    assert not run(shared, jobs.segfault).outside


def test_output_is_returned_and_cannot_break_the_protocol(shared: Pool) -> None:
    report = run(shared, jobs.print_everywhere)
    assert report.value == "no input"
    expected = {"from Python", "from descriptor 1", "from descriptor 2 \ufffd", "from C"}
    assert set(report.log.splitlines()) == expected
    assert run(shared, partial(jobs.add, 1, 1)).log == ""
    assert run(shared, partial(jobs.add, 1, 1)).log == ""


def test_a_long_log_is_cut_at_its_beginning(shared: Pool) -> None:
    log = run(shared, jobs.print_much).log
    assert len(log) == 64 * 1024
    assert log.endswith("line 99999\n")


def test_endless_output_does_not_fill_the_disk(shared: Pool) -> None:
    report = run(shared, partial(jobs.print_slowly, 64))
    assert isinstance(report.value, int)
    assert report.value < 48 << 20
    assert report.log.endswith("the end")


def test_a_log_that_is_emptied_while_a_job_writes_holds_only_what_was_written() -> None:
    with open_log() as log:
        with os.fdopen(os.dup(log.fileno()), "wb", buffering=0) as written:
            written.write(b"first")
            assert take_tail(log.fileno()) == "first"
            os.lseek(written.fileno(), 5, os.SEEK_SET)  # as if it had begun to write before
            written.write(b"second")
        assert take_tail(log.fileno()) == "second"


def test_output_before_a_crash_is_returned(shared: Pool) -> None:
    job = partial(exec, "import os; print('last words'); os._exit(1)")
    assert run(shared, job).log == "last words\n"


# Forks, children, memory.


def test_a_forked_copy_of_a_job_reports_nothing(shared: Pool) -> None:
    report = run(shared, jobs.come_back_twice)
    assert (report.ending, report.value) == ("done", "original")
    assert run(shared, jobs.raise_in_a_copy).value == "copy ended with 1"
    assert works(shared)


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize(
    ("then", "ending"),
    [
        (str, "done"),
        (partial(os._exit, 0), "crash"),
        (jobs.loop, "timeout"),
        (jobs.kill_own_group, "crash"),
    ],
)
def test_children_left_behind_are_dead_when_the_report_comes(
    shared: Pool, tmp_path: Path, then: Callable[[], object], ending: str
) -> None:
    pids = tmp_path / "pids"
    limits = Limits(seconds=1.0 if then is jobs.loop else 20.0)
    report = run(shared, partial(jobs.leave_child, pids, then), limits)
    assert report.ending == ending
    children = [int(pid) for pid in pids.read_text().split()]
    assert len(children) == 4
    assert not any(map(alive, children))
    assert works(shared)


@pytest.mark.slow
def test_a_fork_bomb_is_killed_as_a_whole(shared: Pool, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    report = run(shared, partial(jobs.fork_many, pids), Limits(seconds=2.0))
    assert report.ending == "timeout"
    bombs = [int(pid) for pid in pids.read_text().split()]
    assert len(bombs) == 32
    assert gone(bombs)
    assert works(shared)


def test_temporary_files_go_with_the_job_or_with_the_worker_that_crashed(shared: Pool) -> None:
    for job in (jobs.make_temporary_files, jobs.make_temporary_files_and_crash):
        report = run(shared, job)
        folder = Path(report.log.strip().splitlines()[0])
        assert folder.name == "made"
        assert not folder.exists()
        assert not folder.parent.exists() or not any(folder.parent.iterdir())


def test_a_thread_left_behind_does_not_disturb_the_next_job(shared: Pool) -> None:
    report = run(shared, jobs.start_thread)
    assert report.value == "started"
    assert not alive(report.pid)


def test_an_alarm_left_behind_does_not_end_the_next_job(shared: Pool) -> None:
    for _ in range(2):
        shared.submit("it", partial(signal.setitimer, signal.ITIMER_REAL, 0.1), Limits())
    assert {report.ending for report in [*shared.wait(), *shared.wait()]} == {"done"}
    assert run(shared, partial(time.sleep, 0.2)).ending == "done"


@pytest.mark.parametrize("job", [jobs.hog, jobs.hog_in_a_child])
def test_a_memory_hog_is_killed(shared: Pool, job: Callable[[int], object]) -> None:
    report = run(shared, partial(job, 200), Limits(memory=100 << 20))
    assert report.ending == "memory"
    assert re.fullmatch(r"held \d+ MiB more than at its start, 100 MiB allowed", report.reason)
    assert works(shared)


@pytest.mark.slow
def test_memory_within_the_limit_is_allowed(shared: Pool) -> None:
    assert run(shared, partial(jobs.hog, 20), Limits(memory=100 << 20)).value == 20


@LINUX
def test_memory_shared_with_forked_copies_counts_once(shared: Pool) -> None:
    job = partial(jobs.share_memory, 60, 4)
    assert run(shared, job, Limits(memory=150 << 20)).value == "shared"


@LINUX
def test_the_peak_is_that_of_the_call(shared: Pool) -> None:
    def peak(mebibytes: int) -> int | None:
        start = reset_peak()
        bytearray(os.urandom(1 << 20)) * mebibytes
        return peak_since(start)

    for mebibytes in (100, 10):  # the smaller one after the larger one
        assert run(shared, partial(peak, mebibytes)).value == pytest.approx(
            mebibytes << 20, abs=4 << 20
        )


def test_resident_memory_agrees_with_psutil() -> None:
    expected = psutil.Process().memory_info().rss
    assert resident() == pytest.approx(expected, rel=0.05)
    assert family_resident(os.getpid(), 0) >= resident() * 0.95
    assert resident(2**22 + 1) == 0


# Other processes.


def test_workers_compute_with_one_thread_and_one_order_of_sets(shared: Pool) -> None:
    assert run(shared, partial(jobs.environment, "OPENBLAS_NUM_THREADS")).value == "1"
    assert run(shared, partial(jobs.environment, "PYTHONHASHSEED")).value == "0"


def test_a_target_or_preload_that_cannot_be_imported_is_reported_by_the_job() -> None:
    with Pool(2, "no_such_module:perform", preload=["no_such_module_either"]) as pool:
        assert run(pool, None).reason == "ModuleNotFoundError: No module named 'no_such_module'"


def test_a_preload_that_kills_the_fork_server_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deadly.py").write_text("import os; os.write(2, b'farewell'); os._exit(5)")
    monkeypatch.syspath_prepend(tmp_path)
    with Pool(1, PERFORM, preload=["deadly"]) as pool:
        pool.submit("it", partial(jobs.add, 1, 1), Limits())
        with pytest.raises(WorkerError, match="exit code 5\nfarewell"):
            pool.wait()


def test_a_job_that_kills_the_fork_server_is_a_crash_and_another_one_is_started() -> None:
    with Pool(2, PERFORM) as pool:
        report = run(pool, jobs.kill_parent)
        assert report.ending == "crash"
        assert gone([report.pid])
        assert works(pool)


def test_the_fork_server_may_end_between_jobs() -> None:
    with Pool(1, PERFORM) as pool:
        pool.submit("fork server", os.getppid, Limits())
        [report] = pool.wait()
        assert isinstance(report.value, int)
        pool.submit("it", jobs.start_thread, Limits())  # its worker has to be replaced
        time.sleep(0.5)
        os.kill(report.value, signal.SIGKILL)
        assert gone([report.value])
        assert [(r.ending, r.value) for r in pool.wait(10)] == [("done", "started")]
        pool.submit("it", partial(jobs.add, 1, 1), Limits())
        assert [r.value for r in pool.wait(10)] == [2]


def test_closing_ends_running_jobs_and_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with Pool(1, PERFORM) as pool:
        run_alone(pool, str)
        before = {child.pid for child in psutil.Process().children(recursive=True)}
    with Pool(2, PERFORM) as pool:
        pool.submit("it", partial(jobs.leave_child, pids, jobs.loop), Limits())
        while not pids.exists() or len(pids.read_text().split()) < 4:
            pool.wait(0.05)
    assert not any(alive(int(pid)) for pid in pids.read_text().split())
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    pool.close()
    with pytest.raises(WorkerError, match="closed"):
        pool.submit("it", None, Limits())


# One fork server for all pools.


def server_of(pool: Pool) -> int:
    pid = run_alone(pool, os.getppid)
    assert isinstance(pid, int)
    return pid


def test_pools_share_a_fork_server_one_after_the_other_and_at_a_time() -> None:
    with Pool(1, PERFORM) as one, Pool(1, f"{jobs.__name__}:perform_and_judge") as other:
        servers = {server_of(one), server_of(other)}
    with Pool(1, PERFORM) as pool:
        servers.add(server_of(pool))
    assert len(servers) == 1


def test_closing_a_pool_ends_its_own_workers_only(tmp_path: Path) -> None:
    with Pool(1, PERFORM) as other:
        worker = run_alone(other, os.getpid)
        with Pool(1, PERFORM) as pool:
            pids = tmp_path / "pids"
            pool.submit("it", partial(jobs.leave_child, pids, jobs.loop), Limits())
            while not pids.exists() or len(pids.read_text().split()) < 4:
                pool.wait(0.05)
        assert not any(alive(int(pid)) for pid in pids.read_text().split())
        assert run_alone(other, os.getpid) == worker


@pytest.mark.slow
def test_a_pool_in_another_environment_starts_another_fork_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def setting() -> str | None:
        return os.environ.get("NUMBA_OPT")

    with Pool(1, PERFORM) as pool:
        first = server_of(pool)
        monkeypatch.setenv("NUMBA_OPT", "1")
        with Pool(1, PERFORM) as other:
            second = server_of(other)
            assert (run_alone(pool, setting), run_alone(other, setting)) == (None, "1")
        assert server_of(pool) == first, "the pool that uses it keeps it"
    assert not alive(first)
    monkeypatch.chdir(tmp_path)
    with Pool(1, PERFORM) as pool:
        assert run_alone(pool, os.getcwd) == str(tmp_path)
        assert server_of(pool) not in (first, second)


@pytest.mark.slow
def test_a_fork_server_that_was_killed_while_idle_is_replaced() -> None:
    with Pool(1, PERFORM) as pool:
        server = server_of(pool)
    os.kill(server, signal.SIGKILL)
    with Pool(2, PERFORM) as pool:
        assert works(pool)
        assert server_of(pool) != server


@pytest.mark.slow
def test_a_fork_server_that_was_stopped_is_replaced() -> None:
    with Pool(1, PERFORM) as pool:
        server = server_of(pool)
        os.kill(server, signal.SIGSTOP)
        assert run(pool, partial(os._exit, 1)).ending == "crash"
        usual = pool.start_seconds
        pool.start_seconds = 0.5
        assert run(pool, partial(jobs.add, 1, 1)).lost
        pool.start_seconds = usual
        assert run(pool, partial(jobs.add, 1, 1)).value == 2
        assert server_of(pool) != server


def test_a_job_changes_nothing_for_the_next_pool() -> None:
    with Pool(1, PERFORM) as pool:
        run_alone(pool, lambda: setattr(sys, "changed", True))
        assert run_alone(pool, lambda: hasattr(sys, "changed"))
    with Pool(1, PERFORM) as pool:
        assert run_alone(pool, lambda: hasattr(sys, "changed")) is False


# A user's script, as a separate main process.

SCRIPT = """
import os, signal, sys, time
sys.path.append({root!r})
from hcbench.run.workers import Limits, Pool

def square(x):  # lives in __main__, which no worker imports
    return x * x

print("imported", flush=True)
with Pool(2, {target!r}) as pool:
    pool.submit("it", lambda: square(7), Limits())
    print(pool.wait()[0].value, flush=True)
    pool.submit("pid", os.getpid, Limits())
    worker = pool.wait()[0].value
    pool.submit("fork server", os.getppid, Limits())
    server = pool.wait()[0].value
    pool.submit("it", lambda: exec("while True: pass"), Limits())
    pool.submit("it", lambda: exec("while True: pass"), Limits())
    pool.wait(0.1)
    print(worker, server, flush=True)
    {then}
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], tuple[subprocess.Popen[str], list[int]]]]:
    started: list[subprocess.Popen[str]] = []

    def start(then: str) -> tuple[subprocess.Popen[str], list[int]]:
        script = tmp_path / "script.py"
        root = str(Path(__file__).parents[3])
        script.write_text(textwrap.dedent(SCRIPT).format(root=root, target=PERFORM, then=then))
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        process = subprocess.Popen(
            [sys.executable, script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "imported\n"
        assert process.stdout.readline() == "49\n"
        return process, [int(pid) for pid in process.stdout.readline().split()]

    yield start
    for process in started:
        process.kill()
        process.communicate()


Start = Callable[[str], tuple[subprocess.Popen[str], list[int]]]


@pytest.mark.slow
def test_a_script_without_a_guard_runs_once_and_leaves_nothing(
    start: Start, tmp_path: Path
) -> None:
    process, pids = start("pass")
    assert process.communicate(timeout=10) == ("", "")
    assert process.returncode == 0
    assert not any(map(alive, pids))
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


def test_killing_the_main_process_leaves_nothing(start: Start, tmp_path: Path) -> None:
    process, pids = start("pool.wait()")
    workers = psutil.Process(pids[1]).children()
    assert len(workers) == 2
    process.kill()
    assert gone([*pids, *(worker.pid for worker in workers)])
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


@LINUX
def test_killing_main_and_fork_server_at_once_leaves_nothing(start: Start) -> None:
    process, pids = start("pool.wait()")
    workers = [worker.pid for worker in psutil.Process(pids[1]).children()]
    os.kill(pids[1], signal.SIGSTOP)  # so that it cannot react to the end of the other
    process.kill()
    os.kill(pids[1], signal.SIGKILL)
    assert gone([*pids, *workers])


@pytest.mark.slow
def test_ctrl_c_interrupts_an_endless_wait_and_leaves_nothing(start: Start) -> None:
    process, pids = start("pool.wait()")
    workers = [worker.pid for worker in psutil.Process(pids[1]).children()]
    time.sleep(0.2)  # until it waits
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    assert "KeyboardInterrupt" in process.communicate(timeout=10)[1]
    assert process.returncode == -signal.SIGINT
    assert not any(map(alive, [*pids, *workers]))


def test_an_orphan_is_limited_by_processor_time() -> None:
    import resource

    def limit() -> int:
        return resource.getrlimit(resource.RLIMIT_CPU)[0]

    with Pool(2, PERFORM) as pool:
        bounded = run(pool, limit, Limits(seconds=10)).value
        assert isinstance(bounded, int)
        assert 10 < bounded < 10 * (os.cpu_count() or 1) + 60
        assert run(pool, limit, Limits()).value == resource.getrlimit(resource.RLIMIT_CPU)[1]


@pytest.mark.slow
def test_a_warm_up_that_hangs_is_bounded_by_the_limit_of_the_algorithm() -> None:
    limits = Limits(seconds=2.0, grace=7.0)
    assert limits.allowed("algorithm") == 2.0
    assert limits.allowed("warm-up") == 2.0 + COMPILATION
    assert limits.allowed("metrics") == 7.0
    assert math.isinf(Limits().allowed("warm-up"))


@pytest.mark.attack("containers", by_chance=True)
@LINUX
def test_a_worker_is_killed_before_the_main_process_if_memory_is_short(shared: Pool) -> None:
    own = int(Path("/proc/self/oom_score_adj").read_text())
    report = run(shared, partial(Path.read_text, Path("/proc/self/oom_score_adj")))
    assert int(str(report.value)) == min(own + 300, 1000)
