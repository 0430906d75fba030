"""The trees of cars of Ghoshdastidar et al. 2019."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hcbench import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView


def _cars_figure(algorithm: str) -> Callable[[FigureView], Drawing]:
    def draw(view: FigureView) -> Drawing:
        """A dendrogram of the cars, names and branches in the colours of the four classes."""
        tree = view.tree(algorithm, "car")
        problem = view.problem("car")
        classes = None
        if problem.names is not None:
            classes = [name.rpartition(" ")[0] for name in problem.names]
        figure, ax = figures.new_figure(9.0, 4.0)
        figures.dendrogram(ax, tree, classes=classes)
        figure.suptitle(f"60 cars by {algorithm}", x=0.02, ha="left")
        return figure

    return draw


cars_by_4_al = _cars_figure("4-AL")
cars_by_4k_al = _cars_figure("4K-AL")
cars_by_tste_al = _cars_figure("tSTE-AL[d=2]")
cars_by_forte_al = _cars_figure("FORTE-AL[d=2]")
cars_by_al_rowsum = _cars_figure("AL-rowsum")
cars_by_tk_al = _cars_figure("tK-AL")
