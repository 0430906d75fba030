"""Specs of the algorithms that learn from drawn pairs or make no queries, and of the metrics."""

from __future__ import annotations

from dataclasses import replace

from hcbench import AlgorithmSpec, MetricSpec, Needs, Parameter, Params, any_of
from hcbench_cuts.references import PAPERS

QUERIES = ("pair-queries",)
TREE: Needs = ("tree",)
NONE_ASKED = "hcbench_cuts.without_asking:no_questions"

MOST_CLUSTERS = Parameter(
    "K",
    None,
    "The maximum number of clusters of a cut, by default unlimited.",
    type="int",
    interval="[1, inf)",
)


def _rounds_parameter(otherwise: str) -> Parameter:
    return Parameter(
        "rounds",
        None,
        f"The maximum number of pairs to draw; by default {otherwise}, or without a budget the "
        "number of pairs.",
        type="int",
        interval="[0, inf)",
    )


UNTOUCHED = Parameter(
    "untouched",
    "together",
    "Whether items of clusters without a queried pair are clusters of their own: apart, as in "
    "algorithm 2 as printed; not with K.",
    choices=("apart", "together"),
)


def _hints(params: Params) -> tuple[str, ...]:
    """The true number of clusters, if none is given."""
    if params["K"] is None:
        return ("n_clusters",)
    return ()


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
            "The constant of equation (4), not specified there: the larger, the more labels.",
            interval="(0, inf)",
        ),
        Parameter(
            "constants",
            "free",
            "The factor L(t) of c0: free, ln(t+1); literal, the logarithm of the number of cuts as "
            "published, which requests nearly all labels.",
            choices=("free", "literal"),
        ),
        Parameter(
            "delta",
            0.05,
            "For constants=literal: the probability with which the bounds may fail.",
            interval="(0, 1)",
        ),
        _rounds_parameter("1000 for each label of the budget"),
        MOST_CLUSTERS,
        UNTOUCHED,
    ),
    paper=PAPERS["gentile2019"],
    tags=("cut", "active"),
)

ERM = AlgorithmSpec(
    name="ERM",
    function="hcbench_cuts.erm:erm",
    doc="The cut that contradicts the fewest answers about drawn pairs.",
    accepts=QUERIES,
    needs=TREE,
    returns="partition",
    anytime=True,
    parameters=(_rounds_parameter("as many as the budget allows"), MOST_CLUSTERS, UNTOUCHED),
    paper=PAPERS["gentile2019"],
    tags=("cut", "active"),
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
    paper=PAPERS["gentile2019"],
    queries=NONE_ASKED,
    random=False,
    tags=("cut", "baseline"),
)

CUT_AT_K = AlgorithmSpec(
    name="cut-at-K",
    function="hcbench_cuts.without_asking:cut_at_k",
    doc="Undoes the last merges until there are K clusters.",
    accepts=QUERIES,
    needs=TREE,
    returns="partition",
    hints=_hints,
    parameters=(
        Parameter(
            "K",
            None,
            "Number of clusters, by default the true number.",
            type="int",
            interval="[1, inf)",
        ),
    ),
    queries=NONE_ASKED,
    random=False,
    tags=("cut", "baseline"),
)

LARGEST_GAP = AlgorithmSpec(
    name="largest-gap",
    function="hcbench_cuts.without_asking:largest_gap",
    doc="Cuts at the largest gap between the heights of successive merges.",
    accepts=QUERIES,
    needs=TREE,
    returns="partition",
    queries=NONE_ASKED,
    random=False,
    tags=("cut", "baseline"),
)

PASSIVE: tuple[AlgorithmSpec, ...] = (NR, ERM, BEST, CUT_AT_K, LARGEST_GAP)

VALIDATION_PAIRS = Parameter(
    "pairs",
    500,
    "Number of pairs in the validation set, which all algorithms of a repetition share.",
    interval="[1, inf)",
)

