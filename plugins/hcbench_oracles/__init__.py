"""Concrete oracles: vectors, similarities and passively observed quadruplets."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import SIMILARITY_RULES, OracleSpec, Parameter, hookimpl

_SIMILARITY = Parameter(
    "similarity",
    "cosine",
    "Similarity of items given as vectors; data with a similarity matrix of their own keep it.",
    choices=SIMILARITY_RULES,
)

ORACLES = (
    OracleSpec(
        name="vectors",
        function="hcbench_oracles.whole:vectors",
        doc="The items as vectors.",
        kind="vectors",
        needs=("vectors",),
        countable=False,
    ),
    OracleSpec(
        name="similarities",
        function="hcbench_oracles.whole:similarities",
        doc="All pairwise similarities.",
        kind="similarities",
        needs=("similarity|vectors",),
        countable=False,
        parameters=(_SIMILARITY,),
    ),
    OracleSpec(
        name="quadruplet-set",
        function="hcbench_oracles.passive:quadruplet_set",
        doc="A random sample of quadruplet comparisons, drawn beforehand.",
        kind="quadruplet-set",
        needs=("similarity|vectors|comparisons",),
        parameters=(
            Parameter(
                "p",
                None,
                "Proportion of the unordered pairs of pairs, each observed independently; with "
                "neither p nor count it is 0.1, or count=1000000 where that is fewer. Of "
                "comparisons that the data set brings along, all.",
                type="float",
                interval="(0, 1]",
            ),
            Parameter(
                "count",
                None,
                "Number of comparisons, instead of p; all where there are fewer.",
                type="int",
                interval="[0, inf)",
            ),
            Parameter(
                "noise",
                0.0,
                "Probability that an answer is the wrong way round, independently of the others.",
                interval="[0, 0.5)",
            ),
            _SIMILARITY,
        ),
    ),
)


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """The oracles of this plugin."""
    return ORACLES
