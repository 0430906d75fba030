"""The metric: a number for the quality of a result."""

import numpy as np
from hcbench import NotApplicableError, Scored, finest_partition


def relatives_of_own_class(scored: Scored, *, level: int | None) -> float:
    """Of the items that an item merges with first, the share of its own class; mean over items.

    Items that are alone in their class do not count. O(n K) for K classes.
    """
    tree, classes = scored.tree, finest_partition(scored.problem, level)
    own = classes.labels
    members = np.zeros((tree.n_nodes, classes.n_clusters))
    members[np.arange(tree.n), own] = 1
    for node in range(tree.n_nodes - 1):  # a parent's number is larger than its children's
        members[tree.parent[node]] += members[node]
    has_company = members[-1][own] > 1
    if not has_company.any():
        raise NotApplicableError("no class has two items")
    first = tree.parent[: tree.n]
    share = (members[first, own] - 1) / (tree.sizes[first] - 1)
    return float(share[has_company].mean())
