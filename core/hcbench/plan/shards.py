"""Shards: a plan split into parts that independent machines can run.

A shard is the same on every machine, whatever is stored there: it depends on the plan alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from hcbench.errors import ParameterError
from hcbench.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Shard:
    """Which part of a plan a run is.

    Attributes
    ----------
    numbers : tuple of int
        From 1: one, or those that were merged.
    count : int
        Into how many parts the plan was split.
    plan : str
        32 hexadecimal digits: a hash of the keys of all cells of the plan.
    """

    numbers: tuple[int, ...]
    count: int
    plan: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it has all parts."""
        return len(self.numbers) == self.count

    def __str__(self) -> str:
        if self.is_whole:
            return f"all {self.count} shards"
        noun = "shard" if len(self.numbers) == 1 else "shards"
        return f"{noun} {', '.join(map(str, self.numbers))} of {self.count}"


def take_shard(plan: Plan, number: int, count: int) -> Plan:
    """One part of a plan.

    All repetitions 0 of all data sets, then all repetitions 1 and so on, are cut into ``count``
    pieces whose numbers of cells differ by one at most. So a piece has whole repetitions of
    everything if there are enough of them, which take equally long, and cells that share data stay
    together. Inapplicable combinations belong to the first shard.

    Parameters
    ----------
    plan : Plan
    number : int
        From 1.
    count : int

    Raises
    ------
    ParameterError
        If there is no such part.
    """
    if not 1 <= number <= count:
        raise ParameterError(f"there is no shard {number} of {count}; they are 1 to {count}")
    cells = plan.cells
    in_order = sorted(range(len(cells)), key=lambda place: cells[place].repetition)
    first, last = ((n * len(cells)) // count for n in (number - 1, number))
    return replace(
        plan,
        cells=[cells[place] for place in sorted(in_order[first:last])],
        inapplicable=plan.inapplicable if number == 1 else [],
        shard=Shard((number,), count, _digest(plan)),
        whole=plan,
    )


def _digest(plan: Plan) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for key in sorted(cell.key for cell in plan.cells):
        digest.update(key.encode())
    return digest.hexdigest()
