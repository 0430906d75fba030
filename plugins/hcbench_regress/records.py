"""The results of two commits in asv's files: reading and writing them.

The installed version of asv writes the results. Pairs that were measured in turns are samples with
the same index in two files with the same start time in milliseconds, which never happens with
``asv run``.
"""

from __future__ import annotations

import importlib
import math
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hcbench import DataError
from hcbench.asv import UNITS, VERSION, summarise_repetitions
from hcbench.files import AsvResult, read_asv_results
from hcbench.model import shell_command
from hcbench_regress.commits import Commit
from hcbench_regress.measuring import SCREENING, Measured, Series, State

SHORTEST = 1e-12
"""In place of a time of 0, which has no logarithm; times per query may be below 1e-9 seconds."""

FILE = "registered"
"""The file of benchmarks in the names of what is measured in turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The results of one benchmark for two commits.

    Attributes
    ----------
    name : str
        The benchmark, with its parameters.
    unit : str
        The unit of its numbers.
    base, head : float
        The numbers of both commits; NaN where there is none.
    states : tuple of str
        Why each commit has no number: ``"n/a"``, ``"failed"`` or ``"missing"``; "" if it has one.
    pairs : tuple of (float, float)
        Numbers of base and head that were measured in turns; each by processes of its own, if
        there are more than `SCREENING`.
    same_version : bool
        Whether both were measured in the same way.
    environment : str
        The machine and the environment, as asv names them.
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
        """Head over base; of times the geometric mean of the pairs. NaN where undefined."""
        if self.unit == "s" and self.pairs:
            return math.exp(statistics.fmean(self.log_ratios))
        if any(self.states) or self.base == 0:
            return math.nan
        return self.head / self.base

    @property
    def log_ratios(self) -> list[float]:
        """The logarithm of head over base, of each pair of times."""
        logarithms = []
        for base, head in self.pairs:
            logarithms.append(math.log(max(head, SHORTEST) / max(base, SHORTEST)))
        return logarithms


# ---- Reading -------------------------------------------------------------------------------------


def read_both(folder: Path, base: Commit, head: Commit, environment: str = "") -> list[Recorded]:
    """The results of two commits, benchmark by benchmark.

    Parameters
    ----------
    folder : Path
        asv's ``results_dir``.
    base, head : Commit
    environment : str, optional
        The only environment to read, as asv names it.

    Returns
    -------
    list of Recorded

    Raises
    ------
    DataError
        If there are no results of one of them.
    """
    results = list(read_asv_results(folder))
    if environment:
        # The machine is before the slash.
        results = [r for r in results if r.environment.endswith(f"/{environment}")]
    of_base = _results_of(base, results)
    of_head = _results_of(head, results)
    recorded = []
    for place in sorted(of_base.keys() & of_head.keys()):
        base_results = of_base[place]
        head_results = of_head[place]
        for name in sorted(base_results.keys() | head_results.keys()):
            base_result = base_results.get(name)
            head_result = head_results.get(name)
            recorded.append(_recorded(name, base_result, head_result, place))
    if not recorded:
        missing = []
        if not of_base:
            missing.append(base.name)
        if not of_head:
            missing.append(head.name)
        what = "no environment with both"
        if missing:
            what = f"no results of {' and '.join(missing)}"
        command = shell_command("hcbench", "regress", base.name, head.name, "--measure")
        raise DataError(f"{what} in {folder}; measure them: {command}")
    return recorded


def _results_of(commit: Commit, results: Sequence[AsvResult]) -> dict[str, dict[str, AsvResult]]:
    """The results of a commit by environment, and by the name of the benchmark."""
    by_environment: dict[str, dict[str, AsvResult]] = {}
    for result in results:
        if result.commit != commit.hash:
            continue
        name = result.name
        if result.values:
            name += f"({', '.join(result.values)})"
        by_environment.setdefault(result.environment, {})[name] = result
    return by_environment


def _recorded(name: str, base: AsvResult | None, head: AsvResult | None, place: str) -> Recorded:
    """The results of one benchmark, of which one commit may have none."""
    results = [result for result in (base, head) if result is not None]
    quantity = results[0].name.rpartition(".track_")[2]
    versions = {result.version for result in results if result.version}
    pairs: tuple[tuple[float, float], ...] = ()
    # The same start in milliseconds: they were measured in turns.
    if base and head and base.started is not None and base.started == head.started:
        pairs = tuple(zip(base.samples, head.samples, strict=False))
    base_number, base_state = _number_and_state(base)
    head_number, head_state = _number_and_state(head)
    return Recorded(
        name=name,
        unit=results[0].unit or UNITS.get(quantity, ""),
        base=base_number,
        head=head_number,
        states=(base_state, head_state),
        pairs=pairs,
        same_version=len(versions) < 2,
        environment=place,
    )


def _number_and_state(result: AsvResult | None) -> tuple[float, State]:
    """The number of a commit, and why there is none; a commit may lack the benchmark."""
    if result is None:
        return math.nan, "missing"
    return result.number, result.state


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
        What `measure_in_turns` has returned.
    versions : tuple of str
        `hcbench.asv.VERSION` of both commits.

    Returns
    -------
    str
        The name of their environment in asv's files.

    Raises
    ------
    DataError
        If asv is not installed.
    """
    # asv publish wants the description of the machine beside its results.
    machine = _machine()
    path = folder / machine["machine"] / "machine.json"
    if not path.is_file():
        _asv("util").write_json(str(path), machine, 1)
    started = datetime.now(UTC)
    python = ".".join(platform.python_version_tuple()[:2])
    environment = f"turns-py{python}"
    params = machine | {"python": python}
    # asv has one benchmark for all sizes, which are its parameter.
    by_benchmark: dict[tuple[str, str], dict[int, Series]] = {}
    for name, n, quantity in sorted(measured):
        by_benchmark.setdefault((name, quantity), {})[n] = measured[name, n, quantity]
    for side, commit in enumerate((base, head)):
        results = _asv("results").Results(
            params, {}, commit.hash, commit.milliseconds, python, environment, {}
        )
        for (name, quantity), by_size in by_benchmark.items():
            if all(series.unable[side] == "missing" for series in by_size.values()):
                continue  # the commit has no such benchmark
            benchmark = {
                "name": f"{FILE}.{name}.track_{quantity}",
                "version": versions[side],
                "params": [[repr(n) for n in by_size]],
            }
            result = _result_of(quantity, list(by_size.values()), side)
            results.add_result(benchmark, result, started_at=started, record_samples=True)
        results.save(str(folder))
    return environment


