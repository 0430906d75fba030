"""The suites of the tables and theorems of Gentile et al. 2019."""

from __future__ import annotations

from hcbench_cuts.suites_noise import THEOREM_4, THEOREM_5
from hcbench_cuts.suites_tables import TABLE_1, TABLE_2
from hcbench_cuts.suites_theorems import THEOREMS

SUITES = (TABLE_1, TABLE_2, THEOREMS, THEOREM_4, THEOREM_5)
