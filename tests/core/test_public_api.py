"""The public API changes only on purpose."""

import os
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

import hcbench
from tests.core.public_api import RECORDED, describe


def test_the_public_api_is_the_recorded_one() -> None:
    recorded, present = RECORDED.read_text().splitlines(), describe()
    changed = "\n".join(unified_diff(recorded, present, "recorded", "present", lineterm="", n=0))
    assert recorded == present, (
        f"the public API has changed:\n{changed}\n"
        "If that is meant, record it: python -m tests.core.public_api"
    )


def test_an_entry_point_replaces_no_public_module(tmp_path: Path) -> None:
    about = tmp_path / "evil-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    names = ("files", "figures", "testing", "asv", "sklearn", "compiled")
    lines = [f"{name} = evil_pkg" for name in names]
    (about / "entry_points.txt").write_text("\n".join(["[hcbench]", *lines]) + "\n")
    (tmp_path / "evil_pkg.py").write_text("")
    code = (
        "import importlib, hcbench\n"
        "from hcbench import load_registry\n"
        "load_registry()\n"
        f"for name in {names}:\n"
        "    module = importlib.import_module(f'hcbench.{name}')\n"
        "    print(module.__name__, module.__file__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    core = Path(hcbench.__file__).parent
    for name, line in zip(names, done.stdout.splitlines(), strict=True):
        assert line.startswith(f"hcbench.{name} {core}"), line
