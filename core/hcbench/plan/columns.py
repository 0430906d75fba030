"""The outcomes of many cells as columns: a million objects would take seconds and gigabytes.

`Outcomes` holds columns of the fields, and for each checkpoint columns of what is measured there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value, is_failure
from hcbench.plan.values import Coded, Column, Places, Values, column_of

#: The columns of outcomes: their costs, and their other fields.
COSTS = tuple(field.name for field in fields(Cost))
FIELDS = tuple(field.name for field in fields(Outcome) if field.name not in ("cost", "points"))


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
        filled = [point or ScoredPoint() for point in points]
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
        if places is None:
            places = np.arange(self._size)
        self.places = places

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Outcomes:
        """Outcomes in columns."""
        if isinstance(outcomes, Outcomes):
            return outcomes
        rows = list(outcomes)
        # A column for each field, and for each cost, of all rows.
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
        for name in FIELDS + COSTS:
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
            if point is None:
                # No call of this part came that far.
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
        for name in FIELDS + COSTS:
            column = self.columns[name]
            objects[name] = column.objects[column.codes[place]]

        points = []
        for checkpoint, columns in self.by_checkpoint.items():
            if columns.present[place]:
                points.append(_point_at(columns, checkpoint, place))

        # The columns of costs are those of `Cost`, which an outcome holds as one field.
        costs = {name: objects.pop(name) for name in COSTS}
        return Outcome(**objects, cost=Cost(**costs), points=tuple(points))

    def column(self, name: str) -> Column:
        """A field of all outcomes, or one of their costs."""
        return self.columns[name].take(self.places)

    def coded(self, name: str) -> tuple[NDArray[np.integer[Any]], Column]:
        """A field of all outcomes, as the places of their objects among all that occur."""
        column = self.columns[name]
        return column.codes[self.places], column.objects

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Where a cell was tried and has no result."""
        return self.columns["status"].mask(is_failure, self.places)

    @property
    def metric_failed(self) -> NDArray[np.bool_]:
        """Where a metric raised."""
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
                # Such as a call that failed before its end.
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
            # A value that is not final was lost when a worker ended: it is computed again.
            lacking |= point.present & ~(values.present & values.final)
        return lacking[self.places]

    def costs(self, name: str, checkpoint: int | None) -> Column:
        """A cost of the call; at a checkpoint None, but for the queries until then."""
        if checkpoint is None:
            costs = self.column(name)
        else:
            costs = column_of([None] * len(self))
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
        mask = self.columns[name].mask(lambda object_: object_ in objects, self.places)
        return self.take(mask)

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

    def changed(self, name: str, change: Callable[[Any], Any]) -> Outcomes:
        """With other objects in a column; ``change`` gets each of those there are now."""
        column = self.columns[name].take(np.arange(self._size))
        columns = dict(self.columns)
        columns[name] = Coded.of([change(object_) for object_ in column])
        return Outcomes(columns, self.by_checkpoint, self.places)

    def shown_by(self, run: int | None) -> Outcomes:
        """As a run shows them: those that another run measured are reused."""
        measured_by = self.columns["run"]
        reused = [run is not None and run != number for number in measured_by.objects]
        columns = dict(self.columns)
        columns["reused"] = replace(measured_by, objects=column_of(reused))
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
