"""Hierarchies by ordinal questions: which of three items is the odd one out."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import (
    REQUIRED,
    AlgorithmSpec,
    DatasetSpec,
    MetricSpec,
    Parameter,
    Reference,
    Suite,
    hookimpl,
)

EMAMJOMEH_2018 = Reference(
    key="emamjomeh2018",
    entry="inproceedings",
    fields={
        "author": "Emamjomeh-Zadeh, Ehsan and Kempe, David",
        "title": "Adaptive Hierarchical Clustering Using Ordinal Queries",
        "booktitle": "Proceedings of the 29th Annual ACM-SIAM Symposium on Discrete Algorithms",
        "pages": "415--429",
        "year": "2018",
    },
)

AHO_1981 = Reference(
    key="aho1981",
    entry="article",
    fields={
        "author": "Aho, Alfred V. and Sagiv, Yehoshua and Szymanski, Thomas G. and "
        "Ullman, Jeffrey D.",
        "title": "Inferring a tree from lowest common ancestors with an application to the "
        "optimization of relational expressions",
        "journal": "SIAM Journal on Computing",
        "volume": "10",
        "number": "3",
        "pages": "405--421",
        "year": "1981",
    },
)

QUERIES = ("ordinal-queries",)

ORDER = Parameter(
    "order",
    "random",
    "In which items are inserted: drawn at random, or as they are numbered.",
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
                "How the place of a merged part is found: from the root down, as published, or by "
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
        ),
        paper=EMAMJOMEH_2018,
    ),
    AlgorithmSpec(
        name="InsertionClustering",
        function="hcbench_ordinal.insertion:insertion_clustering",
        doc="Inserts one item after another beside a node that it finds by binary search.",
        accepts=QUERIES,
        parameters=(
            Parameter(
                "separator",
                "fast",
                "Of the candidates: the best one, as published; one of a search tree that is kept "
                "from item to item; or the highest one, which is a search from the root down.",
                choices=("exact", "fast", "topdown"),
            ),
            ORDER,
        ),
        paper=EMAMJOMEH_2018,
        questions="hcbench_ordinal.estimates:of_insertion",
    ),
    AlgorithmSpec(
        name="Bottom-up",
        function="hcbench_ordinal.triples:bottom_up",
        doc="Asks about all triples at once, and joins items from the smallest clusters up.",
        accepts=QUERIES,
        paper=EMAMJOMEH_2018,
        questions="hcbench_ordinal.estimates:of_all_triples",
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
                "Number of triples, drawn without repetition; all if left out.",
                type="int",
                interval="[0, inf)",
            ),
            Parameter(
                "on_conflict",
                "error",
                "Where no tree agrees with all answers: an error that names some that contradict "
                "each other, or a node with all the items concerned as its children.",
                choices=("error", "star"),
            ),
        ),
        paper=AHO_1981,
        questions="hcbench_ordinal.estimates:of_some_triples",
    ),
)

NOISY = AlgorithmSpec(
    name="NoisyInsertion",
    function="hcbench_ordinal.noisy:noisy_insertion",
    doc="Inserts one item after another into a binary tree, by answers that may be wrong.",
    accepts=QUERIES,
    parameters=(
        Parameter(
            "p",
            REQUIRED,
            "Probability with which each answer is right, at least.",
            type="float",
            interval="(0.5, 1)",
        ),
        Parameter(
            "delta",
            0.05,
            "Probability with which the tree may be another than the true one, at most.",
            interval="(0, 1)",
        ),
        Parameter(
            "strategy",
            "bayes",
            "How a place is found: by weights of all places until one has nearly all; by binary "
            "search, where the majority of many answers counts; or by multiplicative weights and a "
            "walk, as published.",
            choices=("bayes", "repeat", "paper"),
        ),
        ORDER,
        Parameter(
            "wrong",
            "adversarial",
            "Of bayes: whether wrong answers may be any, or are taken for equally likely.",
            choices=("adversarial", "random"),
        ),
        Parameter(
            "patience",
            100.0,
            "Of bayes: after so many times the questions expected, the likeliest place is taken.",
            interval="(0, inf)",
        ),
        Parameter(
            "stop",
            "majority",
            "Of repeat: when a question has been asked often enough, by an answer's part of the "
            "most times that it may be asked, or by its lead over the others.",
            choices=("majority", "lead"),
        ),
        Parameter(
            "repetitions",
            "hoeffding",
            "Of paper: how often each question of a vertex query is asked, an odd number; or by "
            "which probability it is counted.",
            choices=("hoeffding", "binomial"),
            alternative="int",
            interval="[1, inf)",
        ),
        Parameter(
            "margin",
            0.5,
            "Of paper: lambda of the multiplicative weights, as a part of the largest possible.",
            interval="(0, 1)",
        ),
        Parameter(
            "share",
            0.5,
            "Of paper: the multiplicative weights' part of what may fail; the walk has the rest.",
            interval="(0, 1)",
        ),
        Parameter(
            "skip",
            True,
            "Of paper: whether the walk is on the whole tree where the multiplicative weights "
            "would take as many rounds as it has vertices, or more.",
        ),
        Parameter(
            "walk_distance",
            2.0,
            "Of paper: the walk's steps for each edge of its tree's diameter D and for one more, "
            "times 2p - 1.",
            interval="(0, inf)",
        ),
        Parameter(
            "walk_confidence",
            8.0,
            "Of paper: the walk's least steps, times (2p - 1)^2 over the logarithm of the inverse "
            "probability of failure.",
            interval="(0, inf)",
        ),
    ),
    paper=EMAMJOMEH_2018,
    requires=("scipy",),
    questions="hcbench_ordinal.estimates:of_noisy_insertion",
)

RANDOM_TREE = DatasetSpec(
    name="random-tree",
    function="hcbench_ordinal.shapes:random_tree",
    doc="A true tree and nothing else, to ask about.",
    parameters=(
        Parameter("n", 100, "Number of items.", interval="[1, inf)"),
        Parameter(
            "shape",
            "random",
            "All trees equally likely; all leaves equally deep; a caterpillar, whose inner nodes "
            "have a leaf each; or a Yule tree, in which each leaf is equally likely to split next.",
            choices=("random", "balanced", "caterpillar", "yule"),
        ),
        Parameter(
            "degree",
            2,
            "The most children of a node: neighbouring nodes of a binary tree are merged at random "
            "where that allows it.",
            interval="[2, inf)",
        ),
    ),
    provides=("truth",),
    paper=EMAMJOMEH_2018,
)

UNBALANCED_SPLITS = MetricSpec(
    name="unbalanced-splits",
    function="hcbench_ordinal.splits:unbalanced_splits",
    doc="Of the tree, the share of pairs of pivots whose split QuickClustering does not accept.",
    parameters=(
        Parameter(
            "balance",
            0.9375,
            "The largest part that is accepted, as a proportion.",
            interval="(0, 1]",
        ),
    ),
    direction="lower",
    interval="[0, 1]",
    paper=EMAMJOMEH_2018,
)


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Algorithms that ask which of three items is the odd one out."""
    return (*NOISELESS, NOISY)


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Random trees."""
    return (RANDOM_TREE,)


@hookimpl
def hcbench_metrics() -> Iterable[MetricSpec]:
    """How unevenly random pivots split a tree."""
    return (UNBALANCED_SPLITS,)


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    """The theorems of Emamjomeh-Zadeh & Kempe 2018."""
    from hcbench_ordinal.suites import SUITES  # they cite the paper above

    return SUITES
