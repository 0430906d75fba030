"""Distance of two trees by quartets of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hcbench import NotApplicableError
from hcbench_metrics import _quartet_kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from hcbench import Scored, Tree


class QuartetCounts(NamedTuple):
    """How two unrooted trees resolve the quartets of their leaves; exact integers."""

    quartets: int
    """The number of all quartets, n (n - 1) (n - 2) (n - 3) / 24."""
    resolved: int
    """Those that the first tree resolves: an edge separates two of the four from the others."""
    true_resolved: int
    """Those that the second tree resolves."""
    alike: int
    """Resolved in both, with the same two pairs."""
    otherwise: int
    """Resolved in both, with different pairs."""


def quartet_distance(scored: Scored, count: str = "all", truth: str | None = None) -> float:
    """Proportion of the quartets of items on which result and truth differ; lower is better.

    An unrooted tree resolves four items as ij|kl if an edge separates i and j from k and l, or
    leaves them unresolved. With A the quartets that both resolve alike, D those resolved
    differently, and R and R' those that the truth and the result resolve,

    ``all: (R + R' - 2 A - D) / (n (n-1) (n-2) (n-3) / 24)``, ``resolved-in-truth: 1 - A / R``

    (Estabrook, McMorris & Meacham 1985.) Heights and the place of the root are ignored, so two
    trees that differ only in their roots have distance 0. A random binary tree is expected at 2/3
    from a binary truth.

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    count : {"all", "resolved-in-truth"}
        Which quartets are counted. A binary result resolves all quartets, also those that a truth
        of label levels leaves unresolved; ``resolved-in-truth`` ignores these.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [0, 1]. As `count_quartets`.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, there are fewer than four items or,
        unless all are counted, the truth resolves no quartet.
    """
    counts = count_quartets(scored.tree, named_truth(scored.problem, truth))
    if counts.quartets == 0:
        raise NotApplicableError("a quartet needs at least four items")
    if count == "all":
        agreed = 2 * counts.alike + counts.otherwise
        return (counts.resolved + counts.true_resolved - agreed) / counts.quartets
    if counts.true_resolved == 0:
        raise NotApplicableError("the truth resolves no quartet; use quartet-distance[count=all]")
    return 1.0 - counts.alike / counts.true_resolved


def count_quartets(tree: Tree, truth: Tree) -> QuartetCounts:
    """Count the quartets by how two trees over the same leaves resolve them, without their roots.

    Parameters
    ----------
    tree, truth : Tree
        Trees over the same n leaves, of any degree.

    Returns
    -------
    QuartetCounts
        O(n^2) time if one of the trees is binary, at most O(n^2 d) for degrees up to d otherwise;
        O(d n) memory. Exact for up to 50,000 leaves.
    """
    n = tree.n
    quartets = n * (n - 1) * (n - 2) * (n - 3) // 24
    resolved = _resolved(tree)
    true_resolved = _resolved(truth)
    if resolved == 0 or true_resolved == 0:
        return QuartetCounts(quartets, resolved, true_resolved, 0, 0)
    # The time depends on the degrees of the first tree.
    first, second = sorted((tree, truth), key=_squared_degrees)
    neither_resolves_all = quartets not in {resolved, true_resolved}
    alike, otherwise = _quartet_kernels.count_shared(
        arrays_of(first), arrays_of(second), neither_resolves_all
    )
    if not neither_resolves_all:
        # What one tree resolves is resolved in both.
        otherwise = resolved + true_resolved - quartets - alike
    return QuartetCounts(quartets, resolved, true_resolved, int(alike), int(otherwise))


def _resolved(tree: Tree) -> int:
    return int(_quartet_kernels.count_resolved(arrays_of(tree)))


def _squared_degrees(tree: Tree) -> int:
    return int((np.diff(tree.child_offsets) ** 2).sum())
