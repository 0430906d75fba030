"""Amazon reviews (Kaggle), as sampled and cleaned by Gray et al. 2023."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from hcbench import DataError, DataRequest, Problem
from hcbench_datasets.fetch import data_file, open_text, sampled_rows
from hcbench_datasets.words import cleaned, lemmatiser, nltk_stop_words, tf_idf

FILE = "amazon_reviews.csv.gz"
ADVICE = (
    "a CSV file with the columns Text (cleaned), Cat1, Cat2 and Cat3, of "
    "https://www.kaggle.com/datasets/kashnitsky/hierarchical-text-classification"
)
_COLUMNS = ("Text", "Cat1", "Cat2", "Cat3")


def amazon_reviews(request: DataRequest, *, n: int | None, cleaning: str) -> Problem:
    """TF-IDF of the reviews (Gray et al. 2023, section 4 and D.4); sparse.

    The text in the file is already cleaned. Terms in fewer than 3 reviews, or in more than 90 % of
    them (n - 500 of the paper's n = 5000), are removed: p = 5594 for all 5000. About 1.5 s.

    Parameters
    ----------
    request : DataRequest
        Selects the sample.
    n : int, optional
        Number of reviews; by default all.
    cleaning : {"once", "twice"}
        "twice": remove stop words and reduce nouns to lemmas in the cleaned text again, which
        leaves p = 5588. The printed values of tables 3 and 4 of the paper are of these.

    Returns
    -------
    Problem
        Levels and truth: the three levels of product types.

    Raises
    ------
    DataNotAvailableError
        If the file is missing.
    DataError
        If the file lacks a column, or n exceeds the number of its reviews.
    """
    seed = request.seed
    texts, *labels = read_reviews(data_file(FILE, "amazon-reviews", ADVICE))
    if cleaning == "twice":
        lemma = lemmatiser("wordnet", "amazon-reviews")
        stop_words = nltk_stop_words("amazon-reviews")
        texts = [cleaned(text, lemma, stop_words) for text in texts]
    # Cleaning does not depend on the sample.
    rows = sampled_rows(n, len(texts), seed, "amazon-reviews")
    texts = [texts[row] for row in rows]
    levels = np.column_stack(labels)
    return Problem(
        n=len(rows),
        vectors=tf_idf(texts, "amazon-reviews", min_df=3, max_df=0.9),
        levels=levels[rows],
    )


def read_reviews(path: Path) -> tuple[list[str], list[str], list[str], list[str]]:
    """The columns Text, Cat1, Cat2 and Cat3 of the file."""
    table = csv.DictReader(open_text(path))
    for name in _COLUMNS:
        if name not in (table.fieldnames or ()):
            raise DataError(f"{path} has no column {name}; it needs {', '.join(_COLUMNS)}")
    cells_of: dict[str, list[str]] = {name: [] for name in _COLUMNS}
    for row in table:
        # In a short row, the csv module has None.
        for name, cells in cells_of.items():
            cells.append(row[name] or "")
    n = len(cells_of["Text"])
    if n < 2:
        raise DataError(f"{path} contains {n} reviews; at least 2 are needed")
    return cells_of["Text"], cells_of["Cat1"], cells_of["Cat2"], cells_of["Cat3"]
