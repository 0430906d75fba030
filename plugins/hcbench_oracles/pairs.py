"""Active queries about two items: whether they belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    Answers,
    NotApplicableError,
    OracleRequest,
    ParameterError,
    Partition,
    Problem,
    Tree,
    finest_partition,
)
from hcbench.compiled import draw_pairs
from hcbench.model import AnswerMatrix, pair_items
from hcbench_oracles import _pair_kernels as kernels
from hcbench_oracles.noise import Noise

Source: TypeAlias = Literal["auto", "labels", "cut", "matrix"]
Ints: TypeAlias = NDArray[np.int64]

_PAIRS_AT_A_TIME = 1 << 18
# Seeds that differ from that of the noise: of the drawn pairs, and of the order of the items.
_DRAW = 0x2545F4914F6CDD1D
_SKEW = 0x27BB2EE687B0B0FD


def pair_queries(
    request: OracleRequest,
    *,
    source: Source = "auto",
    level: int | None = None,
    k: int | None = None,
    threshold: float = 0.0,
    noise: float = 0.0,
    law: Literal["persistent", "independent"] = "persistent",
    skew: float = 0.0,
) -> Answers:
    """Answer whether two items belong together, 1 or 0: the matrix Sigma of Gentile et al. 2019.

    Section 2: in the noisy realisable setting Sigma is that of a clustering, except for floor(noise
    n(n-1)/2) random pairs whose answers are persistently flipped; if Sigma is not a clustering
    (``matrix``), or not a cut of the tree, the setting is agnostic. An item belongs together with
    itself. Compiled: O(1) an answer.

    Parameters
    ----------
    source : {"auto", "labels", "cut", "matrix"}
        Which items belong together. "labels": those with the same labels, of the finest level or of
        ``level``; without labels, of the finest clusters of the true tree. "cut": those below the
        same node of ``tree.cut(k)``, for the tree to be cut. "matrix": those with similarity above
        ``threshold``. "auto" is "labels" if there is a truth, otherwise "matrix".
    level : int, optional
        Level of the labels, 1 being the coarsest; by default the finest.
    k : int, optional
        Number of clusters of the cut.
    threshold : float
        The default separates the values of a matrix of 0 and 1, or of -1 and 1.
    noise : float
        Proportion of wrong answers, lambda, in [0, 0.5).
    law : {"persistent", "independent"}
        The law of the noise. "persistent": exactly that proportion of the pairs, always the same.
        "independent": each answer with that probability, drawn anew each time.
    skew : float
        Both items of a drawn pair have probability proportional to ``rank**-skew``, in a random
        order of the items, on condition that they differ. 0: all pairs are equally likely.

    Raises
    ------
    NotApplicableError
        If the data have no such source.
    ParameterError
        If the parameters do not go together.

    Notes
    -----
    8 n bytes for labels, n(n-1)/16 for a matrix; the flipped pairs take no memory. Iterating over
    them takes O(1) per pair, over a matrix O(n^2).
    """
    problem = request.problem
    seed = request.seed
    model = Noise(seed, noise)
    n = problem.n
    n_pairs = n * (n - 1) // 2
    together = _true_clusters(problem, source, level, k, threshold)
    # What the kernel reads: a header, then the clusters or the bits of the pairs.
    header = np.zeros(kernels.HEADER, np.int64)
    header[kernels.N] = n
    header[kernels.SEED] = model.seed
    header[kernels.BITS] = (n_pairs - 1).bit_length()
    each_time = model.noise  # the probability that an answer is wrong, drawn anew
    if law == "persistent":
        each_time = 0.0
        # As a decimal number: floats would lose a pair.
        header[kernels.FLIPPED] = int(Decimal(repr(float(model.noise))) * n_pairs)
    if isinstance(together, Partition):
        clusters = together
        ints = np.concatenate([header, together.labels])
    else:
        header[kernels.MATRIX] = 1
        clusters = Partition(np.arange(n))
        ints = np.concatenate([header, together])
    draw = None
    if n > 1:
        draw = _pair_stream(n, model.seed, skew)
    return Answers(
        kind="pair-queries",
        n=n,
        arity=2,
        compiled=kernels.answer_pair,
        floats=np.array([each_time]),
        ints=ints,
        timed=each_time > 0,
        draw=draw,
        matrix=AnswerMatrix(clusters, partial(_exceptions, ints), each_time),
    )


def _true_clusters(
    problem: Problem, source: Source, level: int | None, k: int | None, threshold: float
) -> Partition | Ints:
    """The clusters of items that belong together; for a matrix, a bit for each pair."""
    if source == "auto":
        source = "matrix"
        if problem.levels is not None or problem.truths:
            source = "labels"
        if source == "matrix" and problem.similarity is None:
            raise NotApplicableError(
                "the data do not define which items belong together: there is no truth and no "
                "matrix of similarities; pair-queries[source=cut,k=...] uses a cut of a given tree"
            )
    _refuse_unused(source, {"level": level, "k": k, "threshold": threshold or None})
    if source == "cut":
        return _cut(problem.tree, k)
    if source == "labels":
        return finest_partition(problem, level)
    if problem.similarity is None:
        raise NotApplicableError("source=matrix: this data set has no matrix of similarities")
    return _above_threshold(problem.similarity, threshold)


_USED_BY = {"level": "labels", "k": "cut", "threshold": "matrix"}


def _refuse_unused(source: str, parameters: dict[str, float | None]) -> None:
    for name, value in parameters.items():
        if value is not None and _USED_BY[name] != source:
            raise ParameterError(f"{name}={value} is for source={_USED_BY[name]}, not {source}")


def _cut(tree: Tree | None, k: int | None) -> Partition:
    if tree is None:
        raise NotApplicableError("source=cut: this data set has no tree to be cut")
    if k is None:
        raise ParameterError("source=cut needs k, the number of clusters")
    if k > tree.n:
        raise ParameterError(f"k={k}: a tree of {tree.n} leaves does not have that many clusters")
    return tree.cut(k)


def _above_threshold(similarity: NDArray[np.floating], threshold: float) -> Ints:
    """Whether each pair, in condensed order, is above: bits of int64, lowest first. O(n^2)."""
    n = len(similarity)
    total = n * (n - 1) // 2
    above = np.zeros(-(-total // 64) * 64, np.bool_)
    above[:total] = similarity[np.triu_indices(n, 1)] > threshold
    # Pair p is bit p % 64 of word p // 64.
    return np.packbits(above, bitorder="little").view("<i8").astype(np.int64)


def _pair_stream(n: int, seed: int, skew: float) -> Callable[[int, int], Ints]:
    """A function that draws the pairs numbered start, start + 1, ..., deterministically."""
    if skew == 0:
        return partial(_draw_uniform, n, seed ^ _DRAW)
    weights = np.arange(1, n + 1) ** -float(skew)
    # The item of rank r is a random one, so that the order of the data does not matter.
    weights[np.random.default_rng(seed ^ _SKEW).permutation(n)] = weights / weights.sum()
    return partial(_draw_skewed, np.cumsum(weights), seed ^ _DRAW)


def _draw_uniform(n: int, seed: int, start: int, m: int) -> Ints:
    pairs = np.empty((m, 2), np.int64)
    draw_pairs(seed, n, start, pairs)
    return pairs


def _draw_skewed(below: NDArray[np.float64], seed: int, start: int, m: int) -> Ints:
    pairs = np.empty((m, 2), np.int64)
    kernels.draw_skewed(seed, start, below, pairs)
    return pairs


def _exceptions(ints: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Pairs whose answers, without independent noise, contradict the clusters."""
    n = int(ints[kernels.N])
    if not ints[kernels.MATRIX]:
        for numbers in _ranges(int(ints[kernels.FLIPPED])):
            yield pair_items(kernels.flipped_pairs(ints, numbers), n)
        return
    # The clusters are single items: all pairs that are together contradict them.
    for pairs in _ranges(n * (n - 1) // 2):
        yield pair_items(pairs[kernels.together_in_matrix(ints, pairs)], n)


def _ranges(count: int) -> Iterator[Ints]:
    """The numbers 0 .. count-1, in parts."""
    for start in range(0, count, _PAIRS_AT_A_TIME):
        yield np.arange(start, min(start + _PAIRS_AT_A_TIME, count))
