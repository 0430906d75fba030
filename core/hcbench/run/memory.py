"""The memory that this process may use: that of the machine, or what its container allows.

Linux limits the memory of a container, and of a batch job, by control groups. There are two
versions, of which one machine may have both. A limit holds for a group and for all groups in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil

_SELF = Path("/proc/self")
#: The file with the limit, by the type of the file system of a version.
_LIMITS = {"cgroup2": "memory.max", "cgroup": "memory.limit_in_bytes"}


def usable_memory() -> int:
    """Bytes of memory that this process and its children may use."""
    total = _machine_memory()
    limit = container_limit()
    if limit is None:
        return total
    return min(limit, total)


def _machine_memory() -> int:
    """Bytes of memory of the machine."""
    try:
        return int(psutil.virtual_memory().total)
    except OSError:
        # /proc is hidden from this process; the C library asks the kernel.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def container_limit(process: Path = _SELF) -> int | None:
    """The lowest limit of the control groups of a process, in bytes; None if there is none.

    Parameters
    ----------
    process : Path
        Its folder in ``/proc``.
    """
    limits = []
    try:
        for folder, name in _folders(process):
            limit = _read_limit(folder / name)
            if limit is not None:
                limits.append(limit)
    except (OSError, ValueError):  # not Linux, or /proc is hidden
        return None
    return min(limits, default=None)


def _folders(process: Path) -> Iterator[tuple[Path, str]]:
    """The folders of the groups of a process, and of those around them, with the limit's file."""
    groups = _groups(process)
    for line in (process / "mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        # See proc_pid_mountinfo(5): of the mount, and of its file system.
        root, mount_point = before.split()[3:5]
        kind, _, options = after.split()[:3]
        if kind not in groups or (kind == "cgroup" and "memory" not in options.split(",")):
            continue
        group = groups[kind]
        mount = Path(mount_point)
        # In a container, the folder that is mounted may be that of the group itself.
        if root != "/" and Path(group).is_relative_to(root):
            group = str(Path(group).relative_to(root))
        folder = mount / group.lstrip("/")
        while folder.is_relative_to(mount):
            yield folder, _LIMITS[kind]
            folder = folder.parent


def _groups(process: Path) -> dict[str, str]:
    """The group of a process in each version, by the type of the file system."""
    groups = {}
    for line in (process / "cgroup").read_text().splitlines():
        number, controllers, group = line.split(":", 2)
        if number == "0" and not controllers:
            groups["cgroup2"] = group
        elif "memory" in controllers.split(","):
            groups["cgroup"] = group
    return groups


def _read_limit(file: Path) -> int | None:
    """A limit; None if the group has none, or is hidden from a container."""
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    # Version 1 writes the largest number instead of "max", which the machine's memory is below.
    return int(text) if text.isdecimal() else None
