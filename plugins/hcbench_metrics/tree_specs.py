"""Specs of the measures between any two trees: a result and a true tree, or label levels."""

from __future__ import annotations

from hcbench import MetricSpec, Parameter, Reference
from hcbench_metrics.objective_specs import SOKAL_ROHLF_1962
from hcbench_metrics.truths import TRUTH

HELLER_GHAHRAMANI_2005 = Reference(
    "heller2005",
    "inproceedings",
    {
        "author": "Heller, Katherine A. and Ghahramani, Zoubin",
        "title": "Bayesian Hierarchical Clustering",
        "booktitle": "Proceedings of the 22nd International Conference on Machine Learning",
        "pages": "297--304",
        "year": "2005",
    },
)
COVER_HART_1967 = Reference(
    "cover1967",
    "article",
    {
        "author": "Cover, Thomas M. and Hart, Peter E.",
        "title": "Nearest Neighbor Pattern Classification",
        "journal": "IEEE Transactions on Information Theory",
        "volume": "13",
        "pages": "21--27",
        "year": "1967",
        "doi": "10.1109/TIT.1967.1053964",
    },
)
BRODAL_2013 = Reference(
    "brodal2013",
    "inproceedings",
    {
        "author": "Brodal, Gerth Stølting and Fagerberg, Rolf and Mailund, Thomas "
        "and Pedersen, Christian N. S. and Sand, Andreas",
        "title": "Efficient Algorithms for Computing the Triplet and Quartet Distance Between "
        "Trees of Arbitrary Degree",
        "booktitle": "Proceedings of the 24th Annual ACM-SIAM Symposium on Discrete Algorithms",
        "pages": "1814--1832",
        "year": "2013",
    },
)
ROBINSON_FOULDS_1981 = Reference(
    "robinson1981",
    "article",
    {
        "author": "Robinson, D. F. and Foulds, L. R.",
        "title": "Comparison of Phylogenetic Trees",
        "journal": "Mathematical Biosciences",
        "volume": "53",
        "pages": "131--147",
        "year": "1981",
    },
)
ESTABROOK_1985 = Reference(
    "estabrook1985",
    "article",
    {
        "author": "Estabrook, George F. and McMorris, F. R. and Meacham, Christopher A.",
        "title": "Comparison of Undirected Phylogenetic Trees Based on Subtrees of Four "
        "Evolutionary Units",
        "journal": "Systematic Zoology",
        "volume": "34",
        "pages": "193--200",
        "year": "1985",
    },
)
FOWLKES_MALLOWS_1983 = Reference(
    "fowlkes1983",
    "article",
    {
        "author": "Fowlkes, E. B. and Mallows, C. L.",
        "title": "A Method for Comparing Two Hierarchical Clusterings",
        "journal": "Journal of the American Statistical Association",
        "volume": "78",
        "pages": "553--569",
        "year": "1983",
    },
)
BAKER_1974 = Reference(
    "baker1974",
    "article",
    {
        "author": "Baker, Frank B.",
        "title": "Stability of Two Hierarchical Grouping Techniques Case I: Sensitivity to Data "
        "Errors",
        "journal": "Journal of the American Statistical Association",
        "volume": "69",
        "pages": "440--445",
        "year": "1974",
    },
)
GALILI_2015 = Reference(
    "galili2015",
    "article",
    {
        "author": "Galili, Tal",
        "title": "dendextend: an R Package for Visualizing, Adjusting and Comparing Trees of "
        "Hierarchical Clustering",
        "journal": "Bioinformatics",
        "volume": "31",
        "pages": "3718--3720",
        "year": "2015",
    },
)

