"""Concrete oracles: vectors, similarities, comparisons observed passively or asked for."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import SIMILARITY_RULES, OracleSpec, Parameter, hookimpl

_SIMILARITY = Parameter(
    "similarity",
    "cosine",
    "Similarity of items given as vectors; data with a similarity matrix of their own keep it.",
    choices=SIMILARITY_RULES,
)

_SAMPLE = (
    Parameter(
        "p",
        None,
        "Proportion of all comparisons of this form, each observed independently; with neither p "
        "nor count it is 0.1, or count=1000000 where that is fewer. Of comparisons that the data "
        "set brings along, all.",
        type="float",
        interval="(0, 1]",
    ),
    Parameter(
        "count",
        None,
        "Number of comparisons, instead of p; all where there are fewer.",
        type="int",
        interval="[0, inf)",
    ),
)

_NOISE = (
    Parameter(
        "noise",
        0.0,
        "Probability that an answer is the wrong way round, independently of the others.",
        interval="[0, 0.5)",
    ),
    Parameter(
        "scale",
        0.0,
        "If positive, and instead of noise: an answer is wrong with probability "
        "1/(1 + exp(|w1 - w2|/scale)), the likelier the closer the two similarities are.",
        interval="[0, inf)",
    ),
    Parameter(
        "annotators",
        0,
        "If positive, so many people answer, each with an own error rate between 0 and 2 noise; "
        "where the data name theirs, these have such rates.",
        interval="[0, 2147483648)",
    ),
)

ORACLES = (
    OracleSpec(
        name="vectors",
        function="hcbench_oracles.whole:vectors",
        doc="The items as vectors.",
        kind="vectors",
        needs=("vectors",),
        countable=False,
    ),
    OracleSpec(
        name="similarities",
        function="hcbench_oracles.whole:similarities",
        doc="All pairwise similarities.",
        kind="similarities",
        needs=("similarity|vectors",),
        countable=False,
        parameters=(_SIMILARITY,),
    ),
    OracleSpec(
        name="quadruplet-set",
        function="hcbench_oracles.passive:quadruplet_set",
        doc="A random sample of quadruplet comparisons, drawn beforehand.",
        kind="quadruplet-set",
        needs=("similarity|vectors|comparisons",),
        parameters=(*_SAMPLE, *_NOISE, _SIMILARITY),
    ),
    OracleSpec(
        name="triplet-set",
        function="hcbench_oracles.passive:triplet_set",
        doc="A random sample of triplets (comparisons with a common item), drawn beforehand.",
        kind="triplet-set",
        needs=("similarity|vectors|comparisons",),
        parameters=(*_SAMPLE, *_NOISE, _SIMILARITY),
    ),
    OracleSpec(
        name="quadruplet-queries",
        function="hcbench_oracles.active:quadruplet_queries",
        doc="Answers, one by one, which of two pairs is the more similar one.",
        kind="quadruplet-queries",
        needs=("similarity|vectors",),
        parameters=(
            *_NOISE,
            Parameter(
                "persistent",
                False,
                "Whether a query that is asked again gets the same answer, right or wrong.",
            ),
            _SIMILARITY,
        ),
    ),
    OracleSpec(
        name="ordinal-queries",
        function="hcbench_oracles.ordinal:ordinal_queries",
        doc="Answers, one by one, which of three items is the odd one out.",
        kind="ordinal-queries",
        needs=("truth|similarity|vectors",),
        parameters=(
            Parameter(
                "source",
                "auto",
                "What is close: by the true tree, by that of the label levels, or by similarities; "
                "auto is the truth where there is one.",
                choices=("auto", "truth", "labels", "similarity"),
            ),
            _SIMILARITY,
            Parameter(
                "ties",
                "none",
                "Where no pair is the closest: say so, or name the item that stands last, in the "
                "tree or by number.",
                choices=("none", "break"),
            ),
            Parameter(
                "noise",
                0.0,
                "Probability that an answer is wrong, independently of the others.",
                interval="[0, 0.5)",
            ),
            Parameter(
                "wrong",
                "random",
                "Which wrong answer: any of them, or always the one with the smallest number.",
                choices=("random", "adversarial"),
            ),
            Parameter(
                "persistent",
                False,
                "Whether a query that is asked again gets the same answer, right or wrong.",
            ),
            Parameter(
                "corrupt",
                0.0,
                "Part of the pairs whose distance is that of another random pair.",
                interval="[0, 1]",
            ),
        ),
    ),
    OracleSpec(
        name="pair-queries",
        function="hcbench_oracles.pairs:pair_queries",
        doc="Answers, one by one, whether two items belong together; draws pairs to ask about.",
        kind="pair-queries",
        needs=("truth|levels|tree|similarity",),
        parameters=(
            Parameter(
                "source",
                "auto",
                "Who belongs together: items of one label, below one node of a cut of the tree, or "
                "with a similarity above the threshold; auto is the labels where there is a truth.",
                choices=("auto", "labels", "cut", "matrix"),
            ),
            Parameter(
                "level",
                None,
                "Which level of labels, 1 the coarsest; by default the finest.",
                type="int",
                interval="[1, inf)",
            ),
            Parameter("k", None, "Clusters of source=cut.", type="int", interval="[1, inf)"),
            Parameter("threshold", 0.0, "Of source=matrix."),
            Parameter(
                "noise", 0.0, "Part of the answers that are wrong, lambda.", interval="[0, 0.5)"
            ),
            Parameter(
                "law",
                "persistent",
                "Wrong are the answers about just that part of the pairs, always; or each answer "
                "with that probability, anew each time.",
                choices=("persistent", "independent"),
            ),
            Parameter(
                "skew",
                0.0,
                "Items are drawn with probability proportional to rank^-skew, in a random order; "
                "at 0 all pairs are equally likely.",
                interval="[0, inf)",
            ),
        ),
    ),
)


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """The oracles of this plugin."""
    return ORACLES
