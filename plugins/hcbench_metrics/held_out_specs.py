"""Specs of the metrics of answers that were held out."""

from __future__ import annotations

from hcbench import MetricSpec, Output
from hcbench_metrics.references import PAPERS

HELD_OUT = (
    MetricSpec(
        name="held-out",
        function="hcbench_metrics.held_out:held_out",
        doc="Answers of a crowd that were held out, as the tree predicts them.",
        paper=PAPERS["ghoshdastidar2019"],
        direction="higher",
        interval="[0, 1]",
        needs=("held_out",),
        outputs=(
            Output(
                name="satisfied",
                doc="Proportion of the held-out answers whose closer pair merges first.",
            ),
            Output(
                name="contradicted",
                doc="Proportion of the held-out answers whose closer pair merges last.",
                direction="lower",
            ),
            Output(
                name="silent",
                doc="Proportion of the held-out answers whose two pairs merge together.",
                direction="none",
            ),
        ),
    ),
)
