"""The classes of benchmarks, and what is measured."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from hcbench_asv.process import MeasuringProcess

VERSION = "5"
"""Of the measurements: asv and ``hcbench regress`` only compare results of equal versions."""

SIZES = (40, 80, 160)
REPETITIONS = 3
"""Of each algorithm, with new seeds."""

UNITS = {
    "seconds": "s",
    "peak_memory": "bytes",
    "queries": "queries",
    "loss": "1 - quality",
    "seconds_per_query": "s",
    "value": "value",
}
"""The unit of each quantity."""
TRACKS = {
    "algorithm": {
        "seconds": "Median processor time of a call, with its processes, over the repetitions.",
        "peak_memory": "Smallest peak memory of a call over the repetitions.",
        "queries": "Mean number of queries over the repetitions.",
        "loss": "1 - AARI of a tree, 1 - ARI of a partition; the mean over the repetitions.",
    },
    "oracle": {
        "seconds": "Processor time to make the answers, with that of processes.",
        "seconds_per_query": "Processor time per query.",
    },
    "metric": {
        "seconds": "Processor time of a call, with its processes.",
        "value": "The metric of average linkage on a few coordinates of the data.",
    },
}
"""What is measured of each kind of registration, with the docstrings of the benchmarks."""

_NAMES = Path("hcbench-asv.json")  # in asv's cache folder, the working directory of each benchmark

Case = tuple[str, int]
"""A name, such as ``"algorithm_UPGMA"``, and the number of items."""

Measurement = dict[str, Any]
"""A finite number, or None if it is missing, for each quantity of `TRACKS`; or ``reason``, why the
case is inapplicable; or ``failed``, how it failed."""


class Registered:
    """The benchmarks of one algorithm, oracle or metric; `registered` makes a subclass for each.

    Attributes
    ----------
    distributions : tuple of str
        The packages whose registrations are measured; empty for all.
    data : str
        The data set, if not hcbench's own.
    case : str
        The name of the subclass.
    """

    version = VERSION
    timeout = 1200
    param_names: ClassVar = ["n"]
    distributions: ClassVar[tuple[str, ...]] = ()
    data: ClassVar[str] = ""
    case: ClassVar[str] = ""

    def setup_cache(self) -> dict[Case, Measurement]:
        """Measure all cases; asv calls this once for all subclasses."""
        from hcbench_asv.cases import find_cases
        from hcbench_asv.measuring import measure_all

        tracks = find_cases(self.distributions, self.data).tracks()
        _NAMES.write_text(json.dumps({"of": sorted(self.distributions), "tracks": tracks}))
        with closing(MeasuringProcess([f"--data={self.data}", *self.distributions])) as process:
            return measure_all(process)

    def setup(self, cache: dict[Case, Measurement], n: int) -> None:
        """Skip what does not apply.

        Raises
        ------
        NotImplementedError
            With the reason; asv shows the benchmark as n/a.
        """
        reason = cache[self.case, n].get("reason")
        if reason:
            raise NotImplementedError(reason)

    def _found(self, cache: dict[Case, Measurement], n: int, quantity: str) -> float:
        """A measured value; NaN, which asv shows as n/a, if it is missing (None means failed)."""
        found = cache[self.case, n]
        if "failed" in found:
            raise RuntimeError(found["failed"])
        value: float | None = found[quantity]
        return math.nan if value is None else value


def _track(name: str, quantity: str, sizes: list[int]) -> Any:
    def track(self: Registered, cache: dict[Case, Measurement], n: int) -> float:
        return self._found(cache, n, quantity)

    kind, _, registration = name.partition("_")
    track.__name__ = f"track_{quantity}"
    track.__doc__ = TRACKS[kind][quantity]
    track.pretty_name = f"{registration}: {quantity.replace('_', ' ')}"  # type: ignore[attr-defined]
    track.unit = UNITS[quantity]  # type: ignore[attr-defined]
    track.params = [sizes]  # type: ignore[attr-defined]
    return track


def registered(*distributions: str, data: str = "") -> dict[str, type[Registered]]:
    """A class of benchmarks for each registered algorithm, oracle and metric.

    Call it once per benchmark folder: its classes share one measurement.

    Parameters
    ----------
    *distributions : str
        The packages whose registrations are measured, as ``hcbench plugins`` names them; none
        means all.
    data : str
        A data set to measure on, with ``{n}`` in place of the number of items, as in
        ``"my-data[n={n}]"``. hcbench's own data provide vectors, similarities, a true tree with
        heights, labels and a tree to cut.

    Returns
    -------
    dict of name to class
        ``algorithm_NAME`` has ``track_seconds``, ``track_peak_memory`` (bytes), ``track_queries``
        (if its oracle counts queries) and ``track_loss``; ``oracle_NAME`` has the time to make its
        answers and the time per query; ``metric_NAME`` has the time of a call and the value on a
        fixed result. What cannot be measured has one benchmark, which is n/a and gives the reason.

    Raises
    ------
    UnknownNameError
        If a package registers nothing.
    """
    classes = {}
    for name, tracks in _tracks(distributions, data).items():
        body: dict[str, Any] = {f"track_{q}": _track(name, q, sizes) for q, sizes in tracks.items()}
        body |= {"case": name, "distributions": distributions, "data": data}
        body |= {"__doc__": f"{name.replace('_', ' ', 1).capitalize()}."}
        classes[name] = type(name, (Registered,), body)
    return classes


def summarise_repetitions(quantity: str, values: Sequence[float]) -> float:
    """The mean of what is reproducible, the smallest memory, the median time of repetitions."""
    if quantity in ("queries", "loss"):
        return statistics.fmean(values)
    # Memory that a first call loads counts for that call alone.
    return min(values) if quantity == "peak_memory" else statistics.median(values)


def _tracks(distributions: tuple[str, ...], data: str) -> dict[str, dict[str, list[int]]]:
    """`Cases.tracks`, from asv's cache folder if it is there: loading plugins takes long."""
    if _NAMES.is_file():
        listed = json.loads(_NAMES.read_text())
        if listed["of"] == sorted(distributions):
            tracks: dict[str, dict[str, list[int]]] = listed["tracks"]
            return tracks
    from hcbench_asv.cases import find_cases

    return find_cases(distributions, data).tracks()
