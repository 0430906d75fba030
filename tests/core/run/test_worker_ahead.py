"""Short jobs are queued in the worker: each still has its own limits, log and report."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from functools import partial

import pytest

from hcbench.errors import WorkerError
from hcbench.run.workers import Limits, Pool, Report
from tests.core.run import jobs

PERFORM = f"{jobs.__name__}:perform"


def pool_of(slots: int, target: str = PERFORM) -> Pool:
    """A pool for which all jobs are short, also on a busy machine; a worker may have three."""
    pool = Pool(slots, target)
    pool.short_seconds = 60.0
    pool.most_ahead = 3
    return pool


@pytest.fixture
def pool() -> Iterator[Pool]:
    """A pool of one worker, which has just run a short job and may therefore queue three."""
    with pool_of(1) as one:
        one.submit("short", partial(jobs.add, 1, 1), Limits())
        one.wait(20)
        assert room(one) == 3
        yield one


def room(pool: Pool) -> int:
    """Submit as many jobs as there is room for, wait for them, and return their number."""
    count = 0
    while (worker := pool.next_worker(ahead=True)) is not None:
        pool.submit(("room", count), partial(time.sleep, 0.05), Limits(), worker)
        count += 1
    assert len(collect(pool, count)) == count
    return count


def submit(pool: Pool, *made: object, limits: Limits | None = None) -> dict[object, Report]:
    """Submit all at once, and return the report of each."""
    for tag, job in enumerate(made):
        worker = pool.next_worker(ahead=True)
        pool.submit(tag, job, limits or Limits(seconds=10, grace=10), worker)
    return collect(pool, len(made))


def collect(pool: Pool, number: int) -> dict[object, Report]:
    reports: dict[object, Report] = {}
    until = time.monotonic() + 20
    while len(reports) < number and time.monotonic() < until:
        for report in pool.wait(5):
            assert report.tag not in reports
            reports[report.tag] = report
    return reports


def endings(reports: dict[object, Report]) -> list[str]:
    return [reports[tag].ending for tag in sorted(reports, key=str)]


def test_only_a_worker_whose_last_job_was_short_may_have_the_next_at_hand() -> None:
    with pool_of(1) as pool:
        pool.short_seconds = 0.0
        assert room(pool) == 1
        assert room(pool) == 1
        pool.short_seconds = 60.0
        assert room(pool) == 3


def test_a_job_waits_for_another_only_if_it_may(pool: Pool) -> None:
    pool.submit(0, partial(time.sleep, 0.1), Limits())
    with pytest.raises(WorkerError, match="all 1 slots are busy"):
        pool.submit(1, partial(jobs.add, 1, 1), Limits())
    for tag in (1, 2):
        worker = pool.next_worker(ahead=True)
        pool.submit(tag, partial(jobs.add, tag, tag), Limits(), worker)
    assert pool.next_worker(ahead=True) is None
    assert {tag: r.value for tag, r in collect(pool, 3).items()} == {0: None, 1: 2, 2: 4}


@pytest.mark.parametrize(
    ("job", "ending"),
    [
        (jobs.segfault, "crash"),
        (partial(os._exit, 0), "crash"),
        (partial(os.kill, 0, signal.SIGKILL), "crash"),
        (jobs.start_thread, "done"),
        (jobs.recurse, "error"),
    ],
)
def test_jobs_after_one_that_ends_its_worker_are_done_by_another(
    pool: Pool, job: object, ending: str
) -> None:
    reports = submit(pool, job, partial(jobs.add, 1, 2), os.getpid)
    assert endings(reports) == [ending, "done", "done"]
    assert reports[1].value == 3
    assert reports[2].value == reports[2].pid


@pytest.mark.slow
def test_the_time_of_a_job_begins_when_the_one_before_it_has_ended(pool: Pool) -> None:
    sleep = partial(time.sleep, 0.3)
    reports = submit(pool, sleep, sleep, jobs.loop, limits=Limits(seconds=0.6, grace=0.6))
    assert endings(reports) == ["done", "done", "timeout"]


def test_each_job_has_its_own_log(pool: Pool) -> None:
    printing = [partial(print, number) for number in range(3)]
    reports = submit(pool, *printing)
    assert [reports[number].log for number in range(3)] == ["0\n", "1\n", "2\n"]


def test_the_log_of_a_job_whose_worker_is_replaced_has_nothing_of_the_next(pool: Pool) -> None:
    reports = submit(pool, jobs.start_thread, jobs.print_and_sleep)
    assert [reports[number].log for number in range(2)] == ["", "begun\n"]


def test_results_of_a_job_are_never_reported_for_another() -> None:
    with pool_of(1, f"{jobs.__name__}:perform_or_produce") as pool:
        pool.submit("short", ("value", jobs.add), Limits())
        pool.wait(20)
        reports = submit(pool, ("first", str), (None, jobs.segfault), ("third", jobs.segfault))
    assert endings(reports) == ["done", "crash", "crash"]
    assert [reports[tag].value for tag in (1, 2)] == [None, "third"]


@pytest.mark.slow
def test_losing_the_fork_server_affects_only_the_running_job(pool: Pool) -> None:
    reports = submit(pool, jobs.kill_parent, partial(jobs.add, 1, 2), partial(jobs.add, 2, 2))
    assert endings(reports) == ["crash", "done", "done"]
    assert [reports[tag].value for tag in (1, 2)] == [3, 4]


def test_the_phases_of_all_jobs_are_followed_when_several_workers_are_lost_at_once() -> None:
    with pool_of(2) as pool:
        for number in range(2):
            pool.submit(number, partial(time.sleep, 0.05), Limits())
        collect(pool, 2)
        adding = [partial(jobs.add, 1, number) for number in range(4)]
        reports = submit(pool, jobs.kill_parent, partial(time.sleep, 60), *adding)
    assert endings(reports)[2:] == ["done"] * 4
    assert {reports[tag].phase for tag in range(2, 6)} == {"algorithm"}
