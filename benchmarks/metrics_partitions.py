"""Metrics of partitions at cuts of a large tree, compared with scikit-learn in the same run."""

from __future__ import annotations

from typing import Any, ClassVar

import hcbench
from benchmarks.inputs import MANY, Timed, benchmark, best, labelled, random_tree


class PartitionsOfHundredThousandItems(Timed):
    """20 classes against a cut of an unrelated tree."""

    params: ClassVar = ["ARI[cut=best]", "AMI[k=10000]"]
    param_names: ClassVar = ["metric"]

    def setup(self, metric: str) -> None:
        """Make the tree and compile."""
        self.problem, self.tree = labelled(MANY, p=1), random_tree(MANY)
        hcbench.score(metric.replace("10000", "10"), random_tree(100), labelled(100, p=1))

    @benchmark("Metric of a cut of 100,000 items: time")
    def time_score(self, metric: str) -> None:
        """Time of the metric, the cut included."""
        hcbench.score(metric, self.tree, self.problem)


class PartitionsAgainstScikitLearn:
    """The same values for 20 classes and a cut into 1000 clusters."""

    params: ClassVar = ["ARI", "AMI", "V-measure"]
    param_names: ClassVar = ["metric"]

    def setup(self, metric: str) -> None:
        """Cut the tree and compile."""
        self.labels = hcbench.finest_partition(labelled(MANY, p=1)).labels
        self.problem = hcbench.Problem(n=MANY, levels=self.labels[:, None])
        self.found = random_tree(MANY).cut(1000)
        self._ours(metric)

    def _ours(self, metric: str) -> Any:
        return hcbench.score(metric, self.found, self.problem)

    @benchmark("Metric of a partition: time over scikit-learn's", "ratio")
    def track_the_metric_over_scikit_learn(self, metric: str) -> float:
        """Time of the metric over that of scikit-learn's function, 100,000 items."""
        from sklearn import metrics

        peer = {
            "ARI": metrics.adjusted_rand_score,
            "AMI": metrics.adjusted_mutual_info_score,
            "V-measure": metrics.v_measure_score,
        }[metric]
        seconds = best(lambda: self._ours(metric))
        return seconds / best(lambda: peer(self.labels, self.found.labels))
