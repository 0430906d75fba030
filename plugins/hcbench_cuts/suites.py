"""The suites of the tables and theorems of Gentile et al. 2019."""

from __future__ import annotations

from pathlib import Path

from hcbench.registry import read_suite
from hcbench_cuts.references import PAPERS
from hcbench_cuts.suites_noise import THEOREM_4, THEOREM_5
from hcbench_cuts.suites_tables import TABLE_1, TABLE_2

THEOREMS = read_suite(Path(__file__).with_name("gentile2019-theorems.toml"), PAPERS["gentile2019"])

SUITES = (TABLE_1, TABLE_2, THEOREMS, THEOREM_4, THEOREM_5)
