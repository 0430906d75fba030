"""Declares the metric."""

from collections.abc import Iterable

from hcbench import MetricSpec, Parameter, hookimpl


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
