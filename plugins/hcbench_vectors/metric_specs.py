"""Specs of metrics of the quantities in the theorems of Gray et al. 2023."""

from __future__ import annotations

from hcbench import MetricSpec, Parameter
from hcbench_vectors.references import PAPERS

_ESTIMATE = (
    Parameter(
        "estimate",
        "data",
        "Dot products over p of the data, or of their principal component scores; or cosines.",
        choices=("data", "pca", "cosine"),
    ),
    Parameter(
        "r",
        None,
        "Number of components for estimate=pca; by default the rank of the true affinities.",
        type="int",
        interval="[1, inf)",
    ),
)

METRICS = (
    MetricSpec(
        name="affinity-error",
        function="hcbench_vectors.affinity:affinity_error",
        doc="Largest error of the affinities estimated from the data, without the result.",
        parameters=_ESTIMATE,
        paper=PAPERS["gray2023"],
        direction="lower",
        interval="[0, inf)",
        needs=("heights", "vectors"),
        result="any",
    ),
    MetricSpec(
        name="merge-distortion-slack",
        function="hcbench_vectors.affinity:merge_distortion_slack",
        doc="Affinity error minus merge distortion, at least 0 by theorem 1.",
        parameters=_ESTIMATE,
        paper=PAPERS["gray2023"],
        direction="higher",
        needs=("heights", "vectors"),
        uses_height_unit=True,
    ),
    MetricSpec(
        name="negative-affinity",
        function="hcbench_vectors.affinity:negative_affinity",
        doc="How far the least estimated affinity is below 0, without the result (lemma 3).",
        parameters=_ESTIMATE,
        paper=PAPERS["gray2023"],
        direction="lower",
        interval="[0, inf)",
        needs=("heights", "vectors"),
        result="any",
    ),
    MetricSpec(
        name="height-inversion",
        function="hcbench_vectors.affinity:height_inversion",
        doc="How far the mean affinity of a merge is below that of its parent, 0 by proposition 1.",
        parameters=_ESTIMATE,
        paper=PAPERS["gray2023"],
        direction="lower",
        interval="[0, inf)",
        needs=("heights", "vectors"),
    ),
    MetricSpec(
        name="vertex-distance-error",
        function="hcbench_vectors.affinity:vertex_distance_error",
        doc="Largest error of lemma 1's d(u, v) estimated from the data, without the result.",
        paper=PAPERS["gray2023"],
        direction="lower",
        interval="[0, inf)",
        needs=("heights", "vectors"),
        result="any",
    ),
    MetricSpec(
        name="wasserstein-dimension",
        function="hcbench_vectors.wasserstein:chosen_dimension",
        doc="Number of principal components that pca=auto chooses, without the result.",
        parameters=(
            Parameter(
                "r_max",
                50,
                "The maximum number of components that are tried.",
                interval="[1, inf)",
            ),
        ),
        paper=PAPERS["gray2023"],
        direction="none",
        interval="[1, inf)",
        needs=("vectors",),
        result="any",
    ),
    MetricSpec(
        name="related-neighbours",
        function="hcbench_vectors.classes:related_neighbours",
        doc="Number of the classes closest to one that share its coarsest class, without the "
        "result.",
        parameters=(
            Parameter(
                "of",
                None,
                "Index of the class in the sorted labels; by default the mean over those that "
                "share their coarsest class with another.",
                type="int",
                interval="[0, inf)",
            ),
            Parameter("k", 5, "Number of closest classes.", interval="[1, inf)"),
            Parameter(
                "by",
                "dot-product",
                "Measure of closeness: largest mean dot product, or smallest mean distance.",
                choices=("dot-product", "euclidean"),
            ),
        ),
        paper=PAPERS["gray2023"],
        direction="higher",
        interval="[0, inf)",
        needs=("levels", "vectors"),
        result="any",
    ),
)
