"""Which columns of classes are the truth of a table, or may be: by their names, and nested ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hcbench_datasets.columns import CLASSES
from hcbench_datasets.content import Column, Roles, Table, names_of, with_numbers
from hcbench_datasets.file_names import written_value
from hcbench_datasets.guesses import Guess

_CELLS_OF_CLASS = 1.5  # the fewest per class, on average


def has_classes(column: Column) -> bool:
    """Whether a column of texts has classes, which repeat."""
    # Numbers that are codes have a suspicion of their own, which tells so.
    if column.kind != "texts":
        return False
    n_present = len(column.cells) - int(column.missing.sum())
    return 0 < len(column.classes) <= n_present / _CELLS_OF_CLASS


def is_named_class(column: Column) -> bool:
    """Whether the name of a column says that it has classes."""
    return column.name.casefold() in CLASSES


def find_truth(
    guess: Guess, table: Table, roles: Roles, classes: Sequence[Column], *, has_numbers: bool
) -> None:
    """Decide which columns are the truth if a name says so, or list the candidates.

    Parameters
    ----------
    guess : Guess
        Gets the labels or the candidates.
    table : Table
    roles : Roles
        Those of the user.
    classes : sequence of Column
        The columns that may be the truth.
    has_numbers : bool
        Whether other columns are used as numbers.
    """
    candidates = [column for column in classes if len(column.classes) > 1]
    complete = _complete(candidates)
    if roles.labels:
        finer = complete
        for coarse in table.columns_named(roles.labels):
            finer = [column for column in finer if is_nested(column, coarse)]
        # Finer labels of the user's truth belong to it.
        _take_as_labels(guess, nested_levels(finer))
        return
    # A level with missing labels would put its items nowhere.
    levels = nested_levels(complete)
    # Numbers below such a name may be a measurement, or codes: this is asked.
    are_texts = not with_numbers(levels)
    are_named = _are_named_classes(candidates, levels)
    if guess.names is not None and not has_numbers and not guess.categorical:
        # Of items with names and nested classes, and nothing else, the classes are the truth.
        are_named |= len(levels) == len(candidates)
    # Several answers are possible: the user chooses.
    if not levels or not are_texts or not are_named:
        guess.candidates += _answers(candidates, levels)
        return
    _take_as_labels(guess, levels)
    are = "are"
    them = "them"
    if len(levels) == 1:
        are = "is"
        them = "it"
    guess.remarks.append(
        f"{', '.join(guess.labels)} {are} taken as the truth; "
        f"drop={written_value(guess.labels)} omits {them}"
    )


def _complete(columns: Iterable[Column]) -> list[Column]:
    """The columns without a missing cell."""
    return [column for column in columns if not column.missing.any()]


def _take_as_labels(guess: Guess, levels: Iterable[Column]) -> None:
    for column in levels:
        guess.labels.append(column.name)
        guess.reasons.pop(column.name)


def _are_named_classes(candidates: Sequence[Column], levels: Sequence[Column]) -> bool:
    """Whether a level has the name of a class, and no candidate besides the levels has one."""
    classes = set(names_of(filter(is_named_class, candidates)))
    return bool(classes) and classes.issubset(names_of(levels))


def candidates_of(columns: Iterable[Column]) -> list[list[str]]:
    """Columns that may be the truth, alone or nested, of those that have no other use."""
    candidates = [column for column in columns if has_classes(column) and len(column.classes) > 1]
    return _answers(candidates, nested_levels(_complete(candidates)))


def _answers(candidates: Sequence[Column], levels: Sequence[Column]) -> list[list[str]]:
    """What may be the truth: nested levels, then single columns, first those named so."""
    answers = []
    if len(levels) > 1:
        answers.append(names_of(levels))
    # Sorting keeps the order of the file among equals.
    for column in sorted(candidates, key=lambda column: not is_named_class(column)):
        answers.append([column.name])
    return answers


def nested_levels(columns: Iterable[Column]) -> list[Column]:
    """The most columns of labels of which each class lies in one class of the column before.

    Of as many columns, those with a name such as class, then those with more classes in all. A
    column with a single class is no level.

    Returns
    -------
    list of Column
        The coarsest first.
    """
    # The best chain that ends in each column.
    chains: list[list[Column]] = []
    for column in sorted(columns, key=lambda column: len(column.classes)):
        if len(column.classes) < 2:
            continue
        coarser = [chain for chain in chains if is_nested(column, chain[-1])]
        best = max(coarser, key=_rank_of_chain, default=[])
        chains.append(best + [column])
    return max(chains, key=_rank_of_chain, default=[])


def is_nested(fine: Column, coarse: Column) -> bool:
    """Whether each class of a column lies in one class of another."""
    # Else some fine class is in two pairs, with two coarse ones.
    pairs = set(zip(fine.cells, coarse.cells, strict=True))
    return len(fine.classes) == len(pairs)


def _rank_of_chain(chain: list[Column]) -> tuple[int, bool, int]:
    """The number of levels, whether one has the name of a class, and the number of classes."""
    n_classes = sum(len(column.classes) for column in chain)
    return len(chain), any(map(is_named_class, chain)), n_classes
