"""Declares the oracle."""

from collections.abc import Iterable

from hcbench import SIMILARITY_RULES, OracleSpec, Parameter, hookimpl


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """Return the oracles of this plugin."""
    return [
        OracleSpec(
            name="EXAMPLE-ORACLE",
            function="example_plugin.oracle:compare_pairs",
            doc="Answers with noise which of two pairs is more similar.",
            kind="quadruplet-queries",
            needs=("similarity|vectors",),
            parameters=(
                Parameter("noise", 0.1, "Probability of the wrong answer.", interval="[0, 0.5)"),
                Parameter(
                    "similarity",
                    "euclidean",
                    "For items given as vectors; a similarity matrix is used unchanged.",
                    choices=SIMILARITY_RULES,
                ),
            ),
        )
    ]
