"""Figures 3 and S.2 to S.4 of Ghoshdastidar et al. 2019, and its trees of cars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hcbench import DataNotAvailableError, figures
from hcbench_quadruplets.suites_real import COST, DATA, DIMENSIONS, REFERENCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView


def costs(view: FigureView) -> Drawing:
    """Figure 3: Dasgupta's cost against p, a panel for each data set; embeddings in 2 dimensions.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    present = {name: dataset for name, dataset in DATA.items() if _label(view, dataset)}
    if not present:
        raise DataNotAvailableError("none of the three data sets was in the comparison")
    figure, axes = figures.new_figure(3.3 * len(present) + 1.0, 3.2, columns=len(present))
    panels = axes.tolist() if len(present) > 1 else [axes]
    for ax, (name, dataset) in zip(panels, present.items(), strict=True):
        _draw_costs(view, ax, dataset, 2)
        ax.set_title(name)
    _share_legend(panels)
    return figure


def costs_on_zoo(view: FigureView) -> Drawing:
    """Figure S.2: a panel for each dimension of the embeddings."""
    return _draw_dimensions(view, "Zoo")


def costs_on_glass(view: FigureView) -> Drawing:
    """Figure S.3: a panel for each dimension of the embeddings."""
    return _draw_dimensions(view, "Glass")


def costs_on_20news(view: FigureView) -> Drawing:
    """Figure S.4: a panel for each dimension of the embeddings."""
    return _draw_dimensions(view, "20news")


def _draw_dimensions(view: FigureView, name: str) -> Drawing:
    if not _label(view, DATA[name]):
        raise DataNotAvailableError(f"{DATA[name]} was not in the comparison")
    columns = len(DIMENSIONS)
    figure, axes = figures.new_figure(2.6 * columns + 1.0, 3.2, columns=columns)
    panels: list[Axes] = axes.tolist()
    for ax, d in zip(panels, DIMENSIONS, strict=True):
        _draw_costs(view, ax, DATA[name], d)
        ax.set_title(f"{name}, d = {d}")
    low = min(ax.get_ylim()[0] for ax in panels)
    high = max(ax.get_ylim()[1] for ax in panels)
    for ax in panels:
        ax.set_ylim(low, high)
    for ax in panels[1:]:
        ax.tick_params(labelleft=False)
    _share_legend(panels)
    return figure


def _label(view: FigureView, dataset: str) -> str:
    """Label of a data set in the results; "" if it is missing."""
    base = dataset.partition("[")[0]
    return next((d for d in view.results.datasets if d.partition("[")[0] == base), "")


def _draw_costs(view: FigureView, ax: Axes, dataset: str, d: int) -> None:
    known = view.results.parameters.get("algorithms", {})
    data_label = _label(view, dataset)

    def is_shown(run: Mapping[str, Any]) -> bool:
        name = run["algorithm"]
        dimension = known.get(name, {}).get("d", d)
        return bool(run["dataset"] == data_label and dimension == d and name not in REFERENCES)

    figures.curves(
        view,
        x="oracle.p",
        metric=COST,
        ax=ax,
        where=is_shown,
        labels={name: _short(name, params) for name, params in known.items()},
        log_x=False,
    )
    for row in view.results.summary:
        if row["algorithm"] == "AL" and row["dataset"] == data_label and row["metric"] == COST:
            ax.axhline(row["mean"], color="#888888", linestyle="--", label="AL (similarities)")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set_xticks([0.02, 0.04, 0.06, 0.08, 0.1], ["0.02", "0.04", "0.06", "0.08", "0.1"])


def _short(name: str, params: Mapping[str, Any]) -> str:
    """The name of an algorithm, and whether it merges an embedding by distances."""
    of = ", distances" if params.get("similarity") == "distance" else ""
    return name.partition("[")[0] + of


def _share_legend(panels: list[Axes]) -> None:
    """Draw one legend beside the last panel, and the label of the axis at the first."""
    panels[0].set_ylabel("Dasgupta's cost\nmean and 95 % interval")
    for ax in panels[1:]:
        ax.set_ylabel("")
    for ax in panels:
        legend = ax.get_legend()
        if legend is not None:
            legend.remove()
    panels[-1].legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


# ---- The cars ------------------------------------------------------------------------------------


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
