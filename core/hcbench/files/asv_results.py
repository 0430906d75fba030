"""What asv stored of benchmarks, at each commit."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from hcbench.errors import DataError
from hcbench.model.regular_files import read_regular

EXACT_UNITS = ("queries", "1 - quality", "value")
"""The units of benchmarks that are reproducible from the same seeds."""

#: The unit of a benchmark by the beginning of its name, as asv has it.
_PREFIXES = {"time": "s", "timeraw": "s", "mem": "bytes", "peakmem": "bytes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AsvResult:
    """What asv stored of a benchmark with one combination of parameters at one commit.

    Attributes
    ----------
    commit : str
    date : datetime
        Of the commit.
    name, unit, environment, version : str
    values : tuple of str
        The values of the parameters.
    parameters : str
        The values, with the names of the parameters where asv has discovered them.
    started : float, optional
        When it was measured, in ms; equal for commits that ``hcbench regress`` measured in turns.
    number : float
        NaN if there is none.
    state : {"", "n/a", "failed"}
        Why there is none.
    samples : tuple of float

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> stored = {"commit_hash": "1a2b3c4d", "date": 0, "env_name": "py3.12"}
    >>> stored["result_columns"] = ["result", "params", "version"]
    >>> stored["results"] = {"sorting.time_sort": [[0.25], [], "1"]}
    >>> Path("results/laptop").mkdir(parents=True)
    >>> _ = Path("results/laptop/1a2b3c4d-py3.12.json").write_text(json.dumps(stored))
    >>> result = hcbench.files.read_asv_results(Path("results"))[0]
    >>> result.name, result.number, result.environment
    ('sorting.time_sort', 0.25, 'laptop/py3.12')
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


def read_asv_results(folder: Path) -> list[AsvResult]:
    """What is in a results folder of asv.

    Parameters
    ----------
    folder : Path
        ``results_dir`` of asv's configuration, such as ``.asv/results``. asv is not needed.

    Raises
    ------
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> stored = {"commit_hash": "1a2b3c4d", "date": 0, "env_name": "py3.12"}
    >>> stored["result_columns"] = ["result", "params", "version"]
    >>> stored["results"] = {"sorting.time_sort": [[0.25, 0.5], [["10", "20"]], "1"]}
    >>> Path("results/laptop").mkdir(parents=True)
    >>> _ = Path("results/laptop/1a2b3c4d-py3.12.json").write_text(json.dumps(stored))
    >>> for result in read_asv_results(Path("results")):
    ...     print(result.name, result.values, result.number)
    sorting.time_sort ('10',) 0.25
    sorting.time_sort ('20',) 0.5
    """
    described: dict[str, Any] = {}
    if (folder / "benchmarks.json").exists():  # which asv writes when it has discovered benchmarks
        described = _read(folder / "benchmarks.json")
    results: list[AsvResult] = []
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
        content = json.loads(read_regular(path).decode("utf-8"))
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    except ValueError as error:
        raise DataError(f"{path} is no result file of asv: {error}") from error
    if not isinstance(content, dict):
        raise DataError(f"{path} is no result file of asv: it holds no object")
    return content


def _results_of(
    file: Mapping[str, Any], machine: str, described: Mapping[str, Any]
) -> Iterator[AsvResult]:
    """What was measured at one commit."""
    date = datetime.fromtimestamp(file["date"] / 1000, UTC)
    for name, row in file["results"].items():
        # asv omits what is missing at the end of a row.
        columns = dict(zip(file["result_columns"], row, strict=False))
        description = described.get(name, {})
        combinations = list(itertools.product(*(columns.get("params") or ())))
        missing = [None] * len(combinations)
        # The benchmark failed as a whole if it has no result; not all have samples.
        numbers = columns["result"] or missing
        samples = columns.get("samples") or missing
        for values, stored, drawn in zip(combinations, numbers, samples, strict=False):
            number = math.nan
            if isinstance(stored, int | float):
                number = float(stored)
            yield AsvResult(
                commit=str(file["commit_hash"]),
                date=date,
                name=name,
                unit=_unit(name, description),
                environment=f"{machine}/{file['env_name']}",
                version=str(columns.get("version") or ""),
                values=values,
                parameters=_describe_values(description.get("param_names", ()), values),
                started=columns.get("started_at"),
                number=number,
                state=_state(stored, number),
                samples=tuple(drawn or ()),
            )


def _unit(name: str, description: Mapping[str, Any]) -> str:
    prefix = name.rpartition(".")[2].partition("_")[0]
    unit = str(description.get("unit") or _PREFIXES.get(prefix, ""))
    if unit == "seconds":
        return "s"
    return unit


def _describe_values(names: Iterable[str], values: Iterable[str]) -> str:
    """Such as ``"n=40, '2'"``: values beyond the names stand alone."""
    texts = []
    for name, value in itertools.zip_longest(names, values, fillvalue=""):
        text = value
        if name:
            text = f"{name}={value}"
        texts.append(text)
    return ", ".join(texts)


def _state(stored: float | None, number: float) -> Literal["", "n/a", "failed"]:
    if stored is None:
        return "failed"
    if math.isnan(number):
        return "n/a"
    return ""
