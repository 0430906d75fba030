"""Specs of the measures used in the papers: a result against a true tree, or label levels."""

from __future__ import annotations

from hcbench import MetricSpec, Parameter, any_of
from hcbench_metrics.references import PAPERS
from hcbench_metrics.truths import TRUTH

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
    Parameter(
        "by_names",
        False,
        "Whether the truth ranks classes by how many names their labels share, at any levels, as "
        "in the authors' code for Reviews.",
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
            Parameter(
                "cut",
                "auto",
                "Cut of the result: into as many clusters, as in the paper, or the one that "
                "differs from the level on the fewest pairs; auto is K if the truth itself has "
                "a value of 1 by it, which it has not if its heights do not separate the levels.",
                choices=("auto", "K", "best"),
            ),
        ),
        paper=PAPERS["ghoshdastidar2019"],
        direction="higher",
        interval="[-1, 1]",
        needs=(any_of("truth", "levels"),),
    ),
    MetricSpec(
        name="kendall-tau-b",
        function="hcbench_metrics.merge_order:kendall_tau_b",
        doc="Mean over items of Kendall's tau_b between the orders in which the others join them.",
        parameters=_RANKS,
        paper=PAPERS["gray2023"],
        direction="higher",
        interval="[-1, 1]",
        needs=(any_of("truth", "levels"),),
    ),
    MetricSpec(
        name="kendall-tau-b-error",
        function="hcbench_metrics.merge_order:kendall_tau_b_error",
        doc="Standard error of kendall-tau-b over the items of one result.",
        parameters=_RANKS,
        paper=PAPERS["gray2023"],
        direction="none",
        interval="[0, inf)",
        needs=(any_of("truth", "levels"),),
    ),
    MetricSpec(
        name="merge-distortion",
        function="hcbench_metrics.merge_heights:merge_distortion",
        doc="Largest difference between a pair's merge height in the result and in the truth.",
        parameters=(TRUTH,),
        paper=PAPERS["eldridge2015"],
        direction="lower",
        interval="[0, inf]",
        needs=("heights",),
        uses_height_unit=True,
    ),
    MetricSpec(
        name="clade-recovery",
        function="hcbench_metrics.recovery:clade_recovery",
        doc="Share of the true clusters that are clusters of the result.",
        parameters=(TRUTH,),
        paper=PAPERS["day1985"],
        direction="higher",
        interval="[0, 1]",
        needs=(any_of("truth", "levels"),),
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
        paper=PAPERS["gray2023"],
        direction="higher",
        interval="{0, 1}",
        needs=(any_of("truth", "levels"),),
        symmetric=lambda params: not params["refine"],
    ),
)
