"""Trees and partitions as bytes: a small header and the raw arrays, compressed, without pickle.

Layout, before compression: 4 bytes, the length of the header; the header, JSON; the arrays one
after another, little-endian, in the order in which the header names them. The round trip is
exact: kind, names, linkage, infinite and NaN entries.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.errors import StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.model.problem import Result

_DTYPES = ("|u1", "<u2", "<i4", "<i8", "<f8")
_INT32_MAX = np.iinfo(np.int32).max
#: Bytes of one result: a few would otherwise become all memory.
_MOST_BYTES = 1 << 30
_FAST_ABOVE = 1 << 20  # bytes: large trees are compressed for speed
# Levels of zlib.
_FAST = 1
_DEFAULT = 6


def encode_result(result: Result) -> bytes:
    """Pack and compress a tree or a partition."""
    raw = pack_result(result)
    level = _DEFAULT
    if len(raw) > _FAST_ABOVE:
        level = _FAST
    return zlib.compress(raw, level)


def pack_result(result: Result) -> bytes:
    """Pack a tree or a partition, without compression."""
    from hcbench.model.trees import Partition  # compiles kernels, which reading does not need

    header: dict[str, Any] = {}
    if isinstance(result, Partition):
        header["type"] = "partition"
        if result.names is not None:
            header["names"] = result.names
        arrays: dict[str, NDArray[Any]] = {"labels": result.labels}
    else:
        header["type"] = "tree"
        header["kind"] = result.kind.value
        header["names"] = result.names
        arrays = {"parent": result.parent}
        if result.height is not None:
            arrays["height"] = result.height
        if result.linkage is not None:
            arrays["linkage"] = result.linkage
    for name, array in arrays.items():
        arrays[name] = _compact(array)
    return pack_arrays(header, arrays)


def pack_arrays(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Pack plain values and arrays of any of `_DTYPES`, without compression."""
    descriptions = []
    contents = []
    for name, array in arrays.items():
        descriptions.append([name, array.dtype.str, array.size])
        contents.append(array.data)
    head = json.dumps({**header, "arrays": descriptions}, separators=(",", ":")).encode()
    length = struct.pack("<I", len(head))
    return length + head + b"".join(contents)


def decode_result(packed: bytes, most_bytes: int = _MOST_BYTES) -> Result:
    """Unpack what `encode_result` made.

    Parameters
    ----------
    packed : bytes
    most_bytes : int
        The most that it may take without compression.

    Raises
    ------
    StoreError
        If the bytes are damaged, or too many.
    """
    with checked():
        return unpack_result(_decompress(packed, most_bytes))


def unpack_result(raw: bytes) -> Result:
    """Unpack what `pack_result` made.

    Raises
    ------
    StoreError
        If the bytes are damaged.
    """
    with checked():
        header, arrays = unpack_arrays(raw)
        return _rebuild(header, arrays)


def count_items(packed: bytes) -> int:
    """The number of items of a packed result, without importing trees.

    Raises
    ------
    StoreError
        If the bytes are damaged.
    """
    with checked():
        header, arrays = unpack_arrays(_decompress(packed))
        if header["type"] == "partition":
            return int(arrays["labels"].size)
        # Leaves come first, and the first node after them has children.
        parent = arrays["parent"]
        return int(parent[parent >= 0].min(initial=parent.size))


#: What reading damaged bytes may raise.
_FAULTS = (
    zlib.error,
    struct.error,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


@contextmanager
def checked() -> Iterator[None]:
    """Raise `StoreError` for what damaged bytes cause."""
    try:
        yield
    except _FAULTS as error:
        raise StoreError(f"a stored result is damaged: {error}") from error


def _decompress(packed: bytes, most_bytes: int = _MOST_BYTES) -> bytes:
    decompressor = zlib.decompressobj()
    raw = decompressor.decompress(packed, most_bytes)
    if not decompressor.eof:
        raise ValueError(f"it is incomplete, or takes more than {most_bytes / (1 << 30):g} GiB")
    return raw


def unpack_arrays(raw: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Unpack what `pack_arrays` made."""
    (length,) = struct.unpack_from("<I", raw)
    header: dict[str, Any] = json.loads(raw[4 : 4 + length])
    arrays: dict[str, NDArray[Any]] = {}
    offset = 4 + length
    for name, dtype, size in header["arrays"]:
        if dtype not in _DTYPES:
            raise ValueError(f"arrays are of numbers, not {dtype!r}")
        arrays[name] = np.frombuffer(raw, np.dtype(dtype), size, offset)
        offset += arrays[name].nbytes
    return header, arrays


def _compact(array: NDArray[Any]) -> NDArray[Any]:
    """Little-endian, contiguous; integers in 32 bits if they fit."""
    if array.dtype.kind == "f":
        array = array.astype("<f8", copy=False)
    elif array.max(initial=0) <= _INT32_MAX:
        array = array.astype("<i4")
    else:
        array = array.astype("<i8")
    return np.ascontiguousarray(array)


def _rebuild(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Result:
    from hcbench.model.trees import HeightKind, Partition, Tree  # as above

    if header["type"] == "partition":
        return Partition(arrays["labels"], header.get("names"))
    return Tree(
        arrays["parent"],
        height=arrays.get("height"),
        kind=HeightKind(header["kind"]),
        names=header["names"],
        linkage=arrays.get("linkage"),
    )
