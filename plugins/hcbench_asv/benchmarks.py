"""The classes of benchmarks that asv finds."""

from __future__ import annotations

import json
import math
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from hcbench_asv.process import MeasuringProcess
from hcbench_asv.quantities import TRACKS, UNITS, VERSION, Case, Measurement

_NAMES = Path("hcbench-asv.json")  # in asv's cache folder, the working directory of each benchmark


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
        # Numba, pandas and all plugins are loaded only where something is measured: asv starts a
        # process for each benchmark, and most of them read the cache.
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

    def _measured(self, cache: dict[Case, Measurement], n: int, quantity: str) -> float:
        """A measured value; NaN, which asv shows as n/a, if it is missing."""
        measurement = cache[self.case, n]
        if "failed" in measurement:
            raise RuntimeError(measurement["failed"])
        value: float | None = measurement[quantity]
        # None would mean to asv that the benchmark failed.
        return math.nan if value is None else value


def _track(name: str, quantity: str, sizes: list[int]) -> Any:
    """The method of a benchmark, with the attributes that asv reads."""

    def track(self: Registered, cache: dict[Case, Measurement], n: int) -> float:
        return self._measured(cache, n, quantity)

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
    for name, sizes_of_quantity in _tracks(distributions, data).items():
        body: dict[str, Any] = {
            "__doc__": f"{name.replace('_', ' ', 1).capitalize()}.",
            "case": name,
            "distributions": distributions,
            "data": data,
        }
        for quantity, sizes in sizes_of_quantity.items():
            body[f"track_{quantity}"] = _track(name, quantity, sizes)
        classes[name] = type(name, (Registered,), body)
    return classes


def _tracks(distributions: tuple[str, ...], data: str) -> dict[str, dict[str, list[int]]]:
    """`Cases.tracks`, from asv's cache folder if it is there: loading plugins takes long."""
    if _NAMES.is_file():
        stored = json.loads(_NAMES.read_text())
        if stored["of"] == sorted(distributions):
            tracks: dict[str, dict[str, list[int]]] = stored["tracks"]
            return tracks
    from hcbench_asv.cases import find_cases

    return find_cases(distributions, data).tracks()
