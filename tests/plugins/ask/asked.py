"""Simulated people with known answers: ``from tests.plugins.ask.asked import Knower``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hcbench import NONE, UNSURE, Tree, load_registry
from hcbench_ask.answers_file import AnswersFile
from hcbench_ask.session import Defer, Leave, Query, Session, SessionResult, Undo, header_of
from tests.core.trees import leaf_sets

WORDS = ("apple", "pear", "plum", "oak", "fir", "pine", "cat", "dog", "wolf", "carp", "eel", "cod")
TRUE = Tree.from_newick(
    "((((apple,pear),plum),((fir,pine),oak)),(((dog,wolf),cat),((carp,cod),eel)));", names=WORDS
)


def odd_one_out(tree: Tree, i: int, j: int, k: int) -> int:
    """By the clusters: a pair is closest if a node contains both and not the third."""
    items = (i, j, k)
    for at in range(3):
        pair = {*items} - {items[at]}
        if any(pair <= cluster and items[at] not in cluster for cluster in leaf_sets(tree)):
            return at
    return NONE


class Knower:
    """Answers by a tree, except for other actions at some questions.

    Parameters
    ----------
    tree : Tree
    names : sequence of str
    instead : callable, optional
        Maps the number of earlier questions to another action: "leave", "undo",
        "defer" or "unsure".
    """

    def __init__(
        self,
        tree: Tree,
        names: Sequence[str],
        instead: Callable[[int], str | None] = lambda _number: None,
    ) -> None:
        self._tree = tree
        self._number = {name: i for i, name in enumerate(names)}
        self._instead = instead
        self.asked: list[Query] = []

    def __call__(self, query: Query) -> int:
        what = self._instead(len(self.asked))
        self.asked.append(query)
        if what == "leave":
            raise Leave
        if what == "undo":
            raise Undo
        if what == "defer":
            raise Defer
        if what == "unsure":
            return UNSURE
        i, j, k = (self._number[item] for item in query.items)
        return odd_one_out(self._tree, i, j, k)


def hold(
    path: Path,
    person: Callable[[Query], int],
    algorithm: str = "InsertionClustering",
    items: Sequence[str] = WORDS,
    seed: int = 0,
) -> SessionResult:
    """Run a session, a new one or one that is resumed."""
    (use,) = load_registry().use_algorithms(algorithm)
    with AnswersFile(path, header_of(use, tuple(items), seed)) as file:
        return Session(use, file, person).run()
