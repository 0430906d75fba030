"""Reading regular files only: a pipe may wait forever, and a device may have no end."""

from __future__ import annotations

import stat
from pathlib import Path

from hcbench.errors import DataError

#: Bytes of a file that is read into memory as a whole.
_LARGEST = 4 << 30


def check_regular(path: Path) -> None:
    """Raise `DataError` unless a path is a regular file, or a link to one.

    Examples
    --------
    >>> from pathlib import Path
    >>> np.save("vectors.npy", [1.0, 2.0])
    >>> check_regular(Path("vectors.npy"))
    >>> check_regular(Path("."))
    Traceback (most recent call last):
        ...
    hcbench.errors.DataError: . is a folder; give the path of a file in it
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    if stat.S_ISDIR(mode):
        raise DataError(f"{path} is a folder; give the path of a file in it")
    _refuse_devices(path, mode)


def read_regular(path: Path) -> bytes:
    """The content of a regular file.

    Parameters
    ----------
    path : Path
        The file, or a link to it.

    Raises
    ------
    OSError
        If it cannot be read.
    DataError
        If it is a pipe or a device, such as ``/dev/zero``, or has more than 4 GiB.

    Examples
    --------
    >>> from pathlib import Path
    >>> path = Path("tree.nwk")
    >>> _ = path.write_text("(a,b);")
    >>> read_regular(path)
    b'(a,b);'
    """
    status = path.stat()
    _refuse_devices(path, status.st_mode)
    if status.st_size > _LARGEST:
        raise DataError(
            f"{path} has {status.st_size / 2**30:.1f} GiB, and at most {_LARGEST >> 30} GiB are "
            "read at once; divide it into smaller files"
        )
    return path.read_bytes()


def _refuse_devices(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise DataError(f"{path} is a pipe or a device; save what it has as a regular file")
