"""Reference lines for results: a random tree, and the true tree."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, hookimpl

# They make no queries, so any oracle will do; kinds that other plugins add are not listed.
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
    doc="A binary tree drawn uniformly: the score without any information.",
    accepts=EVERY_KIND,
    reference=True,
    tags=("baseline",),
)

TRUTH = AlgorithmSpec(
    name="Truth",
    function="hcbench_reference.trees:true_tree",
    doc="The true hierarchy itself: the score with full information.",
    accepts=EVERY_KIND,
    reference=True,
    hints=("truth",),
    needs=("truth",),
    random=False,
    tags=("baseline",),
)


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Random and Truth."""
    return (RANDOM, TRUTH)