PRIOR = Parameter(
    "prior",
    "uniform",
    "The prior, as of WDP: all cuts equally likely, or the probability that an inner node is below "
    "the cut if all nodes above it are above.",
    type="str",
    alternative="float",
    choices=("uniform",),
    interval="(0, 1)",
)

METRICS: tuple[MetricSpec, ...] = (
    MetricSpec(
        name="k-tilde",
        function="hcbench_cuts.statistics:k_tilde",
        doc="Leaves of the tree of the nodes at and above the cut: the number of paths that WDP "
        "searches.",
        paper=PAPERS["gentile2019"],
        direction="none",
        interval="[0, inf)",
        needs=TREE,
        result="partition",
    ),
    MetricSpec(
        name="lower-leaves",
        function="hcbench_cuts.statistics:lower_leaves",
        doc="Nodes of the cut tree that have only leaves below them: the largest K-tilde.",
        paper=PAPERS["gentile2019"],
        direction="none",
        interval="[0, inf)",
        result="any",
    ),
    MetricSpec(
        name="log-cuts",
        function="hcbench_cuts.statistics:log_cuts",
        doc="Logarithm of the number of cuts of the cut tree.",
        parameters=(
            Parameter(
                "base",
                None,
                "Base of the logarithm, by default natural; 1.5 bounds the queries of OTS.",
                type="float",
                interval="(1, inf)",
            ),
        ),
        paper=PAPERS["gentile2019"],
        direction="none",
        interval="[0, inf)",
        result="any",
    ),
    MetricSpec(
        name="mean-k-tilde",
        function="hcbench_cuts.bounds:mean_k_tilde",
        doc="Mean K-tilde of cuts of the tree that are drawn from a prior.",
        parameters=(PRIOR,),
        paper=PAPERS["gentile2019"],
        direction="none",
        interval="[0, inf)",
        needs=TREE,
        result="any",
    ),
    MetricSpec(
        name="wdp-bound",
        function="hcbench_cuts.bounds:wdp_bound",
        doc="The maximum average number of queries of WDP by theorem 3; with prior=bands, by "
        "theorem 6.",
        parameters=(
            replace(PRIOR, choices=("uniform", "bands")),
            Parameter("bands", 5, "For prior=bands: number of bands.", interval="[1, inf)"),
        ),
        paper=PAPERS["gentile2019"],
        direction="none",
        interval="[0, inf)",
        needs=TREE,
        result="partition",
    ),
    MetricSpec(
        name="leaf-depth",
        function="hcbench_cuts.statistics:leaf_depth",
        doc="Edges from the root to the leaves of the cut tree.",
        parameters=(
            Parameter(
                "statistic",
                "mean",
                "Mean or standard deviation over the leaves.",
                choices=("mean", "sd"),
            ),
        ),
        paper=PAPERS["gentile2019"],
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
                "The maximum number of clusters of the best cut, by default unlimited.",
                type="int",
                interval="[1, inf)",
            ),
        ),
        paper=PAPERS["gentile2019"],
        direction="lower",
        interval="[-1, 1]",
        needs=TREE,
        result="partition",
    ),
    MetricSpec(
        name="validation-error",
        function="hcbench_cuts.validation:validation_error",
        doc="Proportion of a validation set of pairs drawn by the oracle on which the clusters "
        "differ from its answers.",
        parameters=(VALIDATION_PAIRS,),
        paper=PAPERS["gentile2019"],
        direction="lower",
        interval="[0, 1]",
        result="partition",
    ),
    MetricSpec(
        name="test-error",
        function="hcbench_cuts.validation:error_on_the_rest",
        doc="Clustering error without the pairs of the validation set.",
        parameters=(VALIDATION_PAIRS,),
        paper=PAPERS["gentile2019"],
        direction="lower",
        interval="[0, 1]",
        needs=(any_of("truth", "levels"),),
        result="partition",
    ),
)
