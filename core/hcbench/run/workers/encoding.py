"""What processes send to one another, as data: MessagePack, which msgspec writes and checks.

Whatever runs in a worker may write into its connection, and to unpickle that would run code or
change classes. So reading makes nothing but what the reader expects, each field of its type. Trees
and partitions are an extension type of MessagePack, in the bytes in which they are stored.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from hcbench.errors import HcbenchError
from hcbench.plan.outcome import Outcome

if TYPE_CHECKING:
    from hcbench.model.problem import Result

#: The code of the extension type of msgpack that trees and partitions have.
_RESULT = 1


class EncodingError(Exception):
    """Something else than what is expected was written."""


class OutcomeMessage(msgspec.Struct, tag=True, frozen=True):
    """An outcome with the name of this class, so that nothing else is taken for one."""

    outcome: Outcome


def encode(value: object) -> bytes:
    """Encode an outcome, or plain values, bytes, dataclasses and messages of them.

    Texts have to be `encodable`.
    """
    if isinstance(value, Outcome):
        value = OutcomeMessage(_with_packed_results(value))
    return _encoder.encode(value)


def decode(content: bytes, expected: Any = Any) -> Any:
    """Read what was encoded.

    Parameters
    ----------
    content : bytes
    expected : type
        The class of the value, or a union of tagged messages.

    Raises
    ------
    EncodingError
        If it is anything else.
    """
    try:
        return _decoder(expected).decode(content)
    except (HcbenchError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise EncodingError(str(error)[:200]) from error


def encodable(text: str) -> str:
    """A text without lone surrogates, which UTF-8 does not have: they are written out."""
    # File names and the output of programs may have bytes that are no UTF-8.
    return text.encode("utf-8", "backslashreplace").decode()


def _with_packed_results(outcome: Outcome) -> Outcome:
    """An outcome with bytes in place of trees and partitions."""
    from hcbench.store.codec import pack_result  # which most messages do not need

    points = []
    for point in outcome.points:
        if point.result is not None:
            # msgspec knows no trees; the store has a form for them that is read without pickle.
            packed: Any = msgspec.msgpack.Ext(_RESULT, pack_result(point.result))
            point = replace(point, result=packed)
        points.append(point)
    return replace(outcome, points=tuple(points))


def _encode_number(value: Any) -> Any:
    """A number of numpy, which msgspec does not know, as one of Python."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot be sent")


def _decode_extension(code: int, content: memoryview) -> Result:
    if code != _RESULT:
        raise ValueError(f"the extension type {code} is not expected")
    from hcbench.store.codec import unpack_result  # as above

    return unpack_result(content.tobytes())


_encoder = msgspec.msgpack.Encoder(enc_hook=_encode_number)


@cache
def _decoder(expected: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(expected, ext_hook=_decode_extension)
