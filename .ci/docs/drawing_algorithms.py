"""The picture of an algorithm: what it finds among sixty points in the plane."""

from __future__ import annotations

from dataclasses import replace

from drawing import CLUSTERS, Drawing, numbered, points, points_and_tree, tree_of_points

import hcbench
from hcbench import AlgorithmSpec

#: Parameters without a default.
_REQUIRED = {"NoisyInsertion": "NoisyInsertion[p=0.9]"}
#: It builds binary trees, and the true clusters have more than two items.
_ORACLES = {"NoisyInsertion": "ordinal-queries[source=similarity]"}


def draw(spec: AlgorithmSpec) -> Drawing:
    """Run the algorithm, and draw its tree, or its clusters in the tree that it was given."""
    oracle = _ORACLES.get(spec.name, spec.accepts[0])
    name = _REQUIRED.get(spec.name, spec.name)
    problem = points()
    if "tree" in spec.needs:
        problem = replace(problem, tree=tree_of_points())
    result = hcbench.fit(name, problem, oracle=oracle)
    if isinstance(result, hcbench.Tree):
        tree = result
        partition = result.cut(CLUSTERS)
        shown = f"the tree that {name} finds, coloured by its cut into {CLUSTERS} clusters"
    else:
        tree = tree_of_points()
        partition = result
        shown = f"the tree of UPGMA, coloured by the clusters into which {name} cuts it"
    clusters = numbered(partition.labels)
    text = f"60 points in the plane and {shown}. The oracle is {oracle}."
    return Drawing(text, points_and_tree(clusters, tree))
