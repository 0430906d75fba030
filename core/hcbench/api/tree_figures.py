"""Figures of a fitted tree with its data: what ``hcbench tree -o FIGURE`` and notebooks draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench.api.trees import Fitted
from hcbench.errors import NotApplicableError
from hcbench.model.problem import Problem
from hcbench.model.trees import Tree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hcbench.figures.tree_figures import Scaling


def draw_heat_map(
    fitted: Fitted,
    *,
    labels: Mapping[str, NDArray[np.int64]] | None = None,
    k: int | None = None,
    scale: Scaling = "none",
) -> Figure:
    """The data as a heat map with the tree; see `heat_map_of_problem`.

    Raises
    ------
    NotApplicableError
        If the data are not at hand, or have neither vectors nor similarities.
    """
    from hcbench.figures.problems import heat_map_of_problem

    if fitted.problem is None:
        raise NotApplicableError(
            f"{fitted.title}: a heat map needs the data; write hcbench tree ALGORITHM DATA"
        )
    return heat_map_of_problem(
        fitted.tree,
        fitted.problem,
        fitted.dataset,
        title=fitted.title,
        labels=labels,
        k=k,
        scale=scale,
    )


def draw_fitted(
    fitted: Fitted,
    *,
    k: int | None = None,
    height: float | None = None,
    support: NDArray[np.float64] | None = None,
) -> Figure:
    """A horizontal dendrogram, coloured by the clusters of a cut, or by the classes of the data."""
    from hcbench.figures.tree_figures import dendrogram_figure

    classes: Sequence[Any] | None = None
    if k is None and fitted.problem is not None:
        # The last level is the finest one, which has a colour for each small class.
        for of_level in _classes(fitted.problem).values():
            classes = of_level
    return dendrogram_figure(
        fitted.tree, title=fitted.title, classes=classes, k=k, height=height, support=support
    )


def draw_facing(
    fitted: Fitted, other: Tree, other_title: str, labels: Mapping[str, Sequence[Any]]
) -> Figure:
    """A tanglegram of the tree and another one of the same items.

    Parameters
    ----------
    fitted : Fitted
    other : Tree
        Matched by name.
    other_title : str
    labels : mapping of cut to (n,) labels
        The clusters of the first cut are coloured; by default the classes of the data.
    """
    from hcbench.figures.tree_figures import tanglegram_figure

    tree = fitted.tree
    # Both need one numbering of the leaves, or lines would connect other items.
    matched = other.matched_with(tree.named_items(fitted.title))
    colours: Mapping[str, Sequence[Any]] = labels
    if not colours and fitted.problem is not None:
        colours = _classes(fitted.problem)
    # The first one only: a leaf has one colour. Its text names the cut for the legend.
    classes = None
    for name, of_items in colours.items():
        classes = [f"{name}: {label}" for label in of_items]
        break
    return tanglegram_figure(tree, matched, titles=(fitted.title, other_title), classes=classes)


def _classes(problem: Problem) -> dict[str, list[str]]:
    """The classes of the items by level, the coarsest first."""
    from hcbench.figures.problems import classes_of_problem

    return classes_of_problem(problem)
