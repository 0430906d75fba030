"""Orders that files have for their classes: codes of SPSS and Stata, categories of pandas, ARFF."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hcbench import ModelWarning
from hcbench.cli import main
from hcbench.registry import parse_name
from tests.plugins.datasets.test_file import read

TRUST = ("nobody", "few people", "most", "all")
CODES = [1, 4, 2, 3, 2, 1, 4, 3]
AGES = [31.5, 42.0, 27.5, 64.0, 55.0, 38.5, 47.0, 29.0]


def frame() -> pd.DataFrame:
    """Answers whose alphabetical order is another one, and ages."""
    texts = [TRUST[code - 1] for code in CODES]
    trust = pd.Categorical(texts, categories=list(TRUST), ordered=True)
    return pd.DataFrame({"age": AGES, "trust": trust})


def write_sav(path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    codes = pd.DataFrame({"age": AGES, "trust": [float(code) for code in CODES]})
    labels = {"trust": dict(enumerate(TRUST, start=1))}
    pyreadstat.write_sav(codes, str(path), variable_value_labels=labels)


def write_dta(path: Path) -> None:
    frame().to_stata(path, write_index=False)


def write_parquet(path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame().to_parquet(path)


def write_arff(path: Path) -> None:
    classes = ",".join(f"'{text}'" for text in TRUST)
    rows = [f"{age},'{TRUST[code - 1]}'" for age, code in zip(AGES, CODES, strict=True)]
    head = f"@relation r\n@attribute age numeric\n@attribute trust {{{classes}}}\n@data\n"
    path.write_text(head + "\n".join(rows) + "\n")


WRITERS = {"s.sav": write_sav, "s.dta": write_dta, "s.parquet": write_parquet, "s.arff": write_arff}


@pytest.mark.parametrize(("file", "write"), WRITERS.items())
def test_the_order_of_the_codes_is_that_of_ordinal(
    file: str, write: Callable[[Path], None], tmp_path: Path
) -> None:
    write(tmp_path / file)
    expected = np.column_stack([AGES, np.array(CODES) - 1])
    with pytest.warns(ModelWarning, match="nobody=0, few people=1, most=2, all=3"):
        problem = read(tmp_path / file, ordinal=("trust",))
    np.testing.assert_allclose(problem.vectors, expected)


@pytest.mark.parametrize(("file", "write"), WRITERS.items())
def test_inspect_offers_the_order_of_the_codes(
    file: str, write: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / file)
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(main, ["inspect", file], catch_exceptions=False).stdout
    offer = re.search(r"to use trust as .* in the order nobody, few people, most, all: (.*)", shown)
    assert offer is not None
    (word,) = shlex.split(offer[1])
    name = parse_name(word)
    problem = read(Path(name.base), **name.params)
    np.testing.assert_allclose(problem.vectors[:, 1], np.array(CODES) - 1)


def test_questions_with_codes_are_offered_together(tmp_path: Path) -> None:
    texts = ["viel", "wenig", "mittel", "viel", "wenig", "mittel"]
    order = ["wenig", "mittel", "viel"]
    answers = pd.Categorical(texts, categories=order, ordered=True)
    table = pd.DataFrame({"x": np.arange(6) / 4, "z1": answers, "z2": answers, "z3": answers})
    table.to_stata(tmp_path / "s.dta", write_index=False)
    path = str(tmp_path / "s.dta")
    shown = CliRunner().invoke(main, ["inspect", path], catch_exceptions=False).stdout
    (offer,) = [line for line in shown.splitlines() if line.startswith("to use z1, z2, z3 as")]
    (word,) = shlex.split(offer.rpartition(": ")[2])
    name = parse_name(word)
    problem = read(Path(name.base), **name.params)
    assert problem.vectors[:, 1].tolist() == [2, 0, 1, 2, 0, 1]
    # An order that is written stays.
    written = f"{path}[ordinal={{z1=[viel,mittel,wenig]}}]"
    again = CliRunner().invoke(main, ["inspect", written], catch_exceptions=False).stdout
    offer = next(line for line in again.splitlines() if line.startswith("to use z2 as"))
    (word,) = shlex.split(offer.rpartition(": ")[2])
    name = parse_name(word)
    problem = read(Path(name.base), **name.params)
    assert problem.vectors[:, 1].tolist() == [0, 2, 1, 0, 2, 1]
    assert problem.vectors[:, 2].tolist() == [2, 0, 1, 2, 0, 1]
