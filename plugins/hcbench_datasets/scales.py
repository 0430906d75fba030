"""Questions of a survey: columns of texts with the same answers, and the order of these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain

from hcbench_datasets.content import Column, names_of
from hcbench_datasets.file_names import written_value

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
    # German
    (
        ("stimme überhaupt nicht zu", "stimme gar nicht zu", "lehne völlig ab"),
        ("stimme nicht zu", "lehne ab"),
        ("stimme eher nicht zu", "lehne eher ab"),
        ("teils/teils", "teils teils", "teils, teils", "weder noch", "neutral", "unentschieden"),
        ("stimme eher zu",),
        ("stimme zu",),
        ("stimme voll zu", "stimme voll und ganz zu", "stimme völlig zu"),
    ),
    (
        ("trifft überhaupt nicht zu", "trifft gar nicht zu"),
        ("trifft nicht zu",),
        ("trifft eher nicht zu", "trifft wenig zu"),
        ("teils/teils", "teils teils", "teils, teils"),
        ("trifft eher zu",),
        ("trifft zu",),
        ("trifft voll zu", "trifft voll und ganz zu", "trifft völlig zu"),
    ),
    (("nie", "niemals"), ("selten",), ("manchmal", "gelegentlich"), ("oft", "häufig"), ("immer",)),
    (
        ("sehr unzufrieden",),
        ("unzufrieden", "eher unzufrieden"),
        ("neutral", "teils/teils", "weder noch"),
        ("zufrieden", "eher zufrieden"),
        ("sehr zufrieden",),
    ),
    (("sehr schlecht",), ("schlecht",), ("mittel", "mittelmäßig"), ("gut",), ("sehr gut",)),
    (("nein",), ("vielleicht",), ("ja",)),
    # French
    (
        ("pas du tout d'accord",),
        ("pas d'accord", "plutôt pas d'accord"),
        ("neutre", "ni d'accord ni pas d'accord", "ni d'accord, ni pas d'accord"),
        ("plutôt d'accord",),
        ("d'accord",),
        ("tout à fait d'accord",),
    ),
    (("jamais",), ("rarement",), ("parfois",), ("souvent",), ("toujours",)),
    (
        ("très insatisfait", "pas du tout satisfait"),
        ("insatisfait", "peu satisfait", "plutôt pas satisfait"),
        ("neutre",),
        ("satisfait", "plutôt satisfait"),
        ("très satisfait", "tout à fait satisfait"),
    ),
    (("non",), ("peut-être",), ("oui",)),
    # Spanish
    (
        ("muy en desacuerdo", "totalmente en desacuerdo"),
        ("en desacuerdo", "algo en desacuerdo"),
        ("neutral", "ni de acuerdo ni en desacuerdo"),
        ("de acuerdo", "algo de acuerdo"),
        ("muy de acuerdo", "totalmente de acuerdo"),
    ),
    (
        ("nunca",),
        ("casi nunca", "rara vez", "raramente"),
        ("a veces", "algunas veces"),
        ("a menudo", "frecuentemente"),
        ("casi siempre",),
        ("siempre",),
    ),
    (
        ("muy insatisfecho",),
        ("insatisfecho",),
        ("neutral",),
        ("satisfecho",),
        ("muy satisfecho",),
    ),
)

#: Cells of people who did not answer, which are no answers of a scale.
_NO_ANSWERS_BY_LANGUAGE = (
    ("don't know", "dont know", "do not know", "i don't know", "no answer", "no opinion"),
    ("prefer not to say", "prefer not to answer", "refused", "not applicable", "not answered"),
    # German, French, Spanish
    ("keine angabe", "k.a.", "k. a.", "weiß nicht", "weiss nicht", "nicht beantwortet"),
    ("ne sait pas", "nsp", "sans réponse", "sans opinion", "non concerné"),
    ("no sabe", "no contesta", "ns/nc", "no aplica", "prefiero no decir"),
)
_NO_ANSWERS = frozenset(chain.from_iterable(_NO_ANSWERS_BY_LANGUAGE))
#: An answer with its code before it, as in "1 = never", or the code alone.
_CODED = re.compile(r"(\d{1,2})(\s*[-=:.)\u2013]\s*\S.*|\s+[^\W\d].*)?")


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
    no_answers : tuple of str
        Cells that are no answers, such as "don't know".
    """

    columns: tuple[str, ...]
    answers: tuple[str, ...]
    is_ordered: bool
    no_answers: tuple[str, ...] = ()

    def ordinal(self, columns: Sequence[Column]) -> str:
        """The inside of the braces of ``ordinal={...}`` for these questions among the columns."""
        listed = ",".join(written_value(answer) for answer in self.answers)
        prefix = _common_start(self.columns)
        if re.fullmatch(r"[A-Za-z_]\w*", prefix, re.ASCII):
            fitting = []
            for column in columns:
                has_answers = column.numbers is None and answers_of(column) <= set(self.answers)
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
    # Columns that are in no group yet.
    remaining = []
    for column in columns:
        if _may_be_question(column):
            remaining.append(column)
    groups = []
    while remaining:
        # The column with the most answers has those of its group.
        widest = max(remaining, key=lambda column: len(answers_of(column)))
        answers = answers_of(widest)
        group = []
        rest = []
        for column in remaining:
            if answers_of(column) <= answers:
                group.append(column)
            else:
                rest.append(column)
        remaining = rest
        if len(group) >= _LEAST_QUESTIONS and all(map(_has_repeated_answers, group)):
            groups.append(_questions(group, answers))
    return groups


