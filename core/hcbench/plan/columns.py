"""The outcomes of many cells as columns: a million objects would take seconds and gigabytes.

`Outcomes` holds columns of the fields, and for each checkpoint columns of what is measured there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value, is_failure
from hcbench.plan.values import Coded, Column, Places, Values, column_of


def _names_of_fields(record: type[Cost | Outcome], *omitted: str) -> tuple[str, ...]:
    """The names of the fields of a dataclass, in their order."""
    names = []
    for field in fields(record):
        if field.name not in omitted:
            names.append(field.name)
    return tuple(names)


#: The columns of outcomes: their costs, and their other fields. Points have columns of their own.
#: Processor time, as any cost that came later, is a value of a point.
COSTS = _names_of_fields(Cost, "processor_seconds")
FIELDS = _names_of_fields(Outcome, "cost", "points")

_MOST_LISTED = 8  # values of a field in a message


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
        present = []
        queries = []
        results = []
        values_of_points = []
        for point in points:
            present.append(point is not None)
            # All columns have the same length: an empty point fills the place of a missing one.
            filled = point or ScoredPoint()
            queries.append(filled.queries)
            results.append(filled.result)
            values_of_points.append(filled.values)

        values = {}
        for label in _labels_of(values_of_points):
            # None where a metric was not computed, which is not the same as a missing value.
            values[label] = Values.of([of_point.get(label) for of_point in values_of_points])
        return cls(
            present=np.array(present, dtype=np.bool_),
            queries=Coded.of(queries),
            results=column_of(results),
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
    # None cannot be compared with numbers.
    numbers = []
    for checkpoint in unique:
        if checkpoint is not None:
            numbers.append(checkpoint)
    in_order: list[int | None] = []
    in_order += sorted(numbers)
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
            columns[name] = Coded.of(list(map(attrgetter(name), rows)))
        for name in COSTS:
            columns[name] = Coded.of(list(map(attrgetter(f"cost.{name}"), rows)))

        # Calls end at different checkpoints: a failed one may have fewer than the others, or none.
        points_of_rows = []
        checkpoints: set[int | None] = set()
        for row in rows:
            points = {}
            for point in row.points:
                points[point.checkpoint] = point
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
        filled = []
        checkpoints: set[int | None] = set()
        for part in parts:
            # An empty part has no rows, but may have checkpoints at which nothing is measured.
            if part:
                filled.append(part)
                checkpoints.update(part.by_checkpoint)
        if not filled:
            return parts[0]
        if len(filled) == 1:
            # One part alone need not be copied.
            return filled[0]
        columns = {}
        for name in FIELDS + COSTS:
            objects = [part.column(name) for part in filled]
            columns[name] = Coded.of(np.concatenate(objects))

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
        for label in _labels_of([point.values for point in points]):
            # A part that lacks the metric has NaN there, which means not computed.
            values_of_parts = [part.values(label, checkpoint) for part in parts]
            values[label] = Values.joined(values_of_parts)
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
        # An outcome holds its costs as one field.
        costs = {}
        for name in COSTS:
            costs[name] = objects.pop(name)

        points = []
        for checkpoint, columns in self.by_checkpoint.items():
            if columns.present[place]:
                points.append(_point_at(columns, checkpoint, place))

        return Outcome(**objects, cost=Cost(**costs), points=tuple(points))

    def column(self, name: str) -> Column:
        """A field of all outcomes, or one of their costs."""
        return self.columns[name].take(self.places)

    def listed(self, name: str) -> str:
        """The different values of a field in a message; of many, the first few."""
        texts = sorted(set(map(str, self.column(name).tolist())))
        text = ", ".join(texts[:_MOST_LISTED])
        if len(texts) > _MOST_LISTED:
            text += " and others"
        return text

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
        # The end is last in `by_checkpoint`: when it is reached, what is nowhere is final.
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
            # NaN without a special value: the metric was not computed.
            return Values.of_numbers(np.full(len(self), np.nan))
        return point.values[label].take(self.places)

    def lacks(self, label: str) -> NDArray[np.bool_]:
        """Where a metric has no final value at some point."""
        lacking = np.zeros(self._size, dtype=np.bool_)
        for point in self.by_checkpoint.values():
            if label not in point.values:
                # No call has a value of it here, as it was added later.
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
            # Time and memory are measured of whole calls only.
            costs = column_of([None] * len(self))
        point = self.by_checkpoint.get(checkpoint)
        if point is None or name != "queries":
            return costs
        return np.where(point.present[self.places], point.queries.take(self.places), costs)

    @property
    def labels(self) -> list[str]:
        """Of the values, in the order of their first outcomes."""
        # For each label the place of the first outcome with a value, and its first checkpoint.
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
        # Of the full columns, as other `Outcomes` may show other places of them.
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
        # Not only the different objects: two of them may become equal, and need one code.
        column = self.columns[name].take(np.arange(self._size))
        columns = dict(self.columns)
        columns[name] = Coded.of(list(map(change, column)))
        return Outcomes(columns, self.by_checkpoint, self.places)

    def shown_by(self, run: int | None) -> Outcomes:
        """As a run shows them: those that another run measured are reused."""
        # The different runs, each once; their codes say which of them measured a cell.
        measured_by = self.columns["run"]
        reused = []
        for number in measured_by.objects:
            # Outcomes of no run, such as those of all runs together, are never reused.
            reused.append(run is not None and run != number)
        columns = dict(self.columns)
        columns["reused"] = replace(measured_by, objects=column_of(reused))
        return Outcomes(columns, self.by_checkpoint, self.places)

    def with_value(self, label: str, value: Value, where: NDArray[np.bool_]) -> Outcomes:
        """With another value of a metric for some outcomes, at all points."""
        points = {}
        for checkpoint, point in self.by_checkpoint.items():
            places = self.places[where]
            # A call that did not come to a checkpoint gets no value there.
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
