"""The outcomes of many cells as columns: a million objects would take seconds and gigabytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count as count_from_zero
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
        keys: Collection[Any] = objects
        types = {type(object_) for object_ in objects}
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
            is_plain = not math.isnan(number) and value == Value(number)
            special.append(None if is_plain else value)
        return cls(np.array(numbers, dtype=np.float64), Coded.of(special))

    @classmethod
    def of_numbers(
        cls, numbers: NDArray[np.float64], others: Mapping[int, Value] | None = None
    ) -> Values:
        """Numbers, and the values that are more than a finite number, by their places."""
        special = np.full(numbers.size, None)
        if not others:
            # One code for all, without looking at each.
            return cls(numbers, Coded(np.zeros(numbers.size, dtype=np.uint8), special[:1]))
        for place, value in others.items():
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

    def _where(self, is_so: Callable[[Value | None], bool]) -> NDArray[np.bool_]:
        """Where a special value, or None for a number, has a property."""
        mask = np.array([is_so(value) for value in self.special.objects], dtype=np.bool_)
        return mask[self.special.codes]  # type: ignore[no-any-return]

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
        present = [point is not None for point in points]
        filled = [ScoredPoint() if point is None else point for point in points]
        values = {}
        for label in _labels_of(point.values for point in filled):
            values[label] = Values.of([point.values.get(label) for point in filled])
        return cls(
            present=np.array(present, dtype=np.bool_),
            queries=Coded.of([point.queries for point in filled]),
            results=column_of([point.result for point in filled]),
            values=values,
        )


def _point_at(columns: PointColumns, checkpoint: int | None, place: int) -> ScoredPoint:
    """Make the point of a call from its columns."""
    values = {}
    for label, of_metric in columns.values.items():
        is_special = of_metric.special.objects[of_metric.special.codes[place]] is not None
        # Otherwise the metric was not computed.
        if is_special or not math.isnan(of_metric.numbers[place]):
            values[label] = of_metric[place]
    return ScoredPoint(
        checkpoint=checkpoint,
        queries=columns.queries.objects[columns.queries.codes[place]],
        result=columns.results[place],
        values=values,
    )


def _labels_of(values: Iterable[Mapping[str, Any]]) -> list[str]:
    """The labels of several mappings, each once, in the order in which they occur."""
    labels: dict[str, None] = {}
    for mapping in values:
        labels.update(dict.fromkeys(mapping))
    return list(labels)


def _in_order(checkpoints: Iterable[int | None]) -> list[int | None]:
    """Checkpoints in order, each once; None, the end, is last."""
    unique = set(checkpoints)
    in_order: list[int | None] = []
    in_order += sorted(number for number in unique if number is not None)
    if None in unique:
        in_order.append(None)
    return in_order


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
        rows = list(outcomes)
        columns: dict[str, Coded] = {}
        for name in FIELDS:
            columns[name] = Coded.of([getattr(row, name) for row in rows])
        for name in COSTS:
            columns[name] = Coded.of([getattr(row.cost, name) for row in rows])
        points_of_rows = []
        checkpoints: set[int | None] = set()
        for row in rows:
            points = {point.checkpoint: point for point in row.points}
            points_of_rows.append(points)
            checkpoints.update(points)
        by_checkpoint = {}
        for checkpoint in _in_order(checkpoints):
            at_checkpoint = [points.get(checkpoint) for points in points_of_rows]
            by_checkpoint[checkpoint] = PointColumns.of(at_checkpoint)
        return cls(columns, by_checkpoint)

    @classmethod
    def joined(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """The outcomes of several parts, one after the other."""
        filled = [part for part in parts if part]
        if not filled:
            return parts[0]
        if len(filled) == 1:
            return filled[0]
        columns = {}
        for name in (*FIELDS, *COSTS):
            columns[name] = Coded.of(np.concatenate([part.column(name) for part in filled]))
        checkpoints: set[int | None] = set()
        for part in filled:
            checkpoints.update(part.by_checkpoint)
        by_checkpoint = {}
        for checkpoint in _in_order(checkpoints):
            by_checkpoint[checkpoint] = cls._joined_point(filled, checkpoint)
        return cls(columns, by_checkpoint)

    @staticmethod
    def _joined_point(parts: Sequence[Outcomes], checkpoint: int | None) -> PointColumns:
        """What is measured at a checkpoint in several parts, one after the other."""
        present = []
        queries = []
        results = []
        points = []
        for part in parts:
            point = part.by_checkpoint.get(checkpoint)
            if point is None:  # no call of this part came that far
                point = PointColumns.of([None] * part._size)
            points.append(point)
            present.append(point.present[part.places])
            queries.append(point.queries.take(part.places))
            results.append(point.results[part.places])
        values = {}
        for label in _labels_of(point.values for point in points):
            values[label] = Values.joined([part.values(label, checkpoint) for part in parts])
        return PointColumns(
            present=np.concatenate(present),
            queries=Coded.of(np.concatenate(queries)),
            results=np.concatenate(results),
            values=values,
        )

    def __len__(self) -> int:
        return self.places.size

    @overload
    def __getitem__(self, place: int) -> Outcome: ...
    @overload
    def __getitem__(self, place: slice) -> Outcomes: ...
    def __getitem__(self, place: int | slice) -> Outcome | Outcomes:
        if isinstance(place, slice):
            return Outcomes(self.columns, self.by_checkpoint, self.places[place])
        return self._outcome(int(self.places[place]))

    def __iter__(self) -> Iterator[Outcome]:
        return map(self._outcome, self.places.tolist())

    def _outcome(self, place: int) -> Outcome:
        """Make the outcome at a place of the columns."""
        objects = {}
        for name in (*FIELDS, *COSTS):
            column = self.columns[name]
            objects[name] = column.objects[column.codes[place]]
        points = []
        for checkpoint, columns in self.by_checkpoint.items():
            if columns.present[place]:
                points.append(_point_at(columns, checkpoint, place))
        return Outcome(
            **{name: objects[name] for name in FIELDS},
            cost=Cost(**{name: objects[name] for name in COSTS}),
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
        is_failed = np.array([is_failure(status) for status in statuses], dtype=np.bool_)
        return is_failed[codes]  # type: ignore[no-any-return]

    @property
    def metric_failed(self) -> NDArray[np.bool_]:
        """Whether a metric of each raised."""
        has_failed = np.zeros(self._size, dtype=np.bool_)
        for point in self.by_checkpoint.values():
            for values in point.values.values():
                has_failed |= values.failed
        return has_failed[self.places]

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
            if label not in point.values:
                lacking |= point.present
                continue
            values = point.values[label]
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
        sizes = {}
        for point in self.by_checkpoint.values():
            results = point.results[self.places].tolist()
            for digest, result in zip(digests, results, strict=True):
                if digest and result is not None:
                    sizes[digest] = result.n
        return sizes

    def take(self, places: Any) -> Outcomes:
        """The outcomes at some places, or where a mask is true."""
        return Outcomes(self.columns, self.by_checkpoint, self.places[places])

    def where(self, name: str, objects: Collection[Any]) -> Outcomes:
        """The outcomes whose field is one of some objects."""
        codes, all_objects = self.coded(name)
        mask = np.array([object_ in objects for object_ in all_objects], dtype=np.bool_)
        return self.take(mask[codes])

    def renamed(self, labels: Mapping[str, tuple[str, str, str]]) -> Outcomes:
        """With other labels of algorithm, data set and oracle for cells, by their keys."""
        if not labels:
            return self
        every_place = np.arange(self._size)
        new_labels = {}
        for place, key in enumerate(self.columns["key"].take(every_place).tolist()):
            if key in labels:
                new_labels[place] = labels[key]
        if not new_labels:
            return self
        columns = dict(self.columns)
        for number, name in enumerate(("algorithm", "dataset", "oracle")):
            column = columns[name].take(every_place)
            for place, of_cell in new_labels.items():
                column[place] = of_cell[number]
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
            numbers = np.full(point.present.size, np.nan)
            special = np.full(point.present.size, None)
            if label in point.values:
                numbers = point.values[label].numbers.copy()
                special = point.values[label].all_special
            numbers[places] = np.nan
            special[places] = value
            values = Values(numbers, Coded.of(special))
            points[checkpoint] = replace(point, values={**point.values, label: values})
        return Outcomes(self.columns, points, self.places)
