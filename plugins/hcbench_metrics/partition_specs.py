"""Specs of the measures of partitions."""

from __future__ import annotations

from typing import Any

from hcbench import MetricSpec, Output, Parameter, Reference, any_of
from hcbench_metrics.references import PAPERS

_CUT = (
    Parameter(
        "cut",
        "auto",
        "Of a result that is a tree: its cut into k clusters, or the one that differs on the "
        "fewest pairs from what it is compared with; auto is K with k, or if the true tree, cut "
        "into as many clusters as there are true ones, gives these, else best.",
        choices=("auto", "K", "best"),
    ),
    Parameter(
        "k",
        None,
        "Clusters of cut K; by default the number of true ones.",
        type="int",
        interval="[1, inf)",
    ),
    Parameter(
        "level",
        None,
        "Level of the true labels, 1 being the coarsest; by default the finest.",
        type="int",
        interval="[1, inf)",
    ),
)


def _agreement(
    name: str,
    doc: str,
    paper: Reference,
    *parameters: Parameter,
    **changes: Any,
) -> MetricSpec:
    options: dict[str, Any] = {
        "function": f"hcbench_metrics.partitions:{name.lower().replace('-', '_')}",
        "direction": "higher",
        "interval": "[0, 1]",
        "needs": (any_of("truth", "levels"),),
        "result": "any",
        **changes,
    }
    return MetricSpec(name=name, doc=doc, paper=paper, parameters=(*parameters, *_CUT), **options)


PARTITIONS = (
    _agreement(
        "clustering-error",
        "Proportion of all ordered pairs on which the clusters differ from the true ones, or from "
        "the answers of the oracle.",
        PAPERS["gentile2019"],
        Parameter(
            "against",
            "truth",
            "The true clusters, or the answers of the oracle with their noise.",
            choices=("truth", "answers"),
        ),
        direction="lower",
        needs=(),
        symmetric=lambda params: params["against"] == "truth",
    ),
    _agreement(
        "ARI",
        "Adjusted Rand index of the clusters and the true ones.",
        PAPERS["hubert1985"],
        interval="[-1, 1]",
        symmetric=True,
    ),
    _agreement(
        "AMI",
        "Adjusted mutual information of the clusters and the true ones.",
        PAPERS["vinh2010"],
        Parameter(
            "average",
            "arithmetic",
            "Average of the two entropies that normalises the information.",
            choices=("arithmetic", "geometric", "min", "max"),
        ),
        interval="(-inf, 1]",
        symmetric=True,
    ),
    _agreement(
        "homogeneity", "Whether each cluster is of a single class.", PAPERS["rosenberg2007"]
    ),
    _agreement(
        "completeness", "Whether each class is in a single cluster.", PAPERS["rosenberg2007"]
    ),
    _agreement(
        "V-measure",
        "Harmonic mean of homogeneity and completeness.",
        PAPERS["rosenberg2007"],
        Parameter("beta", 1.0, "Above 1 completeness weighs more.", interval="[0, inf)"),
        symmetric=lambda params: params["beta"] == 1,
    ),
    _agreement(
        "pairs",
        "Pairs of items that are put together, compared with those of the true clusters.",
        PAPERS["manning2008"],
        outputs=tuple(
            Output(name=name, doc=doc)
            for name, doc in (
                ("precision", "Proportion of the pairs put together that are of one true cluster."),
                ("recall", "Proportion of the pairs of one true cluster that are put together."),
                ("F1", "Harmonic mean of the precision and the recall of pairs."),
            )
        ),
    ),
    MetricSpec(
        name="n-clusters",
        function="hcbench_metrics.partitions:n_clusters",
        doc="Number of clusters.",
        paper=PAPERS["gentile2019"],
        direction="none",
        interval="[1, inf)",
        result="partition",
    ),
    MetricSpec(
        name="cluster-size",
        function="hcbench_metrics.partitions:cluster_size",
        doc="Size of the largest, smallest or median cluster.",
        paper=PAPERS["gentile2019"],
        parameters=(
            Parameter(
                "statistic",
                "largest",
                "Which cluster.",
                choices=("largest", "smallest", "median"),
            ),
        ),
        direction="none",
        interval="[1, inf)",
        result="partition",
    ),
)
