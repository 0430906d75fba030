"""The suites of the figures, the car data and the theorems of Ghoshdastidar et al. 2019."""

from __future__ import annotations

from pathlib import Path

from hcbench.registry import read_suite
from hcbench_quadruplets.references import PAPERS
from hcbench_quadruplets.suites_planted import FIGURE_2, FIGURE_2_CODE, FIGURE_S1
from hcbench_quadruplets.suites_real import CAR, FIGURE_3

THEOREMS = read_suite(
    Path(__file__).with_name("ghoshdastidar2019-theorems.toml"), PAPERS["ghoshdastidar2019"]
)
SUITES = (FIGURE_2, FIGURE_2_CODE, FIGURE_S1, FIGURE_3, CAR, THEOREMS)
