"""The algorithm: it queries an oracle and returns a tree."""

import numpy as np
from hcbench import HeightKind, Items, Oracle, Tree


def merge_most_similar(
    oracle: Oracle, items: Items, _rng: np.random.Generator, *, linkage: str
) -> Tree:
    """Merge the two most similar clusters until one is left. O(n^3) time, O(n^2) memory."""
    similarity = np.array(oracle.read(), dtype=np.float64)  # data of an oracle are read-only
    np.fill_diagonal(similarity, -np.inf)  # nothing is merged with itself
    highest = similarity.max()
    node, size = np.arange(items.n), np.ones(items.n)  # of the cluster in each row
    merges = []
    for new in range(items.n, 2 * items.n - 1):
        i, j = np.unravel_index(similarity.argmax(), similarity.shape)
        merges.append((node[i], node[j], similarity[i, j], 0))
        if linkage == "average":
            joined = (size[i] * similarity[i] + size[j] * similarity[j]) / (size[i] + size[j])
        else:
            join = np.maximum if linkage == "single" else np.minimum
            joined = join(similarity[i], similarity[j])
        similarity[i] = similarity[:, i] = joined
        similarity[j] = similarity[:, j] = similarity[i, i] = -np.inf
        node[i], size[i] = new, size[i] + size[j]
    return Tree.from_linkage(
        np.reshape(merges, (-1, 4)), kind=HeightKind.AFFINITY, leaf_height=highest
    )
