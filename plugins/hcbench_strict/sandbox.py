"""What the process of an algorithm sees of the machine: with bubblewrap, next to nothing.

`bubblewrap <https://github.com/containers/bubblewrap>`_ starts a program in namespaces of its own,
without privileges. The process then has no other processes, no network, and no files but Python,
the installed packages, the folder of its plugin file (all read-only) and one private folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from hcbench.run import child_environment

_PROGRAM = "bwrap"
_PATIENCE = 10.0  # seconds for the trial
#: Programs and libraries of the system, where there are such folders.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix", "/gnu")
#: Of ``/etc`` only what the loader of libraries and names of users and time zones need.
_SETTINGS = (
    "/etc/alternatives",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
)
_ISOLATION = (
    "--unshare-all",  # processes, network, users, messages
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
)
#: What the environment of an algorithm begins with.
_ALLOWED = ("PATH", "PYTHON", "LANG", "LC_", "VIRTUAL_ENV", "NUMBA", "LD_LIBRARY_PATH")
_THREADS = "_NUM_THREADS"
_CACHE = "NUMBA_CACHE_DIR"


@cache
def sandbox_program() -> str | None:
    """The path of bubblewrap; None if it is not installed, or cannot make namespaces here."""
    program = shutil.which(_PROGRAM)
    if program is None:
        return None
    command = [program]
    command += _ISOLATION
    command += _bindings(_SYSTEM)
    command += ["--", "/bin/true"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        # Containers may forbid namespaces, and distributions those of users without privileges.
        return None
    return program


def enclosed(command: Sequence[str], folder: Path, code: Iterable[Path]) -> list[str]:
    """A command in a sandbox if there is one, and as it is otherwise.

    Parameters
    ----------
    command : sequence of str
        Of a Python process.
    folder : Path
        The only folder in which it can write.
    code : iterable of Path
        Folders of plugin files.
    """
    program = sandbox_program()
    if program is None:
        return list(command)
    enclosing = [program]
    enclosing += _ISOLATION
    enclosing += _bindings(_SYSTEM + _SETTINGS + tuple(_python_folders()))
    enclosing += _bindings(map(str, code))
    # After the read-only folders, as it may lie below one of them.
    enclosing += ["--bind", str(folder), str(folder)]
    enclosing += ["--chdir", str(folder), "--"]
    return enclosing + list(command)


def _bindings(paths: Iterable[str]) -> list[str]:
    """Options that show paths read-only, where they exist."""
    options = []
    for path in dict.fromkeys(paths):
        options += ["--ro-bind-try", path, path]
    return options


def _python_folders() -> list[str]:
    """Where this Python, its libraries and what it imports are."""
    folders = {sys.prefix, sys.base_prefix, sys.exec_prefix}
    folders.add(os.path.dirname(os.path.realpath(sys.executable)))
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    for path in sys.path + libraries:
        # "" is the current folder in both, and is not shown.
        if path:
            folders.add(os.path.abspath(path))
    # Parents first: what is shown later may lie below.
    return sorted(folders)


def algorithm_environment(folder: Path) -> dict[str, str]:
    """The environment variables of an algorithm, whose temporary files are in its folder.

    Compiled kernels are copied for each cell. In the cache itself an algorithm could keep what it
    learns for another cell, and leave code for the workers, which read it.
    """
    environment = {}
    for name, value in child_environment().items():
        if name.startswith(_ALLOWED) or name.endswith(_THREADS):
            environment[name] = value
    environment["HOME"] = str(folder)
    environment["TMPDIR"] = str(folder)
    kernels = folder / "kernels"
    cache_folder = Path(environment.get(_CACHE) or folder / "none")
    if cache_folder.is_dir():
        shutil.copytree(cache_folder, kernels, dirs_exist_ok=True)
    environment[_CACHE] = str(kernels)
    return environment
