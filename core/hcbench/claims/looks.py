"""At how many repetitions a claim is judged, and at which level.

Whoever adds repetitions until a claim is decided has as many chances of an error as there are
verdicts. A claim on random values is therefore judged at certain numbers of repetitions only, its
*looks*: the number n that the suite plans (`Suite.first_look`), and 2n, 4n, 8n, and so on; and for
quick trials n/2, n/4, and so on, rounded up. Between two looks the verdict is that of the last one,
of the first repetitions. So it depends on the suite and the stored repetitions alone: nobody has to
remember who looked, or when.

The error of 5 % is spent over the looks (alpha spending [1]_): 4 % at the planned number, .4 % at
twice this number, and half of the last share at each later look; .1 % at half the planned number,
and again half of it at each smaller look. All of this adds up to 5 %. By Bonferroni's inequality
the intervals of all looks together cover the mean with a probability of at least 95 %, if each of
them covers it at its own level. The inequality holds for all kinds of values: means, shares, paired
differences and rates. Most of the error is spent where a suite is expected to end, so that a run as
planned needs only 10 % more repetitions than a single look at 5 %.

References
----------
.. [1] K. K. G. Lan, D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika
   70 (1983).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

#: The least number of repetitions of which a random mean has an interval.
LEAST = 2
#: The error that is spent at a look: at the planned number of repetitions, at twice, and at half of
#: it. The sum with all further looks, each of half the last share, is .05.
_AT_PLANNED = 0.04
_AT_TWICE = 0.004
_AT_HALF = 0.001


@dataclass(frozen=True, slots=True)
class Look:
    """A number of repetitions at which claims are judged.

    Attributes
    ----------
    repetitions : int
        The first so many repetitions are judged.
    level : float
        The confidence level of the interval at this look.
    """

    repetitions: int
    level: float


def looks_from_planned(planned: int) -> Iterator[Look]:
    """The looks at the planned number of repetitions and at more, in ascending order, endless."""
    repetitions = max(planned, LEAST)
    yield Look(repetitions, 1 - _AT_PLANNED)
    spent = _AT_TWICE
    while True:
        repetitions *= 2
        yield Look(repetitions, 1 - spent)
        spent /= 2


def looks_below_planned(planned: int) -> Iterator[Look]:
    """The looks at fewer repetitions than planned, in descending order."""
    repetitions = max(planned, LEAST)
    spent = _AT_HALF
    while repetitions > LEAST:
        repetitions = (repetitions + 1) // 2
        yield Look(repetitions, 1 - spent)
        spent /= 2


def last_look(planned: int, repetitions: int) -> Look | None:
    """The last look at a number of repetitions; None if it is before all looks."""
    last = None
    # The looks from the planned one on ascend: the last that is not beyond the number counts.
    for look in looks_from_planned(planned):
        if look.repetitions > repetitions:
            break
        last = look
    if last is not None:
        return last
    # Those below it descend, so that the first that has enough repetitions is the last look.
    for look in looks_below_planned(planned):
        if look.repetitions <= repetitions:
            return look
    return None


def next_looks(planned: int, repetitions: int, most: int) -> Iterator[Look]:
    """The looks at more repetitions than a number, in ascending order.

    Parameters
    ----------
    planned : int
    repetitions : int
    most : int
        No look is at more repetitions than this number.
    """
    # Finite, and descending; together with the endless rest all looks ascend.
    for look in reversed(list(looks_below_planned(planned))):
        if repetitions < look.repetitions <= most:
            yield look
    for look in looks_from_planned(planned):
        if look.repetitions > most:
            return
        if look.repetitions > repetitions:
            yield look
