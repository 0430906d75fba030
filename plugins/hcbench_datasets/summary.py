"""What a file is used as, and the command with which to go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hcbench.model import shell_command
from hcbench.run import make_data
from hcbench_datasets.content import Content, Table
from hcbench_datasets.file_names import with_params
from hcbench_datasets.reading import number_of_items, read_content

_NO_TRUTH = "no truth: only metrics without one apply"
_SHARE_HELD_OUT = 0.2


def summary_lines(use: Any, advised: Mapping[str, Any], table: Table | None) -> list[str]:
    """What a file is used as, once it has been read with the advised parameters.

    Trees are not made for it: that takes longer than reading a small file.

    Parameters
    ----------
    use : Use
        Of the data set of files, with the parameters of the user.
    advised : mapping of str to value
    table : Table, optional
        The table in the file, if it has been read.
    """
    params = {**use.params, **advised}
    # Comparisons have readers of their own.
    if params["comparisons"]:
        problem = make_data(replace(use, params=params))
        assert problem.comparisons is not None
        lines = [f"{len(problem.comparisons)} comparisons of {problem.n} items"]
        lines.append(_truth_in_file(params) or _NO_TRUTH)
        return lines
    content = read_content(params, table)
    lines = _data_lines(content, params)
    truths = []
    if content.levels is not None:
        truths.append(f"truth 'labels': {_count_classes(content.levels)}")
    if params["truth"]:
        truths.append(_truth_in_file(params))
    if not truths:
        truths.append(_NO_TRUTH)
    return lines + truths


def _truth_in_file(params: Mapping[str, Any]) -> str:
    """The tree that is the truth; "" if there is none."""
    if not params["truth"]:
        return ""
    return f"truth: the tree in {params['truth']}"


def _data_lines(content: Content, params: Mapping[str, Any]) -> list[str]:
    """How many items there are, and what each has."""
    lines = []
    if content.vectors is not None:
        n, p = content.vectors.shape
        numbers = "numbers"
        if p == 1:
            numbers = "number"
        lines.append(f"{n} items with {p} {numbers} each")
    if content.similarity is not None:
        what = "similarities"
        if params["distance"]:
            what = "distances"
        lines.append(f"{what} of {len(content.similarity)} items")
    # Texts, which are compared by asking about them.
    if not lines:
        n = number_of_items(content, Path(str(params["path"])))
        lines.append(f"{n} items with nothing but names and labels")
    return lines


def _count_classes(levels: Any) -> str:
    """How many classes there are at each level, such as "2, then 7 classes"."""
    counts = []
    for column in range(levels.shape[1]):
        # A class belongs to its classes at the levels above.
        prefixes = {tuple(row) for row in levels[:, : column + 1].tolist()}
        counts.append(str(len(prefixes)))
    return f"{', then '.join(counts)} classes"


def next_command(path: str, params: Mapping[str, Any]) -> str:
    """The command with which to go on with a file and these parameters."""
    if params.get("texts"):
        return shell_command("hcbench", "ask", path, "--column", params["names"])
    if params.get("comparisons") and not params.get("truth"):
        # Without a truth, answers that are held out tell which tree is better.
        params = {**params, "held_out": _SHARE_HELD_OUT}
    # The path is in the name already.
    name = with_params(path, {**params, "path": None})
    algorithms = "UPGMA,Ward"
    if params.get("comparisons"):
        algorithms = "4-AL,tSTE-AL"
    elif params.get("similarity") or params.get("distance"):
        algorithms = "UPGMA,Complete"  # Ward needs vectors
    words = ["compare", "--algos", algorithms, "--datasets", name, "-r", "1"]
    if params.get("held_out"):
        words += ["--metrics", "held-out"]
    return shell_command("hcbench", *words)
