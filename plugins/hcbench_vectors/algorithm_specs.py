"""Specs of the algorithms: dot products, and those that Gray et al. 2023 compare with."""

from __future__ import annotations

from collections.abc import Callable

from hcbench import AlgorithmSpec, Parameter, Reference
from hcbench_vectors.references import PAPERS

MOST_COMPONENTS = 50
"""Numbers of components that pca=auto tries, by default."""

_REDUCTION = (
    Parameter(
        "pca",
        None,
        "Number of principal component scores, not centred, to use instead of the vectors; auto "
        "chooses by the Wasserstein distance between the two halves of the rows.",
        type="int",
        alternative="str",
        interval="[1, inf)",
        choices=("auto",),
    ),
    Parameter(
        "r_max",
        MOST_COMPONENTS,
        "The maximum number of components that pca=auto tries; it uses the best one.",
        interval="[1, inf)",
    ),
    Parameter(
        "patience",
        None,
        "With pca=auto, stop after this many candidates without an improvement; by default all "
        "are tried.",
        type="int",
        interval="[1, inf)",
    ),
)


def _metric_parameter(*more: str) -> Parameter:
    return Parameter(
        "metric",
        "euclidean",
        "The distance of two vectors; correlation is 1 minus Pearson's coefficient of two rows, "
        "spearman that of their ranks. Similarities have none but the default.",
        choices=("euclidean", "cosine", "manhattan", "correlation", "spearman", *more),
    )


_PRECISION = Parameter(
    "precision",
    "double",
    "How the distance of each pair of dense vectors is stored under euclidean or manhattan; "
    "single takes half the memory and may break ties otherwise.",
    choices=("double", "single"),
)


#: Metrics that are cosine distances, of the rows themselves, of their deviations or their ranks.
_OF_DIRECTIONS = ("cosine", "correlation", "spearman")


def _memory_of_pairs(
    n: int, *, metric: str = "euclidean", precision: str = "double", **_: object
) -> float:
    """Bytes that dense vectors take: 8 a pair, or for cosine a matrix and a copy.

    Measured within 2 % for n = 4000. Similarities take more.
    """
    if metric in _OF_DIRECTIONS:
        return 16.0 * n**2
    bytes_of_distance = 8
    if precision == "single":
        bytes_of_distance = 4
    n_pairs = n * (n - 1) / 2
    return bytes_of_distance * n_pairs


def _memory_of_means(n: int, *, metric: str, precision: str = "double", **_: object) -> float:
    """As `_memory_of_pairs`; none of note for metrics of which the means of clusters tell all."""
    if metric == "dot-product" or metric in _OF_DIRECTIONS:
        return 0.0
    return _memory_of_pairs(n, precision=precision)


def _memory_of_single(n: int, *, metric: str, **_: object) -> float:
    """As `_memory_of_pairs`; none of note where Prim's algorithm computes distances anew."""
    if metric not in _OF_DIRECTIONS:
        return 0.0
    return _memory_of_pairs(n, metric=metric)


def _linkage_spec(
    name: str,
    doc: str,
    paper: Reference | None,
    *parameters: Parameter,
    memory: Callable[..., float] | None = _memory_of_pairs,
    vectors_only: bool = False,
    aliases: tuple[str, ...] = (),
) -> AlgorithmSpec:
    """The spec of a linkage; its other names in scipy, R and papers are aliases."""
    # Centres, and Ward's sum of squares, are defined for vectors alone.
    accepts: tuple[str, ...] = ("vectors", "similarities")
    if vectors_only:
        accepts = ("vectors",)
    return AlgorithmSpec(
        name=name,
        function=f"hcbench_vectors.linkage:{name.lower()}",
        doc=doc,
        accepts=accepts,
        parameters=(*parameters, *_REDUCTION),
        paper=paper,
        memory=memory,
        requires=("scipy",),
        random=False,
        tags=("linkage",),
        aliases=aliases,
        binary_only=True,
    )


