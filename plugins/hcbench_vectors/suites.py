"""The suites of the tables, figures and theorems of Gray et al. 2023."""

from __future__ import annotations

from pathlib import Path

from hcbench.registry import read_suite
from hcbench_vectors.references import PAPERS
from hcbench_vectors.suites_simulated import FIGURE_2
from hcbench_vectors.suites_tables import COMPONENTS, TABLE_1, TABLE_2, TABLE_3, TABLE_4
from hcbench_vectors.suites_topics import FIGURE_3

THEOREMS = read_suite(Path(__file__).with_name("gray2023-theorems.toml"), PAPERS["gray2023"])
SUITES = (TABLE_1, TABLE_2, TABLE_3, TABLE_4, COMPONENTS, FIGURE_2, FIGURE_3, THEOREMS)
