"""Parquet and Feather files, as long as they do not take too much memory.

A small file may hold very many equal values, or texts that are all the same.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import compute, feather, ipc, parquet, types

_MAGIC = b"ARROW1\0\0"
#: Numbers of fields: of a message, of a batch of a dictionary, and of a batch.
_HEADER, _DATA, _BUFFERS, _COMPRESSION = 2, 1, 2, 3


def read(path: Path, most: int) -> pa.Table | None:
    """Read a table; None if it takes more bytes than ``most``.

    Raises
    ------
    OSError, ArrowException, struct.error, ValueError
        If it is damaged.
    """
    read_table = _read_feather if path.suffix.lower() == ".feather" else _read_parquet
    table = read_table(path, most)
    if table is None:
        return None
    table.validate(full=True)  # else a text that is not UTF-8 would fail later
    return table if _text_size(table) <= most else None


def _read_parquet(path: Path, most: int) -> pa.Table | None:
    with parquet.ParquetFile(path) as file:
        fields = [*file.schema_arrow]
        size = int(file.metadata.num_rows) * len(fields) * 8
    if size > most:
        return None
    texts = [field.name for field in fields if types.is_string(field.type)]
    size += _text_size(parquet.read_table(path, read_dictionary=texts))
    return parquet.read_table(path) if size <= most else None


def _read_feather(path: Path, most: int) -> pa.Table | None:
    with pa.OSFile(str(path)) as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            return feather.read_table(path)  # of the first version, which compresses nothing
        sizes = map(_message_size, ipc.MessageReader.open_stream(file))
        if sum(sizes) > most:
            return None
        file.seek(len(_MAGIC))  # what was weighed is read, not what the end of the file refers to
        return ipc.open_stream(file).read_all()


def _message_size(message: Any) -> int:
    """How many bytes the buffers of a message declare to take, before any is decompressed.

    Messages are FlatBuffers: https://arrow.apache.org/docs/format/Columnar.html.
    """
    content = message.metadata.to_pybytes()
    (root,) = struct.unpack_from("<I", content)
    batch = _field(content, root, _HEADER)
    if message.type == "dictionary":
        batch = _field(content, batch, _DATA)
    if message.type == "schema" or not _field(content, batch, _COMPRESSION):
        return 0 if message.body is None else int(message.body.size)
    buffers = _field(content, batch, _BUFFERS)
    (count,) = struct.unpack_from("<I", content, buffers)
    pairs = struct.iter_unpack("<qq", content[buffers + 4 : buffers + 4 + 16 * count])
    size = 0
    for offset, length in pairs:
        # A compressed buffer begins with its own size, or with -1 if it is not compressed.
        declared = struct.unpack_from("<q", message.body, offset)[0] if length >= 8 else 0
        size += max(declared, length)
    return size


def _field(content: bytes, table: int, number: int) -> int:
    """Where what a field of a table refers to begins; 0 if it is not there."""
    fields = table - struct.unpack_from("<i", content, table)[0]
    (end,) = struct.unpack_from("<H", content, fields)
    place = 4 + 2 * number
    (offset,) = struct.unpack_from("<H", content, fields + place) if place < end else (0,)
    return table + offset + struct.unpack_from("<I", content, table + offset)[0] if offset else 0


def _text_size(table: pa.Table) -> int:
    """How many bytes the dictionary-coded texts of a table take once they are decoded."""
    size = 0
    for column in table.columns:
        if types.is_dictionary(column.type) and types.is_string(column.type.value_type):
            for chunk in column.chunks:
                lengths = compute.binary_length(chunk.dictionary).take(chunk.indices)
                size += compute.sum(lengths).as_py() or 0
    return size
