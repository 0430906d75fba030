"""An oracle that answers by the majority of annotators, and the variation of information."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import MetricSpec, OracleSpec, Parameter, Reference, hookimpl

HCBENCH_HOOKS = 1

_LEVEL = Parameter(
    "level",
    None,
    "Level of the true clusters, 1 being the coarsest; by default the finest.",
    type="int",
    interval="[1, inf)",
)


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """Return the crowd."""
    return [
        OracleSpec(
            name="crowd",
            function="hcbench_crowd.crowd:crowd",
            doc="Whether two items belong together, by the majority of those who are asked.",
            kind="pair-queries",
            needs=("truth",),
            parameters=(
                Parameter("annotators", 20, "People in the crowd.", interval="[1, inf)"),
                Parameter("votes", 3, "Of a question; an odd number.", interval="[1, inf)"),
                Parameter("noise", 0.2, "Mean error rate of a person.", interval="[0, 0.5)"),
                Parameter(
                    "anew",
                    False,
                    "Whether a question that is asked again is put to people again.",
                ),
                _LEVEL,
                Parameter(
                    "details", False, "Whether the confidence and the annotator are told, too."
                ),
            ),
        )
    ]


@hookimpl
def hcbench_metrics() -> Iterable[MetricSpec]:
    """Return the variation of information."""
    return [
        MetricSpec(
            name="variation-of-information",
            function="hcbench_crowd.information:variation_of_information",
            doc="What either of two partitions does not tell of the other, in nats.",
            direction="lower",
            interval="[0, inf)",
            needs=("truth",),
            result="partition",
            symmetric=True,
            parameters=(
                Parameter(
                    "normalised", False, "Whether it is divided by log n, its largest value."
                ),
                _LEVEL,
            ),
            paper=Reference(
                "meila2007",
                "article",
                {
                    "author": "Meila, Marina",
                    "title": "Comparing clusterings: an information based distance",
                    "journal": "Journal of Multivariate Analysis",
                    "volume": "98",
                    "number": "5",
                    "pages": "873--895",
                    "year": "2007",
                },
            ),
        )
    ]
