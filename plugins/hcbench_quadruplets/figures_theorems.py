"""Recovery according to the theorems of Ghoshdastidar et al. 2019, and as measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hcbench import DataNotAvailableError, figures
from hcbench_quadruplets import suites_theorems as suite

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView


def separation(view: FigureView) -> Drawing:
    """Plot recovery by SL and CL against delta/sigma, a panel for each N0, with the bounds.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    found = _means(view)
    sizes = suite.LINKED_SIZES
    figure, axes = figures.new_figure(3.6 * len(sizes) + 2.6, 3.0, columns=len(sizes))
    for ax, size in zip(axes, sizes, strict=True):
        n = size * 2**suite.LINKED_DEPTH
        for number, name in enumerate(("SL", "CL")):
            at = {
                delta / suite.SIGMA: found[name, size, delta]
                for delta in suite.separations(size)
                if (name, size, delta) in found
            }
            _draw(ax, at, name, number)
        bounds = {
            "SL fails in half the cases": suite.failing_delta(size),
            f"SL, CL recover in {1 - suite.ETA:.0%}": suite.sufficient_delta(n),
        }
        for (label, delta), style in zip(bounds.items(), (":", "--"), strict=True):
            ax.axvline(
                delta / suite.SIGMA, color="#888888", linestyle=style, label=f"theorem 1: {label}"
            )
        ax.set(title=f"N0 = {size}, L = {suite.LINKED_DEPTH}", xlabel=r"$\delta/\sigma$")
    axes[0].set_ylabel("recovered\nproportion of repetitions")
    axes[-1].legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)
    return figure


def rates(view: FigureView) -> Drawing:
    """Recovery against q by the active kernel, and AARI against p by the passive methods.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    found = _means(view)
    figure, (left, right) = figures.new_figure(9.6, 3.4, columns=2)
    for number, size in enumerate(suite.ACTIVE_SIZES):
        n = 2 * size
        at = {
            float(factor): found[key]
            for factor in suite.FACTORS
            if (key := (str(suite.landmark_chance(n, factor)), size, suite.ACTIVE_DELTA)) in found
        }
        _draw(left, at, f"N = {n}", number)
    left.set(
        title=f"4K-AL-act (theorem 2), {suite.REFERENCES} references",
        xlabel="q N / ln N",
        ylabel="recovered\nproportion of repetitions",
        ylim=(-0.05, 1.05),
    )
    left.set_xticks(suite.FACTORS, [str(factor) for factor in suite.FACTORS])
    left.legend()
    _draw_passive(view, right)
    return figure


def _draw_passive(view: FigureView, ax: Axes) -> None:
    known = view.results.parameters.get("algorithms", {})
    labels = {
        name: f"4-AL, m = {values['init']}" for name, values in known.items() if "init" in values
    }
    figures.curves(
        view,
        x="oracle.p",
        metric="AARI",
        ax=ax,
        where=lambda run: run["oracle"].startswith("quadruplet-set") and "N0=20" in run["dataset"],
        labels=labels,
        log_x=True,
    )
    ax.set_title(r"passive (theorems 3 and 4), N = 80, $\delta/\sigma$ = 1")


def _draw(ax: Axes, at: dict[float, float], label: str, number: int) -> None:
    ax.plot(
        list(at),
        list(at.values()),
        label=label,
        color=figures.PALETTE[number],
        marker="osD^"[number],
    )
    ax.grid(visible=True, axis="y")


def _means(view: FigureView) -> dict[tuple[str, int, float], float]:
    """Proportion of recovered hierarchies by algorithm (or its q), N0 and delta."""
    parameters = view.results.parameters
    found = {}
    for row in view.results.summary:
        data = parameters.get("datasets", {}).get(row["dataset"], {})
        values = parameters.get("algorithms", {}).get(row["algorithm"], {})
        if row["metric"] != suite.RECOVERY or row["mean"] is None or "N0" not in data:
            continue
        if values.get("ask", "frugal") != "frugal" or values.get("references") == 1:
            continue
        name = row["algorithm"].partition("[")[0] if values.get("q") is None else str(values["q"])
        found[name, int(str(data["N0"])), float(str(data["delta"]))] = row["mean"]
    if not found or all(math.isnan(mean) for mean in found.values()):
        raise DataNotAvailableError("no recovery was measured")
    return found
