"""20 Newsgroups (Lang 1995), from scikit-learn, preprocessed as in two papers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataRequest, Problem, Tree
from hcbench.plan import derive_seed
from hcbench_datasets.content import table_of_labels
from hcbench_datasets.fetch import cache_folder, sampled_rows, write_whole
from hcbench_datasets.from_sklearn import from_scikit_learn
from hcbench_datasets.words import (
    cleaned,
    lemmatiser,
    means_by_class,
    nltk_stop_words,
    scores,
    tf_idf,
)

if TYPE_CHECKING:
    from hcbench.model import Vectors

FILE = "scikit_learn_data/20news-bydate_py3.pkz"
ADVICE = "about 15 MB, as sklearn.datasets.fetch_20newsgroups(data_home=...) makes it"
_RELIGION = ("alt.atheism", "soc.religion.christian", "talk.religion.misc")


def newsgroups(
    request: DataRequest,
    *,
    n: int,
    sample: str,
    p: int | None,
    terms: str,
    lemmas: str,
    by: str,
    pca: int | None,
) -> Problem:
    """TF-IDF of a sample of the training documents (Gray et al. 2023, section 4 and D.2).

    E-mail addresses, English stop words and the word "subject" are removed, as are
    terms in fewer than 5 documents or in more than 80 % of them (n - 1000 of the paper's
    n = 5000). About 3 s for n = 5000.

    Parameters
    ----------
    request : DataRequest
        Selects the sample, and the terms if they are random.
    n : int
        Number of documents, at most 11314.
    sample : {"random", "authors"}
        "authors": the documents that Gray et al. sampled with pandas and random_state 22.
    p : int, optional
        Number of terms to keep.
    terms : {"frequent", "random"}
        Keep the terms that occur most often in the sample, or random ones. Used only with p.
    lemmas : {"simplemma", "wordnet", "plurals", "none"}
        See `hcbench_datasets.words.lemmatiser`. With "wordnet" the stop words are NLTK's; the
        sample "authors" then has the matrix of Gray et al., 5000 x 12818.
    by : {"document", "topic"}
        With "topic" an item is one of the 20 topics, and its vector the mean of its documents'.
    pca : int, optional
        Use this number of uncentred principal component scores of the documents as vectors.

    Returns
    -------
    Problem
        Sparse vectors for documents without ``pca``, else dense ones. Truths: ``authors``, the
        manual grouping of Gray et al., and ``dotted``, which splits a label at its first full
        stop and also gives the levels.

    Raises
    ------
    DataNotAvailableError
        If the data are missing and cannot be downloaded.
    DataError
        If n, p or pca exceeds the number of documents or terms.
    """
    seed = request.seed
    texts, topic, names = training_split()
    rows = sampled_rows(n, len(texts), seed, "20newsgroups")
    if sample == "authors":
        rows = np.random.RandomState(22).choice(len(texts), n, replace=False)  # as pandas draws
    # The terms have a stream of their own, so that they do not depend on n.
    rng = None
    if terms == "random":
        rng = np.random.default_rng(derive_seed(seed, "terms"))
    vectors: Vectors = _vectors([texts[i] for i in rows], lemmas, p, rng)
    if pca is not None:
        vectors = scores(vectors, pca, "20newsgroups")  # type: ignore[arg-type]
    labels = topic[rows]
    titles = None
    if by == "topic":
        # A sample may lack a topic.
        labels, labels_of_rows = np.unique(labels, return_inverse=True)
        vectors = means_by_class(vectors, labels_of_rows, labels.size)  # type: ignore[arg-type]
        titles = tuple(names[label] for label in labels)
    dotted = dotted_levels(names, labels)
    authors = levels_of_rows([authors_grouping(names[label]) for label in labels])
    return Problem(
        n=len(labels),
        names=titles,
        vectors=vectors,
        levels=dotted,
        truths={
            "authors": Tree.from_levels(authors, names=titles),
            "dotted": Tree.from_levels(dotted, names=titles),
        },
    )


def _vectors(texts: list[str], lemmas: str, p: int | None, rng: np.random.Generator | None) -> Any:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    name = "20newsgroups"
    lemma = lemmatiser(lemmas, name)
    stop_words: frozenset[str] = ENGLISH_STOP_WORDS
    if lemmas == "wordnet":
        stop_words = nltk_stop_words(name)
    words = [cleaned(text, lemma, stop_words | {"subject"}) for text in texts]
    return tf_idf(words, "20newsgroups", min_df=5, max_df=0.8, p=p, rng=rng)


def authors_grouping(topic: str) -> tuple[str, str, str]:
    """Three levels of a topic in the true hierarchy that Gray et al. used.

    The first level has religion with atheism, comp, rec, sci, politics, and misc.forsale alone. On
    the second level the sys groups of comp are one group, and rec is split into vehicles and
    sports. A topic that is in no group of the second level forms its own.
    """
    head = topic.split(".")[0]
    if topic in _RELIGION:
        head = "religion"
    group = topic
    if ".sys." in topic:
        group = "sys"
    elif ".sport." in topic:
        group = "sport"
    elif head == "rec":
        group = "vehicles"
    return head, group, topic


def levels_of_rows(labels: list[Any]) -> NDArray[np.str_]:
    """Label levels (n, L) of rows of L names, from the coarsest."""
    levels = table_of_labels(list(zip(*labels, strict=True)))
    assert levels is not None  # there is at least one document
    return levels


def dotted_levels(names: Sequence[str], labels: NDArray[np.int64]) -> NDArray[np.str_]:
    """Label levels (n, 2): the name of a topic before its first full stop, and behind it."""
    return levels_of_rows([names[label].split(".", 1) for label in labels])


@lru_cache(maxsize=1)
def training_split() -> tuple[list[str], NDArray[np.int64], list[str]]:
    """Texts (11314,) of the training split, their topics, and the names of the topics."""
    from sklearn.datasets import fetch_20newsgroups

    fetch = partial(fetch_20newsgroups, subset="train")
    bunch = from_scikit_learn(fetch, "20newsgroups", FILE, ADVICE)
    return bunch.data, np.asarray(bunch.target, np.int64), list(bunch.target_names)


def newsgroups_pca(request: DataRequest, *, n: int, features: int) -> Problem:
    """Principal components of word counts (Ghoshdastidar et al. 2019, appendix B.2).

    Counts all words, by scikit-learn's tokeniser, in the 11314 training documents, computes a
    centred PCA of all documents, and draws a sample. The paper does not say which words it
    counts; all are kept here. The PCA takes about half a minute and is stored in the cache folder.

    Parameters
    ----------
    request : DataRequest
        Selects the sample.
    n : int
        Number of documents, at most 11314.
    features : int
        Number of components.
    """
    seed = request.seed
    texts, topic, names = training_split()
    rows = sampled_rows(n, len(texts), seed, "20newsgroups-pca")
    return Problem(
        n=len(rows),
        vectors=components_of_counts(features)[rows],
        levels=dotted_levels(names, topic[rows]),
    )


@lru_cache(maxsize=1)
def components_of_counts(features: int) -> NDArray[np.float64]:
    """Scores (11314, features), read from the cache if this version of scikit-learn made them."""
    import sklearn

    cached = cache_folder() / f"20newsgroups-pca-{features}-sklearn-{sklearn.__version__}.npy"
    with suppress(OSError, ValueError):
        loaded: NDArray[np.float64] = np.load(cached)
        return loaded
    components = pca_of_counts(training_split()[0], features)
    stream = io.BytesIO()
    np.save(stream, components)
    with suppress(OSError):  # a cache that cannot be written costs time only
        write_whole(cached, stream.getvalue())
    return components


def pca_of_counts(texts: list[str], features: int) -> NDArray[np.float64]:
    """Principal components (n, features) of the counts of words."""
    from sklearn.decomposition import PCA
    from sklearn.feature_extraction.text import CountVectorizer

    counts = CountVectorizer(dtype=np.float64).fit_transform(texts)
    model = PCA(features, svd_solver="arpack", random_state=0)
    return np.ascontiguousarray(model.fit_transform(counts))
