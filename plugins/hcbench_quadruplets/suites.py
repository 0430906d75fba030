"""The suites of the figures, the car data and the theorems of Ghoshdastidar et al. 2019."""

from __future__ import annotations

from hcbench_quadruplets.suites_planted import FIGURE_2, FIGURE_2_CODE, FIGURE_S1
from hcbench_quadruplets.suites_real import CAR, FIGURE_3
from hcbench_quadruplets.suites_theorems import THEOREMS

SUITES = (FIGURE_2, FIGURE_2_CODE, FIGURE_S1, FIGURE_3, CAR, THEOREMS)
