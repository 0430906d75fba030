"""Limits of containers are seen, in both versions of control groups."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from hcbench.run.environment import describe_machine
from hcbench.run.memory import container_limit, usable_memory

GIB = 2**30


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def process(folder: Path, groups: str, mounts: str) -> Path:
    """A folder such as /proc/self, as Linux writes it."""
    write(folder / "proc/cgroup", groups)
    write(folder / "proc/mountinfo", "21 1 0:19 / /proc rw - proc proc rw\n" + mounts)
    return folder / "proc"


@pytest.mark.attack("containers")
def test_a_container_with_version_2(tmp_path: Path) -> None:
    # As in docker and podman, which show a container its own group as the root.
    mount = tmp_path / "sys"
    write(mount / "memory.max", f"{2 * GIB}\n")
    mounts = f"30 21 0:26 / {mount} ro,nosuid - cgroup2 cgroup rw\n"
    assert container_limit(process(tmp_path, "0::/\n", mounts)) == 2 * GIB


@pytest.mark.attack("containers")
def test_the_lowest_limit_of_the_groups_around_counts(tmp_path: Path) -> None:
    # As of a batch job of Slurm, whose step has no limit of its own.
    mount = tmp_path / "sys"
    write(mount / "system.slice/job_7/memory.max", f"{3 * GIB}\n")
    write(mount / "system.slice/job_7/step_0/memory.max", "max\n")
    write(mount / "system.slice/memory.max", f"{100 * GIB}\n")
    mounts = f"30 21 0:26 / {mount} rw - cgroup2 cgroup2 rw\n"
    groups = "0::/system.slice/job_7/step_0\n"
    assert container_limit(process(tmp_path, groups, mounts)) == 3 * GIB


@pytest.mark.attack("containers")
def test_a_container_with_version_1(tmp_path: Path) -> None:
    # The mount is of the group itself, which the path of the process still names.
    mount = tmp_path / "sys/memory"
    write(mount / "memory.limit_in_bytes", f"{GIB}\n")
    mounts = (
        f"31 21 0:27 /docker/0a1b {tmp_path}/sys/cpu ro - cgroup cgroup rw,cpu,cpuacct\n"
        f"32 21 0:28 /docker/0a1b {mount} ro - cgroup cgroup rw,memory\n"
    )
    groups = "9:cpu,cpuacct:/docker/0a1b\n4:memory:/docker/0a1b\n0::/\n"
    assert container_limit(process(tmp_path, groups, mounts)) == GIB


def test_no_limit(tmp_path: Path) -> None:
    mount = tmp_path / "sys"
    write(mount / "memory.max", "max\n")
    mounts = f"30 21 0:26 / {mount} ro - cgroup2 cgroup rw\n"
    assert container_limit(process(tmp_path, "0::/\n", mounts)) is None
    # No limit of version 1 is a number that no machine has.
    version_1 = tmp_path / "1"
    write(version_1 / "sys/memory.limit_in_bytes", "9223372036854771712\n")
    mounts = f"32 21 0:28 / {version_1}/sys rw - cgroup cgroup rw,memory\n"
    limit = container_limit(process(version_1, "4:memory:/\n", mounts))
    assert limit is None or limit > 2**60


@pytest.mark.parametrize("text", ["", "nonsense\n", "1:2"])
def test_where_proc_says_nothing_the_machine_counts(tmp_path: Path, text: str) -> None:
    assert container_limit(tmp_path / "nowhere") is None
    assert container_limit(process(tmp_path, text, "")) is None


def test_the_memory_of_a_machine_is_what_may_be_used() -> None:
    assert 0 < usable_memory() <= psutil.virtual_memory().total
    assert describe_machine()["memory_bytes"] == usable_memory()
