"""A session with a person: an algorithm asks, somebody answers, and every answer is kept.

The algorithm is run again from the start whenever a session goes on or an answer is taken back: for
one seed it asks the same questions as long as it hears the same answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hcbench.asking.answers_file import AnswersFile
from hcbench.asking.questions import KINDS, QuestionKind, Texts, arranged
from hcbench.asking.recorded import Answered, Heading, quoted
from hcbench.errors import (
    BudgetExceededError,
    DataError,
    HcbenchError,
    NotApplicableError,
    ParameterError,
)
from hcbench.model.notes import collect_notes
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree
from hcbench.oracle import PATIENCE, UNSURE, ask_oracle
from hcbench.plan.seeds import derive_seed
from hcbench.registry import Use
from hcbench.registry.specs import AlgorithmSpec, load_function
from hcbench.run.cell import as_result
from hcbench.run.given import give

_PROBED = 1000  # questions


class Undo(BaseException):
    """Who is asked takes the last answer back."""


class Leave(BaseException):
    """Who is asked goes; the session can go on later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How many questions remain, at most or about."""

    number: int
    is_bound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A question as it is put to a person.

    Attributes
    ----------
    kind : QuestionKind
    items : tuple of str
        In the order in which they are shown.
    answered : int
        How many questions were answered before.
    unsure : int
        How often there was no answer to this one just now.
    may_be_unsure : bool
        Whether it can be put once more.
    may_undo : bool
        Whether there is an answer that can be taken back.
    takes_neither : bool
        Whether the algorithm takes the answer ``kind.neither``.
    estimate : Estimate, optional
        None where the algorithm tells none.
    """

    kind: QuestionKind
    items: Texts
    answered: int
    unsure: int
    may_be_unsure: bool
    may_undo: bool
    takes_neither: bool
    estimate: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Finding:
    """What a session comes to.

    Attributes
    ----------
    result : Tree or Partition
    answers : tuple of Answered
        In the order of the questions.
    undone : int
        Answers that were taken back.
    notes : tuple of str
        What the algorithm has to say.
    """

    result: Result
    answers: tuple[Answered, ...]
    undone: int
    notes: tuple[str, ...]


def kind_of(use: Use[AlgorithmSpec]) -> QuestionKind:
    """The kind of questions of an algorithm that a person can be asked.

    Raises
    ------
    ParameterError
        If there is none.
    """
    for kind in use.spec.accepts:
        if kind in KINDS:
            return KINDS[kind]
    raise ParameterError(
        f"{use.label} accepts {', '.join(use.spec.accepts)}: nothing that a person can be asked; "
        f"take an algorithm that accepts {' or '.join(KINDS)}"
    )


def takes_neither(use: Use[AlgorithmSpec]) -> bool:
    """Whether an algorithm goes on when it hears that no answer is the right one.

    It is tried, on the fewest items that it asks anything about.
    """
    kind = kind_of(use)
    if kind.neither is None:
        return False
    code = kind.neither.code
    oracle = ask_oracle(kind.kind, lambda *_: code, n=kind.least, budget=_PROBED)
    given = give(Problem(n=kind.least), ())
    try:
        with collect_notes():
            use.spec.load()(oracle, given, np.random.default_rng(0), **use.params)
    except BudgetExceededError:
        return True
    except HcbenchError:
        return False
    return True


