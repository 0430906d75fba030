"""Benchmarks for asv of all that is registered: algorithms, oracles and metrics, by no list.

A file of a package's benchmarks that holds these two lines has a benchmark of each of them::

    import hcbench.asv

    globals().update(hcbench.asv.registered("my-package"))

asv finds benchmarks by their names, here ``algorithm_UPGMA.track_seconds``, so that what a commit
adds or removes shifts nothing in the history of the others; the numbers of items are the parameter.
hcbench itself measures, once a commit; the ``track_*`` methods read what it has found.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from hcbench.authoring.asv.cases import Cases

__all__ = ["VERSION", "Registered", "registered"]

VERSION = "2"
"""Of what is measured and how: asv and ``hcbench regress`` compare results of one version alone."""

SIZES = (40, 80, 160)
REPETITIONS = 3
TIMEOUT = 60.0
"""Seconds for one call of an algorithm."""

UNITS = {
    "seconds": "s",
    "peak_memory": "bytes",
    "queries": "questions",
    "loss": "1 - quality",
    "seconds_a_question": "s",
    "value": "value",
}
TRACKS = {
    "algorithm": ("seconds", "peak_memory", "queries", "loss"),
    "oracle": ("seconds", "seconds_a_question"),
    "metric": ("seconds", "value"),
}
_NAMES = Path("hcbench-asv.json")  # in the folder of asv's cache, where each benchmark runs

Cache = dict[tuple[str, int], dict[str, Any]]


class Registered:
    """What asv measures of one thing that is registered; `registered` makes a class of each.

    Attributes
    ----------
    distributions : tuple of str
        Whose registrations are measured; empty: all.
    data : str
        The data set, if not hcbench's own.
    case : str
        The name of the class.
    """

    version = VERSION
    timeout = 1200
    param_names: ClassVar = ["n"]
    distributions: ClassVar[tuple[str, ...]] = ()
    data: ClassVar[str] = ""
    case: ClassVar[str] = ""

    def setup_cache(self) -> Cache:
        """Measure all cases; asv calls it once for all classes."""
        from hcbench.authoring.asv.measuring import measure_all

        cases = _cases(self.distributions, self.data)
        listed = {"of": _key(self.distributions), "tracks": cases.tracks()}
        _NAMES.write_text(json.dumps(listed))
        return measure_all(cases)

    def setup(self, cache: Cache, n: int) -> None:
        """Skip what does not apply.

        Raises
        ------
        NotImplementedError
            With the reason; asv shows the benchmark as n/a.
        """
        reason = cache[self.case, n].get("reason")
        if reason:
            raise NotImplementedError(reason)

    def _found(self, cache: Cache, n: int, quantity: str) -> float:
        found = cache[self.case, n]
        if "failed" in found:
            raise RuntimeError(found["failed"])
        value: float | None = found[quantity]
        return math.nan if value is None else value


def _track(quantity: str, sizes: list[int]) -> Any:
    def track(self: Registered, cache: Cache, n: int) -> float:
        return self._found(cache, n, quantity)

    track.__name__ = f"track_{quantity}"
    track.unit = UNITS[quantity]  # type: ignore[attr-defined]
    track.params = [sizes]  # type: ignore[attr-defined]
    return track


def registered(*distributions: str, data: str = "") -> dict[str, type[Registered]]:
    """A class of benchmarks for each algorithm, oracle and metric that is registered.

    Call it once in a folder of benchmarks: all its classes share what is measured.

    Parameters
    ----------
    *distributions : str
        The packages whose registrations are measured, as ``hcbench plugins`` names them; none
        means all.
    data : str
        A data set to measure on, with ``{n}`` where the number of items goes, as in
        ``"my-data[n={n}]"``. hcbench's own provide vectors, similarities, a truth with heights,
        labels and a tree to be cut.

    Returns
    -------
    dict of name to class
        ``algorithm_NAME`` has ``track_seconds``, ``track_peak_memory`` (bytes), ``track_queries``,
        if its oracle counts any, and ``track_loss``; ``oracle_NAME`` the seconds to make its
        answers and of a question; ``metric_NAME`` the seconds of a call and the value on a fixed
        result. What cannot be measured has one benchmark, which is n/a and tells why.

    Raises
    ------
    UnknownNameError
        If a package registers nothing.
    """
    classes = {}
    for name, tracks in _tracks(distributions, data).items():
        body: dict[str, Any] = {f"track_{q}": _track(q, sizes) for q, sizes in tracks.items()}
        body |= {"case": name, "distributions": distributions, "data": data}
        body |= {"__doc__": f"{name.replace('_', ' ', 1).capitalize()}."}
        classes[name] = type(name, (Registered,), body)
    return classes


def _tracks(distributions: tuple[str, ...], data: str) -> dict[str, dict[str, list[int]]]:
    """As `Cases.tracks`; read beside asv's cache if they are there, as plugins load slowly."""
    if _NAMES.is_file():
        listed = json.loads(_NAMES.read_text())
        if listed["of"] == _key(distributions):
            tracks: dict[str, dict[str, list[int]]] = listed["tracks"]
            return tracks
    return _cases(distributions, data).tracks()


def _cases(distributions: tuple[str, ...], data: str) -> Cases:
    from hcbench.authoring.asv.cases import find_cases

    return find_cases(distributions, data)


def _key(distributions: tuple[str, ...]) -> list[str]:
    return sorted(distributions)
