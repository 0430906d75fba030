"""The oracle: it answers queries, and hcbench counts them."""

import numpy as np
from hcbench import AnswerRequest, Answers, OracleRequest, similarity_matrix
from hcbench.compiled import uniform
from numpy.typing import NDArray


def compare_pairs(request: OracleRequest, *, noise: float, similarity: str) -> Answers:
    """Answer 1 if pair (a, b) is more similar than pair (c, d), -1 if it is less, 0 for a tie.

    Whether an answer is wrong depends only on the seed, the query and how often it was made before,
    so that all algorithms get the same answers.
    """
    problem = request.problem
    seed = request.seed
    w = np.asarray(similarity_matrix(problem, similarity), dtype=np.float64)
    rounding = 1e-12 * np.abs(w).max()

    def answer(request: AnswerRequest) -> NDArray[np.int8]:
        a, b, c, d = request.queries.T
        difference = w[a, b] - w[c, d]
        right = np.sign(difference) * (np.abs(difference) > rounding)
        asked = zip(request.keys, request.times, strict=True)
        drawn = [uniform(seed, key, time) for key, time in asked]
        codes: NDArray[np.int8] = np.where(np.array(drawn) < noise, -right, right).astype(np.int8)
        return codes

    return Answers(kind="quadruplet-queries", n=problem.n, arity=4, answer=answer)
