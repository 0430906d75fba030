"""The picture of a metric: its value while items of a true hierarchy change places."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from drawing import Drawing
from numpy.typing import NDArray

import hcbench
from hcbench import MetricSpec, NotApplicableError, Partition, Tree, figures, load_registry
from hcbench.run import call_of, make_answers, make_oracle, make_problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Items that change places, of 60, and how often.
_EXCHANGED = (0, 2, 5, 10, 20, 30, 40, 50, 60)
_DRAWS = 5
_DATA = "nested-gaussians[n=60,stop=0,depth=2,branching=3,imbalance=0]"
_HELD_OUT = "quadruplet-set[count=2000,similarity=euclidean]"


@cache
def items() -> hcbench.Problem:
    """Sixty items in three clusters of three, with a true tree, and answers that are held out."""
    registry = load_registry()
    (data,) = registry.use_datasets(_DATA)
    problem = make_problem(call_of(data), 0, frozenset())
    (oracle,) = registry.use_oracles(_HELD_OUT)
    answers = make_answers(call_of(oracle), problem, 0, None)
    held_out = make_oracle(answers, None).read()
    return replace(problem, held_out=held_out, tree=problem.truth)


@cache
def starts() -> dict[str, Tree | Partition]:
    """Results without a mistake. A metric is of the first that it is defined for."""
    return {
        "the true tree": items().truth,
        "the true clusters": hcbench.finest_partition(items()),
        "the tree of UPGMA": hcbench.fit("UPGMA", items()),
    }


def draw(spec: MetricSpec) -> Drawing:
    """Score results that are further and further from the truth."""
    if spec.cost:
        text = "It is a cost of a call, and has no value without one"
        return Drawing(f"There is no picture here. {text}: see the gallery for quality against it.")
    reason = ""
    for name, start in starts().items():
        try:
            values = _values_of(spec.name, start)
        except NotApplicableError as error:
            reason = reason or str(error)
            continue
        if np.ptp(values) == 0:
            reason = "it does not depend on which item has which place in the result"
            continue
        return Drawing(
            f"{spec.name} of {name} of 60 items, of which some change places at random: the mean, "
            f"the least and the largest value of {_DRAWS} draws.",
            _figure(spec.name, values),
        )
    return Drawing(f"There is no picture here: {reason}.")


def _values_of(metric: str, start: Tree | Partition) -> NDArray[np.float64]:
    """For each number of exchanged items, the values of all draws."""
    values = np.empty((len(_EXCHANGED), _DRAWS))
    rng = np.random.default_rng(0)
    for row, exchanged in enumerate(_EXCHANGED):
        for draw_number in range(_DRAWS):
            moved = _exchange(start, exchanged, rng)
            values[row, draw_number] = hcbench.score(metric, moved, items())
    return values


def _exchange(
    result: Tree | Partition, exchanged: int, rng: np.random.Generator
) -> Tree | Partition:
    """A result in which some items have the places of others."""
    places = np.arange(result.n)
    chosen = rng.choice(result.n, exchanged, replace=False)
    places[chosen] = rng.permutation(chosen)
    if isinstance(result, Tree):
        return result.relabel(places)
    return Partition(result.labels[places])


def _figure(metric: str, values: NDArray[np.float64]) -> Figure:
    figure, ax = figures.new_figure(5.0, 2.6)
    colour = figures.PALETTE[0]
    with figures.style():
        ax.fill_between(_EXCHANGED, values.min(axis=1), values.max(axis=1), color=colour, alpha=0.2)
        ax.plot(_EXCHANGED, values.mean(axis=1), color=colour, marker="o", markersize=3)
        ax.set(xlabel="items that change places", ylabel=metric)
    return figure
