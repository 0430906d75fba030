"""Which worker gets which cell: cells that share data or answers go to the same worker.

A worker that has made data, or forty million answers, need not make them again for the next cell.
No worker is idle for that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class AffinityQueue(Generic[T]):
    """Cells that wait, by what they share, and what each worker has of that.

    A worker takes cells that share what it has as long as there are any; then the first cells that
    share what no other worker has; if there are none, those of which most are left.
    """

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[T]] = {}
        self._made: dict[Hashable, Hashable] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, shared: Hashable, cell: T) -> None:
        """Add a cell."""
        self._waiting.setdefault(shared, deque()).append(cell)
        self._count += 1

    def keep(self, workers: Collection[Hashable]) -> None:
        """Forget the workers that are not among these."""
        self._made = {name: shared for name, shared in self._made.items() if name in workers}

    def take(self, worker: Hashable) -> T:
        """Remove and return the next cell for a worker; there must be one."""
        shared = self._made.get(worker)
        if shared not in self._waiting:
            taken = set(self._made.values())
            new = (shared for shared in self._waiting if shared not in taken)
            shared = next(new, None)
            if shared is None:
                shared = max(self._waiting, key=lambda name: len(self._waiting[name]))
        self._made[worker] = shared
        self._count -= 1
        cell = self._waiting[shared].popleft()
        if not self._waiting[shared]:
            del self._waiting[shared]
        return cell
