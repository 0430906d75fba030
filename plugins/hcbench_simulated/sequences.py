"""Distances of sequences that evolved along a random phylogeny."""

from __future__ import annotations

import numpy as np

from hcbench import DataRequest, Problem, Tree
from hcbench_simulated.matrices import of_distances
from hcbench_simulated.phylogenies import birth_death_tree, coalescent_tree, evolve, jukes_cantor


def coalescent(request: DataRequest, *, n: int, length: int, rate: float) -> Problem:
    """Draw sequences of a sample from a population: Kingman's coalescent.

    See `coalescent_tree`, `evolve` and `jukes_cantor`. O(n^2 length).

    Returns
    -------
    Problem
        As `of_distances`, with the expected distances as heights of the truth.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    return _with_sequences(rng, coalescent_tree(rng, n), length, rate)


def birth_death(
    request: DataRequest, *, n: int, birth: float, death: float, length: int, rate: float
) -> Problem:
    """Draw sequences of living species: the tree of a birth-death process.

    See `birth_death_tree`, `evolve` and `jukes_cantor`. O(n^2 length).

    Returns
    -------
    Problem
        As `of_distances`, with the expected distances as heights of the truth.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    return _with_sequences(rng, birth_death_tree(rng, n, birth, death), length, rate)


def _with_sequences(rng: np.random.Generator, tree: Tree, length: int, rate: float) -> Problem:
    distances = jukes_cantor(evolve(rng, tree, length, rate))
    assert tree.height is not None
    # Substitutions on both branches, from the split of two items to the present.
    expected = Tree(tree.parent, 2.0 * rate * tree.height, tree.kind)
    return of_distances(distances, expected, "phylogeny")
