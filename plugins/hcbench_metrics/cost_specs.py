"""Specs of the costs of a call, and of quality against queries."""

from __future__ import annotations

from hcbench import MetricSpec, Parameter
from hcbench_metrics.references import PAPERS

_NESTED = Parameter("metric", "AARI", "Name of the metric, with its parameters.")

CURVES = (
    MetricSpec(
        name="area-under-curve",
        function="hcbench_metrics.curves:area_under_curve",
        doc="Mean height of the curve of another metric against queries, at the checkpoints.",
        parameters=(
            _NESTED,
            Parameter(
                "scale",
                "log",
                "Scale of the queries: log(1 + queries), or linear.",
                choices=("log", "linear"),
            ),
        ),
        paper=PAPERS["guyon2011"],
        direction="higher",
        result="any",
    ),
    MetricSpec(
        name="queries-to-reach",
        function="hcbench_metrics.curves:queries_to_reach",
        doc="Queries at the first checkpoint at which another metric reaches a level.",
        parameters=(_NESTED, Parameter("level", 0.9, "Value of the metric to reach, in its unit.")),
        paper=PAPERS["hansen2021"],
        direction="lower",
        unit="queries",
        interval="[0, inf]",
        result="any",
    ),
)


def _cost(name: str, doc: str, unit: str) -> MetricSpec:
    function = f"hcbench_metrics.costs:{name.replace('-', '_')}"
    return MetricSpec(
        name=name,
        function=function,
        doc=doc,
        direction="lower",
        unit=unit,
        interval="[0, inf)",
        result="any",
        cost=True,
    )


COSTS = (
    _cost("queries", "Queries to the oracle.", "queries"),
    _cost("distinct-queries", "Distinct queries to the oracle.", "queries"),
    _cost("rounds", "Rounds of queries, each of which may depend on earlier answers.", ""),
    _cost("draws", "Pairs of items that were drawn, which costs no query.", "queries"),
    _cost("seconds", "Wall time of the algorithm, excluding the oracle's answers.", "s"),
    _cost("oracle-seconds", "Wall time of the answers computed during the call.", "s"),
    _cost(
        "processor-seconds",
        "Processor time of the call, of all its threads and processes, with the oracle's answers.",
        "s",
    ),
    _cost("peak-memory", "Peak memory during the call, above that before it.", "bytes"),
    _cost("price", "Price of the answers of a paid oracle, in its currency.", ""),
    _cost("tokens", "Tokens of the answers of a paid oracle.", ""),
    _cost("latency", "Seconds that the answers of a paid oracle took, one after the other.", "s"),
)
