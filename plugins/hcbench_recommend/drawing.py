"""What is drawn from the data: random subsamples of the items, or a share of the answers."""

from __future__ import annotations

import math

from hcbench import DatasetSpec, ParameterError, Problem
from hcbench.registry import Use, format_name, parse_name, split_alias
from hcbench_recommend.choosing import are_answers
from hcbench_recommend.deciding import Drawn
from hcbench_recommend.subsample import size_of_part

#: The share of the items that are in a subsample, by default.
SHARE = 0.8
#: The most items of a subsample by default, as internal metrics need O(n²) time.
MOST = 5000
#: The fewest items of a subsample.
LEAST = 20


def draw_parts(
    name: str, use: Use[DatasetSpec], problem: Problem, subsamples: int, share: float | None
) -> tuple[Drawn, str]:
    """What is drawn from the data, and the name of the data set that draws it.

    Raises
    ------
    ParameterError
        If the subsamples would all be the same, or are too small.
    """
    if are_answers(use):
        return _draw_answers(name, problem, subsamples, share)
    if share is None:
        # Two digits, as the share is part of the name of the subsamples.
        share = min(SHARE, float(f"{MOST / problem.n:.2g}"))
    size = _size_of_subsamples(name, problem.n, share)
    part = format_name("subsample", {"of": name, "share": share})
    return Drawn(subsamples=subsamples, size=size, n=problem.n), part


def _draw_answers(
    name: str, problem: Problem, subsamples: int, share: float | None
) -> tuple[Drawn, str]:
    """The answers that methods get; the metric tells how well the others are predicted."""
    if share is None:
        share = SHARE
    if not 0 < share < 1:
        raise ParameterError(f"share={share}: a share is below 1, such as {SHARE}")
    assert problem.comparisons is not None
    n = len(problem.comparisons)
    if problem.held_out is not None:
        n += len(problem.held_out)
    size = round(share * n)
    if n - size < LEAST:
        raise ParameterError(
            f"{name}: of {n} answers {n - size} are held out, and {LEAST} is the least; collect "
            "more answers, or take a smaller share"
        )
    label, described = split_alias(name)
    file = parse_name(described)
    params = {"held_out": round(1 - share, 6), **file.params}
    part = format_name(file.base, params)
    if label:
        part = f"{label}={part}"
    return Drawn(subsamples=subsamples, size=size, n=n, are_answers=True), part


def _size_of_subsamples(data: str, n: int, share: float) -> int:
    """The number of items in a subsample.

    Raises
    ------
    ParameterError
        If the subsamples would all be the same, or are too small.
    """
    if not 0 < share <= 1:
        raise ParameterError(f"share={share}: a share is between 0 and 1, such as {SHARE}")
    size = size_of_part(n, share)
    if size == n:
        raise ParameterError(
            f"share={share}: each subsample would have all {n} items of {data}, and equal copies "
            f"show nothing; take less, such as {SHARE}"
        )
    check_size(data, n, size, SHARE)
    return size


def check_size(data: str, n: int, size: int, share: float) -> None:
    """Check that parts of the data have enough items; the share is that of the largest parts.

    Raises
    ------
    ParameterError
        If they have fewer than `LEAST`.
    """
    if size >= LEAST:
        return
    needed = math.ceil(LEAST / share)
    way_out = f"take at least {needed} items"
    if n >= needed:
        way_out = f"take a larger share, such as {SHARE}"
    raise ParameterError(
        f"{data}: subsamples of {size} of {n} items are too small to compare methods, "
        f"{LEAST} is the least; {way_out}"
    )
