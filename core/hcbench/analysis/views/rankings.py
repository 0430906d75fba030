"""Comparison over all data sets: rankings and performance profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.groups import COSTS
from hcbench.analysis.statistics import PerformanceProfile, performance_profile
from hcbench.analysis.views.axes import find_metric
from hcbench.analysis.views.blocks import Blocks, make_blocks
from hcbench.analysis.views.ranks import ALPHA, Ranking, direction_of, rank_groups
from hcbench.errors import HcbenchError

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.analysis.statistics import Failed
    from hcbench.analysis.statistics.profiles import Distance
    from hcbench.plan.presentation import MetricInfo


@dataclass(frozen=True, slots=True)
class ProfileView:
    """Performance profiles.

    Attributes
    ----------
    metric : MetricInfo
    blocks : Blocks
        The scores; competitors in the order of the plan.
    profile : PerformanceProfile
        Of the competitors of `blocks`, in their order.
    """

    metric: MetricInfo
    blocks: Blocks
    profile: PerformanceProfile


def ranking(
    results: Results, metric: str, *, failed: Failed = "worst", alpha: float = ALPHA
) -> Ranking:
    """Average ranks over data sets with critical difference, groups and tests [1]_.

    Parameters
    ----------
    results : Results
    metric : str
        As for `find_metric`.
    failed : {"worst", "drop"}
        An algorithm that failed in a repetition ranks last on the data set; or repetitions in which
        an algorithm failed are excluded.
    alpha : float
        Level of significance.

    Raises
    ------
    HcbenchError
        If there are fewer than two competitors, or no data set on which all ran.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7
       (2006).
    """
    measured = find_metric(results, metric)
    ranked = rank_groups(_competing(results, measured), measured, failed=failed, alpha=alpha)
    _check(ranked, measured)
    return ranked


def profile(
    results: Results,
    metric: str,
    *,
    failed: Failed = "worst",
    by: Distance | None = None,
) -> ProfileView:
    """The share of data sets on which each competitor is within a distance of the best.

    Parameters
    ----------
    results : Results
    metric : str
        As for `find_metric`.
    failed : {"worst", "drop"}
        As for `ranking`.
    by : {"ratio", "difference"}, optional
        By default ratios for costs and differences for qualities
        (see `hcbench.analysis.statistics.performance_profile`).

    Raises
    ------
    HcbenchError
        As for `ranking`; or if ratios are requested for negative numbers.
    """
    measured = find_metric(results, metric)
    blocks = make_blocks(_competing(results, measured), measured, failed)
    _check(blocks, measured)
    chosen: Distance = by or ("ratio" if measured.cost else "difference")
    direction = direction_of(measured)
    try:
        profiles = performance_profile(blocks.scores, direction, by=chosen, failed=failed)
    except ValueError as error:
        raise HcbenchError(f"{measured.label}: {error}") from error
    return ProfileView(measured, blocks, profiles)


def _competing(results: Results, metric: MetricInfo) -> list[Group]:
    if metric.direction == "none":
        raise HcbenchError(f"{metric.label} has no better direction, so it gives no ranking")
    if metric is COSTS.get(metric.label):
        known = ", ".join(m.label for m in results.metrics if m.direction != "none")
        raise HcbenchError(f"{metric.label} was not measured as a metric; there are {known}")
    return [group for group in results.groups if not results.is_reference(group)]


def _check(blocks: Blocks, metric: MetricInfo) -> None:
    if len(blocks.competitors) < 2:
        raise HcbenchError(f"there are no two algorithms to compare by {metric.label}")
    if not len(blocks.names) or np.isnan(blocks.scores).all():
        why = blocks.excluded[0] if blocks.excluded else None
        reason = f": {why.block}: {why.reason}" if why else ""
        raise HcbenchError(f"there is no data set on which all have {metric.label}{reason}")
