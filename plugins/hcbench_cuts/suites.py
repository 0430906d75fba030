"""The suites of the tables and theorems of Gentile et al. 2019."""

from __future__ import annotations

from pathlib import Path

from hcbench import Suite
from hcbench.registry import read_suite
from hcbench_cuts.references import PAPERS
from hcbench_cuts.suites_tables import TABLE_1, TABLE_2


def _read(name: str) -> Suite:
    path = Path(__file__).with_name(f"gentile2019-{name}.toml")
    return read_suite(path, PAPERS["gentile2019"])


THEOREMS = _read("theorems")
THEOREM_4 = _read("theorem4")
THEOREM_5 = _read("theorem5")
SUITES = (TABLE_1, TABLE_2, THEOREMS, THEOREM_4, THEOREM_5)
