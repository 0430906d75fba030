"""Algorithms of Ghoshdastidar et al. 2019: hierarchies from quadruplet comparisons."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, MetricSpec, Parameter, Params, Reference, Suite, hookimpl
from hcbench_quadruplets.references import PAPERS

SETS = ("quadruplet-set", "triplet-set")


def _clusters_if_initial(params: Params) -> tuple[str, ...]:
    init = params["init"]
    return ("clusters",) if isinstance(init, int) and init > 1 else ()


def _four_al(name: str, doc: str, init: int) -> AlgorithmSpec:
    return AlgorithmSpec(
        name=name,
        function="hcbench_quadruplets.average_linkage:four_al",
        doc=doc,
        accepts=SETS,
        hints=_clusters_if_initial,
        parameters=(
            Parameter(
                "init",
                init,
                'Size of the initial clusters, drawn inside the true ones (1: none); "4K-AL" takes '
                "them from that algorithm's tree, without the truth; or lists of items.",
                interval="[1, inf)",
                choices=("4K-AL",),
                alternative=("str", "list"),
            ),
            Parameter(
                "size",
                5,
                'With init="4K-AL": the maximum number of items of an initial cluster.',
                interval="[1, inf)",
            ),
        ),
        paper=PAPERS["ghoshdastidar2019"],
        tags=("comparisons", "linkage"),
    )


PASSIVE = (
    _four_al(
        "4-AL",
        "Average linkage on how often a pair of clusters is preferred to the others.",
        init=1,
    ),
    # As the paper names them.
    _four_al(
        "4-AL-I3",
        "4-AL from initial clusters of 3 items, drawn inside the true ones.",
        init=3,
    ),
    _four_al(
        "4-AL-I5",
        "4-AL from initial clusters of 5 items, drawn inside the true ones.",
        init=5,
    ),
    AlgorithmSpec(
        name="4K-AL",
        function="hcbench_quadruplets.quadruplet_kernel:four_k_al",
        doc="Average linkage on a kernel: how similarly two items fare in passive comparisons.",
        accepts=SETS,
        parameters=(
            Parameter(
                "kernel",
                "paper",
                "As in equation 3, or as in the authors' code, which includes i and j.",
                choices=("paper", "code"),
            ),
        ),
        paper=PAPERS["ghoshdastidar2019"],
        random=False,
        tags=("comparisons", "linkage"),
    ),
    AlgorithmSpec(
        name="tK-AL",
        function="hcbench_quadruplets.triplet_kernel:tk_al",
        doc="Average linkage on a triplet kernel.",
        accepts=("triplet-set", "quadruplet-set"),
        parameters=(
            Parameter(
                "kernel",
                "k2",
                "k1: how similarly two items rank the others; k2: how similarly the others rank "
                "them.",
                choices=("k1", "k2"),
            ),
        ),
        paper=PAPERS["kleindessner2017a"],
        requires=("scipy",),
        random=False,
        tags=("comparisons", "linkage"),
    ),
    AlgorithmSpec(
        name="AL-rowsum",
        function="hcbench_quadruplets.win_rate:rowsum_average_linkage",
        doc="Average linkage on the mean win rate of each pair of items.",
        accepts=SETS,
        random=False,
        tags=("comparisons", "linkage"),
    ),
    AlgorithmSpec(
        name="AL",
        function="hcbench_quadruplets.linkage:true_average_linkage",
        doc="Average linkage on the true similarities: a reference for methods with comparisons.",
        accepts=("similarities",),
        reference=True,
        paper=PAPERS["ghoshdastidar2019"],
        random=False,
        tags=("comparisons", "linkage", "baseline"),
    ),
)


def _embedding(
    *,
    name: str,
    function: str,
    doc: str,
    loss_parameter: Parameter,
    iterations: int,
    paper: Reference,
) -> AlgorithmSpec:
    """The spec of average linkage on an embedding; its loss has a parameter of its own."""
    return AlgorithmSpec(
        name=name,
        function=function,
        doc=doc,
        accepts=("triplet-set", "quadruplet-set"),
        parameters=(
            Parameter("d", 2, "Dimension of the embedding.", interval="[1, inf)"),
            loss_parameter,
            Parameter(
                "restarts",
                0,
                "Random starts in addition to the first, spectral one; the embedding with the "
                "lowest loss is used.",
                interval="[0, inf)",
            ),
            Parameter("iterations", iterations, "Maximum for each start.", interval="[1, inf)"),
            Parameter(
                "tolerance",
                1e-7,
                "Stop when an iteration lowers the mean loss by no more than this.",
                interval="[0, inf)",
            ),
            Parameter(
                "similarity",
                "cosine",
                "Similarity of points whose mean merges clusters: the cosine, as in the paper, or "
                "the negative Euclidean distance.",
                choices=("cosine", "distance"),
            ),
        ),
        paper=paper,
        requires=("scipy",),
        tags=("comparisons", "embedding"),
    )


EMBEDDINGS = (
    _embedding(
        name="tSTE-AL",
        function="hcbench_quadruplets.embedding:tste_al",
        doc="Average linkage of the points of a stochastic triplet embedding (t-STE).",
        loss_parameter=Parameter(
            "alpha",
            None,
            "Degrees of freedom of the kernel; by default max(1, d - 1).",
            type="float",
            interval="(0, inf)",
        ),
        iterations=1000,
        paper=PAPERS["vandermaaten2012"],
    ),
    _embedding(
        name="FORTE-AL",
        function="hcbench_quadruplets.embedding:forte_al",
        doc="Average linkage of the points of an embedding by projected gradients (FORTE).",
        loss_parameter=Parameter(
            "loss",
            "logistic",
            "Loss of a triplet.",
            choices=("logistic", "hinge"),
        ),
        iterations=300,
        paper=PAPERS["jain2016"],
    ),
)

ASK = Parameter(
    "ask",
    "frugal",
    '"frugal": as few queries as tournaments allow; "merge-sort": all pairs in order, as in the '
    "proof of proposition 1. The tree is the same.",
    choices=("frugal", "merge-sort"),
)

ACTIVE = (
    AlgorithmSpec(
        name="SL",
        function="hcbench_quadruplets.active:single_linkage",
        doc="Single linkage by active comparisons.",
        accepts=("quadruplet-queries",),
        parameters=(ASK,),
        paper=PAPERS["ghoshdastidar2019"],
        random=False,
        tags=("comparisons", "active", "linkage"),
    ),
    AlgorithmSpec(
        name="CL",
        function="hcbench_quadruplets.active:complete_linkage",
        doc="Complete linkage by active comparisons.",
        accepts=("quadruplet-queries",),
        parameters=(ASK,),
        paper=PAPERS["ghoshdastidar2019"],
        random=False,
        tags=("comparisons", "active", "linkage"),
    ),
    AlgorithmSpec(
        name="4K-AL-act",
        function="hcbench_quadruplets.active_kernel:four_k_al_act",
        doc="Average linkage on a kernel of comparisons between landmark and reference pairs.",
        accepts=("quadruplet-queries",),
        parameters=(
            Parameter(
                "references", None, "Number of reference pairs.", type="int", interval="[1, inf)"
            ),
            Parameter(
                "p",
                None,
                "Instead of references: the maximum proportion of all comparisons to query; with "
                "neither it is 0.1, or 1000000 comparisons if that is fewer.",
                type="float",
                interval="(0, 1]",
            ),
            Parameter(
                "landmarks",
                "shared",
                "One set of landmarks for all references, as in the text, or a fresh one for each.",
                choices=("shared", "fresh"),
            ),
            Parameter(
                "q",
                None,
                "Probability that an item is a landmark, by default ln(n)/n.",
                type="float",
                interval="(0, 1]",
            ),
            Parameter(
                "kernel",
                "paper",
                '"code" is the authors\' program: all items are landmarks, even for themselves.',
                choices=("paper", "code"),
            ),
        ),
        paper=PAPERS["ghoshdastidar2019"],
        tags=("comparisons", "active", "linkage"),
    ),
)

ALGORITHMS = (*PASSIVE, *EMBEDDINGS, *ACTIVE)


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """The algorithms of this plugin."""
    return ALGORITHMS


LINKAGE_BOUND = MetricSpec(
    name="linkage-bound",
    function="hcbench_quadruplets.bounds:linkage_bound",
    doc="A bound of the number of queries of a linkage for n items.",
    parameters=(
        Parameter(
            "of",
            "pairs",
            "One less than the number of pairs; the queries of a merge sort of all pairs; or 2 q "
            "n^2 for each reference, where q = factor ln(n) / n.",
            choices=("pairs", "sorting", "landmarks"),
        ),
        Parameter("factor", 1.0, "For of=landmarks.", interval="(0, inf)"),
        Parameter("references", 1, "For of=landmarks.", interval="[1, inf)"),
    ),
    direction="none",
    interval="[-1, inf)",
    result="any",
    paper=PAPERS["ghoshdastidar2019"],
)


@hookimpl
def hcbench_metrics() -> Iterable[MetricSpec]:
    """Bounds of queries."""
    return (LINKAGE_BOUND,)


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    """The figures, trees and theorems of Ghoshdastidar et al. 2019."""
    from hcbench_quadruplets.suites import SUITES  # these cite the paper above

    return SUITES
