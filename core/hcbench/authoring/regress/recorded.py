"""asv's files of results: what two commits have there, and what was measured in turns.

asv's own reader and writer are used, in the version that is installed. Its files keep samples;
pairs that were measured in turns are samples at one place of two files that were started in the
same millisecond, which ``asv run`` never does.
"""

from __future__ import annotations

import importlib
import itertools
import math
import platform
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hcbench.authoring.asv import TRACKS, UNITS, VERSION
from hcbench.authoring.regress.commits import Commit
from hcbench.authoring.regress.turns import SCREENED, Key, Series
from hcbench.errors import DataError

State: TypeAlias = Literal["", "n/a", "failed", "missing"]
FILE = "registered"
"""The file of benchmarks whose names measurements in turns have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What two commits have of one benchmark.

    Attributes
    ----------
    name : str
        Of the benchmark, with its parameters.
    unit : str
    base, head : float
        NaN where the state says why.
    states : tuple of str
        Of both: "" where there is a number, ``"n/a"``, ``"failed"`` or ``"missing"``.
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


def _asv(module: str) -> Any:
    try:
        return importlib.import_module(f"asv.{module}")
    except ImportError as error:
        raise DataError("regress reads and writes asv's results: pip install asv") from error


# ---- Reading -------------------------------------------------------------------------------------


def read_both(folder: Path, base: Commit, head: Commit, environment: str = "") -> list[Recorded]:
    """What two commits have, benchmark by benchmark.

    Parameters
    ----------
    folder : Path
        asv's ``results_dir``.
    base, head : Commit
    environment : str, optional
        asv's name of the only environment that counts.

    Raises
    ------
    DataError
        If asv is not installed, or there is nothing of one of them.
    """
    reader = _asv("results")
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for results in reader.iter_results(str(folder)) if folder.is_dir() else ():
        place = (str(results.params.get("machine")), str(results.env_name))
        if not environment or results.env_name == environment:
            found.setdefault(place, {})[results.commit_hash] = results
    both = {place: of for place, of in found.items() if base.hash in of and head.hash in of}
    if not both:
        there = {commit for of in found.values() for commit in of}
        lacks = [c.name for c in (base, head) if c.hash not in there]
        what = f"no results of {' and '.join(lacks)}" if lacks else "no environment with both"
        raise DataError(
            f"{what} in {folder}; measure them: hcbench regress {base.name} {head.name} --measure"
        )
    units = _units(folder)
    return [
        recorded
        for place, of in sorted(both.items())
        for recorded in _compared(of[base.hash], of[head.hash], units, "/".join(place))
    ]


def _units(folder: Path) -> dict[str, str]:
    """The unit of each benchmark that asv has discovered."""
    path = folder / "benchmarks.json"
    if not path.is_file():
        return {}
    described = _asv("util").load_json(str(path), api_version=2)
    return {
        name: "s" if benchmark.get("unit") == "seconds" else str(benchmark.get("unit", ""))
        for name, benchmark in described.items()
        if isinstance(benchmark, dict)
    }


def _unit(name: str, units: Mapping[str, str]) -> str:
    function = name.rpartition(".")[2]
    own = UNITS.get(function.removeprefix("track_"), "")
    by_prefix = {"time": "s", "timeraw": "s", "mem": "bytes", "peakmem": "bytes"}
    return units.get(name) or own or by_prefix.get(function.partition("_")[0], "")


def _compared(base: Any, head: Any, units: Mapping[str, str], place: str) -> Iterator[Recorded]:
    names = sorted({*base.get_all_result_keys(), *head.get_all_result_keys()})
    for name in names:
        sides = [_side(of, name) for of in (base, head)]
        versions = {of.benchmark_version.get(name) for of in (base, head)} - {None}
        started = [of.started_at.get(name) for of in (base, head)]
        in_turns = started[0] is not None and started[0] == started[1]
        for params in dict.fromkeys([*sides[0], *sides[1]]):
            one, other = (side.get(params, (math.nan, "missing", ())) for side in sides)
            yield Recorded(
                name=f"{name}({', '.join(params)})" if params else name,
                unit=_unit(name, units),
                base=one[0],
                head=other[0],
                states=(one[1], other[1]),
                pairs=tuple(zip(one[2], other[2], strict=False)) if in_turns else (),
                same_version=len(versions) < 2,
                environment=place,
            )


def _side(results: Any, name: str) -> dict[tuple[str, ...], tuple[float, State, tuple[float, ...]]]:
    """Value, state and samples for each combination of parameters."""
    if name not in results.get_all_result_keys():
        return {}
    params = results.get_result_params(name) or []
    values = results.get_result_value(name, params)
    samples = results.get_result_samples(name, params)
    found = {}
    for combination, value, sampled in zip(
        itertools.product(*params), values, samples, strict=True
    ):
        state: State = "failed" if value is None else "n/a" if math.isnan(value) else ""
        number = math.nan if value is None else float(value)
        found[combination] = (number, state, tuple(sampled or ()))
    return found


# ---- Writing -------------------------------------------------------------------------------------


def write_both(
    folder: Path,
    base: Commit,
    head: Commit,
    found: Mapping[Key, Series],
    versions: tuple[str, ...] = (VERSION, VERSION),
) -> str:
    """Write what was measured in turns, a file for each commit.

    Parameters
    ----------
    folder : Path
        asv's ``results_dir``.
    base, head : Commit
    found : mapping
        As `hcbench.authoring.regress.Turns` has it.
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
    for side, commit in enumerate((base, head)):
        results = _asv("results").Results(
            {**machine, "python": python},
            {},
            commit.hash,
            commit.milliseconds,
            python,
            environment,
            {},
        )
        for name, series in _by_benchmark(found).items():
            if all(one.unable[side] == "missing" for one in series.values()):
                continue
            _add(results, name, series, side, started, versions[side])
        results.save(str(folder))
    return environment


