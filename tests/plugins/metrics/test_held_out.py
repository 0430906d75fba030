"""Shares of held-out answers that a tree satisfies, by hand and by a loop over heights."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from hcbench import Comparisons, HeightKind, NotApplicableError, Tree
from hcbench_metrics.held_out import held_out
from tests.plugins.scoring import scored


def shares(tree, answers):
    return held_out(scored(tree, held_out=answers))


def test_a_triplet_is_satisfied_if_the_closer_item_joins_first():
    tree = Tree.from_newick("(((a,b),c),d);")
    order = {name: item for item, name in enumerate(tree.names)}

    def of(*triplets):
        rows = [[order[name] for name in triplet] for triplet in triplets]
        return shares(tree, Comparisons.from_triplets(4, rows))

    assert of("abc") == {"satisfied": 1, "contradicted": 0, "silent": 0}
    assert of("acb") == {"satisfied": 0, "contradicted": 1, "silent": 0}
    assert of("cab") == {"satisfied": 0, "contradicted": 0, "silent": 1}  # a, b join c together
    assert of("abc", "abd", "adb", "dab") == {
        "satisfied": 0.5,
        "contradicted": 0.25,
        "silent": 0.25,
    }


def test_pairs_of_different_branches_are_compared_by_heights_alone():
    answers = Comparisons.from_quadruplets(4, [[0, 1, 2, 3]])
    merges = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 3.0, 4]])
    assert shares(Tree.from_linkage(merges), answers)["satisfied"] == 1
    assert shares(Tree.from_linkage(merges), answers.flip())["contradicted"] == 1
    without_heights = Tree(Tree.from_linkage(merges).parent)
    assert shares(without_heights, answers)["silent"] == 1


@pytest.mark.parametrize("kind", [HeightKind.DISTANCE, HeightKind.AFFINITY])
def test_random_answers_are_counted_as_by_a_loop_over_scipys_cophenetic_distances(kind):
    rng = np.random.default_rng(7)
    n = 20
    merges = linkage(rng.normal(size=(n, 3)), "average")
    heights = squareform(cophenet(merges))
    items = np.array([rng.choice(n, 4, replace=False) for _ in range(300)])
    i, j, k, m = items.T
    difference = heights[i, j] - heights[k, m]
    expected = {
        "satisfied": (difference < 0).mean(),
        "contradicted": (difference > 0).mean(),
        "silent": (difference == 0).mean(),
    }
    if kind is HeightKind.AFFINITY:
        merges[:, 2] = 10 - merges[:, 2]
        tree = Tree.from_linkage(merges, kind=kind, leaf_height=10.0)
    else:
        tree = Tree.from_linkage(merges)
    assert shares(tree, Comparisons.from_quadruplets(n, items)) == pytest.approx(expected)


def test_without_held_out_answers_it_does_not_apply():
    tree = Tree.from_newick("((a,b),c);")
    with pytest.raises(NotApplicableError, match=r"held_out=0\.2"):
        held_out(scored(tree))
