"""Specs of the algorithms that choose their queries: BF, OTS, WDP and N-WDP."""

from __future__ import annotations

from hcbench import AlgorithmSpec, Needs, Parameter
from hcbench_cuts.references import PAPERS

QUERIES = ("pair-queries",)
TREE: Needs = ("tree",)
MOST_QUERIES = "hcbench_cuts.votes:most_questions"
TAGS = ("cut", "active")


def _undecided_parameter(default: str, meaning: str) -> Parameter:
    return Parameter("undecided", default, meaning, choices=("apart", "together"))


def _votes_parameters(default: str | int, only_by_formula: str) -> tuple[Parameter, ...]:
    """Parameters of the votes on a node; ``only_by_formula`` says when the formula is not used."""
    return (
        Parameter(
            "noise",
            0.1,
            f"lambda: the proportion of pairs with a wrong answer{only_by_formula}.",
            interval="[0, 0.5)",
        ),
        Parameter(
            "delta",
            0.05,
            f"The probability that any node's majority is wrong{only_by_formula}.",
            interval="(0, 1)",
        ),
        Parameter(
            "votes",
            default,
            "m, the number of pairs of leaves that vote on a node; or how to compute it: by "
            "Hoeffding's inequality, or exactly.",
            type="str",
            alternative="int",
            choices=("hoeffding", "binomial"),
            interval="[1, 2147483647]",
        ),
        Parameter(
            "constant",
            2.0,
            "For votes=hoeffding: alpha in m = alpha ln(n / delta) / (1 - 2 noise)^2.",
            interval="(0, inf)",
        ),
        Parameter(
            "stop",
            "all",
            "Whether to query all m pairs, or to stop once the majority is decided.",
            choices=("all", "decided"),
        ),
    )


_PRIOR = (
    Parameter(
        "prior",
        "uniform",
        "P(v), the probability that inner node v is below the cut if all nodes above v are above "
        "it. uniform: all cuts equally likely; bands: parallel cuts; one number; one number for "
        "each inner node by its id; or, in Python, a function of the tree.",
        type="str",
        alternative=("float", "list", "callable"),
        choices=("uniform", "bands"),
        interval="(0, 1)",
    ),
    Parameter(
        "bands",
        5,
        "For prior=bands: number of cuts, at heights evenly spaced in rank, or their heights.",
        alternative="list",
        interval="[1, 1000000]",
    ),
    Parameter(
        "epsilon",
        0.01,
        "For prior=bands: the probability of all other cuts.",
        interval="(0, 1)",
    ),
    _undecided_parameter(
        "apart",
        "Which of the cuts of largest posterior probability is the current cut, the finest or the "
        "coarsest.",
    ),
)

_UNDECIDED_OF_BF = _undecided_parameter(
    "together",
    "How the current cut treats the leaves below a node that was not queried.",
)

SEARCHES: tuple[AlgorithmSpec, ...] = (
    AlgorithmSpec(
        name="BF",
        function="hcbench_cuts.breadth_first:breadth_first",
        doc="Breadth-first from the root: queries each node that no answer puts below the cut.",
        accepts=QUERIES,
        needs=TREE,
        returns="partition",
        anytime=True,
        parameters=_votes_parameters(1, ", where votes are not given as a number")
        + (_UNDECIDED_OF_BF,),
        paper=PAPERS["gentile2019"],
        queries=MOST_QUERIES,
        tags=TAGS,
    ),
    AlgorithmSpec(
        name="OTS",
        function="hcbench_cuts.ots:one_third_splitting",
        doc="One Third Splitting: each answer excludes at least a third of the remaining cuts.",
        accepts=QUERIES,
        needs=TREE,
        returns="partition",
        anytime=True,
        parameters=(
            _undecided_parameter(
                "apart",
                "How the current cut treats the leaves below a node that no answer decides.",
            ),
            Parameter(
                "backbone",
                "any",
                "The paths: any that ends at a node whose children are known, or a longest one, as "
                "in the paper, which is slower.",
                choices=("any", "longest"),
            ),
        ),
        paper=PAPERS["gentile2019"],
        queries=MOST_QUERIES,
        tags=TAGS,
    ),
    AlgorithmSpec(
        name="WDP",
        function="hcbench_cuts.wdp:weighted_dichotomic_path",
        doc="Weighted Dichotomic Path: binary search on the path of maximum entropy, by a prior. "
        "Unlike in algorithm 1 as printed, Q includes the top node of the path.",
        accepts=QUERIES,
        needs=TREE,
        returns="partition",
        anytime=True,
        parameters=_PRIOR,
        paper=PAPERS["gentile2019"],
        queries=MOST_QUERIES,
        tags=TAGS,
    ),
    AlgorithmSpec(
        name="N-WDP",
        function="hcbench_cuts.wdp:noisy_weighted_dichotomic_path",
        doc="Noisy Weighted Dichotomic Path: WDP where many pairs of leaves vote on each node.",
        accepts=QUERIES,
        needs=TREE,
        returns="partition",
        anytime=True,
        parameters=_votes_parameters("hoeffding", "") + _PRIOR,
        paper=PAPERS["gentile2019"],
        queries=MOST_QUERIES,
        tags=TAGS,
    ),
)
