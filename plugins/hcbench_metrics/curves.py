"""Quality against queries: what the results on the way of an anytime algorithm are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hcbench import Cost, NotApplicableError, ParameterError, load_registry

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
    metric. It begins with the first point, whatever that took; curves are comparable if their first
    and last queries are the same, as with the same checkpoints. Of points of equal queries the last
    counts. A curve of one point has the mean height of that point.

    Parameters
    ----------
    scored : Scored
        With the results at the checkpoints; those after more queries than this one's do not count.
    metric : str
        Name, with its parameters; of one for which lower is better the area has a minus.
    scale : {"log", "linear"}

    Returns
    -------
    float
        In units of the metric. As many times the metric as there are points.

    Raises
    ------
    NotApplicableError
        If the oracle answers nothing countable, the tree was made elsewhere, or the metric is not
        defined at a point.
    ParameterError
        If the metric is several, or a cost.
    """
    queries, values, sign = _curve(scored, metric)
    if len(values) == 1:
        return sign * float(values[0])
    x = np.log1p(queries) if scale == "log" else queries
    area = float(np.diff(x) @ (values[1:] + values[:-1])) / 2
    return sign * area / float(x[-1] - x[0])


def queries_to_reach(scored: Scored, metric: str = "AARI", level: float = 0.9) -> float:
    """Fewest queries after which a result was as good as a level; lower is better.

    ``min {q_k : v_k >= level}``, ``<=`` of a metric for which lower is better; infinite if no point
    is as good. Nothing is interpolated: at q_k the algorithm had that result, whether or not it had
    one as good before, between two checkpoints, or lost it again later. In benchmarks of optimisers
    this is the runtime to a target (Hansen et al. 2021).

    Parameters
    ----------
    scored, metric
        As of `area_under_curve`.
    level : float
        In units of the metric.

    Returns
    -------
    float
        Questions; as many times the metric as there are points.

    Raises
    ------
    NotApplicableError, ParameterError
        As `area_under_curve`.
    """
    queries, values, sign = _curve(scored, metric)
    reached = np.flatnonzero(sign * values >= sign * level)
    return float(queries[reached[0]]) if reached.size else np.inf


def _curve(scored: Scored, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Queries, rising, and values (K,), and whether more is better (1) or less (-1)."""
    uses = load_registry().use_metrics(name)
    if len(uses) > 1:
        raise ParameterError(f"a curve is of one metric; {name} is {len(uses)}")
    (use,) = uses
    if use.spec.cost:
        raise ParameterError(f"a curve is of a metric of quality; {use.label} is a cost")
    if scored.cost.queries is None or not scored.trace:
        raise NotApplicableError(
            "there is no curve: results after some number of queries are needed, of an algorithm "
            "whose oracle counts them"
        )
    last = {p.queries: p.result for p in scored.trace if p.queries <= scored.cost.queries}
    function = use.spec.load()
    values = [
        function(replace(scored, result=r, cost=Cost(queries=q), trace=()), **use.params)
        for q, r in last.items()
    ]
    sign = 1 if use.spec.direction == "higher" else -1
    return np.array(list(last), dtype=np.float64), np.array(values, dtype=np.float64), sign
