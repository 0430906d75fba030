"""The answers that an oracle plugin returns, before core counts them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import InvalidQuestionError
from hcbench.model.answer_matrix import AnswerMatrix
from hcbench.oracle._question_kernels import ORDERED, QUADRUPLET, UNORDERED

Questions: TypeAlias = NDArray[np.int64]
Code: TypeAlias = NDArray[np.int8]

_SYMMETRY = {"unordered": UNORDERED, "quadruplet": QUADRUPLET, "ordered": ORDERED}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """The answers of an oracle plugin, before core counts them.

    Attributes
    ----------
    kind : str
        Of oracle.
    n : int
        Number of items.
    data : object
        For kinds that are read whole: vectors, a similarity matrix, Comparisons.
    size : int, optional
        The number of answers in ``data``; None if they are not countable.
    arity : int
        For kinds that are queried: the number of items in a query, at most 4.
    answer : callable, optional
        ``answer(questions (m, arity), keys (m,), times (m,)) -> (m,) int8``. Keys identify the
        canonical query, times count how often it was made before: together with the noise seed
        they determine a noisy answer (`hcbench.compiled.uniform`).
    compiled : numba function, optional
        ``answer(floats, ints, i, j, k, l, key, time) -> int64`` for compiled loops,
        `hcbench.compiled.WITH_ITSELF` for queries that pair an item with itself, which are
        invalid. It replaces ``answer``.
    floats, ints : arrays, optional
        The data of the compiled function.
    timed : bool
        Whether an answer depends on how often its query was made before, as with independent noise
        for each repetition. If not, times may be given as 0, and counting is cheaper.
    symmetry : {"unordered", "quadruplet", "ordered"}, optional
        Which queries are the same: those with the same set of items; with the same two unordered
        pairs, in either order; with the same items in the same order. By default "quadruplet" for
        an arity of 4, else "unordered".
    draw : callable, optional
        ``draw(start, m) -> (m, 2) int64``: the pairs of items numbered start .. start + m - 1 in a
        stream that depends only on the seed. By default, for queries about two items, all ordered
        pairs of different items are equally likely, and the seed is 0.
    matrix : AnswerMatrix, optional
        The answers about all pairs of items, for metrics; algorithms do not see it.

    Raises
    ------
    InvalidQuestionError
        If the arity is more than 4.
    """

    kind: str
    n: int
    data: Any = None
    size: int | None = None
    arity: int = 0
    answer: Callable[[Questions, NDArray[np.uint64], NDArray[np.int64]], Code] | None = None
    compiled: Any = None
    floats: NDArray[np.float64] | None = None
    ints: NDArray[np.int64] | None = None
    timed: bool = True
    symmetry: Literal["unordered", "quadruplet", "ordered"] | None = None
    draw: Callable[[int, int], Questions] | None = None
    matrix: AnswerMatrix | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.arity <= 4:
            raise InvalidQuestionError(
                f"questions are about 1 to 4 items; {self.kind} has an arity of {self.arity}"
            )

    @property
    def symmetry_code(self) -> int:
        """As `hcbench.compiled.question_key` takes it."""
        return _SYMMETRY[self.symmetry or ("quadruplet" if self.arity == 4 else "unordered")]

    @property
    def can_draw(self) -> bool:
        """Whether pairs can be drawn."""
        return self.draw is not None or (self.arity == 2 and self.n > 1)
