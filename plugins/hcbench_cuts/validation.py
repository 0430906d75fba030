"""Errors on a validation set of pairs for tuning, and on all other pairs.

Gentile et al. 2019, section 5: "picked the best performing value on a validation set of 500 labeled
pairs", and test errors without these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import NotApplicableError, Oracle, Partition, Scored, finest_partition
from hcbench.model import pair_index

START = 1 << 40
"""The position in the oracle's stream of pairs where the validation set starts, past any run."""

_DRAWS_FOR_EACH_PAIR = 8
"""More than one, as some pairs are drawn twice."""


def validation_error(scored: Scored, *, pairs: int = 500) -> float:
    """Proportion of the validation set on which the clusters differ from the oracle's answers.

    The set holds the first different unordered pairs of the oracle's stream from position `START`
    on. All algorithms that query one oracle share the set, each repetition has another, and like
    the pairs drawn for an algorithm they are uniform unless the oracle has a ``skew``. An algorithm
    may by chance have queried some of them.

    Parameters
    ----------
    scored : Scored
        The result must be a partition.
    pairs : int
        Size of the validation set. Its labels are not counted as queries of the algorithm.

    Returns
    -------
    float
        In [0, 1]. O(pairs log pairs).

    Raises
    ------
    NotApplicableError
        If the oracle draws no pairs or does not reveal its answers, or there are too few pairs.
    """
    validation_set = validation_pairs(scored, pairs)
    assert scored.answers is not None
    answers = Oracle(scored.answers).ask(validation_set)
    together = _in_one_cluster(_partition(scored), validation_set)
    return float(np.mean(answers != together))


def error_on_the_rest(scored: Scored, *, pairs: int = 500) -> float:
    """Clustering error over all ordered pairs, excluding the validation set.

    ``(d_H(Sigma*, C) - 2 w) / (n^2 - 2 pairs)``, where w counts the pairs of the validation set on
    which the clusters differ from the true ones.

    Parameters
    ----------
    scored : Scored
        The result must be a partition.
    pairs : int
        As in `validation_error`.

    Returns
    -------
    float
        In [0, 1]. O(n log n + pairs log pairs).

    Raises
    ------
    NotApplicableError
        As `validation_error`; or if there is no truth.
    """
    validation_set = validation_pairs(scored, pairs)
    true = finest_partition(scored.problem)
    result = _partition(scored)
    is_error = _in_one_cluster(true, validation_set) != _in_one_cluster(result, validation_set)
    remaining_errors = true.disagreements(result) - int(is_error.sum())
    n = scored.problem.n
    return 2.0 * remaining_errors / (n**2 - 2 * pairs)


def validation_pairs(scored: Scored, pairs: int) -> NDArray[np.int64]:
    """The validation set, (pairs, 2).

    Raises
    ------
    NotApplicableError
        As `validation_error`.
    """
    answers = scored.answers
    n = scored.problem.n
    if answers is None or answers.matrix is None or answers.draw is None:
        raise NotApplicableError(
            "a validation set needs an oracle that draws pairs and reveals all its answers, such "
            "as pair-queries"
        )
    n_draws = _DRAWS_FOR_EACH_PAIR * pairs
    drawn = np.sort(answers.draw(START, n_draws), axis=1)
    # Where each different pair was drawn first.
    numbers = pair_index(drawn[:, 0], drawn[:, 1], n)
    _, first_draws = np.unique(numbers, return_index=True)
    if len(first_draws) < pairs:
        raise NotApplicableError(
            f"pairs={pairs}: {n_draws} draws brought {len(first_draws)} of the "
            f"{n * (n - 1) // 2} pairs; use fewer"
        )
    return np.asarray(drawn[np.sort(first_draws)[:pairs]])


def _in_one_cluster(partition: Partition, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    labels = partition.labels
    return np.asarray(labels[pairs[:, 0]] == labels[pairs[:, 1]])


def _partition(scored: Scored) -> Partition:
    if not isinstance(scored.result, Partition):
        raise NotApplicableError("the result is a hierarchy, not a cut of one")
    return scored.result
