"""Questions of a survey: columns of texts with the same answers, and the order of these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hcbench_datasets.content import Column, written_value

_LEAST_QUESTIONS = 3  # columns with the same answers
_MOST_ANSWERS = 11

#: Scales from the lowest answer to the highest; answers with the same rank are in one tuple.
_SCALES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("strongly disagree", "completely disagree", "totally disagree"),
        ("disagree",),
        ("somewhat disagree", "slightly disagree", "rather disagree"),
        ("neutral", "neither agree nor disagree", "undecided", "neither"),
        ("somewhat agree", "slightly agree", "rather agree"),
        ("agree",),
        ("strongly agree", "completely agree", "totally agree"),
    ),
    (
        ("never",),
        ("rarely", "seldom", "almost never"),
        ("sometimes", "occasionally"),
        ("often", "frequently", "usually"),
        ("very often", "almost always"),
        ("always",),
    ),
    (
        ("very dissatisfied",),
        ("dissatisfied", "somewhat dissatisfied"),
        ("neutral", "neither satisfied nor dissatisfied"),
        ("satisfied", "somewhat satisfied"),
        ("very satisfied",),
    ),
    (
        ("very unlikely",),
        ("unlikely",),
        ("neutral", "neither likely nor unlikely"),
        ("likely",),
        ("very likely",),
    ),
    (
        ("very poor", "very bad"),
        ("poor", "bad"),
        ("fair", "average"),
        ("good",),
        ("very good",),
        ("excellent",),
    ),
    (
        ("not at all important", "not important", "unimportant"),
        ("slightly important",),
        ("moderately important", "important"),
        ("very important",),
        ("extremely important",),
    ),
    (
        ("not at all",),
        ("a little", "slightly"),
        ("moderately", "somewhat"),
        ("quite a bit", "very"),
        ("extremely",),
    ),
    (
        ("none",),
        ("very low",),
        ("low", "mild"),
        ("medium", "moderate"),
        ("high", "severe"),
        ("very high", "very severe"),
    ),
    (("no",), ("maybe",), ("yes",)),
)


@dataclass(frozen=True, slots=True)
class Questions:
    """Columns with the same answers.

    Attributes
    ----------
    columns : tuple of str
    answers : tuple of str
        From the lowest to the highest if that is known, else in the order of the file if it has
        one, else by the alphabet.
    is_ordered : bool
        Whether the answers are those of a usual scale.
    """

    columns: tuple[str, ...]
    answers: tuple[str, ...]
    is_ordered: bool

    def ordinal(self, columns: Sequence[Column]) -> str:
        """The inside of the braces of ``ordinal={...}`` for these questions among the columns."""
        listed = ",".join(written_value(answer) for answer in self.answers)
        prefix = _common_start(self.columns)
        if re.fullmatch(r"[A-Za-z_]\w*", prefix, re.ASCII):
            fitting = []
            for column in columns:
                has_answers = column.numbers is None and set(column.classes) <= set(self.answers)
                if fnmatchcase(column.name, f"{prefix}*") and has_answers:
                    fitting.append(column.name)
            # The pattern must not reach further than the questions do.
            if tuple(fitting) == self.columns:
                return f"{prefix}*=[{listed}]"
        return ",".join(f"{written_value(name)}=[{listed}]" for name in self.columns)


def _common_start(names: Sequence[str]) -> str:
    """The characters with which all names begin."""
    first = min(names)
    last = max(names)
    # What these two have in common, those between them by the alphabet have, too.
    length = 0
    while length < len(first) and first[length] == last[length]:
        length += 1
    return first[:length]


def find_questions(columns: Sequence[Column]) -> list[Questions]:
    """The groups of at least three columns of texts with the same answers.

    In some columns not all of the answers need to occur, and cells may be missing.

    Parameters
    ----------
    columns : sequence of Column
        Those that have no role.
    """
    remaining = []
    for column in columns:
        has_texts = column.numbers is None and column.kind == "texts"
        if has_texts and 2 <= len(column.classes) <= _MOST_ANSWERS:
            remaining.append(column)
    groups = []
    while remaining:
        # The column with the most answers has those of its group.
        widest = max(remaining, key=lambda column: len(column.classes))
        answers = set(widest.classes)
        group = [column for column in remaining if set(column.classes) <= answers]
        remaining = [column for column in remaining if not set(column.classes) <= answers]
        repeat = all(len(column.classes) <= len(column.cells) / 2 for column in group)
        if len(group) >= _LEAST_QUESTIONS and repeat:
            groups.append(_questions(group, answers))
    return groups


def _questions(group: Sequence[Column], answers: set[str]) -> Questions:
    names = tuple(column.name for column in group)
    order = known_order(answers)
    if order is not None:
        return Questions(names, order, is_ordered=True)
    order = _order_in_file(group, answers) or tuple(sorted(answers))
    return Questions(names, order, is_ordered=False)


def _order_in_file(group: Sequence[Column], answers: set[str]) -> tuple[str, ...] | None:
    """The answers as the codes of a file order them; None if columns differ or have no codes."""
    widest = max(group, key=lambda column: len(column.order))
    order = tuple(text for text in widest.order if text in answers)
    if set(order) != answers:
        return None
    for column in group:
        expected = tuple(text for text in order if text in column.order)
        if column.order != expected:
            return None
    return order


def known_order(answers: set[str]) -> tuple[str, ...] | None:
    """The answers from the lowest to the highest, if a usual scale has all of them."""
    for scale in _SCALES:
        rank_of_word = {}
        for rank, words in enumerate(scale):
            for word in words:
                rank_of_word[word] = rank
        ranks = {answer: rank_of_word.get(answer.casefold()) for answer in answers}
        different = {rank for rank in ranks.values() if rank is not None}
        # Two answers of one rank, such as poor and Poor, have no order.
        if len(different) == len(answers):
            return tuple(sorted(answers, key=lambda answer: ranks[answer] or 0))
    return None
