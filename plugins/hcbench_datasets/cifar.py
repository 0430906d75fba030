"""CIFAR-100 (Krizhevsky 2009): small photographs of 100 classes in 20 superclasses."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np

from hcbench import DataError, DataRequest, Problem
from hcbench_datasets.fetch import Remote, data_file

_NAME = "cifar-100-binary.tar.gz"
_URL = f"https://www.cs.toronto.edu/~kriz/{_NAME}"
MD5 = "03b5dce01913d631647c71ecec9e9cb8"  # as on the authors' page, which gives no other
_PIXELS = 32 * 32 * 3


def cifar_100(_request: DataRequest, *, n: int, split: str) -> Problem:
    """The first n images of a split: 3072 colour values 0..255 as floats; 20 and 100 classes.

    The red values of an image come first, row by row, then the green and the blue ones. Reading
    takes time linear in the archive of 160 MB, and 8 * 3072 n bytes.

    Raises
    ------
    DataNotAvailableError
        If the archive is missing and cannot be downloaded.
    DataError
        If n exceeds the number of images, or the archive is damaged.
    """
    path = data_file(_NAME, "cifar-100", f"from {_URL}", Remote(_URL, f"md5:{MD5}"))
    content, names = _read(path, split)
    rows = np.frombuffer(content, dtype=np.uint8)
    if rows.size % (2 + _PIXELS):
        raise DataError(f"{path} is damaged: {rows.size} bytes of images of {2 + _PIXELS}")
    rows = rows.reshape(-1, 2 + _PIXELS)
    if n > len(rows):
        raise DataError(f"cifar-100: n={n} exceeds the {len(rows)} images of split={split}")
    codes = rows[:n, :2].astype(np.int64)
    for level, names_of_level in enumerate(names):
        if codes[:, level].max() >= len(names_of_level):
            raise DataError(f"{path} is damaged: a label has no name")
    return Problem(n=n, vectors=rows[:n, 2:].astype(np.float64), levels=codes, classes=names)


def _read(path: Path, split: str) -> tuple[bytes, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The images of a split, and the names of the coarse and the fine classes."""
    contents = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member)
                # Folders have no content.
                if file is not None:
                    contents[Path(member.name).name] = file.read()
        coarse = tuple(contents["coarse_label_names.txt"].decode().split())
        fine = tuple(contents["fine_label_names.txt"].decode().split())
        return contents[f"{split}.bin"], (coarse, fine)
    except (OSError, EOFError, tarfile.TarError, KeyError, UnicodeDecodeError) as error:
        raise DataError.of_file("read", path, error) from error
