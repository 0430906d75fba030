"""Algorithms of scikit-network, on the graph of nearest neighbours."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, Parameter, Reference, hookimpl

HCBENCH_HOOKS = 1

_GRAPH = (
    Parameter("k", 10, "Most similar items that an item is joined to.", interval="[1, inf)"),
    Parameter(
        "edges",
        "similarity",
        "Weights of edges: the similarity, raised where some are negative so that the least is 0; "
        "or all the same.",
        choices=("similarity", "equal"),
    ),
)

PARIS = AlgorithmSpec(
    name="Paris",
    function="hcbench_paris.hierarchies:paris",
    doc="Merges clusters of the neighbour graph by pair sampling ratio.",
    accepts=("similarities",),
    parameters=(
        *_GRAPH,
        Parameter(
            "weights",
            "degree",
            "Of nodes: the sum of their edges, or all the same.",
            choices=("degree", "uniform"),
        ),
    ),
    paper=Reference(
        "bonald2018",
        "inproceedings",
        {
            "author": "Bonald, Thomas and Charpentier, Bertrand and Galland, Alexis and Hollocou, "
            "Alexandre",
            "title": "Hierarchical Graph Clustering using Node Pair Sampling",
            "booktitle": "14th International Workshop on Mining and Learning with Graphs",
            "year": "2018",
        },
    ),
    requires=("scikit-network",),
)
LOUVAIN_ITERATION = AlgorithmSpec(
    name="LouvainIteration",
    function="hcbench_paris.hierarchies:louvain_iteration",
    doc="Splits the neighbour graph by modularity, again and again, from the root.",
    accepts=("similarities",),
    parameters=(
        *_GRAPH,
        Parameter("depth", 3, "Levels of splits.", interval="[1, inf)"),
        Parameter(
            "resolution", 1.0, "Of modularity: more is smaller clusters.", interval="(0, inf)"
        ),
    ),
    paper=Reference(
        "blondel2008",
        "article",
        {
            "author": "Blondel, Vincent D. and Guillaume, Jean-Loup and Lambiotte, Renaud and "
            "Lefebvre, Etienne",
            "title": "Fast unfolding of communities in large networks",
            "journal": "Journal of Statistical Mechanics: Theory and Experiment",
            "number": "10",
            "pages": "P10008",
            "year": "2008",
        },
    ),
    requires=("scikit-network",),
)


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Return both algorithms."""
    return (PARIS, LOUVAIN_ITERATION)
