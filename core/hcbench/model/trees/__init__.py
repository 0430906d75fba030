"""Trees and the partitions that cut them.

`tree` holds `Tree` itself, and `arrays` says what makes a tree valid and what its heights mean.
`formats` makes trees of matrices of merges, and writes them; ``hcbench_files`` reads files and
Newick. `partition` holds partitions, cuts of a tree, the cut that agrees most with given clusters,
and the order of leaves in which two trees are drawn opposite.
"""

from hcbench.model.trees.arrays import HeightKind
from hcbench.model.trees.partition import (
    AnswerMatrix,
    Cut,
    Partition,
    best_cut,
    facing_orders,
    heaviest_cut,
    pair_weights,
)
from hcbench.model.trees.tree import Tree

__all__ = [
    "AnswerMatrix",
    "Cut",
    "HeightKind",
    "Partition",
    "Tree",
    "best_cut",
    "facing_orders",
    "heaviest_cut",
    "pair_weights",
]
