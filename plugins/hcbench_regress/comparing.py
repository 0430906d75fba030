"""What became worse from one commit to another, by asv's results.

git finds the two commits, which are installed and measured in turns: base, head, head, base, ...
Anything that slows the machine down affects both, and cancels in the ratio of a pair. A few pairs
of each case screen for times that may differ. These are measured again by many fresh processes, one
pair in each: a process keeps its memory layout, so pairs of one process are not independent. Only
these new pairs tell whether the times differ.

The installed version of asv writes the results. Pairs that were measured in turns are samples with
the same index in two files with the same start time in milliseconds, which never happens with
``asv run``.

The verdict on each benchmark depends on what is measured. Numbers of queries, losses and values are
reproducible from the same seeds: any increase counts. Times need pairs that were measured in turns.
Student's t test of the logarithms of their ratios judges them, and the false discovery rate of all
times together is controlled.
"""

from __future__ import annotations

import importlib
import math
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from scipy.stats import false_discovery_control, t as student

from hcbench import DataError
from hcbench.analysis import Block, Note, TableEntry, describe_notes, format_spread, summarise
from hcbench.asv import (
    EXACT,
    REPETITIONS,
    TRACKS,
    UNITS,
    VERSION,
    Case,
    Measurement,
    MeasuringProcess,
    StoredResult,
    read_results,
    reproducible_environment,
    summarise_repetitions,
)

State: TypeAlias = Literal["", "n/a", "failed", "missing"]

TRAILER = "Accepted-Regression"
"""The line of a commit message that declares a regression: its benchmark, with * and ?."""

INSTALLED = 10
"""Installed commits on disk; with its compiled kernels each takes some 20 MB."""


# ---- Commits -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the project.

    Attributes
    ----------
    name : str
        As it was asked for.
    hash : str
    milliseconds : int
        When it was committed, since 1970.
    """

    name: str
    hash: str
    milliseconds: int

    @property
    def short(self) -> str:
        """As asv's file names have it."""
        return self.hash[:8]


def find_root(folder: Path) -> Path:
    """The top of the repository that holds a folder.

    Raises
    ------
    DataError
        If there is none.
    """
    return Path(_git(folder, "rev-parse", "--show-toplevel"))


