"""Quality against queries: metrics of the intermediate results of an anytime algorithm."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError, ParameterError, load_registry
from hcbench.model import Cost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored


def area_under_curve(scored: Scored, metric: str = "AARI", scale: str = "log") -> float:
    """Mean height of the curve of a metric against queries; higher is better.

    With points (q_1, v_1), ..., (q_K, v_K), the values after q_k queries, and x_k = log(1 + q_k),
    or q_k:

    ``sum over k < K of (x_{k+1} - x_k) (v_k + v_{k+1}) / 2 / (x_K - x_1)``

    the area by the trapezoidal rule over the width, as in the Active Learning Challenge (Guyon et
    al. 2011), but without the scaling by a random and an ideal curve: in units of the
    metric. It begins at the first point; curves are comparable if their first and last numbers of
    queries are equal, as with the same checkpoints. Of several points with equal queries the last
    one is used. For a single point, the mean height is its value.

    Parameters
    ----------
    scored : Scored
        With the results at the checkpoints; those with more queries than this one are ignored.
    metric : str
        Name, with its parameters; if lower is better, the sign of the area is reversed.
    scale : {"log", "linear"}

    Returns
    -------
    float
        In units of the metric. The metric is computed once per point.

    Raises
    ------
    NotApplicableError
        If the oracle does not count queries, the tree is from elsewhere, or the metric is not
        defined at a point.
    ParameterError
        If the name denotes several metrics, or a cost.
    """
    queries, values, sign = _curve(scored, metric)
    if len(values) == 1:
        return sign * float(values[0])
    x = queries
    if scale == "log":
        x = np.log1p(queries)
    area = float(np.diff(x) @ (values[1:] + values[:-1])) / 2
    return sign * area / float(x[-1] - x[0])


def queries_to_reach(scored: Scored, metric: str = "AARI", level: float = 0.9) -> float:
    """Number of queries after which a metric first reaches a level; lower is better.

    ``min {q_k : v_k >= level}``, or ``<=`` if lower is better; infinite if no point reaches the
    level. There is no interpolation: the algorithm may have had an equally good result earlier,
    between two checkpoints, and may have a worse one later. In benchmarks of optimisers this is the
    runtime to a target (Hansen et al. 2021).

    Parameters
    ----------
    scored, metric
        As in `area_under_curve`.
    level : float
        In units of the metric.

    Returns
    -------
    float
        Number of queries. The metric is computed once per point.

    Raises
    ------
    NotApplicableError, ParameterError
        As `area_under_curve`.
    """
    queries, values, sign = _curve(scored, metric)
    reached = np.flatnonzero(sign * values >= sign * level)
    if not reached.size:
        return np.inf
    return float(queries[reached[0]])


def _curve(scored: Scored, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Queries in increasing order, values (K,), and 1 if higher is better or -1 if lower is."""
    uses = load_registry().use_metrics(name)
    if len(uses) > 1:
        raise ParameterError(f"a curve needs one metric; {name} gives {len(uses)}")
    (use,) = uses
    if use.spec.cost:
        raise ParameterError(f"a curve needs a metric of quality; {use.label} is a cost")
    if scored.cost.queries is None or not scored.trace:
        raise NotApplicableError(
            "there is no curve: it needs checkpoints, and an algorithm whose oracle counts queries"
        )
    # Of several points with equal queries, the last one.
    results = {}
    for point in scored.trace:
        if point.queries <= scored.cost.queries:
            results[point.queries] = point.result
    function = use.spec.load()
    values = []
    for queries, result in results.items():
        at_point = replace(scored, result=result, cost=Cost(queries=queries), trace=())
        values.append(function(at_point, **use.params))
    sign = -1
    if use.spec.direction == "higher":
        sign = 1
    return np.array(list(results), dtype=np.float64), np.array(values, dtype=np.float64), sign
