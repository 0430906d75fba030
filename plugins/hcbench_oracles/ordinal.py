"""Active ordinal queries: which of three items is the odd one out."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Answers, NotApplicableError, OracleRequest, Problem, Tree
from hcbench_oracles import _ordinal_kernels as kernels
from hcbench_oracles.noise import Noise
from hcbench_oracles.whole import similarities_of_pairs


def ordinal_queries(
    request: OracleRequest,
    *,
    source: Literal["auto", "truth", "labels", "similarity"] = "auto",
    similarity: str = "cosine",
    ties: Literal["none", "break"] = "none",
    noise: float = 0.0,
    wrong: Literal["random", "adversarial"] = "random",
    persistent: bool = False,
    corrupt: float = 0.0,
) -> Answers:
    """Answer which of three items is not of the closest pair: 0, 1, 2, or NONE.

    Section 2.2 of Emamjomeh-Zadeh & Kempe 2018. Compiled: O(1) an answer.

    Parameters
    ----------
    source : {"auto", "truth", "labels", "similarity"}
        What defines closeness: a low common ancestor in the true tree, or in the tree of the label
        levels; or a high similarity. "auto" is the truth if there is one.
    similarity : str
        Similarity of items given as vectors.
    ties : {"none", "break"}
        The answer if no pair is closest: NONE; or the item that is last in the tree from left to
        right (the answers are then those of a binary tree) or, without a tree, by number.
    noise : float
        Probability 1 - p of a wrong answer, ties included.
    wrong : {"random", "adversarial"}
        The wrong answer given: a uniformly random one; or always the item with the smallest number,
        so that repeated wrong answers agree with each other. An adversary who knew an algorithm's
        weights could do more harm.
    persistent : bool
        Whether a query that is asked again gets the same answer.
    corrupt : float
        Proportion of pairs whose distance is permanently replaced by that of another random pair
        (after Eriksson, Dasarathy, Singh & Nowak 2011). The distance in a tree is the number of
        leaves below the lowest common ancestor.

    Raises
    ------
    NotApplicableError
        If the data have no such source.
    ParameterError
        If the noise is out of range.

    Notes
    -----
    Preparation takes O(n) time and about 20 n bytes for a tree; 4 n^2 bytes for similarities.
    """
    problem = request.problem
    seed = request.seed
    model = Noise(seed, noise)
    tree, w, tolerance = _source(problem, source, similarity)
    n = problem.n
    header = np.zeros(kernels.HEADER, np.int64)
    header[kernels.N] = n
    header[kernels.SEED] = model.seed
    header[kernels.PERSISTENT] = persistent
    header[kernels.BREAK] = ties == "break"
    header[kernels.ADVERSARIAL] = wrong == "adversarial"
    header[kernels.TREE] = tree is not None
    tables = np.empty(0, np.int64)
    if tree is not None:
        start, end = tree.leaf_range
        tables = kernels.tree_tables(start, end, tree.parent, n)
    return Answers(
        kind="ordinal-queries",
        n=n,
        arity=3,
        compiled=kernels.answer_ordinal,
        floats=np.concatenate([[model.noise, corrupt, tolerance], w]),
        ints=np.concatenate([header, tables]),
    )


def _source(
    problem: Problem, source: str, similarity: str
) -> tuple[Tree | None, NDArray[np.float64], float]:
    """The tree, or the similarities of pairs and the tolerance for ties."""
    if source == "labels":
        if problem.levels is None:
            raise NotApplicableError("source=labels: this data set has no labels")
        return Tree.from_levels(problem.levels), np.empty(0), 0.0
    # A tree needs no tolerance: its distances are numbers of leaves.
    if source == "truth" or (source == "auto" and problem.truths):
        return problem.truth, np.empty(0), 0.0
    if problem.similarity is None and problem.vectors is None:
        raise NotApplicableError(
            f"source={source}: this data set has neither vectors nor similarities"
        )
    w, tolerance = similarities_of_pairs(problem, similarity)
    return None, w, tolerance
