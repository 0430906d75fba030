"""A run as a folder of small text files, for a repository and for reviews.

There is one JSON file for each algorithm and data set. It holds all that its cells need: what they
ran, their seeds, what they returned, on which machine, and how they are shown. So a new algorithm
adds files and changes none, and the files of many contributors, in one folder or several, are one
run again. Lines are sorted, and a cell is one line, so that a difference shows the cells that
changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

from hcbench.errors import DataError, HcbenchError
from hcbench.model.regular_files import read_regular
from hcbench.plan.outcome import REPORTED

FORMAT = 1
"""The number of the format, which is raised when files of before could be misread."""
_FORMAT_NAME = "hcbench results"
_SUFFIX = ".json"
_MOST_FILES = 100_000

#: A description of `hcbench.store.exchange.describe_run`.
Description: TypeAlias = dict[str, Any]
Row: TypeAlias = Mapping[str, Any]

#: Columns of a cell that say nothing to others, or are in the file for all of its cells.
_OMITTED = ("id", "run", "cell", "points", "algorithm", "dataset", "traceback", "log", "host")
#: What a column holds that a file leaves out.
_DEFAULTS: Mapping[str, Any] = {
    "reason": "",
    "phase": "",
    "stopped": "",
    "notes": "",
    "data_digest": "",
    "traceback": "",
    "log": "",
    "host": "",
    "status": "ok",
}
#: What of a description of a cell is the same for many cells; the rest is of one.
_SHARED = ("algorithm", "dataset", "oracle", "checkpoints", "threads", "hints")
_KINDS = ("algorithms", "datasets", "oracles", "metrics")
#: What belongs to a whole plan and not to an algorithm and a data set.
_OF_PLANS = ("claims", "figures", "only")
_UNSAFE = re.compile(r"[^\w.=,+-]+", re.ASCII)
_LONGEST_NAME = 80


# ---- Writing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The files of an export.

    Attributes
    ----------
    changed : tuple of Path
        Those that are new, or had another content.
    unchanged : int
        How many others there are.
    """

    changed: tuple[Path, ...]
    unchanged: int


def write_folder(description: Description, folder: Path) -> WrittenFiles:
    """Write a run to a folder, beside what is there.

    Parameters
    ----------
    description : dict
        Of `hcbench.store.exchange.describe_run`.
    folder : Path
        Files of the same algorithms and data sets are replaced; others stay.

    Returns
    -------
    WrittenFiles

    Raises
    ------
    HcbenchError
        If a file cannot be written.
    """
    layout = json.loads(description["runs"][0]["layout"])
    environments = {}
    for run in description["runs"]:
        environments[run["id"]] = _public_environment(json.loads(run["environment"]))
    rows_of: dict[tuple[str, str], list[Row]] = {}
    for row in description["cells"]:
        algorithm, dataset, _ = _labels_of(row, layout)
        rows_of.setdefault((algorithm, dataset), []).append(row)
    changed = []
    for (algorithm, dataset), rows in sorted(rows_of.items()):
        content = _file_of(description, layout, environments, algorithm, dataset, rows)
        path = folder / _file_name(algorithm) / f"{_file_name(dataset)}{_SUFFIX}"
        if _write(path, _to_text(content)):
            changed.append(path)
    return WrittenFiles(tuple(changed), len(rows_of) - len(changed))


def _labels_of(row: Row, layout: Row) -> tuple[str, str, str]:
    """Algorithm, data set and oracle of a cell, as the run calls them."""
    renamed = layout.get("renamed") or {}
    if row["key"] in renamed:
        algorithm, dataset, oracle = renamed[row["key"]]
        return algorithm, dataset, oracle
    return row["algorithm"], row["dataset"], row["oracle"]


def _public_environment(environment: Row) -> dict[str, Any]:
    """The environment of a run without the name of the machine, which is private."""
    public = dict(environment)
    machine = dict(public.get("machine") or {})
    machine.pop("host", None)
    public["machine"] = machine
    # The shards of a plan ran on several machines; what they have measured is in their cells.
    public.pop("shards", None)
    return public


