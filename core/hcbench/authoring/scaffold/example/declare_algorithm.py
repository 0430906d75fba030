"""Declares the algorithm."""

from collections.abc import Iterable

from hcbench import AlgorithmSpec, Parameter, Reference, hookimpl


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Return the algorithms of this plugin."""
    return [
        AlgorithmSpec(
            name="EXAMPLE-ALGORITHM",
            function="example_plugin.algorithm:merge_most_similar",
            doc="Merges the two most similar clusters until one is left.",
            accepts=("similarities",),
            parameters=(
                Parameter(
                    "linkage",
                    "average",
                    "Clusters are as similar as their pairs of items on average, or as the most "
                    "similar pair (single), or the least similar one (complete).",
                    choices=("average", "single", "complete"),
                ),
            ),
            paper=Reference(
                "sneath1973",
                "book",
                {
                    "author": "Sneath, Peter H. A. and Sokal, Robert R.",
                    "title": "Numerical Taxonomy",
                    "publisher": "W. H. Freeman",
                    "year": "1973",
                },
            ),
        )
    ]