def find_commit(root: Path, name: str) -> Commit:
    """The commit that a branch, a tag or a hash names.

    Raises
    ------
    DataError
        If there is none of that name.
    """
    wanted = ("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    try:
        found = _git(root, "rev-parse", *wanted)
    except DataError as error:
        raise DataError(
            f"{name} is no commit of {root}; is it fetched? (git fetch --unshallow)"
        ) from error
    return Commit(name, found, 1000 * int(_git(root, "show", "-s", "--format=%ct", found)))


def accepted_between(root: Path, base: Commit, head: Commit) -> list[str]:
    """The patterns of regressions that commits of ``base..head`` declare in their messages."""
    trailers = f"--format=%(trailers:key={TRAILER},valueonly)"
    text = _git(root, "log", trailers, f"{base.hash}..{head.hash}")
    return [line.strip() for line in text.splitlines() if line.strip()]


def install(root: Path, commit: Commit, folder: Path) -> Path:
    """Build a commit and install it into a folder, without its dependencies; once.

    Parameters
    ----------
    root : Path
        Of the repository.
    commit : Commit
    folder : Path
        Of such installations, each in a folder named by its commit.

    Raises
    ------
    DataError
        If it cannot be built.
    """
    target = folder / commit.hash
    if target.is_dir():
        target.touch()
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        source, installed = Path(work) / "source", Path(work) / "installed"
        _git(root, "clone", "--quiet", "--shared", "--no-checkout", str(root), str(source))
        _git(source, "checkout", "--quiet", "--detach", commit.hash)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        done = subprocess.run(
            [*command, str(installed), str(source)],
            capture_output=True,
            text=True,
            env={**reproducible_environment(Path(work)), "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        )
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise DataError(f"{commit.name} cannot be installed: {said[-1]}")
        installed.rename(target)
    by_use = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in by_use[:-INSTALLED]:
        shutil.rmtree(path, ignore_errors=True)
    return target


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise DataError("git is not installed, and regress compares commits") from error
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.split()) or f"exit code {error.returncode}"
        raise DataError(f"git {arguments[0]}: {said}") from error
    return done.stdout.strip()


# ---- Measuring in turns --------------------------------------------------------------------------

SCREENING = REPETITIONS
"""Pairs of each case, one for each repetition."""

LOOKS = 6
"""More pairs of suspected cases, by the same processes: most suspicions are due to chance."""

PROCESSES = 30
"""Fresh processes of each commit for the remaining suspects; each measures a case once.

With 5 % noise they find one time of 300 that is longer by 20 %. It is a multiple of 2, so that both
commits come first equally often, and of the number of repetitions.
"""

Key = tuple[str, int, str]  # name, number of items, quantity


@dataclass(slots=True)
class Series:
    """The measurements of a quantity for both commits.

    Attributes
    ----------
    base, head : list of float
        Values with the same index are a pair.
    unable : tuple of str
        Why a commit has no values: ``"failed"``, ``"n/a"`` or ``"missing"``; "" if it has some.
    """

    base: list[float] = field(default_factory=list)
    head: list[float] = field(default_factory=list)
    unable: tuple[State, State] = ("", "")


Measured = dict[Key, Series]


def measure_in_turns(
    base: MeasuringProcess,
    head: MeasuringProcess,
    only: Iterable[str] = (),
    *,
    suspicious: float = 1.05,
    tell: Callable[[str], None] = lambda _: None,
) -> Measured:
    """Screen all cases, then measure those again whose times may differ.

    Parameters
    ----------
    base, head : MeasuringProcess
    only : iterable of str
        Patterns of the names of cases; empty: all.
    suspicious : float
        Ratios of times above it, or below its inverse, are measured again.
    tell : callable
        Takes a line about the progress.
    """
    processes, patterns = (base, head), tuple(only)
    try:
        cases = [
            (name, n)
            for name, n in dict.fromkeys([*head.cases(), *base.cases()])
            if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
        ]
        screened: Measured = {}
        tell(f"{SCREENING} rounds of all: {len(cases)} cases")
        for number in range(SCREENING):
            _measure_once(processes, cases, number, screened)
        suspects = _suspects(screened, suspicious)
        if suspects:
            looked: Measured = {}
            cases = _cases_of(suspects)
            tell(f"{LOOKS} rounds of suspected cases: {len(cases)} cases")
            for number in range(LOOKS):
                _measure_once(processes, cases, number, looked)
            suspects &= _suspects(looked, suspicious)
        confirmed: Measured = {}
        if suspects:
            cases = _cases_of(suspects)
            tell(f"{PROCESSES} fresh processes for suspected cases: {len(cases)} cases")
            for number in range(PROCESSES):
                base.close()
                head.close()
                _measure_once(processes, cases, number, confirmed)
    finally:
        base.close()
        head.close()
    return screened | {key: confirmed[key] for key in suspects}


def _suspects(measured: Measured, suspicious: float) -> set[Key]:
    """The times that may differ, by the median of the pairs and by the minima."""
    suspects = set()
    for key, series in measured.items():
        pairs = list(zip(series.base, series.head, strict=False))
        if UNITS[key[2]] == "s" and pairs and min(series.base) > 0:
            least = min(h for _, h in pairs) / min(b for b, _ in pairs)
            ratios = statistics.median(h / b for b, h in pairs), least
            if min(ratios) > suspicious or max(ratios) < 1 / suspicious:
                suspects.add(key)
    return suspects


def _cases_of(keys: set[Key]) -> list[Case]:
    return sorted({(name, n) for name, n, _ in keys}, key=lambda case: case[::-1])


def _measure_once(
    processes: tuple[MeasuringProcess, MeasuringProcess],
    cases: list[Case],
    number: int,
    into: Measured,
) -> None:
    """Measure a pair of each case; the commit that comes first alternates."""
    for place, case in enumerate(cases):
        pair: list[Measurement] = [{}, {}]
        for which in (0, 1) if (number + place) % 2 == 0 else (1, 0):
            if case in processes[which].cases():
                pair[which] = processes[which].measure(case, number % REPETITIONS)
        for quantity in TRACKS[case[0].partition("_")[0]]:
            series = into.setdefault((*case, quantity), Series())
            states = _state(pair[0], quantity), _state(pair[1], quantity)
            if any(states):
                series.unable = states
            if not states[0]:
                series.base.append(float(pair[0][quantity]))
            if not states[1]:
                series.head.append(float(pair[1][quantity]))


def _state(measurement: Measurement, quantity: str) -> State:
    if measurement.get(quantity) is not None:
        return ""
    return "failed" if "failed" in measurement else "n/a" if measurement else "missing"


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
        Of the benchmark, with its parameters.
    unit : str
    base, head : float
        NaN where there is no number.
    states : tuple of str
        Of both: "" where there is a number, else ``"n/a"``, ``"failed"`` or ``"missing"``.
    pairs : tuple of (float, float)
        Of base and head, measured in turns; each by processes of its own, if there are more than
        `SCREENING`.
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
        """Head over base; of times the geometric mean of the pairs. NaN where undefined."""
        if self.unit == "s" and self.pairs:
            return math.exp(statistics.fmean(self.log_ratios))
        return math.nan if any(self.states) or self.base == 0 else self.head / self.base

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
    by_benchmark: dict[tuple[str, str], dict[int, Series]] = {}
    for name, n, quantity in sorted(measured):
        by_benchmark.setdefault((name, quantity), {})[n] = measured[name, n, quantity]
    for side, commit in enumerate((base, head)):
        results = _asv("results").Results(
            params, {}, commit.hash, commit.milliseconds, python, environment, {}
        )
        for (name, quantity), by_size in by_benchmark.items():
            if all(series.unable[side] == "missing" for series in by_size.values()):
                continue
            summaries = [_summarise(quantity, series, side) for series in by_size.values()]
            result = _asv("runner").BenchmarkResult(
                result=[value for value, _ in summaries],
                samples=[samples for _, samples in summaries],
                number=[None] * len(summaries),
                errcode=0,
                stderr="",
                profile=None,
            )
            benchmark = {
                "name": f"{FILE}.{name}.track_{quantity}",
                "version": versions[side],
                "params": [[repr(n) for n in by_size]],
            }
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


def _summarise(quantity: str, series: Series, side: int) -> tuple[float | None, list[float] | None]:
    """The summary of the measurements of one commit, and the measurements."""
    samples = (series.base, series.head)[side]
    if series.unable[side] == "failed":
        return None, None
    if not samples or series.unable[side]:
        return math.nan, None
    used = samples[:SCREENING] if quantity in ("queries", "loss") else samples
    return summarise_repetitions(quantity, used), samples


# ---- Verdicts ------------------------------------------------------------------------------------

Verdict: TypeAlias = Literal[
    "regression", "accepted", "improvement", "new", "removed", "not judged", "n/a", "same"
]
ORDER = get_args(Verdict)
SHOWN = ORDER[:5]

FALSE_DISCOVERIES = 0.05
"""Of the times that are said to differ by more than the tolerance, the expected share that do not.
"""

TOLERANCE = 0.1
"""How much longer a call may take."""

MEMORY = 0.3
"""How much more memory a call may hold, beside `MEMORY_FLOOR`."""

MEMORY_FLOOR = 16 * 2**20
ROUNDING = 1e-9
_OF_STATES: dict[tuple[State, State], tuple[Verdict, str]] = {
    ("", "n/a"): ("regression", "does not apply any more"),
    ("", "failed"): ("regression", "fails now"),
    ("n/a", "failed"): ("regression", "did not apply, and fails now"),
    ("n/a", ""): ("improvement", "applies now"),
    ("failed", ""): ("improvement", "failed before"),
    ("n/a", "n/a"): ("n/a", ""),
    ("failed", "n/a"): ("n/a", "failed before, too"),
    ("failed", "failed"): ("n/a", "failed before, too"),
    ("missing", ""): ("new", ""),
    ("missing", "n/a"): ("new", ""),
    ("missing", "failed"): ("new", "fails"),
}
"""The verdict where one of two commits has no number; others are removed."""
FEWEST = 8
"""A time with fewer pairs was not suspected of a difference: these pairs are of screening."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A benchmark with its verdict.

    Attributes
    ----------
    recorded : Recorded
    verdict : str
    reason : str
        Why, in a few words.
    """

    recorded: Recorded
    verdict: Verdict
    reason: str = ""


def judge(
    recorded: Iterable[Recorded],
    *,
    accepted: Sequence[str] = (),
    tolerance: float = TOLERANCE,
) -> list[Judged]:
    """Compare two commits, benchmark by benchmark.

    Parameters
    ----------
    recorded : iterable of Recorded
    accepted : sequence of str
        Patterns of benchmarks that may become worse.
    tolerance : float
        A time has become longer if its ratio to the old one is more than 1 + tolerance.
    """
    rows = list(recorded)
    p_values = _different_times(rows, tolerance)
    judged = []
    for place, row in enumerate(rows):
        verdict, reason = _verdict(row, tolerance, p_values.get(place))
        accept = any(fnmatchcase(row.name, f"*{pattern}*") for pattern in accepted)
        if verdict == "regression" and accept:
            verdict = "accepted"
        judged.append(Judged(row, verdict, reason))
    return judged


def _different_times(rows: Sequence[Recorded], tolerance: float) -> dict[int, float]:
    """The places of times that differ by more than the tolerance, with their adjusted p-values.

    Benjamini and Hochberg's procedure controls the false discovery rate of all times that were
    measured by fresh processes. What screening excluded does not count, as the pairs of these
    processes are new.
    """
    places = []
    p_values = []
    for place, row in enumerate(rows):
        if row.unit != "s" or any(row.states) or not row.same_version:
            continue
        if len(row.pairs) < FEWEST:
            continue
        places.append(place)
        p_values.append(_p_value(row.log_ratios, tolerance))
    if not places:
        return {}
    different = {}
    for place, adjusted in zip(places, false_discovery_control(p_values), strict=True):
        if adjusted <= FALSE_DISCOVERIES:
            different[place] = float(adjusted)
    return different


def _p_value(log_ratios: Sequence[float], tolerance: float) -> float:
    """Student's t test of whether the mean ratio differs from 1 by more than the tolerance.

    It is two-sided, so it rejects at 5 % where the 95 % interval of the ratio is above 1 +
    tolerance, or below the inverse.
    """
    n = len(log_ratios)
    beyond = abs(statistics.fmean(log_ratios)) - math.log1p(tolerance)
    # Equal ratios differ by rounding only.
    standard_error = max(statistics.stdev(log_ratios) / math.sqrt(n), ROUNDING)
    return min(1.0, 2 * float(student.sf(beyond / standard_error, n - 1)))


def _verdict(row: Recorded, tolerance: float, p: float | None) -> tuple[Verdict, str]:
    """The verdict on a benchmark, and why; p is that of a time that differs significantly."""
    if any(row.states):
        return _OF_STATES.get(row.states, ("removed", "is not there any more"))
    if not row.same_version:
        return "not judged", "is measured in another way now"
    change: Verdict = "regression" if row.head > row.base else "improvement"
    if row.unit == "s":
        if not row.pairs:
            return "not judged", "times need pairs: --measure"
        if p is None:
            return "same", f"within {tolerance:.0%}, or not significant"
        reason = f"{len(row.pairs)} processes, p = {p:.1g}"
        summary = summarise(row.log_ratios)
        if summary.low is not None and summary.high is not None:
            low, high = math.exp(summary.low), math.exp(summary.high)
            reason = f"95 % interval {low:.2f} to {high:.2f}, {reason}"
        return "regression" if row.ratio > 1 else "improvement", reason
    if row.unit == "bytes":
        if abs(row.head - row.base) <= MEMORY_FLOOR + MEMORY * min(row.base, row.head):
            return "same", f"within {MEMORY:.0%} and {MEMORY_FLOOR >> 20} MiB"
        return change, ""
    if row.base == row.head:
        return "same", ""
    if row.unit not in EXACT:
        return "not judged", "no direction is known"
    if math.isclose(row.base, row.head, rel_tol=ROUNDING, abs_tol=ROUNDING):
        return "same", ""
    if row.unit == "value":
        return "regression", "the same result has another value"
    return change, "exact"


# ---- Tables --------------------------------------------------------------------------------------


def overview_blocks(
    judged: Sequence[Judged], base: Commit, head: Commit, *, everything: bool = False
) -> list[Block]:
    """A table of what changed, regressions first; no table if nothing did.

    Parameters
    ----------
    judged : sequence of Judged
    base, head : Commit
    everything : bool
        Also list what is the same, and what could not be judged.
    """
    shown = [one for one in judged if everything or one.verdict in SHOWN]
    shown.sort(key=lambda one: (ORDER.index(one.verdict), one.recorded.name))
    if not shown:
        return []
    several = len({one.recorded.environment for one in shown}) > 1
    header = ("verdict", "benchmark", base.name, head.name, "ratio", "why")
    rows = tuple(_row(one, several) for one in shown)
    return [
        Block(f"{base.name} to {head.name}", header, (False, False, True, True, True, False), rows)
    ]


def _row(one: Judged, several: bool) -> tuple[TableEntry, ...]:
    row = one.recorded
    name = f"{row.name} {row.environment}" if several else row.name
    ratio = "" if math.isnan(row.ratio) else f"{row.ratio:.2f}"
    return (
        TableEntry(one.verdict, bold=one.verdict == "regression"),
        TableEntry(name),
        TableEntry(_number(row.base, row.states[0], row.unit)),
        TableEntry(_number(row.head, row.states[1], row.unit)),
        TableEntry(ratio),
        TableEntry(one.reason),
    )


def _number(value: float, state: str, unit: str) -> str:
    if state:
        return state
    if unit in ("s", "bytes"):
        return format_spread(value, None, unit)
    return f"{value:,.2f}".removesuffix(".00") if unit == "queries" else f"{value:.6g}"


def summary(judged: Sequence[Judged]) -> str:
    """The number of each verdict, in one line."""
    counts = Counter(one.verdict for one in judged)
    told = [f"{counts[name]} {name}" for name in ORDER if counts[name]]
    hint = ""
    if counts["regression"]:
        hint = f"; a commit message accepts one by a line '{TRAILER}: BENCHMARK'"
    return f"{len(judged)} benchmarks: {', '.join(told) or 'none'}{hint}"


def describe(judged: Sequence[Judged], base: Commit, head: Commit) -> dict[str, Any]:
    """All verdicts, for JSON."""
    return {
        "base": {"name": base.name, "hash": base.hash},
        "head": {"name": head.name, "hash": head.hash},
        "regressions": sum(one.verdict == "regression" for one in judged),
        "notes": describe_notes([Note(kind="test", text=summary(judged))]),
        "benchmarks": [
            {
                "name": one.recorded.name,
                "environment": one.recorded.environment,
                "unit": one.recorded.unit,
                "base": _or_none(one.recorded.base),
                "head": _or_none(one.recorded.head),
                "ratio": _or_none(one.recorded.ratio),
                "pairs": len(one.recorded.pairs),
                "verdict": one.verdict,
                "reason": one.reason,
            }
            for one in judged
        ],
    }


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
