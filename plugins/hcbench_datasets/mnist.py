"""MNIST handwritten digits (LeCun et al. 1998), in their IDX files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, DataRequest, Problem
from hcbench_datasets.fetch import Remote, data_file, read_bytes

_MIRROR = "https://ossci-datasets.s3.amazonaws.com/mnist/"
_SHA256 = {
    "train-images": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}
_BYTES = 0x08  # the type code of unsigned bytes


def mnist(_request: DataRequest, *, n: int, split: str) -> Problem:
    """The first n digits of a split: 28 x 28 grey levels 0..255 as 784 floats, 10 classes.

    Gentile et al. 2019 took the first 10000 training digits. 50 MB for n = 10000; O(784 n).

    Raises
    ------
    DataNotAvailableError
        If the files are missing and cannot be downloaded.
    DataError
        If n exceeds the number of digits, or a file is damaged.
    """
    part = "train" if split == "train" else "t10k"
    images, labels = read_array(f"{part}-images", 3), read_array(f"{part}-labels", 1)
    if len(images) != len(labels):
        raise DataError(f"mnist: {len(images)} images and {len(labels)} labels of split={split}")
    if n > len(images):
        raise DataError(
            f"mnist: n={n} exceeds the {len(images)} digits of split={split} in the files"
        )
    vectors = images[:n].reshape(n, -1).astype(np.float64)
    return Problem(n=n, vectors=vectors, levels=labels[:n, None].astype(np.int64))


def read_array(stem: str, dimensions: int) -> NDArray[np.uint8]:
    """Read a file of images (n, 28, 28) or of labels (n,)."""
    name = f"{stem}-idx{dimensions}-ubyte.gz"
    remote = Remote(_MIRROR + name, _SHA256[stem])
    advice = f"from {_MIRROR}{name}"
    return read_idx(data_file(f"mnist/{name}", "mnist", advice, remote), dimensions)


def read_idx(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """Read an IDX file: two zeros, type, number of dimensions, big-endian sizes, unsigned bytes.

    Raises
    ------
    DataError
        If the file has another type or number of dimensions, or is too short.
    """
    content = read_bytes(path)
    if content[:4] != bytes((0, 0, _BYTES, dimensions)):
        raise DataError(f"{path} is not an IDX file of bytes in {dimensions} dimensions")
    start = 4 + 4 * dimensions
    if len(content) < start:
        raise DataError(f"{path} is damaged: it ends within the header")
    shape = [int(size) for size in np.frombuffer(content[4:start], dtype=">u4")]
    data = np.frombuffer(content, dtype=np.uint8, offset=start)
    if data.size != np.prod(shape, dtype=np.int64):
        raise DataError(f"{path} is damaged: {data.size} bytes of data for the shape {shape}")
    return data.reshape(shape)