def _file_of(
    description: Description,
    layout: Row,
    environments: Mapping[int, Row],
    algorithm: str,
    dataset: str,
    rows: Sequence[Row],
) -> dict[str, Any]:
    """The content of the file of an algorithm and a data set."""
    shared: list[Any] = []
    machines: list[Any] = []
    cells = []
    in_order = sorted(rows, key=lambda row: _order_of(row, layout))
    for row in in_order:
        cell = _cell_of(row, layout)
        stored = json.loads(row["cell"])
        cell["description"] = _place_in(shared, {name: stored.get(name) for name in _SHARED})
        for name, value in stored.items():
            # The seeds of the data, of the noise and of the algorithm.
            if name not in _SHARED:
                cell[name] = value
        cell["environment"] = _place_in(machines, environments[row["run"]])
        cells.append(cell)
    oracles = sorted({_labels_of(row, layout)[2] for row in rows})
    (schema_name,) = [name for name in description if name not in ("runs", "cells")]
    return {
        _FORMAT_NAME: FORMAT,
        schema_name: description[schema_name],
        "algorithm": algorithm,
        "dataset": dataset,
        "suite": description["runs"][0]["suite"],
        "presentation": _part_of_layout(layout, algorithm, dataset, oracles),
        "descriptions": shared,
        "environments": machines,
        "cells": cells,
    }


def _order_of(row: Row, layout: Row) -> tuple[str, ...]:
    """What cells of a file are sorted by."""
    repetition = f"{row['repetition']:09d}"
    oracle = _labels_of(row, layout)[2]
    return (oracle, str(row["budget"] or ""), row["seed"], repetition, row["key"], row["created"])


def _cell_of(row: Row, layout: Row) -> dict[str, Any]:
    """A cell without what is usual, and with its points by label."""
    cell: dict[str, Any] = {"oracle": _labels_of(row, layout)[2]}
    for name, value in row.items():
        if name in _OMITTED or name in cell:
            continue
        if value is not None and value != _DEFAULTS.get(name):
            cell[name] = value
    cell["points"] = [_point_of(point) for point in row["points"]]
    return cell


def _point_of(point: Row) -> dict[str, Any]:
    """A point of a call: plain numbers for values that are there."""
    described: dict[str, Any] = {"checkpoint": point["checkpoint"], "queries": point["queries"]}
    if point.get("result") is not None:
        described["result"] = point["result"]
    values: dict[str, Any] = {}
    for value in sorted(point["values"], key=lambda value: value["metric"]):
        number: Any = value["value"]
        if value["status"] != "ok" or value["reason"]:
            number = {name: value[name] for name in ("value", "status", "reason")}
        values[value["metric"]] = number
    described["values"] = values
    return described


def _place_in(distinct: list[Any], value: Any) -> int:
    """The place of a value in a list, to whose end it is added if it is not there."""
    if value not in distinct:
        distinct.append(value)
    return distinct.index(value)


def _part_of_layout(
    layout: Row, algorithm: str, dataset: str, oracles: Sequence[str]
) -> dict[str, Any]:
    """How the cells of one algorithm and data set are shown: the part of the layout about them."""
    part = {name: value for name, value in layout.items() if name not in ("name", "note")}
    labels = {"algorithms": [algorithm], "datasets": [dataset], "oracles": list(oracles)}
    all_labels = {algorithm, dataset, *oracles}
    part.update(labels)
    part["references"] = [name for name in layout["references"] if name == algorithm]
    part["dependent_data"] = [name for name in layout["dependent_data"] if name == dataset]
    for name in ("parameters", "names"):
        part[name] = {}
        for kind in _KINDS:
            entries = layout[name].get(kind, {})
            if kind != "metrics":
                entries = _only(entries, all_labels)
            part[name][kind] = entries
    for name in ("query_kinds", "truth_given", "data_given", "families"):
        part[name] = _only(layout[name], all_labels)
    part["deterministic"] = {}
    for kind, names in layout["deterministic"].items():
        part["deterministic"][kind] = [name for name in names if name in all_labels]
    part["metrics"] = [_without_other_data(metric, dataset) for metric in layout["metrics"]]
    suite = dict(layout["suite"])
    suite["algorithms"] = [algorithm]
    suite["datasets"] = [dataset]
    for name in _OF_PLANS:
        suite[name] = []
    part["suite"] = suite
    part["shard"] = None
    part["renamed"] = {}
    return part


def _only(entries: Row, labels: Iterable[str]) -> dict[str, Any]:
    """The entries of some labels."""
    label_set = set(labels)
    return {label: entry for label, entry in entries.items() if label in label_set}


