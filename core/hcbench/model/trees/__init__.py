"""Trees and the partitions that cut them.

`tree` holds `Tree` itself; `topology` what follows from its parents alone, `heights` what heights
mean, `parents` the one place that says what a valid tree is. `linkage` and `newick` make trees of
what others write, and write them; `files` reads those.
`best_cut` finds the cut that agrees most with given clusters, `facing` the order in which two trees
are drawn opposite.
"""

from hcbench.model.trees.best_cut import best_cut, heaviest_cut, pair_weights
from hcbench.model.trees.facing import facing_orders
from hcbench.model.trees.heights import HeightKind
from hcbench.model.trees.newick import NewickWarning
from hcbench.model.trees.partition import Cut, Partition
from hcbench.model.trees.tree import Tree

__all__ = [
    "Cut",
    "HeightKind",
    "NewickWarning",
    "Partition",
    "Tree",
    "best_cut",
    "facing_orders",
    "heaviest_cut",
    "pair_weights",
]
