"""The outcomes of many cells as columns: a million objects would take seconds and gigabytes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value

#: A Python object for each cell.
Column: TypeAlias = NDArray[np.object_]
Places: TypeAlias = NDArray[np.intp]
COSTS = tuple(field.name for field in fields(Cost))
FIELDS = tuple(f.name for f in fields(Outcome) if f.name not in ("cost", "points"))


def column_of(objects: Sequence[Any]) -> Column:
    """Objects of any type as a column; tuples are no rows of a matrix."""
    return np.fromiter(objects, dtype=object, count=len(objects))


@dataclass(frozen=True, slots=True, eq=False)
class Values(Sequence[Value]):
    """The values of one metric.

    Attributes
    ----------
    numbers : array of float64, (n,)
        NaN where there is no number.
    others : mapping of place to Value
        All that are more than a finite number: missing values with their reasons, and NaN. Where
        the number is NaN and there is no other, the metric was not computed.
    """

    numbers: NDArray[np.float64]
    others: dict[int, Value]

    @classmethod
    def of(cls, values: Sequence[Value | None]) -> Values:
        """Columns of values, None where the metric was not computed."""
        numbers = [math.nan if v is None or v.value is None else v.value for v in values]
        others = {
            i: value
            for i, value in enumerate(values)
            if value is not None and (math.isnan(numbers[i]) or value != Value(value.value))
        }
        return cls(np.array(numbers, dtype=np.float64), others)

    def __len__(self) -> int:
        return self.numbers.size

    @overload
    def __getitem__(self, place: int) -> Value: ...
    @overload
    def __getitem__(self, place: slice) -> list[Value]: ...
    def __getitem__(self, place: int | slice) -> Value | list[Value]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        place = range(len(self))[place]  # from the end if it is negative
        return self.others.get(place) or Value(float(self.numbers[place]))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is a number, which may be NaN."""
        known = np.ones(len(self), dtype=np.bool_)
        known[[place for place, value in self.others.items() if value.value is None]] = False
        return known

    @property
    def optional(self) -> list[float | None]:
        """The numbers, None where there is none."""
        return np.where(self.known, self.numbers, np.array(None)).tolist()  # type: ignore[no-any-return]

    @property
    def present(self) -> NDArray[np.bool_]:
        """Where the metric was computed, whether or not there is a number."""
        present = ~np.isnan(self.numbers)
        present[[*self.others]] = True
        return present

    @classmethod
    def joined(cls, parts: Sequence[Values]) -> Values:
        """The values of several parts, one after the other."""
        first = np.cumsum([0, *map(len, parts)]).tolist()
        shifted = zip(first, parts, strict=False)
        others = {start + i: value for start, part in shifted for i, value in part.others.items()}
        return cls(np.concatenate([part.numbers for part in parts]), others)

    def take(self, places: Places) -> Values:
        """The values at some places."""
        others = self.others
        pairs = enumerate(places.tolist() if others else ())
        return Values(self.numbers[places], {i: others[p] for i, p in pairs if p in others})


@dataclass(slots=True)
class PointColumns:
    """What is measured at one checkpoint, or at the end.

    Attributes
    ----------
    present : array of bool, (n,)
        Whether a call came that far.
    queries, results : array of object, (n,)
    values : mapping of metric label to Values
    """

    present: NDArray[np.bool_]
    queries: Column
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
            column_of([point.queries for point in known]),
            column_of([point.result for point in known]),
            {label: Values.of([point.values.get(label) for point in known]) for label in labels},
        )


