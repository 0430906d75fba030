"""Recovery according to the theorems of Ghoshdastidar et al. 2019, and as measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hcbench import DataNotAvailableError, figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView

SIGMA = 0.1
ETA = 0.1
RECOVERY = "exact-recovery"
LINKED_SIZES = (10, 30)
LINKED_DEPTH = 3
ACTIVE_SIZES = (32, 64, 128, 256)
ACTIVE_DELTA = 0.2
REFERENCES = 20
FACTORS = (1, 2, 4, 8)


def sufficient_delta(n: int) -> float:
    """The separation 4 sigma sqrt(ln(N / eta)), rounded up."""
    return math.ceil(4 * SIGMA * math.sqrt(math.log(n / ETA)) * 1e4) / 1e4


def failing_delta(size: int) -> float:
    """The separation sigma sqrt(ln N0) / 4, rounded down."""
    return math.floor(SIGMA / 4 * math.sqrt(math.log(size)) * 1e4) / 1e4


def landmark_chance(n: int, factor: int) -> float:
    """The proportion of landmarks, q = factor ln N / N."""
    return round(min(1.0, factor * math.log(n) / n), 5)


def separation(view: FigureView) -> Drawing:
    """Plot recovery by SL and CL against delta/sigma, a panel for each N0, with the bounds.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    found = _means(view)
    sizes = LINKED_SIZES
    figure, axes = figures.new_figure(3.6 * len(sizes) + 2.6, 3.0, columns=len(sizes))
    for ax, size in zip(axes, sizes, strict=True):
        n = size * 2**LINKED_DEPTH
        for number, name in enumerate(("SL", "CL")):
            at = {
                delta / SIGMA: mean
                for (algorithm, items, delta), mean in sorted(found.items())
                if (algorithm, items) == (name, size)
            }
            _draw(ax, at, name, number)
        bounds = {
            "SL fails in half the cases": failing_delta(size),
            f"SL, CL recover in {1 - ETA:.0%}": sufficient_delta(n),
        }
        for (label, delta), style in zip(bounds.items(), (":", "--"), strict=True):
            ax.axvline(delta / SIGMA, color="#888888", linestyle=style, label=f"theorem 1: {label}")
        ax.set(title=f"N0 = {size}, L = {LINKED_DEPTH}", xlabel=r"$\delta/\sigma$")
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
    for number, size in enumerate(ACTIVE_SIZES):
        n = 2 * size
        at = {
            float(factor): found[key]
            for factor in FACTORS
            if (key := (str(landmark_chance(n, factor)), size, ACTIVE_DELTA)) in found
        }
        _draw(left, at, f"N = {n}", number)
    left.set(
        title=f"4K-AL-act (theorem 2), {REFERENCES} references",
        xlabel="q N / ln N",
        ylabel="recovered\nproportion of repetitions",
        ylim=(-0.05, 1.05),
    )
    left.set_xticks(FACTORS, [str(factor) for factor in FACTORS])
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
        if row["metric"] != RECOVERY or row["mean"] is None or "N0" not in data:
            continue
        if values.get("ask", "frugal") != "frugal" or values.get("references") == 1:
            continue
        name = row["algorithm"].partition("[")[0] if values.get("q") is None else str(values["q"])
        found[name, int(str(data["N0"])), float(str(data["delta"]))] = row["mean"]
    if not found or all(math.isnan(mean) for mean in found.values()):
        raise DataNotAvailableError("no recovery was measured")
    return found
