"""Figures of the standard suites: costs against the number of items, quality against noise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hcbench import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hcbench.figures import FigureView


def average_linkage(view: FigureView) -> Figure:
    """Plot time and memory of average linkage."""
    return _costs(view, r"UPGMA$|average|higra")


def ward(view: FigureView) -> Figure:
    """Plot time and memory of Ward's method."""
    return _costs(view, r"Ward|ward|sk-agglomerative$|neighbours")


def single_linkage(view: FigureView) -> Figure:
    """Plot time and memory of single linkage, and of that of mutual reachability."""
    return _costs(view, r"Single|linkage$|fc-vector$|(?i:hdbscan)|plscan")


def _costs(view: FigureView, algorithms: str) -> Figure:
    """Time and memory of the algorithms whose labels match, against n, on logarithmic axes."""

    def chosen(run: Mapping[str, Any]) -> bool:
        return re.search(algorithms, run["algorithm"]) is not None

    figure, axes = figures.new_figure(8.0, 4.4, columns=2)
    for ax, metric in zip(axes, ("seconds", "peak-memory"), strict=True):
        figures.curves(
            view, x="dataset.n", metric=metric, ax=ax, where=chosen, log_x=True, log_y=True
        )
    for ax in axes:
        if ax.get_legend() is not None:
            ax.get_legend().remove()
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def wrong_answers(view: FigureView) -> Figure:
    """Plot AARI against the proportion of wrong answers."""

    def chosen(run: Mapping[str, Any]) -> bool:
        return "sigma" not in run["dataset"] and run["oracle"] != "similarities"

    figure, ax = figures.new_figure(7.0, 3.8)
    figures.curves(view, x="oracle.noise", metric="AARI", ax=ax, where=chosen)
    ax.set_xlabel("proportion of wrong answers")
    return figure


def noisy_similarities(view: FigureView) -> Figure:
    """Plot AARI against the standard deviation of the similarities."""

    def chosen(run: Mapping[str, Any]) -> bool:
        return "noise" not in run["oracle"]

    figure, ax = figures.new_figure(7.0, 3.8)
    figures.curves(view, x="dataset.sigma", metric="AARI", ax=ax, where=chosen)
    ax.set_xlabel("standard deviation of a similarity")
    return figure
