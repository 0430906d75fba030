"""Results folders become one run again; `hcbench.results.folders` writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hcbench.errors import DataError
from hcbench.model.regular_files import read_regular
from hcbench.plan.outcome import REPORTED
from hcbench.results.folders import (
    DEFAULTS,
    FORMAT,
    FORMAT_NAME,
    SUFFIX,
    Description,
    Row,
    place_in,
)
from hcbench.store.exchange import upgraded
from hcbench.store.schema import SCHEMA_VERSION, VERSION

#: A folder with more files than this is rather a mistake than results.
_MOST_FILES = 100_000
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
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        files.append((path, _read_file(path)))
        if len(files) > _MOST_FILES:
            raise DataError(f"{folder} has more than {_MOST_FILES:,} files; import its folders")
    if not files:
        raise DataError(
            f"{folder} has no results: no file {SUFFIX} of hcbench results export --format folder"
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
        number = content.get(FORMAT_NAME)
    if isinstance(number, int) and number > FORMAT:
        raise DataError(
            f"{path} was exported by a later version of hcbench (format {number}, this one knows "
            f"{FORMAT}): pip install --upgrade hcbench"
        )
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
        # Each has the rows of the schema of its file.
        self._cells_by_schema: dict[int, list[dict[str, Any]]] = {}
        self._n_cells = 0
        self._environments: list[Any] = []
        self._suites: set[str] = set()
        #: The key of each metric, by its label.
        self._keys: dict[str, str] = {}

    def add(self, path: Path, content: Row) -> None:
        """Add a file."""
        cells = self._cells_by_schema.setdefault(int(content[VERSION]), [])
        self._suites.add(str(content["suite"]))
        self._add_layout(path, content["presentation"])
        for cell in content["cells"]:
            cells.append(self._cell(cell, content))

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
            # A copy of the first one, to which what the others say is added.
            self._layout = json.loads(json.dumps(layout))
            return
        _join(self._layout, layout)
        suite = self._layout["suite"]
        suite["repetitions"] = max(suite["repetitions"], layout["suite"]["repetitions"])

    def _cell(self, cell: Row, content: Row) -> dict[str, Any]:
        """A cell as a row of the store, with its points."""
        # Rows have the numbers of a store that does not exist yet; an import gives them new ones.
        self._n_cells += 1
        description = dict(content["descriptions"][cell["description"]])
        environment = content["environments"][cell["environment"]]
        run = place_in(self._environments, environment) + 1
        points = [self._point(point, run) for point in cell["points"]]
        row = dict(DEFAULTS)
        for name in _NUMBERS:
            row[name] = None
        for name, value in cell.items():
            if name in _SEEDS:
                description[name] = value
            elif name not in ("description", "environment", "points"):
                row[name] = value
        row["id"] = self._n_cells
        row["run"] = run
        row["algorithm"] = content["algorithm"]
        row["dataset"] = content["dataset"]
        row["cell"] = json.dumps(description)
        row["points"] = points
        return row

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
        """The run, of the schema that its files have, or of the present one if they differ."""
        runs = self._runs()
        parts: list[Description] = []
        for schema, cells in sorted(self._cells_by_schema.items()):
            parts.append({VERSION: schema, "runs": runs, "cells": cells})
        newest = parts[-1]
        # A later one than the present is refused when it is imported.
        if len(parts) == 1 or newest[VERSION] > SCHEMA_VERSION:
            return newest
        all_cells: list[dict[str, Any]] = []
        run_rows: dict[int, Any] = {}
        for part in parts:
            present = part
            if part[VERSION] < SCHEMA_VERSION:
                present = upgraded(part, str(self._folder))
            all_cells += present["cells"]
            for run in present["runs"]:
                run_rows.setdefault(run["id"], run)
        return {VERSION: SCHEMA_VERSION, "runs": list(run_rows.values()), "cells": all_cells}

    def _runs(self) -> list[dict[str, Any]]:
        """The rows of runs: one for each environment, of which the first has the layout."""
        # Nobody knows when the runs began and ended: the times of their cells stand for it.
        times = []
        for cells in self._cells_by_schema.values():
            times += [cell["created"] for cell in cells]
        started = min(times)
        finished = max(times)
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
        return run_rows


def _join(layout: dict[str, Any], part: Row) -> None:
    """Add the entries of mappings and lists that are not there."""
    for name, value in part.items():
        present = layout.get(name)
        if name == "metrics" and isinstance(value, list):
            _join_metrics(layout[name], value)
        elif isinstance(present, dict) and isinstance(value, dict):
            _join(present, value)
        elif isinstance(present, list) and isinstance(value, list):
            _add_missing(present, value)
        elif name not in layout:
            # Of single values, such as the seed of the suite, those of the first file stay.
            layout[name] = value


def _join_metrics(metrics: list[Any], added: Sequence[Any]) -> None:
    """Add metrics by their label; the names of the metrics of a suite are added as they are."""
    for metric in added:
        if not isinstance(metric, dict):
            if metric not in metrics:
                metrics.append(metric)
            continue
        same = _metric_with_label(metrics, metric["label"])
        if same is None:
            metrics.append(metric)
            continue
        # Each file has what the metric says about its own data set.
        _add_missing(same["heads"], metric["heads"])
        if same["datasets"] is not None:
            _add_missing(same["datasets"], metric["datasets"] or [])


def _metric_with_label(metrics: Sequence[Any], label: str) -> dict[str, Any] | None:
    """The description of a metric; None if it is not there."""
    for metric in metrics:
        if metric["label"] == label:
            return metric  # type: ignore[no-any-return]
    return None


def _add_missing(present: list[Any], added: Sequence[Any]) -> None:
    """Add the entries of a list that are not there, each once."""
    for entry in added:
        if entry not in present:
            present.append(entry)
