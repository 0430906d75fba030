"""A run as a folder of small text files, for a repository and for reviews.

There is one JSON file for each algorithm and data set. It holds all that its cells need: what they
ran, their seeds, what they returned, on which machine, and how they are shown. So a new algorithm
adds files and changes none, and the files of many contributors, in one folder or several, are one
run again. Lines are sorted, and a cell is one line, so that a difference shows the cells that
changed. `hcbench.results.folder_reading` reads such a folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

from hcbench.errors import HcbenchError
from hcbench.store.schema import VERSION

FORMAT = 1
"""The number of the format, which is raised when files of before could be misread."""
FORMAT_NAME = "hcbench results"
SUFFIX = ".json"

#: A description of `hcbench.store.exchange.describe_run`.
Description: TypeAlias = dict[str, Any]
Row: TypeAlias = Mapping[str, Any]

#: Columns of a cell that say nothing to others, or are in the file for all of its cells.
_OMITTED = ("id", "run", "cell", "points", "algorithm", "dataset", "traceback", "log", "host")
#: What a column holds that a file leaves out.
DEFAULTS: Mapping[str, Any] = {
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
    # The first run is the one that is exported; the others have measured some of its cells.
    layout = json.loads(description["runs"][0]["layout"])
    environments = {}
    for run in description["runs"]:
        environments[run["id"]] = _public_environment(json.loads(run["environment"]))
    # A file for each algorithm and data set, with the cells of all oracles.
    rows_of: dict[tuple[str, str], list[Row]] = {}
    for row in description["cells"]:
        algorithm, dataset, _ = _labels_of(row, layout)
        rows_of.setdefault((algorithm, dataset), []).append(row)
    changed = []
    for (algorithm, dataset), rows in sorted(rows_of.items()):
        content = _file_of(description, layout, environments, algorithm, dataset, rows)
        path = folder / _file_name(algorithm) / f"{_file_name(dataset)}{SUFFIX}"
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
    # What many cells have in common is in the file once; cells refer to it by its place.
    shared: list[Any] = []
    machines: list[Any] = []
    cells = []
    oracles = set()
    in_order = sorted(rows, key=lambda row: _order_of(row, layout))
    for row in in_order:
        cell = _cell_of(row, layout)
        oracles.add(cell["oracle"])
        stored = json.loads(row["cell"])
        shared_part = {name: stored.get(name) for name in _SHARED}
        cell["description"] = place_in(shared, shared_part)
        for name, value in stored.items():
            # The seeds of the data, of the noise and of the algorithm.
            if name not in _SHARED:
                cell[name] = value
        cell["environment"] = place_in(machines, environments[row["run"]])
        cells.append(cell)
    return {
        FORMAT_NAME: FORMAT,
        VERSION: description[VERSION],
        "algorithm": algorithm,
        "dataset": dataset,
        "suite": description["runs"][0]["suite"],
        "presentation": _part_of_layout(layout, algorithm, dataset, sorted(oracles)),
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
        # The oracle is there already, under the label of this run.
        if name in _OMITTED or name in cell:
            continue
        if value is not None and value != DEFAULTS.get(name):
            cell[name] = value
    cell["points"] = list(map(_point_of, row["points"]))
    return cell


def _point_of(point: Row) -> dict[str, Any]:
    """A point of a call: plain numbers for values that are there."""
    described: dict[str, Any] = {"checkpoint": point["checkpoint"], "queries": point["queries"]}
    if point.get("result") is not None:
        described["result"] = point["result"]
    values: dict[str, Any] = {}
    for value in sorted(point["values"], key=lambda value: value["metric"]):
        number: Any = value["value"]
        # A value with a reason, or without a number, is written in full.
        if value["status"] != "ok" or value["reason"]:
            number = {name: value[name] for name in ("value", "status", "reason")}
        values[value["metric"]] = number
    described["values"] = values
    return described


def place_in(distinct: list[Any], value: Any) -> int:
    """The place of a value in a list, to whose end it is added if it is not there."""
    if value not in distinct:
        distinct.append(value)
    return distinct.index(value)


def _part_of_layout(
    layout: Row, algorithm: str, dataset: str, oracles: Sequence[str]
) -> dict[str, Any]:
    """How the cells of one algorithm and data set are shown: the part of the layout about them."""
    part = dict(layout)
    # What the user of this store calls the run is about this store.
    part.pop("name", None)
    part.pop("note", None)
    part["algorithms"] = [algorithm]
    part["datasets"] = [dataset]
    part["oracles"] = list(oracles)

    all_labels = {algorithm, dataset}
    all_labels.update(oracles)
    part["references"] = _labels_among(layout["references"], {algorithm})
    part["dependent_data"] = _labels_among(layout["dependent_data"], {dataset})
    for name in ("parameters", "names"):
        part[name] = {}
        for kind in _KINDS:
            entries = layout[name].get(kind, {})
            # The metrics are those of all files: they are joined, and must agree.
            if kind != "metrics":
                entries = _only(entries, all_labels)
            part[name][kind] = entries
    for name in ("query_kinds", "truth_given", "data_given", "families", "tags"):
        part[name] = _only(layout.get(name, {}), all_labels)
    part["deterministic"] = {}
    for kind, labels in layout["deterministic"].items():
        part["deterministic"][kind] = _labels_among(labels, all_labels)
    part["metrics"] = [_without_other_data(metric, dataset) for metric in layout["metrics"]]

    suite = dict(layout["suite"])
    suite["algorithms"] = [algorithm]
    suite["datasets"] = [dataset]
    for name in _OF_PLANS:
        suite[name] = []
    part["suite"] = suite
    # A file is no shard of a plan, and its cells have the labels of the run already.
    part["shard"] = None
    part["renamed"] = {}
    return part


def _labels_among(labels: Iterable[str], allowed: Collection[str]) -> list[str]:
    """The labels that are allowed, in their order."""
    among = []
    for label in labels:
        if label in allowed:
            among.append(label)
    return among


def _only(entries: Row, labels: Collection[str]) -> dict[str, Any]:
    """The entries of some labels."""
    return {label: entries[label] for label in _labels_among(entries, labels)}


def _without_other_data(metric: Row, dataset: str) -> dict[str, Any]:
    """A metric, with what it says about one data set."""
    described = dict(metric)
    # None means all data sets.
    if described.get("datasets") is not None:
        described["datasets"] = _labels_among(described["datasets"], {dataset})
    heads = []
    for head in described.get("heads", ()):
        # A pair of a data set and the label of the metric above its values.
        if head[0] == dataset:
            heads.append(head)
    described["heads"] = heads
    return described


def _file_name(label: str) -> str:
    """A name of a file for a label: readable, and different for different labels."""
    name = _UNSAFE.sub("_", label).strip("_.")[:_LONGEST_NAME] or "_"
    if name == label:
        return name
    # Two labels may become one name; the digest keeps their files apart.
    digest = blake2b(label.encode(), digest_size=4).hexdigest()
    return f"{name}-{digest}"


def _to_text(content: Row) -> str:
    """JSON with one line for each entry, and one for each cell."""
    lines = []
    for name, value in content.items():
        if isinstance(value, list) and value:
            entries = ",\n  ".join(map(_one_line, value))
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
        # An unchanged file keeps its time, so that tools which look at it see no change.
        if path.is_file() and path.read_bytes() == content:
            return False
        # Interrupted in between, no file is left half written.
        unfinished = path.with_name(f"{path.name}.unfinished")
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error
    return True