def _machine() -> dict[str, str]:
    """What asv knows of this machine, as of ``asv machine``."""
    module = _asv("machine")
    name = module.Machine.get_unique_machine_name()
    try:
        known: dict[str, str] = module.MachineCollection.load(name)
    except _asv("util").UserError:
        known = module.Machine.get_defaults()
    return {key: value for key, value in known.items() if key != "version"}


def _by_benchmark(found: Mapping[Key, Series]) -> dict[str, dict[int, Series]]:
    grouped: dict[str, dict[int, Series]] = {}
    for (name, n, quantity), series in found.items():
        kind = name.partition("_")[0]
        if quantity in TRACKS[kind]:
            grouped.setdefault(f"{FILE}.{name}.track_{quantity}", {})[n] = series
    return grouped


def _add(
    results: Any,
    name: str,
    series: Mapping[int, Series],
    side: int,
    started: datetime,
    version: str,
) -> None:
    sizes = sorted(series)
    quantity = name.rpartition(".track_")[2]
    values, samples = zip(*(_summarised(quantity, series[n], side) for n in sizes), strict=True)
    benchmark = {"name": name, "version": version, "params": [[repr(n) for n in sizes]]}
    result = _asv("runner").BenchmarkResult(
        result=list(values),
        samples=list(samples),
        number=[None for _ in sizes],
        errcode=0,
        stderr="",
        profile=None,
    )
    results.add_result(benchmark, result, started_at=started, record_samples=True)


def _summarised(
    quantity: str, series: Series, side: int
) -> tuple[float | None, list[float] | None]:
    """One number for the samples: a mean of what is the same again, a median, the least memory."""
    samples = (series.base, series.head)[side]
    if series.unable[side] == "failed":
        return None, None
    if not samples or series.unable[side]:
        return math.nan, None
    if quantity in ("queries", "loss"):
        return statistics.fmean(samples[:SCREENED]), samples
    # What a first call loads is held once, and counts for that call alone.
    return min(samples) if quantity == "peak_memory" else statistics.median(samples), samples