TREES = (
    MetricSpec(
        name="dendrogram-purity",
        function="hcbench_metrics.purity:dendrogram_purity",
        doc="Mean purity of the clusters in which two items of one class merge.",
        parameters=(
            Parameter(
                "ties",
                "one-merge",
                "Several clusters that merge at once: a single merge, or the expectation over "
                "random orders, also for equal heights.",
                choices=("one-merge", "expected"),
            ),
            TRUTH,
        ),
        paper=HELLER_GHAHRAMANI_2005,
        direction="higher",
        interval="[0, 1]",
        needs=("truth|levels",),
    ),
    MetricSpec(
        name="triplet-agreement",
        function="hcbench_metrics.triplets:triplet_agreement",
        doc="Proportion of the triplets of items that both trees resolve alike, or both do not "
        "resolve.",
        parameters=(
            Parameter(
                "count",
                "all",
                "All triplets, or those that the truth resolves, or those that both trees do.",
                choices=("all", "resolved-in-truth", "resolved-in-both"),
            ),
            TRUTH,
        ),
        paper=BRODAL_2013,
        direction="higher",
        interval="[0, 1]",
        needs=("truth|levels",),
        symmetric=lambda params: params["count"] != "resolved-in-truth",
    ),
    MetricSpec(
        name="tree-knn",
        function="hcbench_metrics.neighbours:tree_knn",
        doc="Proportion of the k items nearest in the tree that are of an item's class.",
        parameters=(
            Parameter("k", 10, "Neighbours of each item.", interval="[1, inf)"),
            TRUTH,
        ),
        paper=COVER_HART_1967,
        direction="higher",
        interval="[0, 1]",
        needs=("truth|levels",),
    ),
    MetricSpec(
        name="quartet-distance",
        function="hcbench_metrics.quartets:quartet_distance",
        doc="Proportion of the quartets of items that the trees, without their roots, resolve "
        "differently.",
        parameters=(
            Parameter(
                "count",
                "all",
                "All quartets, or those that the truth resolves.",
                choices=("all", "resolved-in-truth"),
            ),
            TRUTH,
        ),
        paper=ESTABROOK_1985,
        direction="lower",
        interval="[0, 1]",
        needs=("truth|levels",),
        symmetric=lambda params: params["count"] == "all",
    ),
    MetricSpec(
        name="robinson-foulds",
        function="hcbench_metrics.recovery:robinson_foulds",
        doc="Clusters of one tree that are not clusters of the other, over all clusters of both.",
        parameters=(
            Parameter("normalised", True, "Whether to divide by the clusters of both trees."),
            TRUTH,
        ),
        paper=ROBINSON_FOULDS_1981,
        direction="lower",
        interval="[0, inf)",
        needs=("truth|levels",),
        symmetric=True,
    ),
    MetricSpec(
        name="fowlkes-mallows",
        function="hcbench_metrics.cuts_curve:fowlkes_mallows",
        doc="B_k: pairs that the cuts of both trees into k clusters put together, over the "
        "geometric mean of the numbers of each.",
        parameters=(
            Parameter(
                "k",
                None,
                "Number of clusters; by default the mean over k = 2, ..., n - 1.",
                type="int",
                interval="[2, inf)",
            ),
            TRUTH,
        ),
        paper=FOWLKES_MALLOWS_1983,
        direction="higher",
        interval="[0, 1]",
        needs=("truth|levels",),
        symmetric=True,
    ),
    MetricSpec(
        name="baker-gamma",
        function="hcbench_metrics.pair_ranks:baker_gamma",
        doc="Rank correlation, over pairs of items, of the stages at which they are first joined.",
        parameters=(
            Parameter(
                "correlation",
                "goodman-kruskal",
                "Goodman and Kruskal's gamma, as in the paper, or Spearman's, as in dendextend.",
                choices=("goodman-kruskal", "spearman"),
            ),
            TRUTH,
        ),
        paper=BAKER_1974,
        direction="higher",
        interval="[-1, 1]",
        needs=("truth|levels",),
        symmetric=True,
    ),
    MetricSpec(
        name="cophenetic-correlation-with-truth",
        function="hcbench_metrics.pair_ranks:cophenetic_correlation_with_truth",
        doc="Correlation, over pairs of items, of the heights at which they merge.",
        parameters=(TRUTH,),
        paper=SOKAL_ROHLF_1962,
        direction="higher",
        interval="[-1, 1]",
        needs=("truth",),
        symmetric=True,
    ),
    MetricSpec(
        name="entanglement",
        function="hcbench_metrics.tanglegram:entanglement",
        doc="Distance of the positions of each leaf in a tanglegram of result and truth.",
        parameters=(
            Parameter("L", 1.5, "Exponent of the distances.", interval="(0, inf)"),
            TRUTH,
        ),
        paper=GALILI_2015,
        direction="lower",
        interval="[0, inf)",
        needs=("truth|levels",),
        exempt={"renumbered_nodes": "its layout is a local optimum that starts from node ids"},
    ),
)
