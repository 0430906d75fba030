"""What processes send to one another, as data: JSON, and the bytes that it refers to.

Whatever runs in a worker may write into its connection, and to unpickle that would run code or
change classes. So reading makes nothing but what the reader expects, each field of its type.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hcbench.errors import HcbenchError

_LENGTH = struct.Struct("!Q")
_PLAIN = frozenset({str, int, float, bool, NoneType})
_names: Any = lru_cache(lambda kind: [field.name for field in fields(kind)])
_parts: Any = lru_cache(lambda kind: (get_origin(kind), get_args(kind)))


class EncodingError(Exception):
    """Something else than what is expected was written."""


def encode(value: object) -> bytes:
    """Encode plain values, bytes, results, and dataclasses and named tuples of them."""
    body: list[bytes] = []
    size = 0

    def plain(part: Any) -> Any:
        nonlocal size
        from hcbench.model.trees import Partition, Tree  # which most messages do not need
        from hcbench.store.codec import pack_result

        if hasattr(part, "item"):
            return part.item()  # a number of numpy
        if not isinstance(part, bytes | Tree | Partition):
            return [getattr(part, name) for name in _names(type(part))]
        body.append(part if isinstance(part, bytes) else pack_result(part))
        size += len(body[-1])
        return [size - len(body[-1]), size]

    text = json.dumps([type(value).__name__, value], default=plain).encode()
    return b"".join([_LENGTH.pack(len(text)), text, *body])


def decode(content: bytes, *kinds: type) -> Any:
    """Make what was encoded, which is of one of these classes; of none, it is read as JSON.

    Raises
    ------
    EncodingError
        If it is anything else.
    """
    try:
        start = _LENGTH.size + _LENGTH.unpack_from(content)[0]
        name, told = json.loads(content[_LENGTH.size : start].decode())
        kind = next((kind for kind in kinds if kind.__name__ == name), None)
        if kind is None and kinds:
            raise ValueError(f"{name} is not expected")
        return told if kind is None else _read(kind, told, memoryview(content)[start:])
    except (HcbenchError, ValueError, TypeError, RecursionError, struct.error) as error:
        raise EncodingError(str(error)[:200]) from error


def _read(kind: Any, told: Any, body: memoryview) -> Any:
    """A value of a type, from what was told of it in JSON."""
    if type(told) in _as_told(kind):
        return told
    of, options = _parts(kind)
    if of in (Union, UnionType):
        for option in options:
            with suppress(ValueError):
                return _read(option, told, body)
    elif of is Literal:
        if isinstance(told, str) and told in options:
            return told
    elif of is Mapping and isinstance(told, dict):
        return {name: _read(options[1], each, body) for name, each in told.items()}
    elif of is tuple and isinstance(told, list):
        return tuple(_read(options[0], each, body) for each in told)
    elif kind in (bytes, _Result) and isinstance(told, list):
        start, end = (_read(int, each, body) for each in told)
        if kind is bytes:
            return bytes(body[start:end])
        from hcbench.store.codec import unpack_result  # as above

        return unpack_result(body[start:end].tobytes())
    elif isinstance(told, list) and kind not in _PLAIN:
        pairs = zip(_hints(kind), told, strict=True)
        return kind(
            **{
                name: each if type(each) in as_told else _read(hint, each, body)
                for (name, hint, as_told), each in pairs
            }
        )
    raise ValueError(f"{str(told)[:40]!r} is not {kind}")


class _Result:
    """Stands for a tree or a partition."""


@lru_cache
def _as_told(kind: Any) -> frozenset[object]:
    """The types in JSON that are a value of a type as they are."""
    of, options = _parts(kind)
    plain = _PLAIN.intersection(options if of in (Union, UnionType) else [kind])
    return plain | {int} if float in plain else plain


@lru_cache
def _hints(kind: type) -> list[tuple[str, Any, frozenset[object]]]:
    hints = get_type_hints(kind, localns={"Result": _Result})
    return [(name, hint, _as_told(hint)) for name, hint in hints.items()]
