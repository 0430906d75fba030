"""asv's result files: reading those of two commits, and writing what was measured in turns.

The installed version of asv writes them. Pairs that were measured in turns are samples
with the same index in two files with the same start time in milliseconds, which never happens with
``asv run``.
"""

from __future__ import annotations

import importlib
import math
import platform
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hcbench.analysis.performance import StoredResult, read_results
from hcbench.authoring.asv import TRACKS, UNITS, VERSION
from hcbench.authoring.asv.measuring import summarise
from hcbench.authoring.regress.commits import Commit
from hcbench.authoring.regress.interleaving import SCREENING, Measured, Series
from hcbench.errors import DataError

State: TypeAlias = Literal["", "n/a", "failed", "missing"]
FILE = "registered"
"""The file of benchmarks in the names of what is measured in turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The results of one benchmark for two commits.

    Attributes
    ----------
    name : str
        Of the benchmark, with its parameters.
    unit : str
    base, head : float
        NaN where there is no number.
    states : tuple of str
        Of both: "" where there is a number, else ``"n/a"``, ``"failed"`` or ``"missing"``.
    pairs : tuple of (float, float)
        Of base and head, measured in turns.
    same_version : bool
        Whether both were measured in the same way.
    environment : str
        Machine and environment of asv.
    """

    name: str
    unit: str
    base: float
    head: float
    states: tuple[State, State] = ("", "")
    pairs: tuple[tuple[float, float], ...] = ()
    same_version: bool = True
    environment: str = ""

    @property
    def ratio(self) -> float:
        """Head over base: the median of the pairs, if there are any; NaN where undefined."""
        pairs = [h / b for b, h in self.pairs if b > 0]
        if pairs and self.unit == "s":
            return statistics.median(pairs)
        return math.nan if any(self.states) or self.base == 0 else self.head / self.base


# ---- Reading -------------------------------------------------------------------------------------


def read_both(folder: Path, base: Commit, head: Commit, environment: str = "") -> list[Recorded]:
    """The results of two commits, benchmark by benchmark.

    Parameters
    ----------
    folder : Path
        asv's ``results_dir``.
    base, head : Commit
    environment : str, optional
        asv's name of the only environment to read.

    Raises
    ------
    DataError
        If there are no results of one of them.
    """
    stored: dict[str, dict[str, dict[str, StoredResult]]] = {}
    for result in read_results(folder):
        if not environment or result.environment.endswith(f"/{environment}"):
            name = f"{result.name}({', '.join(result.values)})" if result.values else result.name
            commits = stored.setdefault(result.environment, {})
            commits.setdefault(result.commit, {})[name] = result
    both = {place: of for place, of in stored.items() if base.hash in of and head.hash in of}
    if not both:
        there = {commit for of in stored.values() for commit in of}
        lacks = [c.name for c in (base, head) if c.hash not in there]
        what = f"no results of {' and '.join(lacks)}" if lacks else "no environment with both"
        raise DataError(
            f"{what} in {folder}; measure them: hcbench regress {base.name} {head.name} --measure"
        )
    return [
        _recorded(name, of[base.hash].get(name), of[head.hash].get(name), place)
        for place, of in sorted(both.items())
        for name in sorted({*of[base.hash], *of[head.hash]})
    ]


def _recorded(
    name: str, base: StoredResult | None, head: StoredResult | None, place: str
) -> Recorded:
    results = [result for result in (base, head) if result is not None]
    quantity = results[0].name.rpartition(".track_")[2]
    pairs: tuple[tuple[float, float], ...] = ()
    if base and head and base.started is not None and base.started == head.started:
        pairs = tuple(zip(base.samples, head.samples, strict=False))
    return Recorded(
        name=name,
        unit=results[0].unit or UNITS.get(quantity, ""),
        base=base.number if base else math.nan,
        head=head.number if head else math.nan,
        states=(base.state if base else "missing", head.state if head else "missing"),
        pairs=pairs,
        same_version=len({result.version for result in results} - {""}) < 2,
        environment=place,
    )


# ---- Writing -------------------------------------------------------------------------------------


def write_both(
    folder: Path,
    base: Commit,
    head: Commit,
    measured: Measured,
    versions: tuple[str, ...] = (VERSION, VERSION),
) -> str:
    """Write what was measured in turns, a file for each commit.

    Parameters
    ----------
    folder : Path
        asv's ``results_dir``.
    base, head : Commit
    measured : mapping
        As returned by `measure_in_turns`.
    versions : tuple of str
        `hcbench.asv.VERSION` of both.

    Returns
    -------
    str
        asv's name of their environment.

    Raises
    ------
    DataError
        If asv is not installed.
    """
    machine = _machine()
    path = folder / machine["machine"] / "machine.json"
    if not path.is_file():
        _asv("util").write_json(str(path), machine, 1)
    started = datetime.now(UTC)
    python = ".".join(platform.python_version_tuple()[:2])
    environment = f"turns-py{python}"
    params = {**machine, "python": python}
    for side, commit in enumerate((base, head)):
        results = _asv("results").Results(
            params, {}, commit.hash, commit.milliseconds, python, environment, {}
        )
        for name, by_size in _by_benchmark(measured).items():
            if any(series.unable[side] != "missing" for series in by_size.values()):
                benchmark = {
                    "name": name,
                    "version": versions[side],
                    "params": [[repr(n) for n in by_size]],
                }
                result = _asv_result(name.rpartition(".track_")[2], by_size, side)
                results.add_result(benchmark, result, started_at=started, record_samples=True)
        results.save(str(folder))
    return environment


def _asv(module: str) -> Any:
    try:
        return importlib.import_module(f"asv.{module}")
    except ImportError as error:
        raise DataError("regress writes asv's results: pip install asv") from error


def _machine() -> dict[str, str]:
    """The description of this machine that ``asv machine`` made, or asv's defaults."""
    module = _asv("machine")
    name = module.Machine.get_unique_machine_name()
    try:
        known: dict[str, str] = module.MachineCollection.load(name)
    except _asv("util").UserError:
        known = module.Machine.get_defaults()
    return {key: value for key, value in known.items() if key != "version"}


def _by_benchmark(measured: Measured) -> dict[str, dict[int, Series]]:
    """The series by the name of the benchmark and the number of items, in increasing order."""
    grouped: dict[str, dict[int, Series]] = {}
    for name, n, quantity in sorted(measured):
        if quantity in TRACKS[name.partition("_")[0]]:
            series = measured[name, n, quantity]
            grouped.setdefault(f"{FILE}.{name}.track_{quantity}", {})[n] = series
    return grouped


def _asv_result(quantity: str, by_size: Mapping[int, Series], side: int) -> Any:
    summaries = [_summarise(quantity, series, side) for series in by_size.values()]
    return _asv("runner").BenchmarkResult(
        result=[value for value, _ in summaries],
        samples=[samples for _, samples in summaries],
        number=[None] * len(summaries),
        errcode=0,
        stderr="",
        profile=None,
    )


def _summarise(quantity: str, series: Series, side: int) -> tuple[float | None, list[float] | None]:
    """The summary of the measurements of one commit, and the measurements."""
    samples = (series.base, series.head)[side]
    if series.unable[side] == "failed":
        return None, None
    if not samples or series.unable[side]:
        return math.nan, None
    used = samples[:SCREENING] if quantity in ("queries", "loss") else samples
    return summarise(quantity, used), samples
