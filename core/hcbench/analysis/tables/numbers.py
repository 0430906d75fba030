"""Numbers in tables: averages with their spread, in a suitable unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hcbench.analysis.statistics import mean_and_std, quartiles
from hcbench.analysis.tables.model import NOTHING
from hcbench.registry.specs import Interval

if TYPE_CHECKING:
    from hcbench.plan.presentation import MetricInfo

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))


def format_spread(
    mean: float | None, std: float | None, unit: str = "", interval: str = "(-inf, inf)"
) -> str:
    """``mean ± std`` in a suitable format.

    Parameters
    ----------
    mean, std : float or None
        Only the mean is written if the standard deviation is None.
    unit : str
        "s", "bytes" and "questions" have special formats; other units are appended.
    interval : str
        Range of the values. Those within [-1, 1] always have three decimals.
    """
    if mean is None:
        return NOTHING
    if not math.isfinite(mean):
        return str(mean)
    if unit == "s":
        return _scaled(mean, std, _SECONDS, digits=3)
    if unit == "bytes":
        return _scaled(mean, std, _BYTES, digits=2)
    if unit == "questions":
        return joined(mean, std, ",.0f", "")
    return joined(mean, std, _plain_form(mean, std, Interval(interval)), unit)


def format_numbers(numbers: Sequence[float], metric: MetricInfo) -> str:
    """The average of repetitions with its spread; equal numbers are written once.

    ``mean ± standard deviation``, or of times ``median [lower quartile, upper quartile]``.
    """
    if metric.average == "mean" or len(set(numbers)) < 2:
        return format_spread(*mean_and_std(numbers), metric.unit, metric.interval)
    low, median, high = quartiles(numbers) or (math.nan,) * 3
    if not math.isfinite(median):
        return str(median)
    scale, name, form = _scaling(median, _SECONDS, digits=3)
    texts = [format(x / scale, form) for x in (median, low, high)]
    return "{} [{}, {}] {}".format(*texts, name)


def _plain_form(mean: float, std: float | None, interval: Interval) -> str:
    if interval.low >= -1 and interval.high <= 1:
        return ".3f"
    size = max(abs(mean), std or 0.0)
    if size >= 1e7 or 0 < size < 1e-3:
        return ".3g"
    if size >= 1e4:
        return ",.0f"
    return ".3f" if size < 100 else ".1f"


def _scaled(
    mean: float, std: float | None, scales: Sequence[tuple[float, str]], digits: int
) -> str:
    """In the largest unit in which the mean is at least 1, with this many significant digits."""
    scale, name, form = _scaling(mean, scales, digits)
    return joined(mean / scale, None if std is None else std / scale, form, name)


def _scaling(
    number: float, scales: Sequence[tuple[float, str]], digits: int
) -> tuple[float, str, str]:
    """The size and the name of a unit for a number, and a format with this many digits."""
    scale, name = next(((s, u) for s, u in scales if abs(number) >= s), scales[-1])
    scaled = number / scale
    whole_digits = math.floor(math.log10(abs(scaled))) + 1 if scaled else 1
    decimals = max(0, digits - max(whole_digits, 1)) if name != "B" else 0
    return scale, name, f",.{decimals}f"


def joined(mean: float, std: float | None, form: str, unit: str) -> str:
    """A number with its spread and unit, if it has them; a spread of 0 is not written."""
    text = format(mean, form)
    if not text.strip("-0.,"):
        text = text.removeprefix("-")
    if std:
        text += f" ± {format(std, form)}"
    return f"{text} {unit}" if unit else text
