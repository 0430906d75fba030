"""Which worker gets which cell: those on the same data together, while nobody is idle for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")


class Placement(Generic[T]):
    """Cells that wait, by their data, and which data each worker has made.

    A worker stays with its data while cells on them wait; then it begins with data that nobody
    else has, and if there are none, it helps where most is left.
    """

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[T]] = {}
        self._data: dict[str, Hashable] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, data: Hashable, cell: T) -> None:
        """Let a cell wait."""
        self._waiting.setdefault(data, deque()).append(cell)

    def keep(self, workers: Mapping[str, object]) -> None:
        """Forget the workers that are not among these."""
        self._data = {name: data for name, data in self._data.items() if name in workers}

    def take(self, worker: str) -> T:
        """Take the next cell for a worker off those that wait; there must be one."""
        data = self._data.get(worker)
        if data not in self._waiting:
            taken = set(self._data.values())
            new = (data for data in self._waiting if data not in taken)
            data = next(new, None)
            if data is None:
                data = max(self._waiting, key=lambda name: len(self._waiting[name]))
        self._data[worker] = data
        cell = self._waiting[data].popleft()
        if not self._waiting[data]:
            del self._waiting[data]
        return cell
