"""Declares the data set."""

from collections.abc import Iterable

from hcbench import DatasetSpec, Parameter, hookimpl


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