DOT_PRODUCT = AlgorithmSpec(
    name="DotProduct",
    function="hcbench_vectors.dot_product:dot_product",
    doc="Merge the two clusters of largest mean dot product; heights estimate affinities.",
    accepts=("vectors", "similarities"),
    parameters=(
        Parameter(
            "affinity",
            "dot",
            "Dot product over the number of features, or cosine; for similarities only the "
            "default.",
            choices=("dot", "cosine"),
        ),
        *_REDUCTION,
    ),
    paper=PAPERS["gray2023"],
    requires=("scipy",),
    random=False,
    tags=("linkage",),
)

UPGMA = _linkage_spec(
    "UPGMA",
    "Average linkage: merge the two clusters of smallest mean distance.",
    PAPERS["sokal1958"],
    _metric_parameter("dot-product"),
    _PRECISION,
    memory=_memory_of_means,
    aliases=("average",),
)

WPGMA = _linkage_spec(
    "WPGMA",
    "Average linkage in which the two merged clusters have equal weights.",
    PAPERS["mcquitty1966"],
    _metric_parameter(),
    _PRECISION,
    aliases=("weighted", "mcquitty"),
)

COMPLETE = _linkage_spec(
    "Complete",
    "Merge the two clusters whose farthest pair is closest.",
    None,
    _metric_parameter(),
    _PRECISION,
)

SINGLE = _linkage_spec(
    "Single",
    "Merge the two clusters whose closest pair is closest.",
    None,
    _metric_parameter(),
    memory=_memory_of_single,
)

CENTROID = _linkage_spec(
    "Centroid",
    "Merge the two clusters of closest means.",
    PAPERS["sokal1958"],
    # It depends on the number of coordinates, as it does for Median and Ward.
    memory=None,
    vectors_only=True,
    aliases=("UPGMC",),
)

MEDIAN = _linkage_spec(
    "Median",
    "As Centroid, but the two merged clusters have equal weights.",
    PAPERS["gower1967"],
    memory=None,
    vectors_only=True,
    aliases=("WPGMC",),
)

WARD = _linkage_spec(
    "Ward",
    "Merge the two clusters that increase the sum of squares within clusters least.",
    PAPERS["ward1963"],
    memory=None,
    vectors_only=True,
    aliases=("ward.D2",),
)

HDBSCAN = AlgorithmSpec(
    name="HDBSCAN",
    function="hcbench_vectors.density:hdbscan_tree",
    doc="Single linkage of mutual reachability distances, by the hdbscan package; in three "
    "dimensions fast-hdbscan takes half of its time.",
    accepts=("vectors", "similarities"),
    parameters=(
        Parameter(
            "min_cluster_size",
            2,
            "Smallest cluster; only the default of min_samples, as the tree has smaller ones too.",
            interval="[2, inf)",
        ),
        Parameter(
            "min_samples",
            None,
            "k: the core distance of an item is the distance to its k-th neighbour; by default "
            "min_cluster_size.",
            type="int",
            interval="[1, inf)",
        ),
        Parameter(
            "metric",
            "euclidean",
            "The distance of two vectors; correlation is 1 minus Pearson's coefficient of the two "
            "rows, spearman that of their ranks. Similarities have none but the default.",
            choices=("euclidean", "manhattan", "chebyshev", "cosine", "correlation", "spearman"),
        ),
        Parameter(
            "alpha",
            1.0,
            "Distances are divided by it before they are compared with core distances.",
            interval="(0, inf)",
        ),
        *_REDUCTION,
    ),
    paper=PAPERS["campello2013"],
    requires=("hdbscan", "scikit-learn", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("density",),
)

ALGORITHMS = (
    DOT_PRODUCT,
    UPGMA,
    WPGMA,
    COMPLETE,
    SINGLE,
    CENTROID,
    MEDIAN,
    WARD,
    HDBSCAN,
)
