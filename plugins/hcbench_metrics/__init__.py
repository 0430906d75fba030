"""Metrics: quality against the truth or by an objective, and the cost of the call.

Every metric is ``function(scored, **params) -> float`` in the module of its group. `agreement`,
`cuts_curve` (cuts), `merge_order`, `pair_ranks`, `merge_heights`, `recovery` (clusters), `purity`,
`neighbours`, `triplets`, `quartets` and `tanglegram` (drawings) compare with a true hierarchy;
`objectives`, `dissimilarities`, `distortion`, `silhouettes`, `sampling` and `held_out` need none;
`curves` evaluate a metric against the queries; `costs` are those of the call. The loops are in the
modules `_*kernels`.

A new metric is a function in one of these modules, and a `MetricSpec` in the module ``*_specs`` of
its group, which this module registers.
"""

from __future__ import annotations

from dataclasses import replace

from hcbench import MetricSpec, hookimpl
from hcbench_metrics.agreement_specs import AGREEMENT
from hcbench_metrics.cost_specs import COSTS, CURVES
from hcbench_metrics.held_out_specs import HELD_OUT
from hcbench_metrics.objective_specs import OBJECTIVES
from hcbench_metrics.partition_specs import PARTITIONS
from hcbench_metrics.tree_specs import TREES


@hookimpl
def hcbench_metrics() -> tuple[MetricSpec, ...]:
    """Return the metrics of this plugin."""
    # The tags group metrics in lists and pages.
    tagged = {
        "labels": AGREEMENT,
        "tree": TREES,
        "partition": PARTITIONS,
        "objective": OBJECTIVES,
        "comparisons": HELD_OUT,
        "curve": CURVES,
        "cost": COSTS,
    }
    metrics = []
    for tag, specs in tagged.items():
        for spec in specs:
            metrics.append(replace(spec, tags=(tag,)))
    return tuple(metrics)
