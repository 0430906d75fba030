"""Specs of the measures used in the papers: a result against a true tree, or label levels."""

from __future__ import annotations

from hcbench import MetricSpec, Parameter, Reference
from hcbench_metrics.truths import TRUTH

GHOSHDASTIDAR_2019 = Reference(
    "ghoshdastidar2019",
    "inproceedings",
    {
        "author": "Ghoshdastidar, Debarghya and Perrot, Michaël and von Luxburg, Ulrike",
        "title": "Foundations of Comparison-Based Hierarchical Clustering",
        "booktitle": "Advances in Neural Information Processing Systems",
        "volume": "32",
        "pages": "7454--7464",
        "year": "2019",
    },
)
GRAY_2023 = Reference(
    "gray2023",
    "inproceedings",
    {
        "author": "Gray, Annie and Modell, Alexander and Rubin-Delanchy, Patrick "
        "and Whiteley, Nick",
        "title": "Hierarchical clustering with dot products recovers hidden tree structure",
        "booktitle": "Advances in Neural Information Processing Systems",
        "volume": "36",
        "year": "2023",
    },
)
ELDRIDGE_2015 = Reference(
    "eldridge2015",
    "inproceedings",
    {
        "author": "Eldridge, Justin and Belkin, Mikhail and Wang, Yusu",
        "title": "Beyond Hartigan Consistency: Merge Distortion Metric for Hierarchical Clustering",
        "booktitle": "Proceedings of the 28th Conference on Learning Theory",
        "year": "2015",
    },
)
DAY_1985 = Reference(
    "day1985",
    "article",
    {
        "author": "Day, William H. E.",
        "title": "Optimal Algorithms for Comparing Trees with Labeled Leaves",
        "journal": "Journal of Classification",
        "volume": "2",
        "pages": "7--28",
        "year": "1985",
    },
)

_RANKS = (
    Parameter(
        "include_self",
        False,
        "Whether the item itself is also ranked, as the first, as in the authors' code.",
    ),
    TRUTH,
    Parameter(
        "transposed",
        False,
        "Whether the truth ranks j around i by where i joins j, as in the authors' code for "
        "Newsgroups, instead of where j joins i.",
    ),
    Parameter(
        "break_ties",
        None,
        "Order of the classes that the truth ties, as in the published values for simulated data: "
        "a seed of random orders, or rounding as in the authors' code.",
        type="int",
        alternative="str",
        choices=("rounding",),
        interval="[0, inf)",
    ),
)

AGREEMENT = (
    MetricSpec(
        name="AARI",
        function="hcbench_metrics.agreement:aari",
        doc="Mean adjusted Rand index between levels of the true hierarchy and cuts of the result.",
        parameters=(
            Parameter(
                "levels",
                "auto",
                "Levels to compare: those of the labels, the cuts into 2, 4, 8, ... clusters, or "
                "the depths of the truth; auto uses the first of these that exists.",
                choices=("auto", "labels", "powers", "depths"),
            ),
            TRUTH,
            Parameter(
                "singletons",
                True,
                "Whether a level of labels whose clusters are single items counts, as in the "
                "paper's sum; every tree has an index of 1 there.",
            ),
        ),
        paper=GHOSHDASTIDAR_2019,
        direction="higher",
        interval="[-1, 1]",
        needs=("truth|levels",),
    ),
    MetricSpec(
        name="kendall-tau-b",
        function="hcbench_metrics.merge_order:kendall_tau_b",
        doc="Mean over items of Kendall's tau_b between the orders in which the others join them.",
        parameters=_RANKS,
        paper=GRAY_2023,
        direction="higher",
        interval="[-1, 1]",
        needs=("truth|levels",),
    ),
    MetricSpec(
        name="kendall-tau-b-error",
        function="hcbench_metrics.merge_order:kendall_tau_b_error",
        doc="Standard error of kendall-tau-b over the items of one result.",
        parameters=_RANKS,
        paper=GRAY_2023,
        direction="none",
        interval="[0, inf)",
        needs=("truth|levels",),
    ),
    MetricSpec(
        name="merge-distortion",
        function="hcbench_metrics.merge_heights:merge_distortion",
        doc="Largest difference between a pair's merge height in the result and in the truth.",
        parameters=(TRUTH,),
        paper=ELDRIDGE_2015,
        direction="lower",
        interval="[0, inf]",
        needs=("heights",),
    ),
    MetricSpec(
        name="clade-recovery",
        function="hcbench_metrics.recovery:clade_recovery",
        doc="Share of the true clusters that are clusters of the result.",
        parameters=(TRUTH,),
        paper=DAY_1985,
        direction="higher",
        interval="[0, 1]",
        needs=("truth|levels",),
    ),
    MetricSpec(
        name="exact-recovery",
        function="hcbench_metrics.recovery:exact_recovery",
        doc="1 if every true cluster is a cluster of the result, else 0.",
        parameters=(
            TRUTH,
            Parameter(
                "refine",
                True,
                "Whether the result may have more clusters; if not, it must be isomorphic.",
            ),
        ),
        paper=GRAY_2023,
        direction="higher",
        interval="{0, 1}",
        needs=("truth|levels",),
        symmetric=lambda params: not params["refine"],
    ),
)
