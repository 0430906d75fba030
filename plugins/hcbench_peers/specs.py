"""Specs of the algorithms; parameters have the names and the defaults of the library."""

from __future__ import annotations

from hcbench import AlgorithmSpec, Parameter
from hcbench_peers.references import PAPERS

_VECTORS = ("vectors",)
_BOTH = ("vectors", "similarities")
_GRAPH = (*_BOTH, "graph")


def _choice(name: str, doc: str, *choices: str) -> Parameter:
    """A parameter with these choices, the first of which is the default."""
    return Parameter(name, choices[0], doc, choices=choices)


def _metric(
    doc: str = "The distance of two vectors; similarities have none but the default.",
    *more: str,
) -> Parameter:
    return _choice("metric", doc, "euclidean", "cosine", "manhattan", *more)


def _metric_of_linkage(of_other_methods: str) -> Parameter:
    """The metric of a linkage; correlations are those of rows."""
    doc = (
        "The distance of two vectors; correlation is 1 minus Pearson's coefficient of two rows, "
        f"spearman that of their ranks. {of_other_methods}"
    )
    return _metric(doc, "correlation", "spearman")


NEIGHBOURS = 10
"""Nearest items that each is joined to, by default."""

DEPTH = 3
"""Levels of splits of Louvain's method, by default."""

_NEIGHBOURS = Parameter(
    "neighbours",
    NEIGHBOURS,
    "Nearest items that each item is joined to; for a graph that is given only the default.",
    interval="[1, inf)",
)
_EDGES = _choice(
    "edges",
    "Weights of edges: exp(-(d / s)^2), with the mean s of all distances d, or those of the graph "
    "that is given; or all the same.",
    "similarity",
    "equal",
)
_MIN_CLUSTER_SIZE = Parameter(
    "min_cluster_size",
    5,
    "Smallest cluster; only the default of min_samples, as the tree has smaller ones too.",
    interval="[2, inf)",
)
_MIN_SAMPLES = Parameter(
    "min_samples",
    None,
    "Items in the neighbourhood that makes the core distance of an item; by default "
    "min_cluster_size, and at most all.",
    type="int",
    interval="[1, inf)",
)


def _distances(n: int, *, method: str, **_: object) -> float:
    """Bytes of the distances of all pairs, and of the copy that all methods but single make."""
    if method == "single":
        return 4.0 * n**2
    return 8.0 * n**2


