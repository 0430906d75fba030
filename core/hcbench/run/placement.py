"""Which worker gets which cell: those that share something together, while nobody is idle for it.

What a worker has made, data or forty million answers, it need not make again for the next cell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Placement(Generic[T]):
    """Cells that wait, by what they share, and what of that each worker has made.

    A worker stays with what it has while cells that share it wait; then it begins with the first
    that nobody else has, and if there is none, it helps where most is left.
    """

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[T]] = {}
        self._made: dict[Hashable, Hashable] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, shared: Hashable, cell: T) -> None:
        """Let a cell wait."""
        self._waiting.setdefault(shared, deque()).append(cell)
        self._count += 1

    def keep(self, workers: Collection[Hashable]) -> None:
        """Forget the workers that are not among these."""
        self._made = {name: shared for name, shared in self._made.items() if name in workers}

    def take(self, worker: Hashable) -> T:
        """Take the next cell for a worker off those that wait; there must be one."""
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
