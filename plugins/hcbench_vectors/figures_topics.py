"""Figure 3 of Gray et al. 2023: the similarity of topics of 20 Newsgroups, from the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench import DataNotAvailableError, HeightKind, Tree, figures
from hcbench_vectors.classes import average_distances, average_dot_products, finest_classes
from hcbench_vectors.suites_topics import DOCUMENTS, TOPICS, WINDOWS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from numpy.typing import NDArray

    from hcbench.figures import FigureView
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]

_CLOSEST = 5
_MARKERS = "Dospv^P"
_DOT, _DISTANCE = "mean dot product", "mean Euclidean distance"


def closest_topics(view: FigureView) -> Drawing:
    """Figure 3a-b: above each topic its five closest ones, including itself, coloured by class.

    The position of a topic is the mean over pairs of different documents.
    """
    topics = _Topics(view)
    figure, axes = figures.new_figure(11.0, 6.6, rows=2)
    for ax, mean, label, sign in (
        (axes[0], topics.dot_products, f"(a) largest {_DOT}", -1),
        (axes[1], topics.distances, f"(b) smallest {_DISTANCE}", 1),
    ):
        for topic, row in enumerate(mean):
            for other in np.argsort(sign * row)[:_CLOSEST]:
                topics.draw(ax, topic, row[other], int(other))
        topics.name_axis(ax, range(len(topics.names)))
        ax.set_title(label, loc="left")
        ax.grid(visible=True)
    figure.legend(handles=topics.legend(), loc="outside right center")
    return figure


def one_topic(view: FigureView) -> Drawing:
    """Figure 3c-d: comp.windows.x and all other topics, the closest first."""
    topics = _Topics(view)
    figure, axes = figures.new_figure(11.0, 4.6, columns=2)
    title = topics.names[WINDOWS]
    for ax, row, label, sign in (
        (axes[0], topics.dot_products[WINDOWS], f"(c) {_DOT} with {title}", -1),
        (axes[1], topics.distances[WINDOWS], f"(d) {_DISTANCE} from {title}", 1),
    ):
        order = [int(k) for k in np.argsort(sign * row) if k != WINDOWS]
        for place, other in enumerate(order):
            topics.draw(ax, place, row[other], other)
        topics.name_axis(ax, order)
        ax.axvline(_CLOSEST - 0.5, color="#888888", linestyle=":", linewidth=1.0)
        ax.set_title(label, loc="left")
        ax.grid(visible=True)
    return figure


def dendrograms(view: FigureView) -> Drawing:
    """Figure 3e-f: trees of the topics' mean scores; leaves are at one height, as in the paper.

    Affinities are divided by the number of scores, not of terms: only ratios are meaningful.
    """
    topics = _Topics(view)
    figure, axes = figures.new_figure(11.0, 5.4, columns=2)
    for ax, algorithm, title in (
        (axes[0], "DotProduct", "(e) algorithm 1 (dot products)"),
        (axes[1], "UPGMA", "(f) UPGMA (Euclidean distance)"),
    ):
        tree = with_level_leaves(view.tree(algorithm, TOPICS))
        heads = [name.partition(".")[0] for name in topics.names]
        figures.dendrogram(ax, tree, classes=heads, colours=topics.colours, orientation="left")
        ax.set_title(title, loc="left")
        ax.locator_params(axis="x", nbins=5)
        legend = ax.get_legend()
        if legend is not None:
            legend.remove()
    return figure


def with_level_leaves(tree: Tree) -> Tree:
    """The tree with all leaves at one height, a little beyond the last merge if it has none."""
    assert tree.height is not None
    height = tree.height.copy()
    merged = height[tree.n :]
    if tree.kind is HeightKind.AFFINITY:
        height[: tree.n] = merged.max() + 0.15 * np.ptp(merged)
    return Tree(tree.parent, height, tree.kind, tree.names)


@dataclass
class _Topics:
    """The topics of the documents in a comparison, their similarities, and their markers."""

    view: FigureView

    @cached_property
    def names(self) -> tuple[str, ...]:
        """In alphabetical order, as the finest classes of the documents."""
        names = self.view.problem(TOPICS).names
        assert names is not None
        return names

    @cached_property
    def _documents(self) -> tuple[Vectors, NDArray[np.int64]]:
        problem = self.view.problem(DOCUMENTS)
        class_of, coarse = finest_classes(problem)
        if problem.vectors is None or coarse.size != len(self.names):
            raise DataNotAvailableError("the documents are not of all topics")
        return problem.vectors, class_of

    @cached_property
    def dot_products(self) -> Floats:
        """Means over pairs of different documents."""
        return average_dot_products(*self._documents)

    @cached_property
    def distances(self) -> Floats:
        """Mean Euclidean distances over pairs of different documents."""
        return average_distances(*self._documents)

    @cached_property
    def colours(self) -> dict[str, str]:
        """Colours of the newsgroup classes."""
        return figures.class_colours([name.partition(".")[0] for name in self.names])

    def draw(self, ax: Axes, x: float, y: float, topic: int) -> None:
        """Draw a marker with shape and colour of the class and the shade of the topic."""
        ax.plot(x, y, **self._look(topic))

    def _look(self, topic: int) -> dict[str, Any]:
        head = self.names[topic].partition(".")[0]
        same = [name for name in self.names if name.partition(".")[0] == head]
        light = 0.75 * same.index(self.names[topic]) / max(len(same) - 1, 1)
        return {
            "marker": _MARKERS[list(self.colours).index(head)],
            "color": _lighter(self.colours[head], light),
            "markeredgecolor": "#222222",
            "markeredgewidth": 0.6,
            "markersize": 7,
            "linestyle": "",
        }

    def name_axis(self, ax: Axes, order: Any) -> None:
        """Write the names of the topics below the axis, in the colours of their classes."""
        names = [self.names[topic] for topic in order]
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        ax.tick_params(axis="x", labelsize=8)
        for text, name in zip(ax.get_xticklabels(), names, strict=True):
            text.set_color(self.colours[name.partition(".")[0]])

    def legend(self) -> list[Any]:
        """An entry for each topic."""
        from matplotlib.lines import Line2D

        return [
            Line2D([], [], label=name, **self._look(topic)) for topic, name in enumerate(self.names)
        ]


def _lighter(colour: str, share: float) -> tuple[float, float, float]:
    """Mix a colour with this proportion of white."""
    from matplotlib.colors import to_rgb

    red, green, blue = (channel + (1 - channel) * share for channel in to_rgb(colour))
    return red, green, blue
