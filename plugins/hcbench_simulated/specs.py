"""The specs of the simulated data sets, and their sources."""

from __future__ import annotations

from hcbench import DatasetSpec, Parameter, Params
from hcbench_simulated.references import PAPERS


def _items(n: int) -> Parameter:
    return Parameter("n", n, "Items.", interval="[2, inf)")


def _clusters(imbalance: float, stop: float, depth: int = 3) -> tuple[Parameter, ...]:
    return (
        Parameter("depth", depth, "Levels of splits.", interval="[1, inf)"),
        Parameter("branching", 2, "Children of a cluster that is split.", interval="[2, inf)"),
        Parameter(
            "imbalance",
            imbalance,
            "Each child has this share fewer items than the one before; 0: equal sizes.",
            interval="[0, 1)",
        ),
        Parameter(
            "stop",
            stop,
            "Probability that a cluster is not split although its level is below depth.",
            interval="[0, 1)",
        ),
    )


def _provided_by_hsbm(params: Params) -> tuple[str, ...]:
    """What a block model provides: its graph, or the adjacency matrix as similarities."""
    if params.get("sparse"):
        return ("graph", "levels", "truth", "heights")
    return ("similarity", "levels", "truth", "heights")


_LENGTH = Parameter("length", 1000, "Sites of a sequence.", interval="[1, inf)")


def _rate(rate: float) -> Parameter:
    return Parameter("rate", rate, "Substitutions per site and unit of time.", interval="(0, inf)")


DATASETS = (
    DatasetSpec(
        name="nested-gaussians",
        function="hcbench_simulated.vectors:nested_gaussians",
        doc="Normal clusters within clusters, of unequal depth and size.",
        parameters=(
            _items(500),
            *_clusters(imbalance=0.5, stop=0.2),
            Parameter(
                "separation",
                2.0,
                "Standard deviation of the deepest centres around their parents, of which items "
                "have 1; twice as large on each level above.",
                interval="[0, inf)",
            ),
            Parameter("p", 10, "Coordinates.", interval="[1, inf)"),
            Parameter(
                "noise_dimensions",
                0,
                "Coordinates more that are the same noise in all clusters.",
                interval="[0, inf)",
            ),
        ),
        provides=("vectors", "levels", "truth", "heights"),
        tags=("simulated",),
    ),
    DatasetSpec(
        name="topics",
        function="hcbench_simulated.vectors:topics",
        doc="Counts of words in documents on paths of a tree of topics.",
        parameters=(
            _items(500),
            *_clusters(imbalance=0.3, stop=0.0),
            Parameter("vocabulary", 1000, "Different words.", interval="[2, inf)"),
            Parameter("words", 100, "Words of a document.", interval="[1, inf)"),
            Parameter(
                "concentration",
                0.05,
                "Of the Dirichlet distribution of topics; the smaller, the fewer words they have.",
                interval="(0, inf)",
            ),
        ),
        provides=("vectors", "levels", "truth", "heights"),
        paper=PAPERS["blei2010"],
        tags=("simulated",),
    ),
    DatasetSpec(
        name="hsbm",
        function="hcbench_simulated.matrices:hsbm",
        doc="A graph from a hierarchical stochastic block model: blocks within blocks.",
        parameters=(
            _items(400),
            *_clusters(imbalance=0.0, stop=0.0),
            Parameter(
                "within", 0.5, "Probability of an edge in the lowest blocks.", interval="(0, 1]"
            ),
            Parameter(
                "ratio", 0.4, "Of the probabilities of a level and the next.", interval="[0, 1]"
            ),
            Parameter("sparse", False, "Whether it is a sparse graph instead of a matrix."),
        ),
        provides=_provided_by_hsbm,
        paper=PAPERS["clauset2008"],
        tags=("simulated",),
    ),
    DatasetSpec(
        name="coalescent",
        function="hcbench_simulated.sequences:coalescent",
        doc="Distances of sequences along Kingman's coalescent; the truth is the tree.",
        parameters=(_items(200), _LENGTH, _rate(0.1)),
        provides=("similarity", "truth", "heights"),
        paper=PAPERS["kingman1982"],
        tags=("simulated",),
    ),
    DatasetSpec(
        name="birth-death",
        function="hcbench_simulated.sequences:birth_death",
        doc="Distances of sequences along a birth-death phylogeny; the truth is the tree.",
        parameters=(
            _items(200),
            Parameter("birth", 1.0, "Splits of a species per unit of time.", interval="(0, inf)"),
            Parameter("death", 0.5, "Extinctions; fewer than splits.", interval="[0, inf)"),
            _LENGTH,
            _rate(0.05),
        ),
        provides=("similarity", "truth", "heights"),
        paper=PAPERS["gernhard2008"],
        tags=("simulated",),
    ),
    DatasetSpec(
        name="noisy-ultrametric",
        function="hcbench_simulated.matrices:noisy_ultrametric",
        doc="The distances of a random tree (Yule's) with noise; the truth is the tree.",
        parameters=(
            _items(200),
            Parameter(
                "noise",
                0.1,
                "Standard deviation of the logarithm of a distance; 0: an ultrametric.",
                interval="[0, inf)",
            ),
        ),
        provides=("similarity", "truth", "heights"),
        paper=PAPERS["gernhard2008"],
        tags=("simulated",),
    ),
)
