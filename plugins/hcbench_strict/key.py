"""A secret of this machine, from which the seeds of algorithms are made."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import platformdirs

_LENGTH = 32  # bytes


@cache
def machine_key(folder: Path | None = None) -> bytes:
    """Random bytes, the same for all runs of a user, so that results can be made again.

    Parameters
    ----------
    folder : Path, optional
        Where they are kept, by default the user's configuration of hcbench. Where nothing can be
        written, each worker has bytes of its own.
    """
    file = (folder or platformdirs.user_config_path("hcbench")) / "strict.key"
    with suppress(OSError):
        if not file.is_file():
            _make(file)
        key = file.read_bytes()
        if len(key) == _LENGTH:
            return key
    return os.urandom(_LENGTH)


def _make(file: Path) -> None:
    """Write a new key, unless another process does so first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # Only the user may read a file that tempfile makes.
    with tempfile.NamedTemporaryFile(dir=file.parent) as written:
        written.write(os.urandom(_LENGTH))
        written.flush()
        with suppress(FileExistsError):
            os.link(written.name, file)
