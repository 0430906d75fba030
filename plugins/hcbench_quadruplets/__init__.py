"""Algorithms of Ghoshdastidar et al. 2019: hierarchies from quadruplet comparisons."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, Parameter, Params, Reference, hookimpl

PAPER = Reference(
    key="ghoshdastidar2019",
    entry="inproceedings",
    fields={
        "author": "Ghoshdastidar, Debarghya and Perrot, Michaël and von Luxburg, Ulrike",
        "title": "Foundations of Comparison-Based Hierarchical Clustering",
        "booktitle": "Advances in Neural Information Processing Systems",
        "volume": "32",
        "pages": "7454--7464",
        "year": "2019",
    },
)


def _clusters_if_initial(params: Params) -> tuple[str, ...]:
    return () if params["init"] == 1 else ("clusters",)


ALGORITHMS = (
    AlgorithmSpec(
        name="4-AL",
        function="hcbench_quadruplets.average_linkage:four_al",
        doc="Average linkage on how often a pair of clusters is preferred to the other pairs.",
        accepts=("quadruplet-set",),
        hints=_clusters_if_initial,
        parameters=(
            Parameter(
                "init",
                1,
                "Size of the initial clusters, drawn inside the true ones: 3 and 5 are the paper's "
                "4-AL-I3 and 4-AL-I5; 1 for none.",
                interval="[1, inf)",
            ),
        ),
        paper=PAPER,
    ),
)


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """The algorithms of this plugin."""
    return ALGORITHMS
