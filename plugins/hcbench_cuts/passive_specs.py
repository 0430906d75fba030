"""Cuts by pairs that are drawn, or by none: NR, ERM, BEST and the rest, declared."""

from __future__ import annotations

from hcbench import AlgorithmSpec, MetricSpec, Parameter, Params
from hcbench_cuts.references import GENTILE_2019

QUERIES, TREE = ("pair-queries",), ("tree",)
NONE_ASKED = "hcbench_cuts.without_asking:no_questions"

MOST_CLUSTERS = Parameter(
    "K",
    None,
    "The most clusters of a cut; any number if left out.",
    type="int",
    interval="[1, inf)",
)


def _rounds(otherwise: str) -> Parameter:
    return Parameter(
        "rounds",
        None,
        f"The most pairs to draw; if left out {otherwise}, or as many as there are without one.",
        type="int",
        interval="[0, inf)",
    )


def _n_clusters_unless_given(params: Params) -> tuple[str, ...]:
    return ("n_clusters",) if params["K"] is None else ()


NR = AlgorithmSpec(
    name="NR",
    function="hcbench_cuts.nr:nr",
    doc="Selective sampling: labels of drawn pairs are asked for with a probability, and weigh its "
    "inverse.",
    accepts=QUERIES,
    needs=TREE,
    returns="partition",
    anytime=True,
    parameters=(
        Parameter(
            "c0",
            1.0,
            "The constant that equation (4) leaves open: the larger, the more labels.",
            interval="(0, inf)",
        ),
        Parameter(
            "constants",
            "free",
            "What c0 is multiplied with: ln(t+1) / t alone, or the logarithm of the number of cuts "
            "as published, which asks for nearly all labels.",
            choices=("free", "literal"),
        ),
        Parameter(
            "delta",
            0.05,
            "Of literal constants: the probability with which the bounds may fail.",
            interval="(0, 1)",
        ),
        _rounds("1000 for each label of the budget"),
        MOST_CLUSTERS,
    ),
    paper=GENTILE_2019,
)

ERM = AlgorithmSpec(
    name="ERM",
    function="hcbench_cuts.erm:erm",
    doc="The cut that contradicts the fewest answers about pairs that are drawn.",
    accepts=QUERIES,
    needs=TREE,
    returns="partition",
    anytime=True,
    parameters=(_rounds("as many as the budget allows"), MOST_CLUSTERS),
    paper=GENTILE_2019,
)

BEST = AlgorithmSpec(
    name="BEST",
    function="hcbench_cuts.best:best",
    doc="The cut that differs from the true clusters on the fewest pairs: the best in hindsight.",
    accepts=QUERIES,
    needs=TREE,
    returns="partition",
    hints=("clusters",),
    reference=True,
    parameters=(MOST_CLUSTERS,),
    paper=GENTILE_2019,
    questions=NONE_ASKED,
)

CUT_AT_K = AlgorithmSpec(
    name="cut-at-K",
    function="hcbench_cuts.without_asking:cut_at_k",
    doc="Undoes the last merges until there are K clusters.",
    accepts=QUERIES,
    needs=TREE,
    returns="partition",
    hints=_n_clusters_unless_given,
    parameters=(
        Parameter(
            "K",
            None,
            "Number of clusters; that of the true ones if left out.",
            type="int",
            interval="[1, inf)",
        ),
    ),
    questions=NONE_ASKED,
)

LARGEST_GAP = AlgorithmSpec(
    name="largest-gap",
    function="hcbench_cuts.without_asking:largest_gap",
    doc="Cuts where the heights of successive merges are the farthest apart.",
    accepts=QUERIES,
    needs=TREE,
    returns="partition",
    questions=NONE_ASKED,
)

PASSIVE: tuple[AlgorithmSpec, ...] = (NR, ERM, BEST, CUT_AT_K, LARGEST_GAP)

VALIDATION_PAIRS = Parameter(
    "pairs",
    500,
    "How many pairs the validation set has; all algorithms of a repetition have the same.",
    interval="[1, inf)",
)

METRICS: tuple[MetricSpec, ...] = (
    MetricSpec(
        name="k-tilde",
        function="hcbench_cuts.statistics:k_tilde",
        doc="Leaves of the tree of the nodes at and above the cut: the paths that WDP searches.",
        paper=GENTILE_2019,
        direction="none",
        interval="[0, inf)",
        needs=TREE,
        result="partition",
    ),
    MetricSpec(
        name="lower-leaves",
        function="hcbench_cuts.statistics:lower_leaves",
        doc="Nodes of the tree that was cut with leaves alone below: the largest K-tilde.",
        paper=GENTILE_2019,
        direction="none",
        interval="[0, inf)",
        result="any",
    ),
    MetricSpec(
        name="log-cuts",
        function="hcbench_cuts.statistics:log_cuts",
        doc="Natural logarithm of the number of cuts of the tree that was cut.",
        paper=GENTILE_2019,
        direction="none",
        interval="[0, inf)",
        result="any",
    ),
    MetricSpec(
        name="leaf-depth",
        function="hcbench_cuts.statistics:leaf_depth",
        doc="Edges from the root to the leaves of the tree that was cut.",
        parameters=(
            Parameter(
                "statistic",
                "mean",
                "Mean or standard deviation over the leaves.",
                choices=("mean", "sd"),
            ),
        ),
        paper=GENTILE_2019,
        direction="none",
        interval="[0, inf)",
        result="any",
    ),
    MetricSpec(
        name="excess-risk",
        function="hcbench_cuts.statistics:excess_risk",
        doc="Clustering error beyond that of the best cut of the same tree.",
        parameters=(
            Parameter(
                "against",
                "truth",
                "The true clusters, or the answers of the oracle with their noise.",
                choices=("truth", "answers"),
            ),
            Parameter(
                "K",
                None,
                "The most clusters of the best cut; any number if left out.",
                type="int",
                interval="[1, inf)",
            ),
        ),
        paper=GENTILE_2019,
        direction="lower",
        interval="[-1, 1]",
        needs=TREE,
        result="partition",
    ),
    MetricSpec(
        name="validation-error",
        function="hcbench_cuts.validation:validation_error",
        doc="Part of a validation set, pairs that the oracle draws, on which the clusters differ "
        "from its answers.",
        parameters=(VALIDATION_PAIRS,),
        paper=GENTILE_2019,
        direction="lower",
        interval="[0, 1]",
        result="partition",
    ),
    MetricSpec(
        name="test-error",
        function="hcbench_cuts.validation:error_on_the_rest",
        doc="Clustering error without the pairs of the validation set.",
        parameters=(VALIDATION_PAIRS,),
        paper=GENTILE_2019,
        direction="lower",
        interval="[0, 1]",
        needs=("truth|levels",),
        result="partition",
    ),
)
