"""Numbers by rank, of which those up to a rank are counted: a binary indexed tree (Fenwick 1994).

``counts`` (r+1,) has the ranks 1 to r; entry i holds the sum over a run of ranks that ends at i and
is as long as the lowest bit of i that is set. Both functions take O(log r) time.
"""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable


@register_jitable
def add_at(counts: Any, rank: Any, number: Any) -> None:
    """Add a number to a rank."""
    while rank < counts.size:
        counts[rank] += number
        rank += rank & -rank


@register_jitable
def sum_up_to(counts: Any, rank: Any) -> Any:
    """Sum of the numbers of ranks 1 to ``rank``."""
    total = counts[0]  # always 0, and of the type of the sum
    while rank > 0:
        total += counts[rank]
        rank -= rank & -rank
    return total
