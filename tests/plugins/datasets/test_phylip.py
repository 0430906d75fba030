"""Matrices of PHYLIP as its documentation shows them; expectations are written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hcbench import DataError
from tests.plugins.datasets.test_file import read

NAMES = ("Bovine", "Mouse", "Gibbon", "Orang")
DISTANCES = np.array(
    [
        [0.0, 1.7, 1.8, 2.2],
        [1.7, 0.0, 1.4, 1.6],
        [1.8, 1.4, 0.0, 0.5],
        [2.2, 1.6, 0.5, 0.0],
    ]
)
STRICT_NAMES = ("Bos taurus", "Mus musc 2", "H. sapiens", "P. pygmae")


def row(name: str, numbers, width: int = 10) -> str:
    return name.ljust(width) + "".join(f"{number:8.4f}" for number in numbers)


FORMS = {
    "square": [row(n, d) for n, d in zip(NAMES, DISTANCES, strict=True)],
    "lower": [row(n, DISTANCES[i, :i]) for i, n in enumerate(NAMES)],
    "lower with diagonal": [row(n, DISTANCES[i, : i + 1]) for i, n in enumerate(NAMES)],
    "upper": [row(n, DISTANCES[i, i + 1 :]) for i, n in enumerate(NAMES)],
    "upper with diagonal": [row(n, DISTANCES[i, i:]) for i, n in enumerate(NAMES)],
    "strict upper": [row(n, DISTANCES[i, i + 1 :]) for i, n in enumerate(STRICT_NAMES)],
    "strict": [row(n, d) for n, d in zip(STRICT_NAMES, DISTANCES, strict=True)],
    "strict lower": [row(n, DISTANCES[i, :i]) for i, n in enumerate(STRICT_NAMES)],
    "wrapped": [
        line
        for name, numbers in zip(NAMES, DISTANCES, strict=True)
        for line in (row(name, numbers[:3]), row("", numbers[3:]))
    ],
    "wrapped strict": [
        line
        for name, numbers in zip(STRICT_NAMES, DISTANCES, strict=True)
        for line in (row(name, numbers[:2]), row("", numbers[2:]))
    ],
}


@pytest.mark.parametrize("ending", ["phy", "dist", "txt"])
@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_read(tmp_path, form, ending):
    path = tmp_path / f"distances.{ending}"
    path.write_text("    4\n" + "\n".join(FORMS[form]) + "\n")
    problem = read(path, distance=True)
    assert problem.names == (STRICT_NAMES if "strict" in form else NAMES)
    np.testing.assert_allclose(problem.similarity, 1 - DISTANCES / DISTANCES.max())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5\n" + "\n".join(FORMS["square"]), "line 1 says 5 items, and there are 4"),
        ("3\n" + "\n".join(FORMS["square"]), "line 1 says 3 items, and there are 4"),
        ("5\n" + "\n".join(FORMS["strict"]), "line 1 says 5 items, and there are 4"),
        ("3\n" + "\n".join(FORMS["strict lower"]), "line 1 says 3 items, and there are 4"),
        ("3\na 0 1 2\nb 1.5 0 3\nc 2 3 0\n", "'a', 'b' has 1, and .*; correct the file$"),
        ("2\na 0 1 2\nb 1 0\n", "line 2: 'a' has 3 distances, not 2"),
        ("3\na 0 1 2\nb 1 0 3\nc 2 3\n", "line 4: 'c' has 2 distances, not 3"),
        ("3\na\nb 1\nc 2 x\n", "line 4: 'x' of 'c' is no distance"),
        ("2 4\na ACGT\nb ACGT\n", "sequences are not read"),
    ],
)
def test_a_wrong_form_names_the_line(tmp_path, text, message):
    path = tmp_path / "distances.phy"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert "\n" not in str(caught.value)
