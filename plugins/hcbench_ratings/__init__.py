"""Ratings of pairs and the odd one out of many: oracles, and linkages of what they answer."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import SIMILARITY_RULES, AlgorithmSpec, OracleSpec, Parameter, Params, any_of, hookimpl

_SIMILARITY = Parameter(
    "similarity",
    "euclidean",
    "Similarity of items that are given as vectors.",
    choices=SIMILARITY_RULES,
)


def _pairs(n: int, **_: object) -> tuple[float, bool]:
    """How many pairs there are; a budget may allow fewer."""
    count = n * (n - 1) / 2
    is_most = True
    return count, is_most


def _are_noisy(params: Params) -> bool:
    """Whether ratings differ by noise or between annotators, which the seed then decides."""
    return float(str(params["noise"])) > 0 or params["annotators"] != 0


def _errs(params: Params) -> bool:
    """Whether answers may be wrong, which the seed then decides."""
    return float(str(params["noise"])) > 0


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """Return the ratings, and the odd one out of many."""
    return (
        OracleSpec(
            name="rating-queries",
            function="hcbench_ratings.oracles:rating_queries",
            doc="How alike two items are, from 0 to 9.",
            kind="rating-queries",
            random=_are_noisy,
            needs=(any_of("similarity", "vectors"),),
            parameters=(
                Parameter(
                    "noise", 0.0, "Standard deviation of the normal noise.", interval="[0, inf)"
                ),
                Parameter("whole", False, "Whether ratings are whole numbers."),
                Parameter(
                    "annotators",
                    0,
                    "If positive, the number of annotators, one of whom gives each rating.",
                    interval="[0, 2147483648)",
                ),
                Parameter(
                    "bias",
                    0.0,
                    "Standard deviation of what an annotator adds to all ratings.",
                    interval="[0, inf)",
                ),
                Parameter("persistent", True, "Whether a repeated query has the same answer."),
                _SIMILARITY,
            ),
        ),
        OracleSpec(
            name="odd-of-many",
            function="hcbench_ratings.oracles:odd_of_many",
            doc="Which of k items is the odd one out: the least similar to the others in sum.",
            kind="odd-of-many",
            random=_errs,
            needs=(any_of("similarity", "vectors"),),
            parameters=(
                Parameter("k", 5, "Items in a query.", interval="[3, inf)"),
                Parameter("noise", 0.0, "Probability of a wrong answer.", interval="[0, 1)"),
                _SIMILARITY,
            ),
            query_kind="hcbench_ratings.oracles:kind_of_many",
        ),
    )


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Return the linkages."""
    return (
        AlgorithmSpec(
            name="RatingLinkage",
            function="hcbench_ratings.linkage:rating_linkage",
            doc="Average linkage of the ratings of all pairs; with a budget, of random pairs.",
            accepts=("rating-queries",),
            parameters=(
                Parameter(
                    "centre", True, "Whether the annotators are made equal in their mean rating."
                ),
            ),
            anytime=True,
            takes_unsure=True,
            queries=_pairs,
            tags=("linkage", "active"),
        ),
        AlgorithmSpec(
            name="OddLinkage",
            function="hcbench_ratings.linkage:odd_linkage",
            doc="Average linkage by how often neither of two items of a query is the odd one out.",
            accepts=("odd-of-many",),
            parameters=(
                Parameter("queries", 20.0, "For each item, as an average.", interval="(0, inf)"),
            ),
            anytime=True,
            takes_unsure=True,
            tags=("linkage", "active"),
        ),
    )
