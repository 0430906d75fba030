"""What a plugin declares: small frozen descriptions of algorithms, datasets, oracles and metrics.

A spec names its function lazily, as ``"package.module:function"``, so that listing and planning
import nothing heavy; a callable is accepted as well. `parameters` describes the arguments of a
function, `references` where it was published; `kinds` holds the specs themselves.
"""

from hcbench.registry.specs.kinds import (
    HINTS,
    AlgorithmSpec,
    CommandSpec,
    DatasetSpec,
    Direction,
    Function,
    MetricSpec,
    Needs,
    OracleSpec,
    Spec,
    load_function,
    unknown_hint,
    unmet,
)
from hcbench.registry.specs.parameters import REQUIRED, Interval, Parameter, Params, Value
from hcbench.registry.specs.references import Reference

__all__ = [
    "HINTS",
    "REQUIRED",
    "AlgorithmSpec",
    "CommandSpec",
    "DatasetSpec",
    "Direction",
    "Function",
    "Interval",
    "MetricSpec",
    "Needs",
    "OracleSpec",
    "Parameter",
    "Params",
    "Reference",
    "Spec",
    "Value",
    "load_function",
    "unknown_hint",
    "unmet",
]
