"""Code that is edited while a run goes on is not measured under the key of the former code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hcbench

PLUGIN = """
import numpy as np
from pathlib import Path
from hcbench import AlgorithmSpec, hookimpl
{imports}
FILES = {files!r}

def cluster(oracle, items, rng, *, turn):
    if turn == 1:
        for file, text in FILES.items():
            Path(file).write_text(text)
    return np.arange(items.n) % 2

@hookimpl
def hcbench_algorithms():
    from hcbench import Parameter
    return [AlgorithmSpec(name="edited", function=f"{{__name__}}:cluster", doc="Edits itself.",
        accepts=("vectors",), returns="partition", parameters=(Parameter("turn", 1, "Which."),))]
"""


def statuses(plugin: Path, store: Path, executor: str = "local") -> list[tuple[str, str]]:
    """The status and the reason of the cell that edits files, and of the one after it."""
    rows: list[dict[str, Any]] = hcbench.compare(
        ["edited[turn=1]", "edited[turn=2]"],
        datasets=["iris[n=20]"],
        repetitions=1,
        n_jobs=1,
        plugins=[plugin],
        executor=executor,
        store=store,
        metrics=["queries"],
    ).rows
    return [(row["status"], row["reason"]) for row in rows]


@pytest.mark.attack("edited plugins", by_chance=True)
@pytest.mark.parametrize("edited", ["the file", "a module beside it"])
def test_a_plugin_file_that_is_edited_during_a_run_is_an_error(
    tmp_path: Path, edited: str, attack_turn: int
) -> None:
    plugin = tmp_path / "edited.py"
    # A process that has imported a module refuses another one of its name.
    beside = tmp_path / f"edited_beside_{attack_turn}.py"
    beside.write_text("ANSWER = 1\n")
    if edited == "the file":
        text = PLUGIN.format(imports="", files={str(plugin): "raise ValueError('new code')\n"})
    else:
        text = PLUGIN.format(imports=f"import {beside.stem}", files={str(beside): "ANSWER = 2\n"})
    plugin.write_text(text)
    first, second = statuses(plugin, tmp_path / "store.sqlite")
    assert first == ("ok", "")
    assert second[0] == "error"
    assert second[1].startswith(f"PluginError: the plugin changed during the run: {plugin}")
    plugin.write_text(text)
    beside.write_text("ANSWER = 1\n")
    # It was no result of the algorithm, so it is measured now, with the code of its key.
    assert statuses(plugin, tmp_path / "store.sqlite") == [("ok", ""), ("ok", "")]


@pytest.mark.attack("edited plugins", by_chance=True)
def test_a_program_that_is_edited_during_a_run_is_an_error(tmp_path: Path) -> None:
    script = tmp_path / "program.sh"
    # In the warm-up, which has 12 items, it writes another program in its place.
    script.write_text(f"seq 0 11; echo 'echo wrong' > {script}\n")
    lines = ['loader = "hcbench_foreign:Program"', 'name = "edited"', 'returns = "labels"']
    lines += ['command = ["sh", "./program.sh", "{turn}"]', "[parameters]", "turn = 1"]
    (tmp_path / "edited.toml").write_text("\n".join(lines))
    _, second = statuses(tmp_path / "edited.toml", tmp_path / "store.sqlite")
    assert second[0] == "error"
    assert second[1].startswith("edited: the program changed during the run")
