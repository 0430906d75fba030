"""An adversary who computes the weights of an algorithm, for the wrong answers of section 5."""

from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray

from hcbench import AnswerRequest, Answers, NotApplicableError, OracleRequest, Tree

_Ints = NDArray[np.int64]


def ordinal_adversary(request: OracleRequest, *, noise: float = 0.0) -> Answers:
    """Answer correctly with probability 1 - noise; otherwise as harms the search most.

    Section 5 of Emamjomeh-Zadeh & Kempe 2018: a response is correct with probability p,
    independently of the others, and adversarially incorrect otherwise. The adversary follows the
    insertion of the third item of each query: it has the weights of `NoisyInsertion`
    (``strategy=bayes``) over all places beside a vertex of the true tree of the items that came
    before, and gives the wrong answer that agrees with the heaviest wrong place.

    Parameters
    ----------
    noise : float
        1 - p.

    Raises
    ------
    NotApplicableError
        If the true tree is not binary.

    Notes
    -----
    The answer to a query depends on all queries before. O(n) time an answer.
    """
    problem = request.problem
    seed = request.seed
    truth = problem.truth
    if np.any(np.bincount(truth.parent[:-1])[truth.n :] != 2):
        raise NotApplicableError("ordinal-adversary needs a true tree that is binary")
    adversary = Adversary(truth, noise, np.random.default_rng(seed))

    def answer(request: AnswerRequest) -> NDArray[np.int8]:
        # In their order, as each answer depends on those before.
        answers = []
        for i, j, x in request.queries:
            answers.append(adversary.answer(int(i), int(j), int(x)))
        return np.array(answers, np.int8)

    return Answers(kind="ordinal-queries", n=problem.n, arity=3, answer=answer)


class Adversary:
    """The adversary's state: the items inserted, and the weights of the places of the next one.

    A vertex is the interval of the positions of its leaves, from left to right in the true tree.
    """

    def __init__(self, truth: Tree, noise: float, rng: np.random.Generator) -> None:
        self.truth = truth
        self.noise = noise
        self.rng = rng
        # The positions of the leaves of each vertex.
        start, end = truth.leaf_range
        self.start = np.asarray(start)
        self.end = np.asarray(end)
        # What an answer adds to the logarithms of the weights that agree with it.
        self.gain = 0.0
        if noise > 0:
            self.gain = log((1 - noise) / noise)
        self.inserted: set[int] = set()
        self.item = -1
        self.places: _Ints = np.empty(0, np.int64)
        self.weights = np.empty(0)
        """Logarithms, of the vertices in ``places``."""

    def answer(self, i: int, j: int, x: int) -> int:
        """Answer one query about the place of x."""
        if x != self.item:
            self.begin(i, j, x)
        sides = self.children_above(i, j)
        correct = self.odd_one(sides, x)
        # The answer that would be correct for each place.
        answers = np.array([self.odd_one(sides, v) for v in self.places])
        answer = correct
        if self.rng.random() < self.noise:
            # The answer of the heaviest wrong place.
            wrong_weights = np.where(answers == correct, -np.inf, self.weights)
            answer = int(answers[np.argmax(wrong_weights)])
        self.weights[answers == answer] += self.gain
        return answer

    def begin(self, i: int, j: int, x: int) -> None:
        """Count the last item as inserted, and weigh all places of x equally."""
        self.inserted |= {i, j}
        if self.item >= 0:
            self.inserted.add(self.item)
        self.inserted.discard(x)
        self.item = x
        leaves = sorted(self.inserted, key=lambda item: int(self.start[item]))
        # All inner vertices of their tree are where two neighbours meet.
        inner = {self.meet(a, b) for a, b in pairwise(leaves)}
        self.places = np.array(leaves + sorted(inner))
        self.weights = np.zeros(len(self.places))

    def meet(self, i: int, j: int) -> int:
        """The lowest common ancestor."""
        v = i
        while not self.is_below(j, v):
            v = int(self.truth.parent[v])
        return v

    def is_below(self, v: int, above: int) -> bool:
        """Whether a vertex is in the subtree of another, or is this."""
        return bool(self.start[above] <= self.start[v] and self.end[v] <= self.end[above])

    def children_above(self, i: int, j: int) -> tuple[int, int]:
        """The two children of the lowest common ancestor of i and j, that above i first."""
        sides = []
        for v, partner in ((i, j), (j, i)):
            while not self.is_below(partner, int(self.truth.parent[v])):
                v = int(self.truth.parent[v])
            sides.append(v)
        return sides[0], sides[1]

    def odd_one(self, sides: tuple[int, int], v: int) -> int:
        """The answer if the place of the item is at v."""
        if self.is_below(v, sides[0]):
            return 1
        if self.is_below(v, sides[1]):
            return 0
        return 2
