"""The defaults of ``hcbench compare`` for algorithms that cut a given tree."""

from __future__ import annotations

from hcbench import Suite

COMPARE = Suite(
    name="compare-cuts",
    doc="The defaults of hcbench compare where all algorithms cut a given tree: two data sets "
    "whose true clusters, few or many, are a cut of the tree, and one whose true classes are not.",
    algorithms=(
        "hcbench:WDP",
        "hcbench:WDP[prior=0.3]",
        "hcbench:OTS",
        "hcbench:BF",
        "hcbench:NR",
        "hcbench:ERM",
        "hcbench:cut-at-K",
        "hcbench:BEST",
    ),
    datasets=(
        "hcbench:cut-of[tree='hcbench:UPGMA', data='hcbench:digits', law=top-k, k=10]",
        "hcbench:cut-of[tree='hcbench:UPGMA', data='hcbench:digits', law=uniform]",
        "hcbench:cut-of[tree='hcbench:Ward', data='hcbench:digits', law=labels]",
    ),
    metrics=(
        "hcbench:clustering-error",
        "hcbench:excess-risk",
        "hcbench:ARI",
        "hcbench:n-clusters",
        "hcbench:queries",
        "hcbench:seconds",
        "hcbench:peak-memory",
    ),
    budgets=(2000,),
    repetitions=5,
)
