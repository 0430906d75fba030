"""Where numba stores compiled kernels, so that none is used that is out of date.

numba compiles a stored kernel again when the file that defines it has changed, but not when a
function that the kernel calls, or a constant that it uses, has changed in another file. So the
processes of hcbench (its program, the workers, the tests) store kernels in a folder that is named
by a digest of the files that kernels import. They set ``NUMBA_CACHE_DIR`` to it, which numba reads
when it is imported; a process that imports hcbench is left as it is, and uses the cache that numba
chooses itself.

**Which files.** A kernel file is a file of core, of an installed plugin, or a plugin file or a
module that it imports from its folder, whose name ends with ``kernels.py``, or which imports numba
and has ``jit`` (``njit``, ``jitclass``), ``vectorize``, ``stencil`` or ``cfunc`` in its text. The
digest covers all kernel files of core, and what kernel files import, directly or through others,
from core, and from their own folder, package or distribution. It does not cover kernel files of
plugins that no other one imports: numba compares these itself, so that an edit of one compiles its
own kernels again and no others.

The digest takes 40 to 60 ms of processor time. It is computed once by a command that may compile
something; for the workers of a run, only plugin files are looked at again.

**Where.** Below the user's cache directory, in ``hcbench/kernels``, or below the folder that
``NUMBA_CACHE_DIR`` names. A folder has 3 to 9 MB, and is removed when another one is made after it
was not used for 30 days.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

import platformdirs

from hcbench.registry.fingerprint import digest_sources
from hcbench.registry.hookspecs import PROJECT
from hcbench.registry.plugin_files import code_of_file, is_beside
from hcbench.registry.plugins import installed_plugins
from hcbench.registry.sources import imported_names, used_below

#: numba stores compiled kernels in the folder that this environment variable names.
VARIABLE = "NUMBA_CACHE_DIR"
_CORE = Path(__file__).parents[1]
#: The name of a folder of kernels: a digest of the bytes of their files.
_FOLDER = re.compile(r"hcbench-[0-9a-f]{16}")
_UNUSED = 30 * 24 * 3600  # seconds after which a folder is removed
#: One of these words is in every file that numba compiles something of.
_COMPILERS = (b"jit", b"vectorize", b"stencil", b"cfunc")


def kernel_environment(plugin_files: Sequence[Path] = ()) -> dict[str, str]:
    """The environment variable that has a process store kernels in their folder.

    It has no effect on a process that has imported numba.

    Parameters
    ----------
    plugin_files : sequence of Path, optional
        The plugin files of the run, which may have kernels, too.
    """
    return {VARIABLE: str(kernel_folder(plugin_files))}


def kernel_folder(plugin_files: Sequence[Path] = ()) -> Path:
    """The folder for kernels as the code is now; it is made, and old ones are removed."""
    sources = list(_installed_sources())
    for file in plugin_files:
        if file.is_file():
            beside = partial(is_beside, file.parent)
            sources.extend(_imported_by_kernels(code_of_file(file), file.parent, beside))
    name = f"hcbench-{digest_sources(dict.fromkeys(sources))}"
    folder = _parent() / name
    if _make(folder):
        return folder
    # numba would fail in each cell if it could not write there.
    temporary = _temporary_parent() / name
    _make(temporary)
    _warn_once(
        f"the folder {folder.parent} for compiled code cannot be written; it is compiled into "
        f"{temporary.parent}, set {VARIABLE} to another folder to keep it"
    )
    return temporary


def _make(folder: Path) -> bool:
    """Make a folder, and remove old ones beside a new one; whether it can be written."""
    try:
        is_new = not folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            return False
        os.utime(folder)
        if is_new:
            _remove_unused(folder.parent)
    except OSError:
        return False
    return True


@lru_cache(maxsize=1)
def _temporary_parent() -> Path:
    """A folder for temporary files that belongs to this user alone, the same for later runs."""
    folder = Path(tempfile.gettempdir()) / f"hcbench-kernels-{os.getuid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        # Another user may have made it, to have us run what is in it.
        is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
        if is_ours and not status.st_mode & 0o077:
            return folder
    return Path(tempfile.mkdtemp(prefix="hcbench-kernels-"))


@lru_cache(maxsize=1)
def _warn_once(line: str) -> None:
    sys.stderr.write(f"hcbench: {line}\n")


def _parent() -> Path:
    """The folder of these folders."""
    folder_name = os.environ.get(VARIABLE)
    if not folder_name:
        return platformdirs.user_cache_path("hcbench") / "kernels"
    folder = Path(folder_name)
    if _FOLDER.fullmatch(folder.name):
        # The process that has started this one has set it to one of these folders.
        return folder.parent
    return folder


def _remove_unused(parent: Path) -> None:
    oldest = time.time() - _UNUSED
    for folder in parent.iterdir():
        if _FOLDER.fullmatch(folder.name) and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


@lru_cache(maxsize=1)
def _installed_sources() -> tuple[Path, ...]:
    """The kernel files of core, and what they and those of installed plugins import."""
    sources = _kernel_files(_CORE.rglob("*.py"))
    sources.extend(used_below(sources, _CORE.parent, _is_core))
    for plugin, _ in installed_plugins():
        if plugin.source is not None:
            # A package of ours is a plugin itself, so that no imports lead to further ones.
            files = plugin.files if plugin.distribution == PROJECT else plugin.code
            sources.extend(_imported_by_kernels(files, plugin.source.parent, plugin.owns))
    return tuple(sorted(set(sources)))


def _imported_by_kernels(
    files: Iterable[Path], root: Path, follows: Callable[[str], bool]
) -> list[Path]:
    """What the kernel files among some files import from a folder, and from core."""
    kernel_files = _kernel_files(files)
    if not kernel_files:
        return []
    from_folder = used_below(kernel_files, root, follows)
    from_core = used_below(kernel_files + from_folder, _CORE.parent, _is_core)
    return from_folder + from_core


def _kernel_files(files: Iterable[Path]) -> list[Path]:
    return [file for file in files if is_kernel_file(file)]


def is_kernel_file(file: Path) -> bool:
    """Whether a file may have functions that numba compiles."""
    if file.suffix != ".py":
        return False  # it is a compiled module
    if file.name.endswith("kernels.py"):
        return True
    content = file.read_bytes()
    if not any(compiler in content for compiler in _COMPILERS):
        return False
    # The word may be in a comment; most files have neither, and are not searched for imports.
    return any(name.partition(".")[0] == "numba" for name in imported_names(content))


def _is_core(name: str) -> bool:
    return name == PROJECT
