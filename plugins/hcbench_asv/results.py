"""What asv stored of benchmarks, at each commit."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from hcbench import DataError

EXACT = ("queries", "1 - quality", "value")
_PREFIXES = {"time": "s", "timeraw": "s", "mem": "bytes", "peakmem": "bytes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    """What asv stored of a benchmark with one combination of parameters at one commit.

    Attributes
    ----------
    commit : str
    date : datetime
        Of the commit.
    name, unit, environment, version : str
    values : tuple of str
        Of the parameters.
    parameters : str
        The same, with their names where asv has discovered them.
    started : float, optional
        When it was measured, in ms; equal for commits that ``hcbench regress`` measured in turns.
    number : float
        NaN if there is none.
    state : {"", "n/a", "failed"}
        Why there is none.
    samples : tuple of float
    """

    commit: str
    date: datetime
    name: str
    unit: str
    environment: str
    version: str
    values: tuple[str, ...]
    parameters: str
    started: float | None
    number: float
    state: Literal["", "n/a", "failed"]
    samples: tuple[float, ...]


def read_results(folder: Path) -> list[StoredResult]:
    """What is in a results folder of asv.

    Parameters
    ----------
    folder : Path
        ``results_dir`` of asv's configuration, such as ``.asv/results``. asv is not needed.

    Raises
    ------
    DataError
        If a file cannot be read.
    """
    described = _read(folder / "benchmarks.json") if (folder / "benchmarks.json").exists() else {}
    results: list[StoredResult] = []
    for path in sorted(folder.glob("*/*.json")):
        if path.name == "machine.json":
            continue
        try:
            results += _results_of(_read(path), path.parent.name, described)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise DataError(f"{path} is no result file of asv: {error!r}") from error
    return results


def _read(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    except ValueError as error:
        raise DataError(f"{path} is no result file of asv: {error}") from error
    if not isinstance(read, dict):
        raise DataError(f"{path} is no result file of asv: it holds no object")
    return read


def _results_of(
    file: Mapping[str, Any], machine: str, described: Mapping[str, Any]
) -> Iterator[StoredResult]:
    """What was measured at one commit."""
    date = datetime.fromtimestamp(file["date"] / 1000, UTC)
    for name, row in file["results"].items():
        of = dict(zip(file["result_columns"], row, strict=False))
        about = described.get(name, {})
        prefix = name.rpartition(".")[2].partition("_")[0]
        unit = str(about.get("unit") or _PREFIXES.get(prefix, ""))
        unit = "s" if unit == "seconds" else unit
        names = about.get("param_names", ())
        combinations = list(itertools.product(*(of.get("params") or ())))
        none = [None] * len(combinations)  # the benchmark failed as a whole, or has no samples
        columns = combinations, of["result"] or none, of.get("samples") or none
        for values, stored, samples in zip(*columns, strict=False):
            number = float(stored) if isinstance(stored, int | float) else math.nan
            texts = [
                f"{label}={value}" if label else value
                for label, value in itertools.zip_longest(names, values, fillvalue="")
            ]
            yield StoredResult(
                commit=str(file["commit_hash"]),
                date=date,
                name=name,
                unit=unit,
                environment=f"{machine}/{file['env_name']}",
                version=str(of.get("version") or ""),
                values=values,
                parameters=", ".join(texts),
                started=of.get("started_at"),
                number=number,
                state="failed" if stored is None else "n/a" if math.isnan(number) else "",
                samples=tuple(samples or ()),
            )
