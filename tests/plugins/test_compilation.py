"""No timed call compiles: a call on few items compiles everything that one on many needs."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.plugins.metrics.test_splits import VARIANTS

# Separate cases, so that none finds kernels that another one compiled.
ALGORITHMS = (
    *("4-AL", "4-AL[init=3]", "UPGMA", "HDBSCAN", "Random"),
    *(
        "WPGMA[metric=manhattan]",
        "Single",
        "Centroid",
        "Ward",
        "DotProduct",
        "UPGMA[metric=cosine]",
    ),
    *("Complete[metric=cosine]", "Single[metric=cosine]", "UPGMA[precision=single]"),
    *("SL", "SL[ask=merge-sort]", "CL", "CL[ask=merge-sort]", "4K-AL-act"),
    *("InsertionClustering[separator=exact]", "InsertionClustering", "QuickClustering"),
    *("Bottom-up", "Build"),
    *("BF", "OTS", "WDP", "N-WDP", "NR", "NR[K=20]", "ERM", "ERM[K=20]", "BEST", "BEST[K=20]"),
    *("NoisyInsertion[p=0.9]", "NoisyInsertion[p=0.9, strategy=paper]"),
)
# Other paths through the same kernels.
INSERTIONS = (
    "InsertionClustering[separator=topdown]",
    "QuickClustering[merge=binary-search]",
    "Build[count=50, on_conflict=star]",
    "NoisyInsertion[p=0.9, wrong=random]",
    "NoisyInsertion[p=0.9, strategy=repeat]",
    "NoisyInsertion[p=0.9, strategy=repeat, stop=lead]",
    "NoisyInsertion[p=0.9, strategy=paper, repetitions=binomial, skip=false]",
)
CUTS = (
    "BF[votes=3]",
    "BF[votes=binomial, stop=decided, undecided=apart]",
    "WDP[prior=0.3, undecided=together]",
    "WDP[prior=bands]",
    "N-WDP[votes=3, prior=bands]",
    "NR[constants=literal]",
    "NR[constants=literal, K=20]",
    "cut-at-K",
    "largest-gap",
)
# Expected ties are defined only for clusters of one size.
METRICS = [variant for variant in VARIANTS if variant[1] != {"ties": "expected"}]


@pytest.mark.slow
def test_a_warm_up_on_few_items_compiles_everything() -> None:
    cases: list[tuple[Any, ...]] = [("algorithms", name) for name in ALGORITHMS]
    cases += [("algorithms", *INSERTIONS), ("algorithms", *CUTS), ("metrics", *METRICS)]
    cases += [("unique",)]
    command = [sys.executable, "-m", "tests.plugins.compiling", json.dumps(cases)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    errors = zip(cases, json.loads(done.stdout), strict=True)
    assert [(case, error) for case, error in errors if error] == []
