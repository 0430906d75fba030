"""How good a hierarchy is, against the truth or by an objective, and what it cost to get.

Every metric is ``function(scored, **params) -> float`` in the module of its group. With a true
hierarchy compare `agreement` and `cuts_curve` (cuts), `merge_order` and `pair_ranks`,
`merge_heights`, `recovery` (clusters), `purity`, `triplets` and `tanglegram` (drawings);
`objectives`, `dissimilarities` and `sampling` need none; `curves` follow a metric over the queries;
`costs` are of the call. The loops are in `_kernels` and its like.
"""

from __future__ import annotations

from hcbench import MetricSpec, hookimpl
from hcbench_metrics.agreement_specs import AGREEMENT
from hcbench_metrics.cost_specs import COSTS, CURVES
from hcbench_metrics.objective_specs import OBJECTIVES
from hcbench_metrics.partition_specs import PARTITIONS
from hcbench_metrics.tree_specs import TREES


@hookimpl
def hcbench_metrics() -> tuple[MetricSpec, ...]:
    """Return the metrics of this plugin."""
    return AGREEMENT + TREES + PARTITIONS + OBJECTIVES + CURVES + COSTS
