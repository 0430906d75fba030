"""Whether two problems have data of the same items.

Samples may have no names, so data are compared: a row of vectors is an item, and a similarity is a
pair of items. Names are compared, too, as data such as TF-IDF depend on the whole sample.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hcbench.model.problem import Problem

#: The probability with which data of new items are taken for data of the same ones.
_ALPHA = 1e-4


def shared_items(one: Problem, another: Problem) -> int:
    """The number of items, rows or similarities that two problems have in common; 0 by chance.

    Items have the same name where the two have some names in common, but not all. Generators may
    number their items, so names that end with a digit do not count. Else data are compared.

    Let the rows of both problems be independent draws from one law. Of two rows that are equal, and
    equal no third, each is then as likely to be in one problem as in the other, so that at most
    half of these pairs are expected to be one of each problem. Rows of discrete data are therefore
    compared, too. Fewer than 14 pairs show nothing.

    Parameters
    ----------
    one, another : Problem
    """
    names = _names(one) & _names(another)
    if 0 < len(names) < one.n:
        return len(names)
    first = _entries(one)
    second = _entries(another)
    entries, entry_of_row = np.unique(np.concatenate([first, second]), return_inverse=True)
    n_in_first = np.bincount(entry_of_row[: first.size], minlength=entries.size)
    n_in_second = np.bincount(entry_of_row[first.size :], minlength=entries.size)
    # Entries that occur twice in both problems together: within one of them, or once in each.
    is_pair = n_in_first + n_in_second == 2
    n_pairs = int(is_pair.sum())
    n_shared = int((is_pair & (n_in_first == 1)).sum())
    if _is_too_often(n_shared, n_pairs):
        return n_shared
    return 0


def _names(problem: Problem) -> set[str]:
    """The names of items that are not numbered."""
    names = set()
    for name in problem.names or ():
        if not name[-1:].isdigit():
            names.add(name)
    return names


def _is_too_often(n_shared: int, n_pairs: int) -> bool:
    """Whether more pairs than chance explains are one of each problem."""
    from scipy.stats import binomtest

    if not n_pairs:
        return False
    return bool(binomtest(n_shared, n_pairs, 0.5, alternative="greater").pvalue < _ALPHA)


def _entries(problem: Problem) -> NDArray[np.int64] | NDArray[np.float64]:
    """What is compared: hashes of the rows of the vectors, else the similarities of all pairs."""
    vectors = problem.vectors
    if isinstance(vectors, np.ndarray):
        return np.array([hash(row.tobytes()) for row in vectors], dtype=np.int64)
    if vectors is not None:
        hashes = []
        for start, end in pairwise(vectors.indptr.tolist()):
            columns = vectors.indices[start:end].tobytes()
            hashes.append(hash((columns, vectors.data[start:end].tobytes())))
        return np.array(hashes, dtype=np.int64)
    if problem.similarity is not None:
        return problem.similarity[np.triu_indices(problem.n, 1)].astype(np.float64)
    return np.empty(0)