class Session:
    """Asks a person what an algorithm wants to know.

    Parameters
    ----------
    use : Use
        The algorithm.
    items : tuple of str
    file : AnswersFile
        Where answers are kept, and those of former sessions are.
    person : callable
        Gives the answer to a `Put`, as it is shown, or raises `Undo` or `Leave`.
    tree : Tree, optional
        To be cut.
    """

    def __init__(
        self,
        use: Use[AlgorithmSpec],
        items: Texts,
        file: AnswersFile,
        person: Callable[[Put], int],
        tree: Tree | None = None,
    ) -> None:
        self.use = use
        self.items = items
        self.kind = kind_of(use)
        self._file = file
        self._person = person
        self._problem = Problem(n=len(items), names=items, tree=tree)
        self._takes_neither = takes_neither(use)
        self._answers = list(file.recorded.answers)
        self._undone = file.recorded.undone
        self._heard = 0
        self._unsure: Counter[Texts] = Counter()

    @property
    def answered(self) -> int:
        """How many answers stand."""
        return len(self._answers)

    def run(self) -> Finding:
        """Ask until the algorithm has what it needs.

        Raises
        ------
        Leave
            If the person goes before.
        DataError
            If the recorded answers are not those to the algorithm's questions.
        """
        while True:
            try:
                return self._run_once()
            except Undo:
                self.undo()

    def undo(self) -> None:
        """Take the last answer back, if there is one; `run` then asks again."""
        if self._answers:
            self._file.undo()
            self._answers.pop()
            self._undone += 1

    def _run_once(self) -> Finding:
        self._heard = 0
        self._unsure.clear()
        oracle = ask_oracle(self.kind.kind, self._answer, n=len(self.items))
        given = give(self._problem, self.use.spec.hints_of(self.use.params))
        rng = np.random.default_rng(self._file.heading.seed)
        with collect_notes() as notes:
            returned = self.use.spec.load()(oracle, given, rng, **self.use.params)
        if self._heard < len(self._answers):
            raise DataError(
                f"{self._file.path} has {len(self._answers)} answers, and the algorithm asks for "
                f"{self._heard}: it is of another version; take another file by --answers FILE"
            )
        return Finding(
            result=as_result(returned, len(self.items)),
            answers=tuple(self._answers),
            undone=self._undone,
            notes=tuple(notes),
        )

    def _answer(self, *question: int) -> int:
        """The next recorded answer, or the person's."""
        texts = tuple(self.items[i] for i in question)
        if self._heard < len(self._answers):
            answer = self._answers[self._heard]
            if answer.question != texts:
                raise DataError(
                    f"{self._file.path}, line {answer.line} answers a question about "
                    f"{quoted(answer.question)}, and the algorithm asks about {quoted(texts)}: it "
                    "is of another version; take another file by --answers FILE"
                )
        else:
            answer = self._file.add(texts, self._ask(texts))
            self._answers.append(answer)
        self._heard += 1
        self._unsure[texts] = self._unsure[texts] + 1 if answer.code == UNSURE else 0
        return answer.code

    def _ask(self, texts: Texts) -> int:
        """The person's answer, to the question in an order that the seed decides."""
        rng = np.random.default_rng(
            derive_seed(self._file.heading.seed, "arrangement", str(len(self._answers)))
        )
        arrangement = self.kind.arrangements[int(rng.integers(len(self.kind.arrangements)))]
        put = Put(
            kind=self.kind,
            items=arranged(texts, arrangement),
            answered=sum(answer.code != UNSURE for answer in self._answers),
            unsure=self._unsure[texts],
            may_be_unsure=self._unsure[texts] < PATIENCE - 1,
            may_undo=bool(self._answers),
            takes_neither=self._takes_neither,
            estimate=self._estimate(),
        )
        return self.kind.unarranged(self._person(put), arrangement)

    def _estimate(self) -> Estimate | None:
        """What remains of the questions that the algorithm says it asks."""
        found = self.use.spec.questions
        said = found and load_function(found)(len(self.items), **self.use.params)
        if not said:
            return None
        number, is_bound = said
        codes = [answer.code for answer in self._answers if answer.code != UNSURE]
        neither = self.kind.neither
        if neither is not None and neither.code in codes:
            is_bound = False  # bounds are those of binary trees
        remaining = round(number) - len(codes)
        return Estimate(number=remaining, is_bound=is_bound) if remaining > 0 else None


def heading_of(
    use: Use[AlgorithmSpec], items: Texts, seed: int, tree: Tree | None = None
) -> Heading:
    """What the answers of a session are about."""
    return Heading(
        kind=kind_of(use).kind,
        items=items,
        algorithm=use.label,
        seed=seed,
        tree="" if tree is None else tree.to_newick(lengths=False),
    )


def check_needs(use: Use[AlgorithmSpec], tree: Tree | None) -> None:
    """Refuse an algorithm that needs what a list of items does not provide.

    Raises
    ------
    NotApplicableError
        If it needs anything besides a tree to be cut; or a tree, and there is none.
    ParameterError
        If there is a tree that it does not need.
    """
    needs = set(use.spec.needs)
    if use.spec.hints_of(use.params) or needs - {"tree"}:
        raise NotApplicableError(
            f"{use.label} needs the truth or data, and there are only items to ask about"
        )
    if "tree" in needs and tree is None:
        raise NotApplicableError(f"{use.label} cuts a tree: give one by --tree FILE")
    if tree is not None and "tree" not in needs:
        raise ParameterError(f"{use.label} builds a tree and cuts none: leave --tree out")
