"""What the pictures of the catalogue have in common: the items that they show, and their form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import hcbench
from hcbench import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

#: Of a picture, in inches.
SIZE = (7.5, 3.0)
#: Clusters of the points, and groups of clusters.
CLUSTERS = 6
GROUPS = 3
_CLUSTER_SIZE = 10


@dataclass(frozen=True, slots=True)
class Drawing:
    """The picture of an item of the catalogue, or the reason why it has none.

    Attributes
    ----------
    text : str
        What the picture shows, or why there is none.
    figure : Figure, optional
    """

    text: str
    figure: Figure | None = None


@cache
def levels() -> NDArray[np.int64]:
    """The groups and clusters of the points."""
    clusters = np.arange(CLUSTERS)
    groups = clusters // (CLUSTERS // GROUPS)
    return np.repeat(np.column_stack([groups, clusters]), _CLUSTER_SIZE, axis=0)


@cache
def places() -> NDArray[np.float64]:
    """Sixty points in the plane: six clusters around the origin, of which two each are close.

    They are closer by angle, dot product and Euclidean distance alike, so that an algorithm may
    use any of these.
    """
    group, cluster = levels().T
    # A third of the circle for a group; its clusters are 45 degrees apart.
    angle = 2 * np.pi * group / GROUPS + np.pi / 4 * (cluster % 2)
    centres = 6 * np.column_stack([np.cos(angle), np.sin(angle)])
    return centres + np.random.default_rng(0).normal(scale=1.2, size=centres.shape)


@cache
def similarities() -> NDArray[np.float64]:
    """Those of all pairs of points: minus their Euclidean distances."""
    vectors = hcbench.Problem(n=len(places()), vectors=places())
    return np.asarray(hcbench.similarity_matrix(vectors, "euclidean"), dtype=np.float64)


@cache
def points() -> hcbench.Problem:
    """The points as data. Oracles that compare items get the Euclidean similarities."""
    return hcbench.Problem(
        n=len(places()), vectors=places(), similarity=similarities(), levels=levels()
    )


@cache
def tree_of_points() -> hcbench.Tree:
    """The tree of average linkage, for what needs a tree."""
    return hcbench.fit("UPGMA", places())


def numbered(labels: NDArray[Any]) -> list[int]:
    """Clusters by numbers, in the order of their first items, so that colours are alike."""
    numbers: dict[Any, int] = {}
    for label in labels.tolist():
        numbers.setdefault(label, len(numbers) + 1)
    return [numbers[label] for label in labels.tolist()]


def scatter(ax: Any, where: NDArray[Any], classes: list[Any], colours: Any) -> None:
    """Items in the plane, coloured by their classes."""
    of_items = [colours[label] for label in classes]
    ax.scatter(where[:, 0], where[:, 1], c=of_items, s=9, linewidths=0)
    ax.set_aspect("equal", adjustable="datalim")


def points_and_tree(clusters: list[int], tree: hcbench.Tree) -> Figure:
    """The sixty points, and a tree of them, both coloured by clusters."""
    colours = figures.class_colours(clusters)
    figure, (left, right) = figures.new_figure(*SIZE, columns=2)
    with figures.style():
        scatter(left, places(), clusters, colours)
        figures.draw_tree(right, tree, clusters, colours, names=False)
    return figure
