"""Trees, and the partitions that cut them.

From bottom to top: `arrays` says what makes a tree valid and what its heights mean, and `formats`
reads and writes matrices of merges. `partition` holds partitions, and `tree` holds `Tree` itself.
Above it are `cuts`, with the cut that agrees most with given clusters, and `facing`, the orders of
leaves in which two trees are drawn opposite each other.
"""

from hcbench.model.trees.arrays import HeightKind
from hcbench.model.trees.cuts import AnswerMatrix, Cut, best_cut, heaviest_cut, pair_weights
from hcbench.model.trees.facing import facing_orders
from hcbench.model.trees.partition import Partition
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
