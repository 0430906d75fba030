"""Specs of objectives by similarities or dissimilarities, and of quality against queries."""

from __future__ import annotations

from hcbench import SIMILARITY_RULES, MetricSpec, Parameter, Reference

MOSELEY_WANG_2017 = Reference(
    "moseley2017",
    "inproceedings",
    {
        "author": "Moseley, Benjamin and Wang, Joshua R.",
        "title": "Approximation Bounds for Hierarchical Clustering: Average Linkage, Bisecting "
        "K-means, and Local Search",
        "booktitle": "Advances in Neural Information Processing Systems",
        "volume": "30",
        "year": "2017",
    },
)
COHEN_ADDAD_2019 = Reference(
    "cohenaddad2019",
    "article",
    {
        "author": "Cohen-Addad, Vincent and Kanade, Varun and Mallmann-Trenn, Frederik "
        "and Mathieu, Claire",
        "title": "Hierarchical Clustering: Objective Functions and Algorithms",
        "journal": "Journal of the ACM",
        "volume": "66",
        "number": "4",
        "year": "2019",
    },
)
CHARPENTIER_BONALD_2019 = Reference(
    "charpentier2019",
    "inproceedings",
    {
        "author": "Charpentier, Bertrand and Bonald, Thomas",
        "title": "Tree Sampling Divergence: An Information-Theoretic Metric for Hierarchical "
        "Graph Clustering",
        "booktitle": "Proceedings of the 28th International Joint Conference on Artificial "
        "Intelligence",
        "year": "2019",
    },
)
SOKAL_ROHLF_1962 = Reference(
    "sokal1962",
    "article",
    {
        "author": "Sokal, Robert R. and Rohlf, F. James",
        "title": "The Comparison of Dendrograms by Objective Methods",
        "journal": "Taxon",
        "volume": "11",
        "pages": "33--40",
        "year": "1962",
    },
)
GUYON_2011 = Reference(
    "guyon2011",
    "inproceedings",
    {
        "author": "Guyon, Isabelle and Cawley, Gavin and Dror, Gideon and Lemaire, Vincent",
        "title": "Results of the Active Learning Challenge",
        "booktitle": "Active Learning and Experimental Design Workshop, Proceedings of Machine "
        "Learning Research",
        "volume": "16",
        "pages": "19--45",
        "year": "2011",
    },
)
HANSEN_2021 = Reference(
    "hansen2021",
    "article",
    {
        "author": "Hansen, Nikolaus and Auger, Anne and Ros, Raymond and Mersmann, Olaf "
        "and Tušar, Tea and Brockhoff, Dimo",
        "title": "COCO: A Platform for Comparing Continuous Optimizers in a Black-Box Setting",
        "journal": "Optimization Methods and Software",
        "volume": "36",
        "pages": "114--144",
        "year": "2021",
    },
)

_FIRST = "a data set's own similarities go first."
_SIMILARITY = Parameter(
    "similarity",
    "cosine",
    f"Similarity of items given as vectors; {_FIRST}",
    choices=SIMILARITY_RULES,
)
_DISTANCES = (
    *("cosine", "euclidean", "sqeuclidean", "cityblock", "chebyshev"),
    *("correlation", "canberra", "braycurtis"),
)
_DISSIMILARITY = (
    Parameter(
        "metric",
        "cosine",
        f"Distance of items given as vectors; {_FIRST}",
        choices=_DISTANCES,
    ),
    Parameter(
        "offset",
        None,
        "What similarities are taken from to be dissimilarities; by default the largest of a pair.",
        type="float",
    ),
)
_NESTED = Parameter("metric", "AARI", "The metric that is followed, with its parameters.")

MATRIX_METRICS = (
    MetricSpec(
        name="moseley-wang",
        function="hcbench_metrics.objectives:moseley_wang",
        doc="Sum over pairs of their similarity times the number of items outside of the smallest "
        "cluster with both.",
        parameters=(_SIMILARITY,),
        paper=MOSELEY_WANG_2017,
        direction="higher",
        needs=("similarity|vectors",),
    ),
    MetricSpec(
        name="moseley-wang-normalised",
        function="hcbench_metrics.objectives:moseley_wang_normalised",
        doc="Moseley and Wang's revenue, 1 at a bound if w >= 0, 1/3 expected of a random tree.",
        parameters=(_SIMILARITY,),
        paper=MOSELEY_WANG_2017,
        direction="higher",
        needs=("similarity|vectors",),
    ),
    MetricSpec(
        name="cohen-addad",
        function="hcbench_metrics.dissimilarities:cohen_addad",
        doc="Sum over pairs of their dissimilarity times the size of the smallest cluster with "
        "both.",
        parameters=_DISSIMILARITY,
        paper=COHEN_ADDAD_2019,
        direction="higher",
        needs=("similarity|vectors",),
    ),
    MetricSpec(
        name="cohen-addad-normalised",
        function="hcbench_metrics.dissimilarities:cohen_addad_normalised",
        doc="Value by dissimilarities, 1 of a star, 2/3 expected of a random tree, 0 at a bound if "
        "d >= 0.",
        parameters=_DISSIMILARITY,
        paper=COHEN_ADDAD_2019,
        direction="higher",
        needs=("similarity|vectors",),
    ),
    MetricSpec(
        name="tree-sampling-divergence",
        function="hcbench_metrics.sampling:tree_sampling_divergence",
        doc="Divergence between the nodes at which edges and at which pairs of items merge.",
        parameters=(
            Parameter(
                "similarity",
                "cosine",
                f"Similarity of items given as vectors; {_FIRST}",
                choices=("cosine", "dot"),
            ),
            Parameter(
                "weights",
                "degree",
                "Whether items are drawn by the sum of their similarities or all alike.",
                choices=("degree", "uniform"),
            ),
            Parameter("normalised", True, "Whether it is the share of what a tree can keep."),
            Parameter(
                "self_pairs",
                "parent",
                "Where a pair of an item with itself belongs: to the node at which the item is "
                "merged, or to its leaf.",
                choices=("parent", "leaf"),
            ),
        ),
        paper=CHARPENTIER_BONALD_2019,
        direction="higher",
        interval="[0, inf)",
        needs=("similarity|vectors",),
    ),
    MetricSpec(
        name="cophenetic-correlation",
        function="hcbench_metrics.dissimilarities:cophenetic_correlation",
        doc="Correlation over pairs of their distance and the height at which they merge.",
        parameters=(
            Parameter(
                "metric",
                "euclidean",
                f"Distance of items given as vectors; {_FIRST}",
                choices=_DISTANCES,
            ),
        ),
        paper=SOKAL_ROHLF_1962,
        direction="higher",
        interval="[-1, 1]",
        needs=("similarity|vectors",),
    ),
)

CURVES = (
    MetricSpec(
        name="area-under-curve",
        function="hcbench_metrics.curves:area_under_curve",
        doc="Mean height of the curve of another metric against queries, at the checkpoints.",
        parameters=(
            _NESTED,
            Parameter(
                "scale",
                "log",
                "Of the queries: log(1 + queries), or linear.",
                choices=("log", "linear"),
            ),
        ),
        paper=GUYON_2011,
        direction="higher",
        result="any",
    ),
    MetricSpec(
        name="queries-to-reach",
        function="hcbench_metrics.curves:queries_to_reach",
        doc="Queries at the first checkpoint at which another metric is as good as a level.",
        parameters=(_NESTED, Parameter("level", 0.9, "Of the metric, in its unit.")),
        paper=HANSEN_2021,
        direction="lower",
        unit="questions",
        interval="[0, inf]",
        result="any",
    ),
)
