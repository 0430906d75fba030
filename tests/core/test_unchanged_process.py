"""hcbench changes nothing of the process that imports and calls it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.core.unchanged import PARTS, differences

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What each step changes of a process, by its part."""
    folder = tmp_path_factory.mktemp("unchanged")
    command = [sys.executable, "-m", "tests.core.unchanged", str(folder)]
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "changes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("part", PARTS)
def test_no_call_changes_the_process(part: str, changes: Any) -> None:
    changed = {step: parts[part] for step, parts in changes.items() if parts[part]}
    assert changed == {}


def test_importing_hcbench_alone_leaves_the_import_system_as_it_was() -> None:
    """Before any library is imported."""
    code = (
        "import sys; before = list(sys.meta_path), list(sys.path), list(sys.path_hooks); "
        "import hcbench; "
        "assert before == (list(sys.meta_path), list(sys.path), list(sys.path_hooks)); "
        "assert not {'numba', 'scipy', 'pandas', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_change_is_noticed() -> None:
    assert differences([1], [1]) == []
    assert differences([1], [2]) == ["[1] -> [2]"]
    before = {"same": 1, "changed": 1, "removed": 1}
    after = {"same": 1, "changed": 2, "added": 1}
    assert differences(before, after) == ["changed: 1 -> 2", "removed is gone"]
