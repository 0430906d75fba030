"""Statistics of repetitions and data sets: means and their uncertainty, ranks, tests, profiles.

Pure functions of numbers. Missing numbers are None or NaN; each function documents their treatment.
"""

from __future__ import annotations

from hcbench.analysis.statistics.profiles import PerformanceProfile, performance_profile
from hcbench.analysis.statistics.rank_tests import (
    CriticalDifference,
    Direction,
    Failed,
    FriedmanTest,
    average_ranks,
    find_cliques,
    friedman_test,
    nemenyi_critical_difference,
    rank_blocks,
)
from hcbench.analysis.statistics.rates import fit_power_law, log_log_slope
from hcbench.analysis.statistics.signed_ranks import (
    SignedRankTest,
    holm_adjusted,
    least_blocks,
    signed_rank_test,
)
from hcbench.analysis.statistics.summaries import (
    Summary,
    average_of,
    mean_and_std,
    paired_difference,
    quartiles,
    summarise,
)

__all__ = [
    "CriticalDifference",
    "Direction",
    "Failed",
    "FriedmanTest",
    "PerformanceProfile",
    "SignedRankTest",
    "Summary",
    "average_of",
    "average_ranks",
    "find_cliques",
    "fit_power_law",
    "friedman_test",
    "holm_adjusted",
    "least_blocks",
    "log_log_slope",
    "mean_and_std",
    "nemenyi_critical_difference",
    "paired_difference",
    "performance_profile",
    "quartiles",
    "rank_blocks",
    "signed_rank_test",
    "summarise",
]