def _without_other_data(metric: Row, dataset: str) -> dict[str, Any]:
    """A metric, with what it says about one data set."""
    described = dict(metric)
    if described.get("datasets") is not None:
        described["datasets"] = [name for name in described["datasets"] if name == dataset]
    described["heads"] = [head for head in described.get("heads", ()) if head[0] == dataset]
    return described


def _file_name(label: str) -> str:
    """A name of a file for a label: readable, and different for different labels."""
    name = _UNSAFE.sub("_", label).strip("_.")[:_LONGEST_NAME] or "_"
    if name == label:
        return name
    digest = blake2b(label.encode(), digest_size=4).hexdigest()
    return f"{name}-{digest}"


def _to_text(content: Row) -> str:
    """JSON with one line for each entry, and one for each cell."""
    lines = []
    for name, value in content.items():
        if isinstance(value, list) and value:
            entries = ",\n  ".join(_one_line(entry) for entry in value)
            text = f"[\n  {entries}\n ]"
        else:
            text = _one_line(value)
        lines.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _one_line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _write(path: Path, text: str) -> bool:
    """Write a file, unless it has this content; whether it had another."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode()
        if path.is_file() and path.read_bytes() == content:
            return False
        unfinished = path.with_name(f"{path.name}.unfinished")
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error
    return True


# ---- Reading -------------------------------------------------------------------------------------


def read_folder(folder: Path) -> Description:
    """Read the files of a folder, and of the folders in it, as one run.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    dict
        As `hcbench.store.exchange.describe_run` returns it. Nothing in it has been checked but its
        shape: `hcbench.store.exchange.import_run` checks the rows.

    Raises
    ------
    DataError
        If a file is none of this format, or two disagree about a metric.
    """
    files = []
    for path in sorted(folder.rglob(f"*{_SUFFIX}")):
        files.append((path, _read_file(path)))
        if len(files) > _MOST_FILES:
            raise DataError(f"{folder} has more than {_MOST_FILES:,} files; import its folders")
    if not files:
        raise DataError(
            f"{folder} has no results: no file {_SUFFIX} of hcbench results export --format folder"
        )
    joining = _Joining(folder)
    for path, content in files:
        try:
            joining.add(path, content)
        except DataError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            raise DataError(f"{path} is damaged: {repr(error)[:80]}") from error
    return joining.description()


def _read_file(path: Path) -> dict[str, Any]:
    """The content of one file.

    Raises
    ------
    DataError
        If it cannot be read, or is none of this format.
    """
    try:
        content = json.loads(read_regular(path))
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {repr(error)[:80]}; remove it or mend it") from error
    number = None
    if isinstance(content, dict):
        number = content.get(_FORMAT_NAME)
    if number != FORMAT:
        raise DataError(
            f"{path} is not of hcbench results export --format folder (format {number!r}, this "
            f"version knows {FORMAT}); move it out of the folder"
        )
    return content  # type: ignore[no-any-return]


class _Joining:
    """The files of a folder, as they become one run.

    Parameters
    ----------
    folder : Path
        For the command of the run, and for messages.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._layout: dict[str, Any] = {}
        self._cells: list[dict[str, Any]] = []
        self._environments: list[Any] = []
        self._suites: set[str] = set()
        self._schemas: set[int] = set()
        self._schema_name = ""
        #: The key of each metric, by its label.
        self._keys: dict[str, str] = {}

    def add(self, path: Path, content: Row) -> None:
        """Add a file."""
        names = [name for name in content if name.endswith(" schema")]
        (self._schema_name,) = names
        self._schemas.add(int(content[self._schema_name]))
        self._suites.add(str(content["suite"]))
        self._add_layout(path, content["presentation"])
        for cell in content["cells"]:
            self._add_cell(cell, content)

    def _add_layout(self, path: Path, layout: Row) -> None:
        """Add how the cells of a file are shown to how all are shown."""
        for metric in layout["metrics"]:
            key = self._keys.setdefault(metric["label"], metric["key"])
            if key != metric["key"]:
                raise DataError(
                    f"{path}: {metric['label']} was computed by another version of its code than "
                    f"in the other files of {self._folder}; export the run again after hcbench "
                    f"results rescore --metrics {metric['label']}"
                )
        if not self._layout:
            self._layout = json.loads(json.dumps(layout))
            return
        _join(self._layout, layout)
        suite = self._layout["suite"]
        suite["repetitions"] = max(suite["repetitions"], layout["suite"]["repetitions"])

    def _add_cell(self, cell: Row, content: Row) -> None:
        """Add a cell as a row of the store, with its points."""
        number = len(self._cells) + 1
        description = dict(content["descriptions"][cell["description"]])
        environment = content["environments"][cell["environment"]]
        run = _place_in(self._environments, environment) + 1
        points = [self._point(point, run) for point in cell["points"]]
        row = dict(_DEFAULTS)
        for name in _NUMBERS:
            row[name] = None
        for name, value in cell.items():
            if name in _SEEDS:
                description[name] = value
            elif name not in ("description", "environment", "points"):
                row[name] = value
        row["id"] = number
        row["run"] = run
        row["algorithm"] = content["algorithm"]
        row["dataset"] = content["dataset"]
        row["cell"] = json.dumps(description)
        row["points"] = points
        self._cells.append(row)

    def _point(self, point: Row, run: int) -> dict[str, Any]:
        """A point with its values as rows of the store."""
        rows = []
        for label, value in point["values"].items():
            described = value
            if not isinstance(value, dict):
                described = {"value": value, "status": "ok", "reason": ""}
            key = label
            if not label.endswith(REPORTED):
                # What another run has computed is not shown by this one.
                if label not in self._keys:
                    continue
                key = self._keys[label]
            rows.append({**described, "metric": label, "metric_key": key, "run": run})
        return {
            "checkpoint": point["checkpoint"],
            "queries": point["queries"],
            "result": point.get("result"),
            "values": rows,
        }

    def description(self) -> Description:
        """The run."""
        if len(self._schemas) > 1:
            raise DataError(
                f"{self._folder} has files of several versions of hcbench (schemas "
                f"{sorted(self._schemas)}); import its folders one by one"
            )
        started = min(cell["created"] for cell in self._cells)
        finished = max(cell["created"] for cell in self._cells)
        suite = "+".join(sorted(self._suites))
        run_rows = []
        for place, environment in enumerate(self._environments):
            layout = self._layout
            if place:
                # It only says on which machine some cells were measured.
                layout = {"removed": True}
            run_rows.append(
                {
                    "id": place + 1,
                    "started": started,
                    "finished": finished,
                    "interrupted": False,
                    "command": f"hcbench results import {self._folder.name}",
                    "suite": suite,
                    "environment": json.dumps(environment),
                    "layout": json.dumps(layout),
                }
            )
        (schema,) = self._schemas
        return {self._schema_name: schema, "runs": run_rows, "cells": self._cells}


