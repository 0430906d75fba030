"""Specs of objectives by similarities or dissimilarities, which need no truth."""

from __future__ import annotations

from hcbench import SIMILARITY_RULES, MetricSpec, Parameter, any_of
from hcbench_metrics.references import PAPERS

_FIRST = "similarities of the data set take precedence."
_SIMILARITY = Parameter(
    "similarity",
    "cosine",
    f"Similarity of items given as vectors; {_FIRST}",
    choices=(*SIMILARITY_RULES, "gaussian"),
    of_vectors=True,
)
_NEGATIVE = "some similarities are negative"
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
        of_vectors=True,
    ),
    Parameter(
        "offset",
        None,
        "Dissimilarities are offset - similarity; by default the largest similarity of a pair.",
        type="float",
    ),
)
_EUCLIDEAN = Parameter(
    "metric",
    "euclidean",
    f"Distance of items given as vectors; {_FIRST}",
    choices=_DISTANCES,
    of_vectors=True,
)
OBJECTIVES = (
    MetricSpec(
        name="dasgupta",
        function="hcbench_metrics.objectives:dasgupta",
        doc="Sum over pairs of their similarity times the size of the smallest cluster with both.",
        parameters=(_SIMILARITY,),
        paper=PAPERS["dasgupta2016"],
        direction="lower",
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="dasgupta-normalised",
        function="hcbench_metrics.objectives:dasgupta_normalised",
        doc="Dasgupta's cost, scaled: 1 expected for a random tree, 0 a lower bound if w >= 0.",
        parameters=(_SIMILARITY,),
        paper=PAPERS["dasgupta2016"],
        direction="lower",
        interval="[0, 1.5]",
        outside=_NEGATIVE,
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="moseley-wang",
        function="hcbench_metrics.objectives:moseley_wang",
        doc="Sum over pairs of their similarity times the number of items outside the smallest "
        "cluster with both.",
        parameters=(_SIMILARITY,),
        paper=PAPERS["moseley2017"],
        direction="higher",
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="moseley-wang-normalised",
        function="hcbench_metrics.objectives:moseley_wang_normalised",
        doc="Moseley and Wang's revenue, scaled: 1 an upper bound if w >= 0, 1/3 expected for a "
        "random tree.",
        parameters=(_SIMILARITY,),
        paper=PAPERS["moseley2017"],
        direction="higher",
        interval="[0, 1]",
        outside=_NEGATIVE,
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="cohen-addad",
        function="hcbench_metrics.dissimilarities:cohen_addad",
        doc="Sum over pairs of their dissimilarity times the size of the smallest cluster with "
        "both.",
        parameters=_DISSIMILARITY,
        paper=PAPERS["cohenaddad2019"],
        direction="higher",
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="cohen-addad-normalised",
        function="hcbench_metrics.dissimilarities:cohen_addad_normalised",
        doc="Value by dissimilarities, scaled: 1 for a star, 2/3 expected for a random tree, 0 a "
        "lower bound if d >= 0.",
        parameters=_DISSIMILARITY,
        paper=PAPERS["cohenaddad2019"],
        direction="higher",
        interval="[0, 1]",
        outside="some dissimilarities are negative",
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="tree-sampling-divergence",
        function="hcbench_metrics.sampling:tree_sampling_divergence",
        doc="Divergence between the distributions over nodes of merged edges and merged pairs.",
        parameters=(
            Parameter(
                "similarity",
                "cosine",
                f"Similarity of items given as vectors; {_FIRST}",
                choices=("cosine", "dot"),
                of_vectors=True,
            ),
            Parameter(
                "weights",
                "degree",
                "Probability of an item: in proportion to the sum of its similarities, or uniform.",
                choices=("degree", "uniform"),
            ),
            Parameter("normalised", True, "Whether to divide by the maximum over all trees."),
            Parameter(
                "self_pairs",
                "parent",
                "Node of the pair of an item with itself: the parent at which the item is merged, "
                "or its leaf.",
                choices=("parent", "leaf"),
            ),
        ),
        paper=PAPERS["charpentier2019"],
        direction="higher",
        interval="[0, inf)",
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="cophenetic-correlation",
        function="hcbench_metrics.dissimilarities:cophenetic_correlation",
        doc="Correlation over pairs of their distance and the height at which they merge.",
        aliases=("CPCC", "cophenet"),
        parameters=(_EUCLIDEAN,),
        paper=PAPERS["sokal1962"],
        direction="higher",
        interval="[-1, 1]",
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="ultrametric-distortion",
        function="hcbench_metrics.distortion:ultrametric_distortion",
        doc="Norm of the differences between merge heights and distances, over that of the "
        "distances.",
        parameters=(
            Parameter("norm", "2", "Sums, squares, or the maximum.", choices=("1", "2", "inf")),
            _EUCLIDEAN,
        ),
        paper=PAPERS["ailon2005"],
        direction="lower",
        interval="[0, inf)",
        uses_height_unit=True,
        needs=(any_of("similarity", "vectors"),),
    ),
    MetricSpec(
        name="silhouette",
        function="hcbench_metrics.silhouettes:silhouette",
        doc="Mean silhouette of the items in the clusters of a cut.",
        parameters=(
            Parameter(
                "cuts",
                "best",
                "The best of the cuts into 2 to max_k clusters, or the mean over cuts into as many "
                "as the levels of labels have.",
                choices=("best", "levels"),
            ),
            Parameter("max_k", 10, "Most clusters of cuts=best.", interval="[2, inf)"),
            _EUCLIDEAN,
        ),
        paper=PAPERS["rousseeuw1987"],
        direction="higher",
        interval="[-1, 1]",
        needs=(any_of("similarity", "vectors"),),
        result="any",
    ),
)
