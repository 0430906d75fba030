"""The picture of a data set: its items in the plane, its similarities, or its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from drawing import SIZE, Drawing, numbered, scatter

from hcbench import DatasetSpec, Problem, Tree, figures, load_registry
from hcbench.run import call_of, make_problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

#: Parameters that make a picture quick, or that have no default.
_TEXTS = {
    "20newsgroups": "20newsgroups[n=1000]",
    "amazon-reviews": "amazon-reviews[n=1000]",
    "cut-of": "cut-of[tree=UPGMA,data=iris,law=labels]",
    "half": "half[of=shapes]",
    "mnist": "mnist[n=1000]",
    "rows": "rows[of=wine,distance=correlation]",
    "subsample": "subsample[of=shapes,share=0.5]",
}
#: Data of the user, and downloads that take long.
_WITHOUT = {
    "file": "it is whatever is in your file: hcbench inspect FILE, and hcbench tree, show it",
    "openml": "it is whichever data set of openml.org you name",
    "recorded-items": "it has only names of items, of which a person has answered questions",
    "cifar-100": "its data are a download of 160 MB",
    "rcv1": "its data are a download of 650 MB",
}
#: Of the leaves of a hierarchy; classes alone are at depth 1, and their items at 2.
_DEPTH = 3
#: Of more items, a part is drawn.
_MOST_ITEMS = 500
#: Classes of which each has a colour of its own.
_MOST_CLASSES = 16


def draw(spec: DatasetSpec) -> Drawing:
    """Make the data, and draw what they have."""
    if spec.name in _WITHOUT:
        return Drawing(f"There is no picture here: {_WITHOUT[spec.name]}.")
    text = _TEXTS.get(spec.name, spec.name)
    (use,) = load_registry().use_datasets(text)
    problem = make_problem(call_of(use), 0, frozenset())
    size = f"{text}: {problem.n} items"
    if problem.tree is not None:
        figure = _tree_figure(problem.tree, _classes_of(problem))
        return Drawing(f"{size}; the tree that is cut, coloured by the true clusters.", figure)
    matrix = problem.similarity
    what = "similarities"
    if problem.graph is not None:
        matrix = problem.graph.toarray()
        what = "weights of the edges"
    if matrix is not None and problem.truths:
        figure = _matrix_figure(problem.truth, matrix)
        return Drawing(f"{size}; the true tree, and the {what} in its order.", figure)
    if problem.vectors is not None:
        return _vectors(problem, size)
    if problem.comparisons is None and problem.truths:
        return Drawing(f"{size}; the true tree.", _tree_figure(problem.truth, None))
    return Drawing(f"There is no picture here: the {problem.n} items are known by answers alone.")


def _vectors(problem: Problem, size: str) -> Drawing:
    """The first two principal components, beside the true tree if there is one."""
    places = _components(problem.vectors)
    # The first column of a table is often sorted: every k-th item is of all classes.
    step = -(-problem.n // _MOST_ITEMS)
    shown = np.arange(0, problem.n, step)
    text = f"{size}; their first two principal components"
    if shown.size < problem.n:
        text += f", of {shown.size} items"
    classes = _classes_of(problem)
    if classes is None:
        classes = [1] * problem.n
    else:
        text += ", coloured by class"
    of_shown = [classes[item] for item in shown]
    colours = figures.class_colours(classes)
    # Classes that are not nested are no hierarchy to be shown.
    if not problem.truths or problem.truth.depths.max() < _DEPTH:
        figure, ax = figures.new_figure(*SIZE)
        with figures.style():
            scatter(ax, places[shown], of_shown, colours)
        return Drawing(f"{text}.", figure)
    figure, (left, right) = figures.new_figure(*SIZE, columns=2)
    with figures.style():
        scatter(left, places[shown], of_shown, colours)
        tree = problem.truth.with_names(None).restrict(shown)
        figures.draw_tree(right, tree, of_shown, colours, names=False)
    return Drawing(f"{text}, and the true hierarchy.", figure)


def _components(vectors: Any) -> NDArray[np.float64]:
    """The first two principal components; of sparse vectors, without the mean subtracted."""
    from scipy import sparse
    from sklearn.decomposition import PCA, TruncatedSVD

    if sparse.issparse(vectors):
        reduced = TruncatedSVD(2, random_state=0).fit_transform(vectors)
    else:
        # A line of items has no second component.
        wide = np.column_stack([vectors, np.zeros(len(vectors))])
        reduced = PCA(2, svd_solver="full").fit_transform(wide)
    components: NDArray[np.float64] = reduced
    return components


def _classes_of(problem: Problem) -> list[int] | None:
    """The classes of the finest level that has few enough; of the coarsest, if all have more."""
    if problem.levels is None:
        return None
    n_levels = problem.levels.shape[1]
    for level in range(n_levels, 0, -1):
        # A class is named by its labels of all coarser levels, too.
        _, classes = np.unique(problem.levels[:, :level], axis=0, return_inverse=True)
        if classes.max() < _MOST_CLASSES:
            break
    return numbered(classes.ravel())


def _tree_figure(tree: Tree, classes: list[int] | None) -> Figure:
    figure, ax = figures.new_figure(*SIZE)
    with figures.style():
        figures.draw_tree(ax, tree.with_names(None), classes, names=False)
    return figure


def _matrix_figure(tree: Tree, matrix: NDArray[Any]) -> Figure:
    """The rows and columns of a matrix in the order of a tree, beside the tree."""
    figure, (left, right) = figures.new_figure(*SIZE, columns=2)
    order = tree.leaf_order
    off_diagonal = matrix[~np.eye(tree.n, dtype=bool)]
    low, high = np.quantile(off_diagonal, [0.01, 0.99])
    with figures.style():
        figures.draw_tree(left, tree.with_names(None), names=False, orientation="left")
        image = right.imshow(matrix[np.ix_(order, order)], cmap="viridis", vmin=low, vmax=high)
        right.set_axis_off()
        figure.colorbar(image, ax=right)
    return figure
