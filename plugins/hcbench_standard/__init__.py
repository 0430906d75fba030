"""Standard benchmarks: suites of data sets, algorithms and metrics, small and full.

`suites` declares them with their figures, of costs and of the effect of noise. `shapes` generates
clusters in the plane and Gaussians in any dimension. ``pages`` says why these data and metrics.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import DatasetSpec, Parameter, Suite, hookimpl
from hcbench_standard.references import PAPERS

SHAPES = DatasetSpec(
    name="shapes",
    function="hcbench_standard.shapes:shapes",
    doc="Clusters of simple shapes, as in scikit-learn's comparison of clustering algorithms.",
    provides=("vectors", "levels", "truth"),
    parameters=(
        Parameter(
            "kind",
            "blobs",
            "Round Gaussians; of unequal size and spread; stretched; two half moons; or two rings.",
            choices=("blobs", "unequal", "stretched", "moons", "rings"),
        ),
        Parameter("n", 500, "Points.", interval="[2, inf)"),
        Parameter("clusters", 5, "Gaussians; not used for moons and rings.", interval="[1, inf)"),
        Parameter("features", 2, "Coordinates; not used for moons and rings.", interval="[1, inf)"),
        Parameter(
            "noise",
            0.05,
            "Standard deviation of the points of moons and rings.",
            interval="[0, inf)",
        ),
    ),
    paper=PAPERS["pedregosa2011"],
    requires=("scikit-learn",),
    tags=("simulated",),
)


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Return the generator of clusters of simple shapes."""
    return (SHAPES,)


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    """Return the standard benchmarks, small and full."""
    from hcbench_standard.suites import SUITES

    return SUITES
