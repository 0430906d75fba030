"""The outcomes of many cells as columns: a million objects would take seconds and gigabytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count as from_zero
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value, is_failure

#: A Python object for each cell.
Column: TypeAlias = NDArray[np.object_]
Places: TypeAlias = NDArray[np.intp]
COSTS = tuple(field.name for field in fields(Cost))
FIELDS = tuple(f.name for f in fields(Outcome) if f.name not in ("cost", "points"))


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
        is_mixed = len({*map(type, objects), type(None)}) > 2
        keys = [*zip(map(type, objects), objects, strict=True)] if is_mixed else objects
        first: dict[Any, int] = {}
        places = np.fromiter(map(first.setdefault, keys, from_zero()), np.int64, len(objects))
        code_at = np.zeros(len(objects), dtype=np.int32)
        code_at[[*first.values()]] = np.arange(len(first), dtype=np.int32)
        different = [object_ for _, object_ in first] if is_mixed else [*first]
        return cls(code_at[places], column_of(different))

    @property
    def compact(self) -> Coded:
        """The same with codes of the smallest type."""
        fitting = (d for d in ("|u1", "<u2") if self.objects.size <= np.iinfo(d).max)
        return replace(self, codes=self.codes.astype(next(fitting, "<i4")))

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
        numbers = [math.nan if v is None or v.value is None else v.value for v in values]
        pairs = zip(values, numbers, strict=True)
        special = [None if v == Value(x) and not math.isnan(x) else v for v, x in pairs]
        return cls(np.array(numbers, dtype=np.float64), Coded.of(special))

    @classmethod
    def of_numbers(
        cls, numbers: NDArray[np.float64], others: Mapping[int, Value] | None = None
    ) -> Values:
        """Numbers, and the values that are more than a finite number, by their places."""
        special = np.full(numbers.size, None)
        if not others:
            return cls(numbers, Coded(np.zeros(numbers.size, dtype=np.uint8), special[:1]))
        special[[*others]] = [*others.values()]
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
        return special or Value(float(self.numbers[place]))

    def _where(self, is_so: Callable[[Value | None], bool]) -> NDArray[np.bool_]:
        """Where a special value, or None for a number, has a property."""
        of_objects = np.array([*map(is_so, self.special.objects)], dtype=np.bool_)
        return of_objects[self.special.codes]  # type: ignore[no-any-return]

    @property
    def others(self) -> dict[int, Value]:
        """The special values, by their places in order."""
        places = np.flatnonzero(self._where(lambda value: value is not None))
        return dict(zip(places.tolist(), self.special.take(places), strict=True))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is a number, which may be NaN."""
        return self._where(lambda value: value is None or value.value is not None)

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Where the metric raised."""
        return self._where(lambda value: value is not None and value.status == "error")

    @property
    def optional(self) -> list[float | None]:
        """The numbers, None where there is none."""
        return np.where(self.known, self.numbers, np.array(None)).tolist()  # type: ignore[no-any-return]

    @property
    def present(self) -> NDArray[np.bool_]:
        """Where the metric was computed, whether or not there is a number."""
        return ~np.isnan(self.numbers) | self._where(lambda value: value is not None)

    def missing(self, where: NDArray[np.bool_]) -> list[Value]:
        """The different values without a number at some places, in the order of their places."""
        codes = dict.fromkeys(self.special.codes[where & ~self.known].tolist())
        return [self.special.objects[code] for code in codes]

    @classmethod
    def joined(cls, parts: Sequence[Values]) -> Values:
        """The values of several parts, one after the other."""
        special = [part.special.take(np.arange(len(part))) for part in parts]
        numbers = np.concatenate([part.numbers for part in parts])
        return cls(numbers, Coded.of(np.concatenate(special)))

    def take(self, places: Places) -> Values:
        """The values at some places."""
        return Values(self.numbers[places], replace(self.special, codes=self.special.codes[places]))


@dataclass(slots=True)
class PointColumns:
    """What is measured at one checkpoint, or at the end.

    Attributes
    ----------
    present : array of bool, (n,)
        Whether a call came that far.
    queries : Coded
    results : array of object, (n,)
    values : mapping of metric label to Values
    """

    present: NDArray[np.bool_]
    queries: Coded
    results: Column
    values: dict[str, Values]

    @classmethod
    def of(cls, points: Sequence[ScoredPoint | None]) -> PointColumns:
        """Columns of the points of all cells, None where a call did not come that far."""
        empty = ScoredPoint()
        known = [point or empty for point in points]
        labels = dict.fromkeys(label for point in known for label in point.values)
        return cls(
            np.array([point is not None for point in points], dtype=np.bool_),
            Coded.of([point.queries for point in known]),
            column_of([point.result for point in known]),
            {label: Values.of([point.values.get(label) for point in known]) for label in labels},
        )


class Outcomes(Sequence[Outcome]):
    """Outcomes that are made when they are asked for, from columns.

    Parameters
    ----------
    columns : mapping of name to Coded
        Of the fields of `Outcome` and of its costs.
    points : mapping of checkpoint to PointColumns
        In order, with None for the end, which is last.
    places : array of int, optional
        The places in the columns; by default all.
    """

    def __init__(
        self,
        columns: Mapping[str, Coded],
        points: Mapping[int | None, PointColumns],
        places: Places | None = None,
    ) -> None:
        self.columns = columns
        self.by_checkpoint = points
        self._size = columns["key"].codes.size
        self.places = np.arange(self._size) if places is None else places

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Outcomes:
        """Outcomes in columns."""
        if isinstance(outcomes, Outcomes):
            return outcomes
        given = [*outcomes]
        by_checkpoint = [{p.checkpoint: p for p in outcome.points} for outcome in given]
        counts = {count for points in by_checkpoint for count in points}
        return cls(
            {name: Coded.of([getattr(o, name) for o in given]) for name in FIELDS}
            | {name: Coded.of([getattr(o.cost, name) for o in given]) for name in COSTS},
            {
                count: PointColumns.of([points.get(count) for points in by_checkpoint])
                for count in sorted(counts, key=lambda count: (count is None, count or 0))
            },
        )

    @classmethod
    def joined(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """The outcomes of several parts, one after the other."""
        parts = [part for part in parts if part] or parts[:1]
        if len(parts) == 1:
            return parts[0]
        counts = {count for part in parts for count in part.by_checkpoint}
        points = {}
        for count in sorted(counts, key=lambda count: (count is None, count or 0)):
            of_count = [
                p.by_checkpoint.get(count) or PointColumns.of([None] * p._size) for p in parts
            ]
            labels = dict.fromkeys(label for point in of_count for label in point.values)
            pairs = [*zip(of_count, (part.places for part in parts), strict=True)]
            points[count] = PointColumns(
                np.concatenate([point.present[places] for point, places in pairs]),
                Coded.of(np.concatenate([point.queries.take(places) for point, places in pairs])),
                np.concatenate([point.results[places] for point, places in pairs]),
                {label: Values.joined([p.values(label, count) for p in parts]) for label in labels},
            )
        names = (*FIELDS, *COSTS)
        columns = {name: np.concatenate([part.column(name) for part in parts]) for name in names}
        return cls({name: Coded.of(column) for name, column in columns.items()}, points)

    def __len__(self) -> int:
        return self.places.size

    @overload
    def __getitem__(self, wanted: int) -> Outcome: ...
    @overload
    def __getitem__(self, wanted: slice) -> Outcomes: ...
    def __getitem__(self, wanted: int | slice) -> Outcome | Outcomes:
        if isinstance(wanted, slice):
            return Outcomes(self.columns, self.by_checkpoint, self.places[wanted])
        return self._outcome(int(self.places[wanted]))

    def __iter__(self) -> Iterator[Outcome]:
        return map(self._outcome, self.places.tolist())

    def _outcome(self, place: int) -> Outcome:
        columns = {name: self.columns[name] for name in (*FIELDS, *COSTS)}
        values = {name: column.objects[column.codes[place]] for name, column in columns.items()}
        points = (
            ScoredPoint(
                checkpoint=checkpoint,
                queries=point.queries.objects[point.queries.codes[place]],
                result=point.results[place],
                values={
                    label: values[place]
                    for label, values in point.values.items()
                    if values.special.objects[values.special.codes[place]] is not None
                    or not math.isnan(values.numbers[place])
                },
            )
            for checkpoint, point in self.by_checkpoint.items()
            if point.present[place]
        )
        return Outcome(
            **{name: values[name] for name in FIELDS},
            cost=Cost(**{name: values[name] for name in COSTS}),
            points=tuple(points),
        )

    def column(self, name: str) -> Column:
        """A field of all outcomes, or one of their costs."""
        return self.columns[name].take(self.places)

    def coded(self, name: str) -> tuple[NDArray[np.integer[Any]], Column]:
        """A field of all outcomes, as the places of their objects among all that occur."""
        column = self.columns[name]
        return column.codes[self.places], column.objects

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Whether each was tried and has no result."""
        codes, statuses = self.coded("status")
        return np.array([*map(is_failure, statuses)], dtype=np.bool_)[codes]  # type: ignore[no-any-return]

    @property
    def metric_failed(self) -> NDArray[np.bool_]:
        """Whether a metric of each raised."""
        none = np.zeros(self._size, dtype=np.bool_)
        each = (v.failed for point in self.by_checkpoint.values() for v in point.values.values())
        return np.logical_or.reduce([none, *each])[self.places]  # type: ignore[no-any-return]

    @property
    def points(self) -> Iterator[tuple[int | None, Places]]:
        """The checkpoints that calls came to, in order, with the places of these outcomes.

        None is the end, which is last, also of outcomes that came nowhere.
        """
        nowhere = np.ones(len(self), dtype=np.bool_)
        for checkpoint, point in self.by_checkpoint.items():
            present = point.present[self.places]
            nowhere &= ~present
            if checkpoint is None:
                present = present | nowhere
            if present.any():
                yield checkpoint, np.flatnonzero(present)
        if None not in self.by_checkpoint and nowhere.any():
            yield None, np.flatnonzero(nowhere)

    def values(self, label: str, checkpoint: int | None) -> Values:
        """The values of a metric at a checkpoint or at the end."""
        point = self.by_checkpoint.get(checkpoint)
        if point is None or label not in point.values:
            return Values.of_numbers(np.full(len(self), np.nan))
        return point.values[label].take(self.places)

    def lacks(self, label: str) -> NDArray[np.bool_]:
        """Where a metric has no final value at some point."""
        lacking = np.zeros(self._size, dtype=np.bool_)
        for point in self.by_checkpoint.values():
            values = point.values.get(label) or Values.of_numbers(np.full(self._size, np.nan))
            final = values.present & values._where(lambda value: value is None or value.final)
            lacking |= point.present & ~final
        return lacking[self.places]

    def costs(self, name: str, checkpoint: int | None) -> Column:
        """A cost of the call; at a checkpoint None, but for the queries until then."""
        costs = self.column(name) if checkpoint is None else column_of([None] * len(self))
        point = self.by_checkpoint.get(checkpoint)
        if point is None or name != "queries":
            return costs
        return np.where(point.present[self.places], point.queries.take(self.places), costs)

    @property
    def labels(self) -> list[str]:
        """Of the values, in the order of their first outcomes."""
        first: dict[str, tuple[int, int]] = {}
        for number, point in enumerate(self.by_checkpoint.values()):
            for label, values in point.values.items():
                present = values.present[self.places]
                if present.any():
                    place = int(present.argmax()), number
                    first[label] = min(first.get(label, place), place)
        return sorted(first, key=first.__getitem__)

    @property
    def sizes(self) -> dict[str, int]:
        """The number of items, by the digest of the data, of outcomes with results."""
        digests = self.column("data_digest").tolist()
        return {
            digest: result.n
            for point in self.by_checkpoint.values()
            for digest, result in zip(digests, point.results[self.places].tolist(), strict=True)
            if digest and result is not None
        }

    def take(self, places: Any) -> Outcomes:
        """The outcomes at some places, or where a mask is true."""
        return Outcomes(self.columns, self.by_checkpoint, self.places[places])

    def where(self, name: str, wanted: Collection[Any]) -> Outcomes:
        """The outcomes with one of some values of a field."""
        codes, objects = self.coded(name)
        return self.take(np.array([value in wanted for value in objects], dtype=np.bool_)[codes])

    def renamed(self, labels: Mapping[str, tuple[str, str, str]]) -> Outcomes:
        """With other labels of algorithm, data set and oracle for cells, by their keys."""
        keys = self.columns["key"].take(np.arange(self._size)).tolist() if labels else ()
        changed = {place: labels[key] for place, key in enumerate(keys) if key in labels}
        if not changed:
            return self
        columns = dict(self.columns)
        for i, name in enumerate(("algorithm", "dataset", "oracle")):
            column = columns[name].take(np.arange(self._size))
            column[list(changed)] = [of_one[i] for of_one in changed.values()]
            columns[name] = Coded.of(column)
        return Outcomes(columns, self.by_checkpoint, self.places)

    def shown_by(self, run: int | None) -> Outcomes:
        """As a run shows them: those that another one measured are reused."""
        measured_by = self.columns["run"]
        reused = [run is not None and run != number for number in measured_by.objects]
        columns = {**self.columns, "reused": replace(measured_by, objects=column_of(reused))}
        return Outcomes(columns, self.by_checkpoint, self.places)

    def with_value(self, label: str, value: Value, where: NDArray[np.bool_]) -> Outcomes:
        """With another value of a metric for some outcomes, at all points."""
        points = {}
        for checkpoint, point in self.by_checkpoint.items():
            places = self.places[where]
            places = places[point.present[places]]
            old = point.values.get(label) or Values.of([None] * point.present.size)
            numbers, special = old.numbers.copy(), old.special.take(np.arange(len(old)))
            numbers[places], special[places] = np.nan, value
            made = Values(numbers, Coded.of(special))
            points[checkpoint] = replace(point, values={**point.values, label: made})
        return Outcomes(self.columns, points, self.places)