SCIPY_LINKAGE = AlgorithmSpec(
    name="scipy-linkage",
    function="hcbench_peers.linkages:scipy_linkage",
    doc="Linkage by scipy.cluster.hierarchy.",
    accepts=_BOTH,
    parameters=(
        _choice(
            "method",
            "The distance of two clusters; the last three need vectors and metric=euclidean.",
            "single",
            "complete",
            "average",
            "weighted",
            "centroid",
            "median",
            "ward",
        ),
        _metric_of_linkage("Similarities have none but the default."),
    ),
    paper=PAPERS["virtanen2020"],
    memory=_distances,
    requires=("scipy",),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "linkage"),
)
FC_LINKAGE = AlgorithmSpec(
    name="fc-linkage",
    memory=lambda n, **_: 8.0 * n**2,
    function="hcbench_peers.linkages:fastcluster_linkage",
    doc="Linkage by fastcluster.",
    accepts=_BOTH,
    parameters=SCIPY_LINKAGE.parameters,
    paper=PAPERS["muellner2013"],
    requires=("fastcluster", "scipy"),
    licence="BSD-2-Clause OR GPL-2.0-or-later",
    random=False,
    tags=("peer", "linkage"),
)
FC_VECTOR = AlgorithmSpec(
    name="fc-vector",
    function="hcbench_peers.linkages:fastcluster_vector",
    doc="Linkage by fastcluster in memory O(n p).",
    accepts=_VECTORS,
    parameters=(
        _choice("method", "The distance of two clusters.", "single", "centroid", "median", "ward"),
        _metric_of_linkage("For other methods than single only the default."),
    ),
    paper=PAPERS["muellner2013"],
    requires=("fastcluster", "scipy"),
    licence="BSD-2-Clause OR GPL-2.0-or-later",
    random=False,
    tags=("peer", "linkage"),
)
SK_AGGLOMERATIVE = AlgorithmSpec(
    name="sk-agglomerative",
    function="hcbench_peers.linkages:agglomerative",
    doc="Linkage by scikit-learn's AgglomerativeClustering, between all clusters or between "
    "neighbours.",
    accepts=_VECTORS,
    parameters=(
        _choice(
            "linkage", "The distance of two clusters.", "ward", "complete", "average", "single"
        ),
        _metric_of_linkage("For linkage=ward only the default."),
        Parameter(
            "neighbours",
            None,
            "Merge clusters only where the graph of this many nearest neighbours joins them; by "
            "default any.",
            type="int",
            interval="[1, inf)",
        ),
    ),
    paper=PAPERS["pedregosa2011"],
    requires=("scikit-learn", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "linkage"),
)
SK_BISECTING_KMEANS = AlgorithmSpec(
    name="sk-bisecting-kmeans",
    function="hcbench_peers.splits:bisecting_kmeans",
    doc="The splits of scikit-learn's BisectingKMeans.",
    accepts=_VECTORS,
    parameters=(
        Parameter(
            "n_clusters",
            8,
            "Clusters to split into, at most the number of different items: all is that number.",
            alternative="str",
            interval="[1, inf)",
            choices=("all",),
        ),
        _choice("init", "Choice of the first centres of a split.", "random", "k-means++"),
        Parameter("n_init", 1, "Attempts at each split.", interval="[1, inf)"),
        _choice(
            "bisecting_strategy",
            "Which cluster is split next.",
            "biggest_inertia",
            "largest_cluster",
        ),
    ),
    paper=PAPERS["steinbach2000"],
    requires=("scikit-learn", "scipy"),
    licence="BSD-3-Clause",
    tags=("peer", "divisive"),
)
SK_BIRCH = AlgorithmSpec(
    name="sk-birch",
    function="hcbench_peers.splits:birch",
    doc="The tree of clustering features of scikit-learn's Birch.",
    accepts=_VECTORS,
    parameters=(
        Parameter(
            "threshold", 0.5, "Largest radius of a subcluster of items.", interval="[0, inf)"
        ),
        Parameter("branching_factor", 50, "Most parts of a node.", interval="[2, inf)"),
    ),
    paper=PAPERS["zhang1996"],
    requires=("scikit-learn", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "incremental"),
    order_dependent=True,
)
SK_HDBSCAN = AlgorithmSpec(
    name="sk-hdbscan",
    function="hcbench_peers.density:sklearn_hdbscan",
    doc="Single linkage of mutual reachability distances by scikit-learn's HDBSCAN.",
    accepts=_BOTH,
    parameters=(
        _MIN_CLUSTER_SIZE,
        _MIN_SAMPLES,
        _metric(),
        Parameter(
            "alpha",
            1.0,
            "Distances are divided by it before they are compared with core distances.",
            interval="(0, inf)",
        ),
    ),
    paper=PAPERS["campello2015"],
    requires=("scikit-learn", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "density"),
)
FAST_HDBSCAN = AlgorithmSpec(
    name="fast-hdbscan",
    function="hcbench_peers.density:fast_hdbscan",
    doc="Single linkage of mutual reachability distances by fast_hdbscan.",
    accepts=_VECTORS,
    parameters=(_MIN_CLUSTER_SIZE, _MIN_SAMPLES),
    paper=PAPERS["mcinnes2017"],
    requires=("fast_hdbscan", "hdbscan", "scipy"),
    licence="BSD-2-Clause",
    random=False,
    tags=("peer", "density"),
)
FAST_PLSCAN = AlgorithmSpec(
    name="fast-plscan",
    min_items=3,
    function="hcbench_peers.density:plscan",
    doc="Single linkage of mutual reachability distances by fast_plscan.",
    accepts=_VECTORS,
    parameters=(
        Parameter(
            "min_samples",
            5,
            "Items in the neighbourhood that makes the core distance of an item.",
            interval="[2, inf)",
        ),
        _choice("metric", "The distance of two vectors.", "euclidean", "manhattan", "chebyshev"),
    ),
    paper=PAPERS["bot2025"],
    requires=("fast-plscan", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "density"),
)
EVOC = AlgorithmSpec(
    name="evoc",
    min_items=6,
    function="hcbench_peers.density:evoc",
    doc="Layers of clusters of embedding vectors, by evoc.",
    accepts=_VECTORS,
    parameters=(
        Parameter(
            "noise_level",
            0.5,
            "Expected proportion of noise, from none to much.",
            interval="[0, 1]",
        ),
        Parameter(
            "base_min_cluster_size",
            5,
            "Smallest cluster of the finest layer.",
            interval="[2, inf)",
        ),
        Parameter("n_neighbors", 15, "Nearest items in its graph.", interval="[1, inf)"),
        Parameter("min_samples", 5, "Items that make the density of an item.", interval="[1, inf)"),
    ),
    paper=PAPERS["bot2025"],
    requires=("evoc", "scipy"),
    licence="BSD-2-Clause",
    tags=("peer", "density"),
)
SKN_PARIS = AlgorithmSpec(
    name="skn-paris",
    function="hcbench_peers.graphs:paris",
    doc="Merges of a graph, or that of nearest neighbours, by Paris of scikit-network.",
    accepts=_GRAPH,
    parameters=(
        _NEIGHBOURS,
        _EDGES,
        _choice(
            "weights",
            "Of nodes: the sum of their edges, or all the same.",
            "degree",
            "uniform",
        ),
    ),
    paper=PAPERS["bonald2018"],
    requires=("scikit-network", "scikit-learn", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "graph"),
)
SKN_LOUVAIN = AlgorithmSpec(
    name="skn-louvain",
    function="hcbench_peers.graphs:louvain",
    doc="Nested clusters of large modularity in a graph, or that of nearest neighbours, by Louvain "
    "of scikit-network.",
    accepts=_GRAPH,
    parameters=(
        _NEIGHBOURS,
        _EDGES,
        _choice(
            "method",
            "Split from the root (LouvainIteration), or aggregate from the items "
            "(LouvainHierarchy).",
            "iteration",
            "hierarchy",
        ),
        Parameter(
            "depth",
            DEPTH,
            "Levels of splits; for method=hierarchy only the default.",
            interval="[1, inf)",
        ),
        Parameter(
            "resolution", 1.0, "Of modularity: more is smaller clusters.", interval="(0, inf)"
        ),
    ),
    paper=PAPERS["blondel2008"],
    requires=("scikit-network", "scikit-learn", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "graph"),
    order_dependent=True,
)
HIGRA_BPT = AlgorithmSpec(
    name="higra-bpt",
    function="hcbench_peers.graphs:partition_tree",
    doc="Linkage on the graph of nearest neighbours, by higra's binary partition trees.",
    accepts=_BOTH,
    parameters=(
        _choice(
            "linkage",
            "The distance of two joined clusters; ward needs vectors.",
            "average",
            "single",
            "complete",
            "ward",
        ),
        _NEIGHBOURS,
    ),
    paper=PAPERS["perret2019"],
    requires=("higra", "scikit-learn", "scipy"),
    licence="CECILL-B",
    random=False,
    tags=("peer", "graph", "linkage"),
)
SKBIO_NJ = AlgorithmSpec(
    name="skbio-nj",
    function="hcbench_peers.phylogenies:neighbour_joining",
    doc="Neighbour joining by scikit-bio, rooted at the midpoint.",
    accepts=_BOTH,
    parameters=(
        _metric_of_linkage("Similarities have none but the default."),
        Parameter("neg_as_zero", True, "Whether negative branch lengths become 0."),
    ),
    paper=PAPERS["saitou1987"],
    requires=("scikit-bio", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "phylogeny"),
)
SKBIO_UPGMA = AlgorithmSpec(
    name="skbio-upgma",
    function="hcbench_peers.phylogenies:upgma",
    doc="UPGMA by scikit-bio.",
    accepts=_BOTH,
    parameters=(
        _metric_of_linkage("Similarities have none but the default."),
        Parameter("weighted", False, "Whether merged clusters have equal weights (WPGMA)."),
    ),
    paper=PAPERS["sokal1958"],
    requires=("scikit-bio", "scipy"),
    licence="BSD-3-Clause",
    random=False,
    tags=("peer", "phylogeny", "linkage"),
)

# ---- All -----------------------------------------------------------------------------------------

ALGORITHMS = (
    SCIPY_LINKAGE,
    FC_LINKAGE,
    FC_VECTOR,
    SK_AGGLOMERATIVE,
    SK_BISECTING_KMEANS,
    SK_BIRCH,
    SK_HDBSCAN,
    FAST_HDBSCAN,
    FAST_PLSCAN,
    EVOC,
    SKN_PARIS,
    SKN_LOUVAIN,
    HIGRA_BPT,
    SKBIO_NJ,
    SKBIO_UPGMA,
)
