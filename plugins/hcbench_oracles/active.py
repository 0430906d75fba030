"""Active comparisons: an algorithm chooses its queries one after another."""

from __future__ import annotations

from typing import Any

import numpy as np

from hcbench import Answers, OracleRequest
from hcbench_oracles import _kernels
from hcbench_oracles.noise import Noise
from hcbench_oracles.whole import similarities_of_pairs


def quadruplet_queries(
    request: OracleRequest,
    *,
    noise: float = 0.0,
    scale: float = 0.0,
    annotators: int = 0,
    persistent: bool = False,
    similarity: str = "cosine",
) -> Answers:
    """Answer whether w_ij > w_kl (1) or w_ij < w_kl (-1); 0 for ties, with or without noise.

    Active setting of section 2.3 of Ghoshdastidar, Perrot & von Luxburg 2019. A query that is
    repeated is answered anew, unless the noise is persistent; reversing a query also repeats it.
    The answers are compiled: O(1) each, from n(n-1)/2 similarities in memory.

    Raises
    ------
    ParameterError
        If the parameters of noise do not go together (`Noise`).
    """
    problem = request.problem
    seed = request.seed
    model = Noise(seed, noise, scale, annotators)
    w, tolerance = similarities_of_pairs(problem, similarity)
    answer: Any = _kernels.answer_quadruplet
    if model.is_noiseless:
        answer = _kernels.compare_exactly
    # In the order of the entries that `_kernels` names.
    float_header = np.array([tolerance, model.noise, model.scale])
    int_header = np.array([model.seed, model.annotators, persistent], dtype=np.int64)
    return Answers(
        kind="quadruplet-queries",
        n=problem.n,
        arity=4,
        compiled=answer,
        floats=np.concatenate([float_header, w]),
        ints=np.concatenate([int_header, _kernels.row_starts(problem.n)]),
        timed=not model.is_noiseless and not persistent,
    )
