"""From texts to vectors: cleaning, lemmas, TF-IDF."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError

if TYPE_CHECKING:
    from scipy import sparse

_EMAIL = re.compile(r"\S*@\S*\s?")
_NO_WORD = re.compile(r"[^a-z0-9]+")


def cleaned(text: str, lemma: Callable[[str], str], dropped: frozenset[str]) -> str:
    """Lemmas of a text's words in lower case, without e-mail addresses and ``dropped`` words."""
    words = _NO_WORD.sub(" ", _EMAIL.sub("", text).lower()).split()
    return " ".join(lemma(word) for word in words if word not in dropped)


def lemmatiser(name: str) -> Callable[[str], str]:
    """The function from an English word to its lemma.

    ``simplemma`` looks up all forms in the dictionary of that package; ``plurals`` only removes
    plural endings (Harman 1991, *How effective is suffixing?*, the S stemmer); ``none`` keeps
    words unchanged.
    """
    if name == "simplemma":
        try:
            import simplemma
        except ImportError as error:
            raise DataError('these lemmas need simplemma: pip install "hcbench[text]"') from error
        return cache(lambda word: str(simplemma.lemmatize(word, lang="en")))
    return singular if name == "plurals" else str


def singular(word: str) -> str:
    """The S stemmer: -ies to -y, -es to -e, or -s removed, by the first rule that applies."""
    for ending, instead, spared in (
        ("ies", "y", ("eies", "aies")),
        ("es", "e", ("aes", "ees", "oes")),
        ("s", "", ("us", "ss")),
    ):
        if word.endswith(ending) and not word.endswith(spared):
            return word.removesuffix(ending) + instead
    return word


def tf_idf(
    texts: Sequence[str],
    dataset: str,
    *,
    min_df: int,
    max_df: float,
    p: int | None = None,
    rng: np.random.Generator | None = None,
) -> sparse.csr_array:
    """TF-IDF of texts as scikit-learn defines it, rows of unit length, (n, p).

    Parameters
    ----------
    texts : sequence of str
    dataset : str
        Name of the data set, for messages.
    min_df : int
        Terms in fewer documents are removed.
    max_df : float
        Terms in more than this fraction of the documents are removed.
    p : int, optional
        Keep the p terms that occur most often in all documents; ties in alphabetical order.
    rng : Generator, optional
        Draws p random terms instead. A document without any of them is a row of zeros.

    Raises
    ------
    DataError
        If there are fewer than p terms, or none.
    """
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    frequent = p if rng is None else None
    model = TfidfVectorizer(min_df=min_df, max_df=max_df, max_features=frequent)
    try:
        vectors = model.fit_transform(texts)
    except ValueError as error:
        raise DataError(
            f"{dataset}: no term is in at least {min_df} of the {len(texts)} documents; "
            "take more documents"
        ) from error
    if p is not None and vectors.shape[1] < p:
        raise DataError(f"{dataset}: p={p} exceeds the {vectors.shape[1]} terms; omit p for all")
    if p is None or rng is None:
        return sparse.csr_array(vectors)
    drawn = np.sort(rng.choice(vectors.shape[1], p, replace=False))
    return sparse.csr_array(normalize(vectors[:, drawn]))  # as TF-IDF of these terms alone


def scores(vectors: sparse.csr_array, r: int, dataset: str) -> NDArray[np.float64]:
    """Uncentred principal component scores ``zeta_i = V' Y_i`` (n, r) (Gray et al. 2023, eq. 3).

    Raises
    ------
    DataError
        If r is not below min(n, p).
    """
    from scipy.sparse.linalg import svds

    if r >= min(vectors.shape):
        raise DataError(f"{dataset}: pca={r} must be below min(n, p) = {min(vectors.shape)}")
    start = np.ones(min(vectors.shape))
    _, size, right = svds(vectors, k=r, v0=start)
    order = np.argsort(-size)
    return np.ascontiguousarray(vectors @ right[order].T)


def means_by_class(
    vectors: sparse.csr_array | NDArray[np.float64], labels: NDArray[np.int64], k: int
) -> NDArray[np.float64]:
    """Mean row (k, p) of each class 0..k-1; every class has an item."""
    from scipy import sparse

    n = labels.size
    belongs = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
    total = belongs @ vectors
    dense: NDArray[np.float64] = total if isinstance(total, np.ndarray) else total.toarray()
    return dense / np.bincount(labels, minlength=k)[:, None]
