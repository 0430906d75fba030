"""What example_plugin registers with hcbench."""

from collections.abc import Iterable

from hcbench import (
    SIMILARITY_RULES,
    AlgorithmSpec,
    CommandSpec,
    DatasetSpec,
    MetricSpec,
    OracleSpec,
    Parameter,
    Reference,
    any_of,
    hookimpl,
)


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


@hookimpl
def hcbench_metrics() -> Iterable[MetricSpec]:
    """Return the metrics of this plugin."""
    return [
        MetricSpec(
            name="EXAMPLE-METRIC",
            function="example_plugin.metric:relatives_of_own_class",
            doc="Of the items that an item merges with first, the share of its own class.",
            direction="higher",
            interval="[0, 1]",
            needs=("truth",),
            parameters=(
                Parameter(
                    "level",
                    None,
                    "Level of the classes, 1 being the coarsest; by default the finest.",
                    type="int",
                    interval="[1, inf)",
                ),
            ),
        )
    ]


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Return the data sets of this plugin."""
    return [
        DatasetSpec(
            name="EXAMPLE-DATASET",
            function="example_plugin.dataset:branching_points",
            doc="Points around the leaves of a binary tree that grows in random directions.",
            provides=("vectors", "levels", "truth"),
            parameters=(
                Parameter("depth", 3, "Levels of the tree.", interval="[1, 12]"),
                Parameter("members", 10, "Points at each leaf.", interval="[1, inf)"),
                Parameter("dimensions", 5, "Of the space.", interval="[1, inf)"),
                Parameter(
                    "spread", 0.2, "Deviation of a point from its leaf.", interval="[0, inf)"
                ),
            ),
        )
    ]


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """Return the oracles of this plugin."""
    return [
        OracleSpec(
            name="EXAMPLE-ORACLE",
            function="example_plugin.oracle:compare_pairs",
            doc="Answers with noise which of two pairs is more similar.",
            kind="quadruplet-queries",
            needs=(any_of("similarity", "vectors"),),
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


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Commands of hcbench, each imported when it is called."""
    return [
        CommandSpec(
            name="EXAMPLE-COMMAND",
            function="example_plugin.command:command",
            doc="Print the size and the depth of a tree.",
        )
    ]