def _has_repeated_answers(column: Column) -> bool:
    """Whether there are at least two cells per answer, as in names there are not."""
    return len(column.classes) <= len(column.cells) / 2


def _may_be_question(column: Column) -> bool:
    """Whether a column has a few answers in texts; some may be codes without a text."""
    if column.numbers is not None:
        return False
    answers = answers_of(column)
    if not 2 <= len(answers) <= _MOST_ANSWERS:
        return False
    # Such as 1 = never, 2, 3, 4, 5 = always.
    if column.kind == "numbers and texts":
        return _order_of_codes(answers) is not None
    return column.kind == "texts"


def answers_of(column: Column) -> set[str]:
    """The different answers in a column, without those of people who did not answer."""
    return {text for text in column.classes if text.casefold() not in _NO_ANSWERS}


def _questions(group: Sequence[Column], answers: set[str]) -> Questions:
    names = tuple(names_of(group))
    different = set()
    for column in group:
        different.update(set(column.classes) - answers)
    no_answers = tuple(sorted(different))
    # A usual scale, or codes such as 1 = never.
    order = known_order(answers) or _order_of_codes(answers)
    if order is not None:
        return Questions(names, order, is_ordered=True, no_answers=no_answers)
    order = _order_in_file(group, answers) or tuple(sorted(answers))
    return Questions(names, order, is_ordered=False, no_answers=no_answers)


def _order_of_codes(answers: set[str]) -> tuple[str, ...] | None:
    """The answers in the order of the numbers with which they begin; None if some have none."""
    codes = {}
    for answer in answers:
        match = _CODED.fullmatch(answer)
        if match is None:
            return None
        codes[answer] = int(match[1])
    # Numbers alone have been read as numbers.
    has_texts = any(not answer.isdigit() for answer in answers)
    if not has_texts or len(set(codes.values())) < len(codes):
        return None
    return tuple(sorted(answers, key=lambda answer: codes[answer]))


def _order_in_file(group: Sequence[Column], answers: set[str]) -> tuple[str, ...] | None:
    """The answers as the codes of a file order them; None if columns differ or have no codes."""
    widest = max(group, key=lambda column: len(column.order))
    order = tuple(text for text in widest.order if text in answers)
    if set(order) != answers:
        return None
    for column in group:
        expected = tuple(text for text in order if text in column.order)
        # Two columns with the same answers may be coded in opposite ways.
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
        answer_of_rank = {}
        for answer in answers:
            word = answer.casefold()
            if word in rank_of_word:
                answer_of_rank[rank_of_word[word]] = answer
        # Two answers of one rank, such as poor and Poor, have no order.
        if len(answer_of_rank) == len(answers):
            return tuple(answer_of_rank[rank] for rank in sorted(answer_of_rank))
    return None