#: Columns of a cell that may have no value.
_NUMBERS = (
    "budget",
    "seconds",
    "oracle_seconds",
    "peak_bytes",
    "queries",
    "distinct_queries",
    "rounds",
    "draws",
    "price",
    "tokens",
    "latency",
    "saved",
    "timeout",
    "memory",
    "load",
    "frequency",
)
_SEEDS = ("data_seed", "noise_seed", "algorithm_seed")


def _join(layout: dict[str, Any], part: Row) -> None:
    """Add the entries of mappings and lists that are not there."""
    for name, value in part.items():
        present = layout.get(name)
        if name == "metrics" and isinstance(value, list):
            _join_metrics(layout[name], value)
        elif isinstance(present, dict) and isinstance(value, dict):
            _join(present, value)
        elif isinstance(present, list) and isinstance(value, list):
            present.extend(entry for entry in value if entry not in present)
        elif name not in layout:
            layout[name] = value


def _join_metrics(metrics: list[Any], added: Sequence[Any]) -> None:
    """Add metrics by their label; the names of the metrics of a suite are added as they are."""
    for metric in added:
        if not isinstance(metric, dict):
            if metric not in metrics:
                metrics.append(metric)
            continue
        same = [present for present in metrics if present["label"] == metric["label"]]
        if not same:
            metrics.append(metric)
            continue
        (present,) = same
        present["heads"] = _joined(present["heads"], metric["heads"])
        if present["datasets"] is not None:
            present["datasets"] = _joined(present["datasets"], metric["datasets"] or [])


def _joined(present: Sequence[Any], added: Sequence[Any]) -> list[Any]:
    """Both lists, each entry once."""
    joined = list(present)
    joined.extend(entry for entry in added if entry not in joined)
    return joined
