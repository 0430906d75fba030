"""The classes of benchmarks that asv finds."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from hcbench_asv.process import MeasuringProcess
from hcbench_asv.quantities import TRACKS, UNITS, VERSION, Case, Measurement


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

    Examples
    --------
    >>> benchmark = hcbench.asv.registered("hcbench")["algorithm_UPGMA"]
    >>> issubclass(benchmark, Registered)
    True
    >>> benchmark.case, benchmark.distributions
    ('algorithm_UPGMA', ('hcbench',))
    """

    version = VERSION
    timeout = 1200
    param_names: ClassVar = ["n"]
    distributions: ClassVar[tuple[str, ...]] = ()
    data: ClassVar[str] = ""
    case: ClassVar[str] = ""

    def setup_cache(self) -> None:
        """List the cases; asv calls this once. Nothing is measured before a benchmark asks."""
        # Numba, pandas and all plugins are loaded only where something is listed or measured: asv
        # starts a process for each benchmark, and most of them read files.
        tracks = _tracks(self.distributions, self.data)
        _file("cases", self.distributions, self.data).write_text(json.dumps(tracks))

    def setup(self, n: int) -> None:
        """Measure the case if need be, and skip what does not apply.

        Raises
        ------
        NotImplementedError
            With the reason; asv shows the benchmark as n/a.
        """
        self._measurement = _measurement(self, n)
        reason = self._measurement.get("reason")
        if reason:
            raise NotImplementedError(reason)

    def _measured(self, quantity: str) -> float:
        """A measured value; NaN, which asv shows as n/a, if it is missing."""
        if "failed" in self._measurement:
            raise RuntimeError(self._measurement["failed"])
        value: float | None = self._measurement[quantity]
        # None would mean to asv that the benchmark failed.
        return math.nan if value is None else value


def _track(name: str, quantity: str, sizes: list[int]) -> Any:
    """The method of a benchmark, with the attributes that asv reads."""

    def track(self: Registered, _n: int) -> float:
        return self._measured(quantity)

    kind, _, registration = name.partition("_")
    track.__name__ = f"track_{quantity}"
    track.__doc__ = TRACKS[kind][quantity]
    track.pretty_name = f"{registration}: {quantity.replace('_', ' ')}"  # type: ignore[attr-defined]
    track.unit = UNITS[quantity]  # type: ignore[attr-defined]
    track.params = [sizes]  # type: ignore[attr-defined]
    return track


def registered(*distributions: str, data: str = "") -> dict[str, type[Registered]]:
    """A class of benchmarks for each registered algorithm, oracle and metric.

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

    Examples
    --------
    >>> benchmarks = registered("hcbench")
    >>> benchmark = benchmarks["algorithm_UPGMA"]
    >>> benchmark.__doc__
    'Algorithm UPGMA.'
    >>> [name for name in vars(benchmark) if name.startswith("track_")]
    ['track_seconds', 'track_peak_memory', 'track_loss']
    """
    classes = {}
    for name, sizes_of_quantity in _tracks(distributions, data).items():
        kind, _, registered_name = name.partition("_")
        body: dict[str, Any] = {
            "__doc__": f"{kind.capitalize()} {registered_name}.",
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
    path = _file("cases", distributions, data)
    if path.is_file():
        tracks: dict[str, dict[str, list[int]]] = json.loads(path.read_text())
        return tracks
    from hcbench_asv.cases import find_cases

    return find_cases(distributions, data).tracks()


def _measurement(benchmarks: Registered, n: int) -> Measurement:
    """What was measured of a case in this run of asv; if nothing was, measure it now.

    A process that measures takes seconds to start, and asv asks for one benchmark after the other.
    So each process measures, beside the class that is asked for, as many of the following classes
    as were measured before: one class costs one of them, and all classes cost a few starts.
    """
    path = _file("measured", benchmarks.distributions, benchmarks.data)
    stored: dict[str, dict[str, Measurement]] = {}
    if path.is_file():
        stored = json.loads(path.read_text())
    if benchmarks.case not in stored:
        from hcbench_asv.measuring import measure_cases

        arguments = [f"--data={benchmarks.data}", *benchmarks.distributions]
        with closing(MeasuringProcess(arguments)) as process:
            following = _following(benchmarks.case, stored, process.cases())
            for (name, size), measurement in measure_cases(process, following).items():
                stored.setdefault(name, {})[str(size)] = measurement
        path.write_text(json.dumps(stored))
    return stored[benchmarks.case][str(n)]


def _following(name: str, stored: Collection[str], cases: Sequence[Case]) -> list[Case]:
    """The cases of a name, and of as many names after it as are stored, in the order of asv."""
    names = sorted({case[0] for case in cases})
    ahead = [each for each in names[names.index(name) :] if each not in stored]
    chosen = ahead[: 1 + len(stored)]
    return [case for case in cases if case[0] in chosen]


def _file(content: str, distributions: tuple[str, ...], data: str) -> Path:
    """A file in asv's cache folder, the working directory of each benchmark, for one `registered`.

    Calls for other packages or other data have files of their own.
    """
    digest = hashlib.sha256(json.dumps([sorted(distributions), data]).encode()).hexdigest()
    return Path(f"hcbench-asv-{content}-{digest[:16]}.json")
