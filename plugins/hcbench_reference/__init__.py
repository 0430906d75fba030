"""What results are measured against: a tree drawn at random, and the truth itself."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, hookimpl

# They ask nothing, so any oracle will do; kinds that other plugins add are not among these.
EVERY_KIND = (
    "vectors",
    "similarities",
    "quadruplet-set",
    "quadruplet-queries",
    "triplet-set",
    "ordinal-queries",
    "pair-queries",
)

RANDOM = AlgorithmSpec(
    name="Random",
    function="hcbench_reference.trees:random_tree",
    doc="A binary tree drawn uniformly: what knowing nothing scores.",
    accepts=EVERY_KIND,
    reference=True,
)

TRUTH = AlgorithmSpec(
    name="Truth",
    function="hcbench_reference.trees:true_tree",
    doc="The true hierarchy itself: what knowing everything scores.",
    accepts=EVERY_KIND,
    reference=True,
    hints=("truth",),
    needs=("truth",),
)


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Random and Truth."""
    return (RANDOM, TRUTH)