def _result_of(quantity: str, by_size: Sequence[Series], side: int) -> Any:
    """The result of a benchmark of one commit, as asv has it; an entry for each size."""
    values = []
    samples = []
    for series in by_size:
        value, used = _summarise(quantity, series, side)
        values.append(value)
        samples.append(used)
    return _asv("runner").BenchmarkResult(
        result=values,
        samples=samples,
        number=[None] * len(values),
        errcode=0,
        stderr="",
        profile=None,
    )


def _asv(module: str) -> Any:
    """A module of asv.

    Raises
    ------
    DataError
        If asv is not installed.
    """
    try:
        return importlib.import_module(f"asv.{module}")
    except ImportError as error:
        raise DataError("regress writes asv's results: pip install asv") from error


def _machine() -> dict[str, str]:
    """The description of this machine that ``asv machine`` made, or asv's defaults."""
    module = _asv("machine")
    name = module.Machine.get_unique_machine_name()
    try:
        description: dict[str, str] = module.MachineCollection.load(name)
    except _asv("util").UserError:
        description = module.Machine.get_defaults()
    return {key: value for key, value in description.items() if key != "version"}


def _summarise(quantity: str, series: Series, side: int) -> tuple[float | None, list[float] | None]:
    """The summary of the measurements of one commit, and the measurements.

    asv's files have null for a benchmark that failed, and NaN for one that does not apply.
    """
    samples = (series.base, series.head)[side]
    if series.unable[side] == "failed":
        return None, None
    if not samples or series.unable[side]:
        return math.nan, None
    used = samples
    if quantity in ("queries", "loss"):
        # Exact numbers, which are compared for the same repetitions.
        used = samples[:SCREENING]
    return summarise_repetitions(quantity, used), samples
