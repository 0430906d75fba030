"""Declares the oracle."""

from collections.abc import Iterable

from hcbench import SIMILARITY_RULES, OracleSpec, Parameter, hookimpl


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """Oracles by the names that people type."""
    return [
        OracleSpec(
            name="EXAMPLE-ORACLE",
            function="example_plugin.oracle:compare_pairs",
            doc="Tells which of two pairs is the more similar one, and errs.",
            kind="quadruplet-queries",
            needs=("similarity|vectors",),
            parameters=(
                Parameter("noise", 0.1, "Probability of the wrong answer.", interval="[0, 0.5)"),
                Parameter(
                    "similarity",
                    "euclidean",
                    "Of items given as vectors; a similarity matrix is taken as it is.",
                    choices=SIMILARITY_RULES,
                ),
            ),
        )
    ]
