"""Words of 64 bits in compiled loops: counting their bits, and eight of them as one value.

LLVM makes vector instructions of plain loops too, but of half the width where it expects wide ones
to slow a processor down, and it reads from wherever an array happens to start. A kernel that does
little else than count bits is 1.4 times faster if it says what a vector is. Where a processor has
shorter vectors, a value is several of them.
"""

from __future__ import annotations

import operator
from typing import Any

import numba.core.cgutils
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, models, overload, register_model
from numpy.typing import NDArray

# numba and llvmlite are not annotated.
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
    """Zeros, (size,) uint64, that start where a vector is read in one piece."""
    room = np.zeros(size + LANES, np.uint64)
    start = -(room.ctypes.data // 8) % LANES
    return room[start : start + size]


@intrinsic
def _load_words(_context: Any, array: Any, _at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at = arguments
        words = context.make_array(signature.args[0])(context, builder, array).data
        place = builder.bitcast(builder.gep(words, [at]), _VECTOR.as_pointer())
        return builder.load(place, align=8)

    return _WORDS(array, types.intp), generate


@intrinsic
def _no_words(_context: Any) -> Any:
    def generate(_target: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return ir.Constant(_VECTOR, None)

    return _WORDS(), generate


@intrinsic
def _count_ones(_context: Any, word: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _call(builder, "llvm.ctpop", arguments[0].type, arguments[0])

    kind = _WORDS if word == _WORDS else types.uint64
    return kind(kind), generate


@intrinsic
def _count_zeros(_context: Any, _word: Any) -> Any:
    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], target.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


@intrinsic
def _sum_lanes(_context: Any, words: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _call(builder, "llvm.vector.reduce.add", ir.IntType(64), arguments[0])

    return types.int64(words), generate


def _call(builder: Any, name: str, result: Any, value: Any) -> Any:
    """Call what LLVM offers for words and for vectors of them."""
    of = f"v{LANES}i64" if value.type == _VECTOR else "i64"
    kind = ir.FunctionType(result, [value.type])
    return builder.call(_declare(builder.module, kind, f"{name}.{of}"), [value])


def _define(symbol: Any, instruction: str) -> None:
    """Let an operator work on two Words, lane by lane."""

    @intrinsic
    def apply(_context: Any, one: Any, other: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        return one(one, other), generate

    instruction_of: Any = apply

    @overload(symbol)
    def of_words(one: Any, other: Any) -> Any:
        def both(one: Any, other: Any) -> Any:
            return instruction_of(one, other)

        return both if one == other == _WORDS else None


_define(operator.and_, "and_")
_define(operator.xor, "xor")
_define(operator.add, "add")

#: ``load_words(array (m,) uint64, at)``: Words, those of the array from number ``at`` on.
load_words: Any = _load_words
#: ``no_words()``: Words that are 0.
no_words: Any = _no_words
#: ``count_ones(word)``: how many bits of a uint64 are 1, or of each of some Words.
count_ones: Any = _count_ones
#: ``count_zeros(word)``: how many bits of a uint64 are below the lowest that is 1; 64 if none is.
count_zeros: Any = _count_zeros
#: ``sum_lanes(words)``: the sum of Words, an int64.
sum_lanes: Any = _sum_lanes
