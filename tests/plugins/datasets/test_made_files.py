"""Files that R, pandas, PHYLIP, MrBayes and others have written, read as a user asks for them.

What is expected is what these programs read from their own files; see made/README.md.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from hcbench import ModelWarning, Problem, Tree
from hcbench.files import TreeFile
from hcbench.registry.names import parse_file
from tests.plugins.datasets.test_file import read

MADE = Path(__file__).with_name("made")
NEEDED = {".dta": "pandas", ".sav": "pyreadstat", ".xlsx": "openpyxl", ".parquet": "pyarrow"}


def entries(with_trees: bool) -> list[Any]:
    """The expectations of files, as parameters of a test."""
    listed = []
    for file in ("expected_r.json", "expected_py.json"):
        for entry in json.loads((MADE / file).read_text()):
            if ("heights" in entry) == with_trees:
                label = f"{entry['file']}[{entry['typed']}]"
                listed.append(pytest.param(entry, id=label))
    return listed


def typed(file: str, parameters: str) -> Problem:
    """The problem of ``FILE[parameters]``, as it is typed in the folder of the file."""
    name = parse_file(f"{file}[{parameters}]" if parameters else file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read(Path(name.base), **name.params)


@pytest.mark.parametrize("entry", entries(with_trees=False))
def test_data_are_read_as_by_the_program_that_wrote_them(entry, monkeypatch):
    monkeypatch.chdir(MADE)
    suffix = Path(entry["file"]).suffix
    pytest.importorskip(NEEDED.get(suffix, "pandas"))
    problem = typed(entry["file"], entry["typed"])
    if "names" in entry:
        assert problem.names == tuple(entry["names"])
    if "vectors" in entry:
        vectors = problem.vectors
        if sparse.issparse(vectors):
            vectors = vectors.toarray()
        np.testing.assert_allclose(vectors, entry["vectors"], rtol=1e-9)
    if "distances" in entry:
        distances = np.array(entry["distances"])
        expected = 1 - distances / distances.max()
        np.testing.assert_allclose(problem.similarity, expected, atol=1e-9)
    if "similarity" in entry:
        np.testing.assert_allclose(problem.similarity, entry["similarity"], atol=1e-9)
    if "labels" in entry:
        read_labels = pd.factorize(problem.levels[:, 0])[0]
        assert read_labels.tolist() == pd.factorize(np.array(entry["labels"]))[0].tolist()


def merge_heights(tree: Tree) -> np.ndarray:
    """The height at which any two leaves merge, (n, n); 0 of a leaf with itself."""
    rows, columns = np.triu_indices(tree.n, 1)
    heights = np.zeros((tree.n, tree.n))
    heights[rows, columns] = tree.merge_height(rows, columns)
    return heights + heights.T


@pytest.mark.parametrize("entry", entries(with_trees=True))
def test_trees_are_read_as_by_the_program_that_wrote_them(entry, monkeypatch):
    monkeypatch.chdir(MADE)
    choice, _, names_file = entry["typed"].partition(",names=")
    file = entry["file"] if choice == "tree" else f"{entry['file']}[{choice}]"
    names = Path(names_file).read_text().splitlines() if names_file else None
    if names is None and "names" in entry:
        names = entry["names"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # blanks for underscores
        tree = TreeFile.parse(file).read(names)
    # PHYLIP rounds each branch length to five decimals.
    expected = np.array(entry["heights"])
    np.testing.assert_allclose(merge_heights(tree), expected, atol=1e-4 * expected.max())
