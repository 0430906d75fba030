"""Words of 64 bits in compiled loops: counting their bits, and eight of them as one value.

LLVM vectorises plain loops too, but with vectors of half the width where it expects wide ones to
slow down a processor, and without aligned loads. A kernel that mainly counts bits is 1.4 times
faster with explicit vectors. On a processor with shorter vectors, a value is several of them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numba.core.cgutils
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, models, overload, register_model
from numpy.typing import NDArray

# numba and llvmlite are not annotated, or wrongly.
_intrinsic: Callable[[Callable[..., Any]], Any] = intrinsic
_declare: Any = numba.core.cgutils.get_or_insert_function
_NumbaType: Any = types.Type
_Model: Any = models.PrimitiveModel

LANES = 8
"""Words in a value of type Words."""
_VECTOR = ir.VectorType(ir.IntType(64), LANES)


class _WordsType(_NumbaType):  # type: ignore[misc]
    """numba's type of `LANES` words."""


_WORDS = _WordsType("Words")


@register_model(_WordsType)
class _WordsModel(_Model):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


@njit(cache=True)
def aligned_words(size: int) -> NDArray[np.uint64]:
    """Zeros, (size,) uint64, aligned for vectors."""
    room = np.zeros(size + LANES, np.uint64)
    start = -(room.ctypes.data // 8) % LANES
    return room[start : start + size]


@_intrinsic
def load_words(_context: Any, array: Any, _at: Any) -> Any:
    """``load_words(array (m,) uint64, at)``: Words, those of the array from number ``at`` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_place(context, builder, signature, arguments), align=8)

    return _WORDS(array, types.intp), generate


@_intrinsic
def store_words(_context: Any, array: Any, _at: Any, _words: Any) -> Any:
    """``store_words(array, at, words)`` writes Words to the array from number ``at`` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        builder.store(arguments[2], place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, _WORDS), generate


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Where in memory the words of an array from a number on are: of the first two arguments."""
    words = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.bitcast(builder.gep(words, [arguments[1]]), _VECTOR.as_pointer())


@_intrinsic
def no_words(_context: Any) -> Any:
    """``no_words()``: Words that are 0."""

    def generate(_target: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return ir.Constant(_VECTOR, None)

    return _WORDS(), generate


@_intrinsic
def count_ones(_context: Any, word: Any) -> Any:
    """``count_ones(word)``: how many bits of a uint64 are 1, or of each of some Words."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _call(builder, "llvm.ctpop", arguments[0].type, arguments[0])

    kind = _WORDS if word == _WORDS else types.uint64
    return kind(kind), generate


@_intrinsic
def count_zeros(_context: Any, _word: Any) -> Any:
    """``count_zeros(word)``: how many bits of a uint64 are below the lowest 1, at most 64."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], target.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


@_intrinsic
def sum_lanes(_context: Any, words: Any) -> Any:
    """``sum_lanes(words)``: the sum of Words, an int64."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _call(builder, "llvm.vector.reduce.add", ir.IntType(64), arguments[0])

    return types.int64(words), generate


def _call(builder: Any, name: str, result: Any, value: Any) -> Any:
    """Call what LLVM offers for words and for vectors of them."""
    of = f"v{LANES}i64" if value.type == _VECTOR else "i64"
    kind = ir.FunctionType(result, [value.type])
    return builder.call(_declare(builder.module, kind, f"{name}.{of}"), [value])


def _spread(builder: Any, word: Any) -> Any:
    """The same word in all lanes."""
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.IntType(32)(0))
    return builder.shuffle_vector(
        first, first, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
    )


def _define(symbol: Any, instruction: str) -> None:
    """Let an operator work on Words lane by lane, with Words or one uint64 for all lanes."""

    @_intrinsic
    def apply(_context: Any, _words: Any, other: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            words, other = arguments
            other = other if other.type == _VECTOR else _spread(builder, other)
            return getattr(builder, instruction)(words, other)

        return _WORDS(_WORDS, _WORDS if other == _WORDS else types.uint64), generate

    on_lanes: Any = apply

    @overload(symbol)
    def of_words(one: Any, other: Any) -> Any:  # noqa: ARG001
        def work(one: Any, other: Any) -> Any:
            return on_lanes(one, other)

        return work if one == _WORDS else None


for _symbol, _instruction in (
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.add, "add"),
    (operator.lshift, "shl"),
    (operator.rshift, "lshr"),
):
    _define(_symbol, _instruction)
