"""60 cars compared by a crowd (Kleindessner & von Luxburg 2017)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hcbench import Comparisons, DataError, DataRequest, Problem
from hcbench_datasets.comparisons import note_contradictions
from hcbench_datasets.fetch import Remote, csv_rows, data_file
from hcbench_datasets.holding_out import mask_of_groups

N_CARS = 60
ARCHIVE = Remote(
    "http://www.tml.cs.uni-tuebingen.de/team/luxburg/code_and_data/60_cars_data.zip",
    "5fa2ad932d48adf5cfe36bd16a08b25fd88d1519d974908f6ccbba769f629640",
)
ADVICE = "of 60_cars_data.zip by Kleindessner and von Luxburg, " + ARCHIVE.url
CLASSES = {
    "ordinary": (
        2, 6, 7, 8, 9, 10, 11, 12, 16, 17, 25, 32, 35, 36, 37, 38, 39, 41, 44, 45, 46, 55, 58, 60,
    ),
    "sports": (15, 19, 20, 28, 40, 42, 47, 48, 49, 50, 51, 52, 54, 56, 59),
    "off-road": (1, 3, 4, 5, 13, 14, 18, 22, 24, 26, 27, 29, 31, 33, 34, 43, 57),
    "outlier": (21, 23, 30, 53),
}  # fmt: skip
"""The cars, numbered from 1, in each class that the authors name."""


def car(request: DataRequest, *, answers: str, held_out: float | None) -> Problem:
    """The answers of the crowd as comparisons, and the four classes of the cars as labels.

    A statement that car c is the most central one of c, x, y gives two quadruplets,
    ``w_cx > w_xy`` and ``w_cy > w_xy`` (Ghoshdastidar et al. 2019, appendix B.3). ``reduced``
    contains the 6056 statements of that paper, no two of them on the same three cars; ``all``
    contains all 7097 answers of the survey, including contradictions and repetitions. Items are
    named by class and number, starting at 1.

    With ``held_out`` this share of the questions, which are sets of three cars, is for metrics
    only: both comparisons of each of their statements.

    Raises
    ------
    DataNotAvailableError
        If the data files are missing and cannot be downloaded.
    """
    seed = request.seed
    if answers == "all":
        statements = read_survey(_file("survey_data.csv"))
    else:
        statements = read_statements(_file("T_ALL_REDUCED.csv"))
    names = [""] * N_CARS
    labels = np.zeros((N_CARS, 1), np.int64)
    for code, (name, cars) in enumerate(CLASSES.items()):
        for number in cars:
            names[number - 1] = f"{name} {number}"
            labels[number - 1] = code
    comparisons = comparisons_of_centres(statements)
    note_contradictions(comparisons)
    kept_for_metrics = None
    if held_out is not None:
        questions = np.unique(np.sort(statements, axis=1), axis=0, return_inverse=True)[1]
        # A statement has two comparisons, one after the other.
        mask = np.repeat(mask_of_groups(questions.ravel(), held_out, seed), 2)
        kept_for_metrics = comparisons.select(mask)
        comparisons = comparisons.select(~mask)
    return Problem(
        n=N_CARS,
        names=tuple(names),
        comparisons=comparisons,
        held_out=kept_for_metrics,
        levels=labels,
        classes=(tuple(CLASSES),),
    )


def _file(name: str) -> Path:
    remote = Remote(ARCHIVE.url, ARCHIVE.checksum, name)
    return data_file(f"car/{name}", "car", ADVICE, remote)


def comparisons_of_centres(statements: NDArray[np.int64]) -> Comparisons:
    """Quadruplets ``w_cx > w_xy`` and ``w_cy > w_xy`` of rows (m, 3) ``c, x, y``, from 1."""
    c, x, y = (statements - 1).T
    first = np.stack([c, x, x, y], axis=1)
    second = np.stack([c, y, x, y], axis=1)
    # The two comparisons of a statement follow each other.
    rows = np.stack([first, second], axis=1)
    return Comparisons.from_quadruplets(N_CARS, rows.reshape(-1, 4))


def read_statements(path: Path) -> NDArray[np.int64]:
    """Rows (m, 3): the central car, then the other two, numbered from 1."""
    return _checked(csv_rows(path), path, first=1)


def read_survey(path: Path) -> NDArray[np.int64]:
    """Rows (m, 3) as `read_statements`; a survey line is round, chosen car, three cars, seconds."""
    # Below the header.
    answers = csv_rows(path)[1:]
    rows = []
    for line, row in enumerate(answers, start=2):
        cars = row[2:5]
        if len(row) < 5 or row[1] not in cars:
            raise DataError(f"{path}, line {line}: {','.join(row)!r} chooses a car not shown")
        central = row[1]
        rows.append([central] + [car for car in cars if car != central])
    return _checked(rows, path, first=2)


def _checked(rows: list[list[str]], path: Path, first: int) -> NDArray[np.int64]:
    """Check that each row has three different cars of 1..60; ``first`` is its first line number."""
    for line, row in enumerate(rows, start=first):
        cars = {int(cell) for cell in row if cell.strip().isdigit()}
        # Two equal cars leave fewer than three; other texts than numbers are none.
        if len(row) != 3 or len(cars) != 3 or min(cars) < 1 or max(cars) > N_CARS:
            raise DataError(
                f"{path}, line {line}: {','.join(row)!r} are not three different cars of "
                f"1..{N_CARS}"
            )
    if not rows:
        raise DataError(f"{path} contains no statements")
    return np.array(rows, dtype=np.int64)
