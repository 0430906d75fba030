"""The oracle: it answers queries, and hcbench counts them."""

import numpy as np
from hcbench import Answers, Problem, similarity_matrix
from hcbench.compiled import uniform
from numpy.typing import NDArray


def compare_pairs(
    problem: Problem, seed: int, _budget: int | None, *, noise: float, similarity: str
) -> Answers:
    """Answer 1 if pair (a, b) is more similar than pair (c, d), -1 if it is less, 0 for a tie.

    Whether an answer is wrong depends only on the seed, the query and how often it was made before,
    so that all algorithms get the same answers.
    """
    w = np.asarray(similarity_matrix(problem, similarity), dtype=np.float64)
    rounding = 1e-12 * np.abs(w).max()

    def answer(
        queries: NDArray[np.int64], keys: NDArray[np.uint64], times: NDArray[np.int64]
    ) -> NDArray[np.int8]:
        a, b, c, d = queries.T
        difference = w[a, b] - w[c, d]
        right = np.sign(difference) * (np.abs(difference) > rounding)
        drawn = [uniform(seed, key, time) for key, time in zip(keys, times, strict=True)]
        codes: NDArray[np.int8] = np.where(np.array(drawn) < noise, -right, right).astype(np.int8)
        return codes

    return Answers(kind="quadruplet-queries", n=problem.n, arity=4, answer=answer)
