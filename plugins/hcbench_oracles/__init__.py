"""Oracles: vectors, similarities, passive and active comparisons."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import SIMILARITY_RULES, OracleSpec, Parameter, Params, any_of, hookimpl

_SIMILARITY = Parameter(
    "similarity",
    "cosine",
    "Similarity of items given as vectors; ignored if the data have a similarity matrix.",
    choices=SIMILARITY_RULES,
)

_SAMPLE = (
    Parameter(
        "p",
        None,
        "Proportion of all comparisons of this form, each observed independently; without p and "
        "count it is 0.1, or count=1000000 if that is fewer. If the data set has comparisons, the "
        "default is all of them.",
        type="float",
        interval="(0, 1]",
    ),
    Parameter(
        "count",
        None,
        "Number of comparisons, instead of p; all if there are fewer.",
        type="int",
        interval="[0, inf)",
    ),
)

_NOISE = (
    Parameter(
        "noise",
        0.0,
        "Probability that an answer is reversed, independently of the others.",
        interval="[0, 0.5)",
    ),
    Parameter(
        "scale",
        0.0,
        "If positive, and instead of noise: an answer is wrong with probability "
        "1/(1 + exp(|w1 - w2|/scale)), which grows as the two similarities get closer.",
        interval="[0, inf)",
    ),
    Parameter(
        "annotators",
        0,
        "If positive, the number of annotators, each with an error rate between 0 and 2 noise; if "
        "the data name their annotators, these are used.",
        interval="[0, 2147483648)",
    ),
)

_OF_SAMPLES = (*_SAMPLE, *_NOISE, _SIMILARITY)


def _errs(params: Params) -> bool:
    """Whether answers may be wrong, which the seed then decides."""
    rates = [float(str(params.get(name, 0.0))) for name in ("noise", "scale", "corrupt")]
    return max(rates) > 0


ORACLES = (
    OracleSpec(
        name="vectors",
        function="hcbench_oracles.whole:vectors",
        doc="The items as vectors.",
        kind="vectors",
        needs=("vectors",),
        countable=False,
        random=False,
    ),
    OracleSpec(
        name="graph",
        function="hcbench_oracles.whole:graph",
        doc="The sparse graph that the data are.",
        kind="graph",
        needs=("graph",),
        countable=False,
        random=False,
    ),
    OracleSpec(
        name="similarities",
        function="hcbench_oracles.whole:similarities",
        doc="All pairwise similarities.",
        kind="similarities",
        needs=(any_of("similarity", "vectors"),),
        countable=False,
        random=False,
        parameters=(_SIMILARITY,),
    ),
    OracleSpec(
        name="quadruplet-set",
        function="hcbench_oracles.passive:quadruplet_set",
        doc="A random sample of quadruplet comparisons, drawn beforehand.",
        kind="quadruplet-set",
        needs=(any_of("similarity", "vectors", "comparisons"),),
        parameters=_OF_SAMPLES,
    ),
    OracleSpec(
        name="triplet-set",
        function="hcbench_oracles.passive:triplet_set",
        doc="A random sample of triplets (comparisons with a common item), drawn beforehand.",
        kind="triplet-set",
        needs=(any_of("similarity", "vectors", "comparisons"),),
        parameters=_OF_SAMPLES,
    ),
    OracleSpec(
        name="quadruplet-queries",
        function="hcbench_oracles.active:quadruplet_queries",
        doc="Answers, one by one, which of two pairs is more similar.",
        kind="quadruplet-queries",
        needs=(any_of("similarity", "vectors"),),
        random=_errs,
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
        needs=(any_of("truth", "similarity", "vectors"),),
        random=_errs,
        informed=lambda params, provided: (
            params["source"] in ("truth", "labels")
            or (params["source"] == "auto" and "truth" in provided)
        ),
        parameters=(
            Parameter(
                "source",
                "auto",
                "What defines closeness: the true tree, the tree of the label levels, or "
                "similarities; auto is the truth if there is one.",
                choices=("auto", "truth", "labels", "similarity"),
            ),
            _SIMILARITY,
            Parameter(
                "ties",
                "none",
                "The answer if no pair is the closest: none, or the item that is last in the tree "
                "or has the largest number.",
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
                "The wrong answer given: a random one, or always the one with the smallest number.",
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
                "Proportion of pairs whose distance is replaced by that of another random pair.",
                interval="[0, 1]",
            ),
        ),
    ),
    OracleSpec(
        name="pair-queries",
        function="hcbench_oracles.pairs:pair_queries",
        doc="Answers, one by one, whether two items belong together; draws pairs to query.",
        kind="pair-queries",
        random=_errs,
        needs=(any_of("truth", "levels", "tree", "similarity"),),
        informed=lambda params, provided: (
            params["source"] == "labels"
            or (params["source"] == "auto" and bool(provided & {"truth", "levels"}))
        ),
        parameters=(
            Parameter(
                "source",
                "auto",
                "Which items belong together: those with the same label, below the same node of a "
                "cut of the tree, or with similarity above the threshold; auto is the labels if "
                "there is a truth.",
                choices=("auto", "labels", "cut", "matrix"),
            ),
            Parameter(
                "level",
                None,
                "Level of the labels, 1 being the coarsest; by default the finest.",
                type="int",
                interval="[1, inf)",
            ),
            Parameter("k", None, "For source=cut: clusters.", type="int", interval="[1, inf)"),
            Parameter("threshold", 0.0, "For source=matrix."),
            Parameter("noise", 0.0, "Proportion of wrong answers, lambda.", interval="[0, 0.5)"),
            Parameter(
                "law",
                "persistent",
                "persistent: a fixed set of pairs with this proportion is always answered wrongly; "
                "independent: each answer is wrong with this probability, drawn anew each time.",
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