class Outcomes(Sequence[Outcome]):
    """Outcomes that are made when they are asked for, from columns.

    Parameters
    ----------
    columns : mapping of name to array of object, (n,)
        Of the fields of `Outcome` and of its costs.
    points : mapping of checkpoint to PointColumns
        In order, with None for the end, which is last.
    places : array of int, optional
        The places in the columns; by default all.
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        points: Mapping[int | None, PointColumns],
        places: Places | None = None,
    ) -> None:
        self._columns = columns
        self._points = points
        self._size = columns["key"].size
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
            {name: column_of([getattr(o, name) for o in given]) for name in FIELDS}
            | {name: column_of([getattr(o.cost, name) for o in given]) for name in COSTS},
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
        counts = {count for part in parts for count in part._points}
        points = {}
        for count in sorted(counts, key=lambda count: (count is None, count or 0)):
            of_count = [p._points.get(count) or PointColumns.of([None] * p._size) for p in parts]
            labels = dict.fromkeys(label for point in of_count for label in point.values)
            pairs = [*zip(of_count, (part.places for part in parts), strict=True)]
            points[count] = PointColumns(
                np.concatenate([point.present[places] for point, places in pairs]),
                np.concatenate([point.queries[places] for point, places in pairs]),
                np.concatenate([point.results[places] for point, places in pairs]),
                {label: Values.joined([p.values(label, count) for p in parts]) for label in labels},
            )
        names = (*FIELDS, *COSTS)
        columns = {name: np.concatenate([part.column(name) for part in parts]) for name in names}
        return cls(columns, points)

    def __len__(self) -> int:
        return self.places.size

    @overload
    def __getitem__(self, wanted: int) -> Outcome: ...
    @overload
    def __getitem__(self, wanted: slice) -> Outcomes: ...
    def __getitem__(self, wanted: int | slice) -> Outcome | Outcomes:
        if isinstance(wanted, slice):
            return Outcomes(self._columns, self._points, self.places[wanted])
        return self._outcome(int(self.places[wanted]))

    def __iter__(self) -> Iterator[Outcome]:
        return map(self._outcome, self.places.tolist())

    def _outcome(self, place: int) -> Outcome:
        columns = self._columns
        points = (
            ScoredPoint(
                checkpoint=checkpoint,
                queries=point.queries[place],
                result=point.results[place],
                values={
                    label: values[place]
                    for label, values in point.values.items()
                    if place in values.others or not math.isnan(values.numbers[place])
                },
            )
            for checkpoint, point in self._points.items()
            if point.present[place]
        )
        return Outcome(
            **{name: columns[name][place] for name in FIELDS},
            cost=Cost(**{name: columns[name][place] for name in COSTS}),
            points=tuple(points),
        )

    def column(self, name: str) -> Column:
        """A field of all outcomes, or one of their costs."""
        return self._columns[name][self.places]

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Whether each was tried and has no result."""
        status = self.column("status")
        return np.asarray((status != "ok") & (status != "skipped"), dtype=np.bool_)

    @property
    def metric_failed(self) -> NDArray[np.bool_]:
        """Whether a metric of each raised."""
        failed = np.zeros(self._size, dtype=np.bool_)
        values = (of_one for point in self._points.values() for of_one in point.values.values())
        for of_one in values:
            failed[[i for i, value in of_one.others.items() if value.status == "error"]] = True
        return failed[self.places]

    @property
    def points(self) -> Iterator[tuple[int | None, Places]]:
        """The checkpoints that calls came to, in order, with the places of these outcomes.

        None is the end, which is last, also of outcomes that came nowhere.
        """
        nowhere = np.ones(len(self), dtype=np.bool_)
        for checkpoint, point in self._points.items():
            present = point.present[self.places]
            nowhere &= ~present
            if checkpoint is None:
                present = present | nowhere
            if present.any():
                yield checkpoint, np.flatnonzero(present)
        if None not in self._points and nowhere.any():
            yield None, np.flatnonzero(nowhere)

    def values(self, label: str, checkpoint: int | None) -> Values:
        """The values of a metric at a checkpoint or at the end."""
        point = self._points.get(checkpoint)
        if point is None or label not in point.values:
            return Values(np.full(len(self), np.nan), {})
        return point.values[label].take(self.places)

    def costs(self, name: str, checkpoint: int | None) -> Column:
        """A cost of the call; at a checkpoint None, but for the queries until then."""
        costs = self.column(name) if checkpoint is None else column_of([None] * len(self))
        point = self._points.get(checkpoint)
        if point is None or name != "queries":
            return costs
        return np.where(point.present[self.places], point.queries[self.places], costs)

    @property
    def labels(self) -> list[str]:
        """Of the values, in the order of their first outcomes."""
        first: dict[str, tuple[int, int]] = {}
        for number, point in enumerate(self._points.values()):
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
            for point in self._points.values()
            for digest, result in zip(digests, point.results[self.places].tolist(), strict=True)
            if digest and result is not None
        }

    def take(self, places: Any) -> Outcomes:
        """The outcomes at some places, or where a mask is true."""
        return Outcomes(self._columns, self._points, self.places[places])

    def where(self, name: str, wanted: Collection[Any]) -> Outcomes:
        """The outcomes with one of some values of a field."""
        return self.take([value in wanted for value in self.column(name).tolist()])

    def renamed(self, labels: Mapping[str, tuple[str, str, str]]) -> Outcomes:
        """With other labels of algorithm, data set and oracle for cells, by their keys."""
        keys = enumerate(self._columns["key"].tolist()) if labels else ()
        changed = {place: labels[key] for place, key in keys if key in labels}
        if not changed:
            return self
        columns = dict(self._columns)
        for i, name in enumerate(("algorithm", "dataset", "oracle")):
            columns[name] = columns[name].copy()
            columns[name][list(changed)] = [of_one[i] for of_one in changed.values()]
        return Outcomes(columns, self._points, self.places)

    def with_value(self, label: str, value: Value, where: Sequence[bool]) -> Outcomes:
        """With another value of a metric for some outcomes, at all points."""
        points = {}
        for checkpoint, point in self._points.items():
            places = self.places[where]
            places = places[point.present[places]]
            old = point.values.get(label, Values(np.full(point.present.size, np.nan), {}))
            numbers = old.numbers.copy()
            numbers[places] = np.nan
            made = Values(numbers, old.others | dict.fromkeys(places.tolist(), value))
            points[checkpoint] = replace(point, values={**point.values, label: made})
        return Outcomes(self._columns, points, self.places)
