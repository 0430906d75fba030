"""Hierarchies from ordinal queries: which of three items is the odd one out."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import (
    REQUIRED,
    AlgorithmSpec,
    DatasetSpec,
    MetricSpec,
    OracleSpec,
    Parameter,
    Suite,
    hookimpl,
)
from hcbench_ordinal.references import PAPERS

QUERIES = ("ordinal-queries",)

ORDER = Parameter(
    "order",
    "random",
    "Order of insertion: random, or by item number.",
    choices=("random", "given"),
)

NOISELESS = (
    AlgorithmSpec(
        name="QuickClustering",
        function="hcbench_ordinal.quick:quick_clustering",
        doc="Splits the items by two random pivots into three parts, and merges their trees.",
        accepts=QUERIES,
        parameters=(
            Parameter(
                "merge",
                "descent",
                "Search for the position of a merged part: from the root down, as published, or by "
                "binary search, as in footnote 7.",
                choices=("descent", "binary-search"),
            ),
            Parameter(
                "balance",
                0.9375,
                "The largest part of a split that is accepted, as a proportion: 15/16 in the "
                "paper.",
                interval="(0, 1]",
            ),
            Parameter(
                "pivots",
                "random",
                "Random pivots, as published; or the first two items of each part, with any split "
                "accepted: the deterministic algorithm of Benson et al.",
                choices=("random", "first"),
            ),
        ),
        paper=PAPERS["emamjomeh2018"],
        tags=("comparisons", "active"),
    ),
    AlgorithmSpec(
        name="InsertionClustering",
        function="hcbench_ordinal.insertion:insertion_clustering",
        doc="Inserts one item after another beside a node that binary search determines.",
        accepts=QUERIES,
        parameters=(
            Parameter(
                "separator",
                "fast",
                "Choice of the pivot: the best candidate, as published; that of a search tree that "
                "is updated with each item; or the highest candidate, a search from the root down.",
                choices=("exact", "fast", "topdown"),
            ),
            ORDER,
        ),
        paper=PAPERS["emamjomeh2018"],
        queries="hcbench_ordinal.estimates:of_insertion",
        tags=("comparisons", "active"),
    ),
    AlgorithmSpec(
        name="Bottom-up",
        function="hcbench_ordinal.triples:bottom_up",
        doc="Asks about all triples at once, and merges items from the smallest clusters up.",
        accepts=QUERIES,
        paper=PAPERS["emamjomeh2018"],
        queries="hcbench_ordinal.estimates:of_all_triples",
        random=False,
        tags=("comparisons",),
    ),
    AlgorithmSpec(
        name="Build",
        function="hcbench_ordinal.triples:build",
        doc="The tree that agrees with the answers about a random set of triples.",
        accepts=QUERIES,
        parameters=(
            Parameter(
                "count",
                None,
                "Number of triples, drawn without replacement; by default all.",
                type="int",
                interval="[0, inf)",
            ),
            Parameter(
                "on_conflict",
                "error",
                "If no tree agrees with all answers: an error that reports contradictory answers, "
                "or a node with all the items in question as its children.",
                choices=("error", "star"),
            ),
        ),
        paper=PAPERS["aho1981"],
        queries="hcbench_ordinal.estimates:of_some_triples",
        tags=("comparisons",),
    ),
)

NOISY = AlgorithmSpec(
    name="NoisyInsertion",
    function="hcbench_ordinal.noisy:noisy_insertion",
    doc="Inserts one item after another into a binary tree, with answers that may be wrong.",
    accepts=QUERIES,
    parameters=(
        Parameter(
            "p",
            REQUIRED,
            "Lower bound of the probability that an answer is correct.",
            type="float",
            interval="(0.5, 1)",
        ),
        Parameter(
            "delta",
            0.05,
            "Upper bound of the probability that the tree is not the true one.",
            interval="(0, 1)",
        ),
        Parameter(
            "strategy",
            "bayes",
            "Search for a position: weights of all positions until one has nearly all weight; "
            "binary search by the majority of many answers; or multiplicative weights and a "
            "random walk, as published.",
            choices=("bayes", "repeat", "paper"),
        ),
        ORDER,
        Parameter(
            "wrong",
            "adversarial",
            "For bayes: whether wrong answers are arbitrary, or assumed to be equally likely.",
            choices=("adversarial", "random"),
        ),
        Parameter(
            "patience",
            100.0,
            "For bayes: limit of the queries of an insertion, as a multiple of their expected "
            "number; then the most likely position is used.",
            interval="(0, inf)",
        ),
        Parameter(
            "stop",
            "majority",
            "For repeat: stop repeating a query when an answer has the majority of the maximum "
            "number of repetitions, or a sufficient lead over the others.",
            choices=("majority", "lead"),
        ),
        Parameter(
            "repetitions",
            "hoeffding",
            "For paper: number of repetitions of each query of a vertex query, odd; or the bound "
            "from which it is computed.",
            choices=("hoeffding", "binomial"),
            alternative="int",
            interval="[1, inf)",
        ),
        Parameter(
            "margin",
            0.5,
            "For paper: lambda of the multiplicative weights, as a fraction of its upper limit.",
            interval="(0, 1)",
        ),
        Parameter(
            "share",
            0.5,
            "For paper: fraction of the probability of failure for the multiplicative weights; the "
            "walk has the rest.",
            interval="(0, 1)",
        ),
        Parameter(
            "skip",
            True,
            "For paper: whether to skip the multiplicative weights, and walk on the whole tree, if "
            "they would take at least as many rounds as it has vertices.",
        ),
        Parameter(
            "walk_distance",
            2.0,
            "For paper: steps of the walk per D + 1, where D is the diameter of its tree, times "
            "2p - 1.",
            interval="(0, inf)",
        ),
        Parameter(
            "walk_confidence",
            8.0,
            "For paper: minimum number of steps of the walk, times (2p - 1)^2 divided by the "
            "logarithm of the inverse probability of failure.",
            interval="(0, inf)",
        ),
    ),
    paper=PAPERS["emamjomeh2018"],
    requires=("scipy",),
    queries="hcbench_ordinal.estimates:of_noisy_insertion",
    tags=("comparisons", "active"),
)

RANDOM_TREE = DatasetSpec(
    name="random-tree",
    function="hcbench_ordinal.shapes:random_tree",
    doc="A random true tree, without data.",
    parameters=(
        Parameter("n", 100, "Number of items.", interval="[1, inf)"),
        Parameter(
            "shape",
            "random",
            "All trees equally likely; all leaves at equal depth; a caterpillar, in which each "
            "inner node has a leaf; a Yule tree, in which each leaf is equally likely to split "
            "next; or a star one of whose leaves is a node of two items.",
            choices=("random", "balanced", "caterpillar", "yule", "star-with-pair"),
        ),
        Parameter(
            "degree",
            2,
            "Maximum number of children of a node: random nodes of a binary tree merge into their "
            "parents as far as this allows.",
            interval="[2, inf)",
        ),
    ),
    provides=("truth",),
    paper=PAPERS["emamjomeh2018"],
    tags=("simulated",),
)

ADVERSARY = OracleSpec(
    name="ordinal-adversary",
    function="hcbench_ordinal.adversary:ordinal_adversary",
    doc="Answers which of three items is the odd one out; wrong answers are those that mislead a "
    "search of the true tree most.",
    kind="ordinal-queries",
    needs=("truth",),
    informed=True,
    random=lambda params: float(str(params["noise"])) > 0,
    parameters=(
        Parameter(
            "noise",
            0.0,
            "Probability that the adversary chooses the answer, independently of the others.",
            interval="[0, 0.5)",
        ),
    ),
)

UNBALANCED_SPLITS = MetricSpec(
    name="unbalanced-splits",
    function="hcbench_ordinal.splits:unbalanced_splits",
    doc="Proportion of the pairs of pivots whose split QuickClustering does not accept.",
    parameters=(
        Parameter(
            "balance",
            0.9375,
            "Largest accepted part, as a proportion of the items.",
            interval="(0, 1]",
        ),
    ),
    direction="lower",
    interval="[0, 1]",
    paper=PAPERS["emamjomeh2018"],
)

QUERY_BOUND = MetricSpec(
    name="query-bound",
    function="hcbench_ordinal.bounds:query_bound",
    doc="A bound of the number of queries for n items.",
    parameters=(
        Parameter(
            "of",
            "n-log-n",
            "n log2 n times factor; one query for each insertion; binary search for all items; "
            "log3 (2n-3)!!, the information in a tree; C(n, 3), all triples; d / log2 d n log2 n "
            "for trees of degree d, which is factor; or n(n-1)/12 for a star with a pair.",
            choices=(
                "n-log-n",
                "insertions",
                "binary-search",
                "information",
                "triples",
                "degree",
                "star-with-pair",
            ),
        ),
        Parameter("factor", 1.0, "Of of=n-log-n and of=degree.", interval="(0, inf)"),
    ),
    direction="none",
    interval="[0, inf)",
    result="any",
    paper=PAPERS["emamjomeh2018"],
)


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Return algorithms with ordinal queries."""
    return (*NOISELESS, NOISY)


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Return random trees."""
    return (RANDOM_TREE,)


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """Return the adversary of section 5."""
    return (ADVERSARY,)


@hookimpl
def hcbench_metrics() -> Iterable[MetricSpec]:
    """Return the metric of uneven splits by random pivots, and bounds of queries."""
    return (UNBALANCED_SPLITS, QUERY_BOUND)


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    """Return the theorems of Emamjomeh-Zadeh & Kempe 2018."""
    from hcbench_ordinal.suites import SUITES  # they cite the paper above

    return SUITES
