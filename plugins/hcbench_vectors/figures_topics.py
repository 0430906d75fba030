"""Figure 3 of Gray et al. 2023: the similarity of topics of 20 Newsgroups, from the data."""

from __future__ import annotations

from collections.abc import Sequence
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
_DOT = "mean dot product"
_DISTANCE = "mean Euclidean distance"


def closest_topics(view: FigureView) -> Drawing:
    """Figure 3a-b: above each topic its five closest ones, including itself, coloured by class.

    The position of a topic is the mean over pairs of different documents.
    """
    topics = _Topics(view)
    figure, axes = figures.new_figure(11.0, 6.6, rows=2)
    axes[0].set_title(f"(a) largest {_DOT}", loc="left")
    _draw_closest_topics(axes[0], topics, topics.dot_products, -topics.dot_products)
    axes[1].set_title(f"(b) smallest {_DISTANCE}", loc="left")
    _draw_closest_topics(axes[1], topics, topics.distances, topics.distances)
    figure.legend(handles=topics.legend(), loc="outside right center")
    return figure


def _draw_closest_topics(ax: Axes, topics: _Topics, values: Floats, order: Floats) -> None:
    """Draw the values (K, K) of the topics that are first in the ``order`` of each row."""
    for topic in range(len(topics.names)):
        for neighbour in np.argsort(order[topic])[:_CLOSEST]:
            topics.draw(ax, topic, values[topic, neighbour], int(neighbour))
    topics.name_axis(ax, range(len(topics.names)))
    ax.grid(visible=True)


def one_topic(view: FigureView) -> Drawing:
    """Figure 3c-d: comp.windows.x and all other topics, the closest first."""
    topics = _Topics(view)
    figure, axes = figures.new_figure(11.0, 4.6, columns=2)
    title = topics.names[WINDOWS]
    dots = topics.dot_products[WINDOWS]
    axes[0].set_title(f"(c) {_DOT} with {title}", loc="left")
    _draw_other_topics(axes[0], topics, dots, -dots)
    distances = topics.distances[WINDOWS]
    axes[1].set_title(f"(d) {_DISTANCE} from {title}", loc="left")
    _draw_other_topics(axes[1], topics, distances, distances)
    return figure


def _draw_other_topics(ax: Axes, topics: _Topics, values: Floats, order: Floats) -> None:
    """Draw the values (K,) of all topics but comp.windows.x by their ``order``."""
    sorted_topics = [int(topic) for topic in np.argsort(order) if topic != WINDOWS]
    for x, topic in enumerate(sorted_topics):
        topics.draw(ax, x, values[topic], topic)
    topics.name_axis(ax, sorted_topics)
    # Its closest topics, of which the metric counts those of its class, are left of the line.
    ax.axvline(_CLOSEST - 0.5, color="#888888", linestyle=":", linewidth=1.0)
    ax.grid(visible=True)


def dendrograms(view: FigureView) -> Drawing:
    """Figure 3e-f: trees of the topics' mean scores; leaves are at one height, as in the paper.

    Affinities are divided by the number of scores, not of terms: only ratios are meaningful.
    """
    topics = _Topics(view)
    figure, axes = figures.new_figure(11.0, 5.4, columns=2)
    axes[0].set_title("(e) algorithm 1 (dot products)", loc="left")
    _draw_dendrogram(axes[0], topics, "DotProduct")
    axes[1].set_title("(f) UPGMA (Euclidean distance)", loc="left")
    _draw_dendrogram(axes[1], topics, "UPGMA")
    return figure


def _draw_dendrogram(ax: Axes, topics: _Topics, algorithm: str) -> None:
    """Draw an algorithm's tree of the topics, in the colours of their classes."""
    tree = with_level_leaves(topics.view.tree(algorithm, TOPICS))
    figures.dendrogram(ax, tree, classes=topics.classes, colours=topics.colours, orientation="left")
    ax.locator_params(axis="x", nbins=5)
    # The names of the topics tell their classes.
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()


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
    def classes(self) -> list[str]:
        """The newsgroup class of each topic: its name up to the first dot."""
        return [name.partition(".")[0] for name in self.names]

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
        return figures.class_colours(self.classes)

    def draw(self, ax: Axes, x: float, y: float, topic: int) -> None:
        """Draw a marker with shape and colour of the class and the shade of the topic."""
        ax.plot(x, y, **self._look(topic))

    def _look(self, topic: int) -> dict[str, Any]:
        topic_class = self.classes[topic]
        # The topics of a class, in their order, are ever lighter.
        place_in_class = self.classes[:topic].count(topic_class)
        size_of_class = self.classes.count(topic_class)
        share_of_white = 0.75 * place_in_class / max(size_of_class - 1, 1)
        return {
            "marker": _MARKERS[list(self.colours).index(topic_class)],
            "color": _lighter(self.colours[topic_class], share_of_white),
            "markeredgecolor": "#222222",
            "markeredgewidth": 0.6,
            "markersize": 7,
            "linestyle": "",
        }

    def name_axis(self, ax: Axes, order: Sequence[int]) -> None:
        """Write the names of the topics below the axis, in the colours of their classes."""
        names = [self.names[topic] for topic in order]
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        ax.tick_params(axis="x", labelsize=8)
        for text, topic in zip(ax.get_xticklabels(), order, strict=True):
            text.set_color(self.colours[self.classes[topic]])

    def legend(self) -> list[Any]:
        """An entry for each topic."""
        from matplotlib.lines import Line2D

        handles = []
        for topic, name in enumerate(self.names):
            handles.append(Line2D([], [], label=name, **self._look(topic)))
        return handles


def _lighter(colour: str, share: float) -> tuple[float, float, float]:
    """Mix a colour with this proportion of white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return red + (1 - red) * share, green + (1 - green) * share, blue + (1 - blue) * share
