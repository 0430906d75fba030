"""Figures 2 and S.1 of Ghoshdastidar et al. 2019, from measured results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hcbench import DataNotAvailableError, figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView

_COLUMNS = 4
_ACTIVE = "4K-AL-act"


def recovery(view: FigureView) -> Drawing:
    """Plot AARI against delta, a panel for each proportion p, with 95 % intervals.

    If the active kernel was not run with the p of a panel, its largest p is used.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    proportions = sorted(
        {p for p in map(_proportion, _oracle_parameters(view).values()) if p is not None}
    )
    if not proportions:
        raise DataNotAvailableError("no comparisons were sampled")
    columns = min(len(proportions), _COLUMNS)
    rows = -(-len(proportions) // columns)
    figure, axes = figures.new_figure(3.1 * columns + 1.6, 3.0 * rows, rows=rows, columns=columns)
    panels = axes.ravel().tolist() if len(proportions) > 1 else [axes]
    for number, (ax, p) in enumerate(zip(panels, proportions, strict=False)):
        active = _draw_panel(view, ax, p)
        ax.set_title(
            f"p = {p:g}" + (f" ({_ACTIVE}: {active:g})" if active not in (p, None) else "")
        )
        ax.set_ylim(-0.08, 1.08)
        ax.set_xticks([0.05, 0.1, 0.15, 0.2], ["0.05", "0.1", "0.15", "0.2"])
        ax.set_xlabel(r"$\delta$" if number >= len(proportions) - columns else "")
        if number % columns:
            ax.set_ylabel("")
    for ax in panels[len(proportions) :]:
        ax.remove()
    _share_legend(panels[: len(proportions)], panels[columns - 1])
    return figure


def _draw_panel(view: FigureView, ax: Axes, p: float) -> float | None:
    """Draw the curves, and return the p of the active kernel among them."""
    known = view.results.parameters.get("algorithms", {})
    oracles = _oracle_parameters(view)
    active = [
        q for name, values in known.items() if _is_active(name) and (q := _proportion(values))
    ]
    nearest = max((q for q in active if q <= p), default=None)

    def is_shown(run: Mapping[str, Any]) -> bool:
        """Whether a run is part of the panel; the linkages are part of all."""
        if _is_active(run["algorithm"]):
            return _proportion(known.get(run["algorithm"], {})) == nearest
        sample = _proportion(oracles.get(run["oracle"], {}))
        return sample is None or sample == p

    labels = {name: _without_p(name) for name in known if _is_active(name)}
    figures.curves(
        view,
        x="dataset.delta",
        metric="AARI",
        ax=ax,
        where=is_shown,
        labels=labels,
        log_x=False,
    )
    return nearest


def _share_legend(panels: list[Axes], last: Axes) -> None:
    """One legend at the right of the first row."""
    for ax in panels:
        legend = ax.get_legend()
        if ax is not last and legend is not None:
            legend.remove()


def _oracle_parameters(view: FigureView) -> Mapping[str, Mapping[str, Any]]:
    return view.results.parameters.get("oracles", {})


def _proportion(parameters: Mapping[str, Any]) -> float | None:
    p = parameters.get("p")
    return None if p is None else float(p)


def _is_active(algorithm: str) -> bool:
    return algorithm.startswith(_ACTIVE)


def _without_p(algorithm: str) -> str:
    """The name of an active kernel without its p, which is in the title of the panel."""
    name, _, rest = algorithm.partition("[")
    others = [part for part in rest.rstrip("]").split(",") if not part.strip().startswith("p=")]
    return f"{name}[{','.join(others)}]" if others else name
