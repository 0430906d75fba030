"""Algorithms that read vectors, or all similarities: UPGMA and HDBSCAN."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, Parameter, Reference, hookimpl

SOKAL_1958 = Reference(
    "sokal1958",
    "article",
    {
        "author": "Sokal, Robert R. and Michener, Charles D.",
        "title": "A Statistical Method for Evaluating Systematic Relationships",
        "journal": "University of Kansas Science Bulletin",
        "volume": "38",
        "pages": "1409--1438",
        "year": "1958",
    },
)

CAMPELLO_2013 = Reference(
    "campello2013",
    "inproceedings",
    {
        "author": "Campello, Ricardo J. G. B. and Moulavi, Davoud and Sander, Jörg",
        "title": "Density-Based Clustering Based on Hierarchical Density Estimates",
        "booktitle": "Advances in Knowledge Discovery and Data Mining (PAKDD)",
        "pages": "160--172",
        "year": "2013",
    },
)

UPGMA = AlgorithmSpec(
    name="UPGMA",
    function="hcbench_vectors.linkage:upgma",
    doc="Average linkage: merge the two clusters of smallest mean distance.",
    accepts=("vectors", "similarities"),
    parameters=(
        Parameter(
            "metric",
            "euclidean",
            "The distance of two vectors; not used on similarities.",
            choices=("euclidean", "cosine"),
        ),
    ),
    paper=SOKAL_1958,
    requires=("scipy",),
)

HDBSCAN = AlgorithmSpec(
    name="HDBSCAN",
    function="hcbench_vectors.density:hdbscan_tree",
    doc="Single linkage of mutual reachability distances, by the hdbscan package.",
    accepts=("vectors", "similarities"),
    parameters=(
        Parameter(
            "min_cluster_size",
            2,
            "Smallest cluster; it stands in for min_samples, the tree itself keeps smaller ones.",
            interval="[2, inf)",
        ),
        Parameter(
            "min_samples",
            None,
            "The core distance of an item is that to its so-many-th neighbour; "
            "min_cluster_size if left out.",
            type="int",
            interval="[1, inf)",
        ),
        Parameter(
            "metric",
            "euclidean",
            "The distance of two vectors; not used on similarities.",
            choices=("euclidean", "manhattan", "chebyshev", "cosine"),
        ),
        Parameter(
            "alpha",
            1.0,
            "Distances are divided by it before they are compared with core distances.",
            interval="(0, inf)",
        ),
    ),
    paper=CAMPELLO_2013,
    requires=("hdbscan", "scikit-learn", "scipy"),
)


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """UPGMA and HDBSCAN."""
    return (UPGMA, HDBSCAN)
