"""Specs of the measures between any two trees: a result and a true tree, or label levels."""

from __future__ import annotations

from hcbench import MetricSpec, Parameter, any_of
from hcbench_metrics.references import PAPERS
from hcbench_metrics.truths import TRUTH

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
        paper=PAPERS["heller2005"],
        direction="higher",
        interval="[0, 1]",
        needs=(any_of("truth", "levels"),),
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
        paper=PAPERS["brodal2013"],
        direction="higher",
        interval="[0, 1]",
        needs=(any_of("truth", "levels"),),
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
        paper=PAPERS["cover1967"],
        direction="higher",
        interval="[0, 1]",
        needs=(any_of("truth", "levels"),),
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
        paper=PAPERS["estabrook1985"],
        direction="lower",
        interval="[0, 1]",
        needs=(any_of("truth", "levels"),),
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
        paper=PAPERS["robinson1981"],
        direction="lower",
        interval="[0, inf)",
        needs=(any_of("truth", "levels"),),
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
        paper=PAPERS["fowlkes1983"],
        direction="higher",
        interval="[0, 1]",
        needs=(any_of("truth", "levels"),),
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
        paper=PAPERS["baker1974"],
        direction="higher",
        interval="[-1, 1]",
        needs=(any_of("truth", "levels"),),
        symmetric=True,
    ),
    MetricSpec(
        name="cophenetic-correlation-with-truth",
        function="hcbench_metrics.pair_ranks:cophenetic_correlation_with_truth",
        doc="Correlation, over pairs of items, of the heights at which they merge.",
        parameters=(TRUTH,),
        paper=PAPERS["sokal1962"],
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
        paper=PAPERS["galili2015"],
        direction="lower",
        interval="[0, inf)",
        needs=(any_of("truth", "levels"),),
    ),
)
