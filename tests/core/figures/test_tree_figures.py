"""Figures of one tree: what is drawn where, with long names, many leaves, one class, no truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from hcbench import DataError, Tree
from hcbench.figures import dendrogram_figure, heat_map, shortened, tanglegram_figure
from hcbench.figures.annotations import cut_level
from hcbench.figures.tree_figures import scaled

X = np.random.default_rng(0).normal(size=(12, 4))
Z = linkage(X, "average")
NAMES = [
    f"a name of a gene with a description of more than a hundred letters {'x' * 40} {k}"
    for k in range(12)
]
TREE = Tree.from_linkage(Z, names=NAMES)


def texts(figure):
    figure.canvas.draw()
    return [t.get_text() for ax in figure.axes for t in [*ax.texts, *ax.get_yticklabels()]]


def test_long_names_are_shortened_in_the_middle():
    assert shortened("abc") == "abc"
    short = shortened(NAMES[3])
    assert len(short) == 44
    assert short.startswith("a name of a gene")
    assert short.endswith("x 3")
    assert shortened("two\nlines") == "two lines"
    assert max(map(len, texts(dendrogram_figure(TREE)))) <= 44


@pytest.mark.parametrize("k", range(2, 13))
def test_the_cut_line_is_between_the_merges_that_it_separates(k):
    level = cut_level(TREE, k)
    merges = np.sort(Z[:, 2])[::-1]
    assert merges[k - 2] > level
    if k <= 11:
        assert level > merges[k - 1]
    assert (merges > level).sum() == k - 1


def test_there_is_no_cut_line_without_heights_or_clusters():
    assert cut_level(Tree([2, 2, -1]), 2) is None
    assert cut_level(TREE, 1) is None
    assert cut_level(TREE, 13) is None


def test_support_is_written_in_per_cent_at_the_nodes():
    support = np.full(TREE.n_nodes, np.nan)
    support[TREE.n : TREE.root] = np.linspace(0.05, 0.99, TREE.n - 2)
    written = texts(dendrogram_figure(TREE, support=support, k=3))
    assert "5" in written
    assert "99" in written
    assert "k = 3" in written


def test_the_rows_of_a_heat_map_are_in_the_order_of_the_tree():
    columns = Tree.from_linkage(linkage(X.T, "average"))
    figure = heat_map(TREE, X, column_tree=columns, strips={"class": ["a"] * 12})
    (matrix,) = [ax for ax in figure.axes if ax.images and ax.images[0].get_array().ndim == 2][:1]
    drawn = np.asarray(matrix.images[0].get_array())
    assert np.array_equal(drawn, X[TREE.leaf_order][:, columns.leaf_order])
    assert [t.get_text() for t in matrix.get_yticklabels()] == [
        shortened(NAMES[leaf]) for leaf in TREE.leaf_order
    ]


@pytest.mark.parametrize(("n", "step"), [(60, 1), (240, 3)])
def test_a_heat_map_of_many_rows_is_no_taller_than_a_page_and_has_fewer_names(n, step):
    values = np.random.default_rng(1).normal(size=(n, 4))
    tree = Tree.from_linkage(linkage(values, "average"), names=[f"gene {k}" for k in range(n)])
    figure = heat_map(tree, values)
    assert figure.get_size_inches()[1] <= 11.7  # a page of A4
    (matrix,) = [ax for ax in figure.axes if ax.images and ax.images[0].get_array().ndim == 2][:1]
    written = [label.get_text() for label in matrix.get_yticklabels()]
    assert written == [f"gene {leaf}" for leaf in tree.leaf_order[::step]]
    assert min(label.get_fontsize() for label in matrix.get_yticklabels()) >= 5
    expected = "" if step == 1 else "names of every 3rd of 240 rows"
    assert matrix.get_ylabel() == expected


def test_scaling_is_by_row_or_by_column():
    by_row = scaled(X, "row")
    assert np.allclose(by_row.mean(axis=1), 0)
    assert np.allclose(by_row.std(axis=1), 1)
    assert np.allclose(scaled(X, "column").std(axis=0), 1)
    assert np.array_equal(scaled(np.ones((2, 2)), "row"), np.zeros((2, 2)))


def test_a_heat_map_needs_a_row_for_each_leaf():
    with pytest.raises(DataError, match="3 rows for 12 leaves"):
        heat_map(TREE, X[:3])


def test_a_tanglegram_has_the_names_on_both_sides():
    other = Tree.from_linkage(linkage(X, "complete"), names=NAMES)
    figure = tanglegram_figure(TREE, other, titles=("one", "other"), classes=["only"] * 12)
    figure.canvas.draw()
    left, _, right = figure.axes
    for ax in (left, right):
        assert sorted(t.get_text() for t in ax.get_yticklabels()) == sorted(map(shortened, NAMES))


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_five_hundred_leaves_are_drawn_in_each_format(tmp_path, form):
    many = np.random.default_rng(1).normal(size=(500, 3))
    tree = Tree.from_linkage(linkage(many, "average"))
    for figure in (
        dendrogram_figure(tree, k=4),
        heat_map(tree, many),
        tanglegram_figure(tree, tree),
    ):
        path = tmp_path / f"figure.{form}"
        figure.savefig(path)
        assert path.stat().st_size > 1000
