"""Columns of many values: objects of which many are equal, and the values of a metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count as count_from_zero
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from hcbench.plan.outcome import Value

#: A Python object for each cell.
Column: TypeAlias = NDArray[np.object_]
Places: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]


def column_of(objects: Collection[Any]) -> Column:
    """Objects of any type as a column; tuples are no rows of a matrix."""
    return np.fromiter(objects, dtype=object, count=len(objects))


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of objects, of which many are equal.

    Attributes
    ----------
    codes : array of int, (n,)
        The place of each object in ``objects``.
    objects : array of object
        Different ones.
    """

    codes: NDArray[np.integer[Any]]
    objects: Column

    @classmethod
    def of(cls, objects: Collection[Any]) -> Coded:
        """A column of hashable objects; equal ones of different types remain different."""
        keys: Collection[Any] = objects
        types = set(map(type, objects))
        # None is equal to nothing else.
        types.discard(type(None))
        # 1 and True and 1.0 are one key of a dictionary.
        is_mixed = len(types) > 1
        if is_mixed:
            keys = [(type(object_), object_) for object_ in objects]
        first_places: dict[Any, int] = {}
        # Of each object, where it first occurs: `map` takes a third of the time of a loop.
        places = np.fromiter(
            map(first_places.setdefault, keys, count_from_zero()), np.int64, len(objects)
        )
        # The code of an object is its number among the different ones, in the order of their first
        # places. `code_at` has it at these places; the others are never read.
        code_at = np.zeros(len(objects), dtype=np.int32)
        code_at[list(first_places.values())] = np.arange(len(first_places), dtype=np.int32)
        unique: list[Any] = list(first_places)
        if is_mixed:
            unique = [object_ for _, object_ in first_places]
        return cls(code_at[places], column_of(unique))

    @property
    def compact(self) -> Coded:
        """The same with codes of the smallest type."""
        for dtype in ("|u1", "<u2"):
            if self.objects.size <= np.iinfo(dtype).max:
                return replace(self, codes=self.codes.astype(dtype))
        return replace(self, codes=self.codes.astype("<i4"))

    def mask(self, condition: Callable[[Any], bool], places: Places | None = None) -> Mask:
        """Where the object, of some places or of all, meets a condition.

        Each different object is looked at once.
        """
        is_met = np.array(list(map(condition, self.objects)), dtype=np.bool_)
        codes = self.codes
        if places is not None:
            # A few of many places must not cost as much as all.
            codes = codes[places]
        return is_met[codes]  # type: ignore[no-any-return]

    def take(self, places: Places) -> Column:
        """The objects at some places."""
        return self.objects[self.codes[places]]  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, eq=False)
class Values(Sequence[Value]):
    """The values of one metric.

    Attributes
    ----------
    numbers : array of float64, (n,)
        NaN where there is no number.
    special : Coded
        What is more than a finite number: missing values with their reasons, and NaN; else None.
        Where the number is NaN and this is None, the metric was not computed.
    """

    numbers: NDArray[np.float64]
    special: Coded

    @classmethod
    def of(cls, values: Sequence[Value | None]) -> Values:
        """Columns of values, None where the metric was not computed."""
        numbers: list[float] = []
        special: list[Value | None] = []
        for value in values:
            number = math.nan
            if value is not None and value.value is not None:
                number = value.value
            numbers.append(number)
            # Of a finite number without anything else, the number is all.
            if not math.isnan(number) and value == Value(number):
                special.append(None)
            else:
                special.append(value)
        return cls(np.array(numbers, dtype=np.float64), Coded.of(special))

    @classmethod
    def of_numbers(
        cls, numbers: NDArray[np.float64], special_values: Mapping[int, Value] | None = None
    ) -> Values:
        """Numbers, and the values that are more than a finite number, by their places."""
        special = np.full(numbers.size, None)
        if not special_values:
            # One code for all places, which need not be looked at.
            return cls(numbers, Coded(np.zeros(numbers.size, dtype=np.uint8), special[:1]))
        # None stays where the number is all.
        for place, value in special_values.items():
            special[place] = value
        return cls(numbers, Coded.of(special))

    def __len__(self) -> int:
        return self.numbers.size

    @overload
    def __getitem__(self, place: int) -> Value: ...
    @overload
    def __getitem__(self, place: slice) -> list[Value]: ...
    def __getitem__(self, place: int | slice) -> Value | list[Value]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        special: Value | None = self.special.objects[self.special.codes[place]]
        if special is None:
            return Value(float(self.numbers[place]))
        return special

    @property
    def special_values(self) -> dict[int, Value]:
        """The special values, by their places in order."""
        places = np.flatnonzero(self.special.mask(lambda value: value is not None))
        return dict(zip(places.tolist(), self.special.take(places), strict=True))

    @property
    def has_number(self) -> Mask:
        """Where there is a number, which may be NaN."""
        # Also where nothing was computed: `present` tells the two apart.
        return self.special.mask(lambda value: value is None or value.value is not None)

    @property
    def final(self) -> Mask:
        """Where there is a number, or a value that the next run need not compute again."""
        return self.special.mask(lambda value: value is None or value.final)

    @property
    def failed(self) -> Mask:
        """Where the metric raised."""
        return self.special.mask(lambda value: value is not None and value.status == "error")

    @property
    def optional_numbers(self) -> list[float | None]:
        """The numbers, None where there is none."""
        return np.where(self.has_number, self.numbers, np.array(None)).tolist()  # type: ignore[no-any-return]

    @property
    def present(self) -> Mask:
        """Where the metric was computed, whether or not there is a number."""
        return ~np.isnan(self.numbers) | self.special.mask(lambda value: value is not None)

    def missing(self, where: Mask) -> list[Value]:
        """The different values without a number at some places, in the order of their places."""
        # Equal values have one code, so that each occurs once.
        codes = dict.fromkeys(self.special.codes[where & ~self.has_number].tolist())
        return self.special.objects[list(codes)].tolist()  # type: ignore[no-any-return]

    @classmethod
    def joined(cls, parts: Sequence[Values]) -> Values:
        """The values of several parts, one after the other."""
        numbers = np.concatenate([part.numbers for part in parts])
        special = np.concatenate([part.all_special for part in parts])
        return cls(numbers, Coded.of(special))

    @property
    def all_special(self) -> Column:
        """For each place the special value, or None for a number."""
        return self.special.take(np.arange(len(self)))

    def take(self, places: Places) -> Values:
        """The values at some places."""
        return Values(self.numbers[places], replace(self.special, codes=self.special.codes[places]))
