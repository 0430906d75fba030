"""The registrations of a plugin, in a process that has imported nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = ("numpy", "scipy", "numba", "matplotlib")


def light_suites(plugin: str) -> list[str]:
    """Names of a plugin's suites; listing them must import none of `HEAVY`."""
    code = (
        f"import json, sys, {plugin} as p; names = [s.name for s in p.hcbench_suites()]\n"
        f"print(json.dumps([names, [m for m in {HEAVY} if m in sys.modules]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, heavy = json.loads(done.stdout)
    assert heavy == []
    return list(names)
