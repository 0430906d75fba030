"""Data sets: the planted hierarchy, scikit-learn's and other public sets, files of the user.

Data sets of other packages find their files with `data_file`, which downloads a `Remote` one.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

import lazy_loader

from hcbench import (
    REQUIRED,
    CommandSpec,
    DataError,
    DatasetSpec,
    Parameter,
    Params,
    Suite,
    hookimpl,
)
from hcbench_datasets.public_specs import PUBLIC
from hcbench_datasets.references import PAPERS

# Without its __dir__, which would hide the hooks.
__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


PLANTED = DatasetSpec(
    name="planted",
    function="hcbench_datasets.planted:planted",
    doc="Similarities of a balanced binary hierarchy with normal noise.",
    parameters=(
        Parameter("N0", 30, "Items in each of the 2^L pure clusters.", interval="[1, inf)"),
        Parameter("L", 3, "Levels of splits.", interval="[1, inf)"),
        Parameter("mu", 0.8, "Mean similarity within a pure cluster.", interval="(-inf, inf)"),
        Parameter("sigma", 0.1, "Standard deviation of the noise.", interval="[0, inf)"),
        Parameter("delta", 0.1, "Decrease of the mean similarity per level.", interval="[0, inf)"),
        Parameter(
            "order",
            False,
            "Number the items in the order of the true tree, as the authors do: algorithms that "
            "break ties by item number then profit from it.",
        ),
    ),
    provides=("similarity", "truth", "levels", "heights"),
    paper=PAPERS["ghoshdastidar2019"],
    tags=("simulated",),
)

#: Keys of arrays of vectors: dense ones, and those of the formats of scipy's sparse matrices.
_KEYS_OF_DATA = {"X", "vectors", "indptr", "row", "offsets"}

_BUNDLED = (
    ("iris", "150 flowers of 3 species, 4 lengths in cm."),
    ("wine", "178 wines of 3 growers, 13 chemical measurements on very different scales."),
    ("digits", "1797 handwritten digits of 10 classes, 8 x 8 grey levels."),
    ("breast-cancer", "569 tumours, benign or malignant, 30 measurements."),
)


#: The name of a data set in the UCI repository, where it is another one.
_ALIASES = {"breast-cancer": ("WDBC",)}


def _bundled(name: str, doc: str) -> DatasetSpec:
    return DatasetSpec(
        name=name,
        function=f"hcbench_datasets.bundled:{name.replace('-', '_')}",
        doc=f"{doc} Bundled with scikit-learn; the classes are the truth.",
        parameters=(
            Parameter(
                "standardise",
                False,
                "Give each feature mean 0 and standard deviation 1; constant ones become 0.",
            ),
            Parameter(
                "n",
                None,
                "Use a random subsample of n items.",
                type="int",
                interval="[2, inf)",
            ),
        ),
        provides=("vectors", "levels", "truth"),
        random=_is_subsample,
        dependent=_is_subsample,
        licence="as in scikit-learn (UCI Machine Learning Repository, CC BY 4.0)",
        requires=("scikit-learn",),
        tags=("real",),
        aliases=_ALIASES.get(name, ()),
    )


def _is_subsample(params: Params) -> bool:
    """With ``n`` the seed selects the items; without, the data are the same for every seed."""
    return params["n"] is not None


def _provides_of_file(params: Params) -> tuple[str, ...]:
    """Fields of the problem that a file yields; of an .npz only the member names are read."""
    if params["comparisons"]:
        provided = ["comparisons"]
        if params["held_out"] is not None:
            provided.append("held_out")
        if params["truth"] is not None:
            provided.append("truth")
        return tuple(provided)
    path = Path(str(params["path"])).expanduser()
    data = "vectors"
    if _is_matrix(path, params):
        data = "similarity"
    provides = {data}
    if params["texts"]:
        provides = set()
    if path.suffix.lower() == ".npz":
        provides = _provides_of_npz(path, data)
    # Files of svmlight have a class in front of each vector.
    if params["labels"] or path.suffix.lower() in (".svmlight", ".libsvm"):
        provides |= {"levels", "truth"}
    if params["truth"] is not None:
        provides.add("truth")
    return tuple(sorted(provides))


def _is_matrix(path: Path, params: Params) -> bool:
    """Whether a file yields similarities, by its parameters and its suffix."""
    if params["similarity"] or params["distance"] or params["categorical"] == "gower":
        return True
    return path.suffix.lower() in (".phy", ".dist")


def _provides_of_npz(path: Path, data: str) -> set[str]:
    """Fields that an archive of arrays yields, by the names of its members."""
    try:
        with zipfile.ZipFile(path) as archive:
            keys = {member.removesuffix(".npy") for member in archive.namelist()}
    except (OSError, NotImplementedError, zipfile.BadZipFile) as error:
        raise DataError.of_file("read", path, error) from error
    provides = set()
    if keys & _KEYS_OF_DATA:
        provides.add(data)
    if "similarity" in keys:
        provides.add("similarity")
        # Vectors are not used beside it where similarities are asked for.
        if data == "similarity":
            provides -= {"vectors"}
    if not provides:
        from hcbench_datasets.content import no_data

        raise no_data(path, sorted(keys))
    if keys & {"y", "labels"}:
        provides |= {"levels", "truth"}
    return provides


def _truths_of_file(params: Params) -> tuple[str, ...]:
    """Names of the truths: two if a file has both a tree and labels."""
    if params["truth"] is None or params["comparisons"]:
        return ()
    if "levels" in _provides_of_file(params):
        return ("newick", "labels")
    return ("newick",)


OPENML = DatasetSpec(
    name="openml",
    function="hcbench_datasets.openml:openml",
    doc="A data set of openml.org by its number: numbers and categories, with its classes.",
    parameters=(
        Parameter(
            "id", REQUIRED, "As in openml.org/d/61, which is iris.", type="int", interval="[1, inf)"
        ),
        Parameter("labels", True, "Whether the default target is the truth; else it is omitted."),
        Parameter(
            "missing",
            None,
            "What to do about missing numbers: drop their rows, or put the mean or the median of "
            "their column; drop also omits rows without a category.",
            type="str",
            choices=("drop", "mean", "median"),
        ),
        Parameter(
            "standardise",
            False,
            "Give each feature mean 0 and standard deviation 1; constant ones become 0.",
        ),
        Parameter("n", None, "Use a random subsample of n items.", type="int", interval="[2, inf)"),
    ),
    provides=lambda params: ("vectors", "levels", "truth") if params["labels"] else ("vectors",),
    random=_is_subsample,
    dependent=_is_subsample,
    family=lambda params: f"openml {params['id']}",
    licence="that of each data set, as its page on openml.org says",
    paper=PAPERS["vanschoren2013"],
    requires=("scikit-learn", "pandas"),
    tags=("own",),
)


def _is_random_part(params: Params) -> bool:
    """Whether the seed selects the items, or the answers that are held out."""
    return params["n"] is not None or params["held_out"] is not None


#: Of the files that a name of a data set may be.
_SUFFIXES = (
    (".csv", ".tsv", ".txt", ".data", ".gz", ".bz2", ".xz", ".xlsx", ".parquet")
    + (".arff", ".dist", ".feather", ".gct", ".json", ".jsonl", ".ndjson", ".phy", ".vec")
    + (".dta", ".sav", ".zsav", ".xpt", ".sas7bdat", ".h5ad")
    + (".dat", ".tab", ".out", ".prn", ".asc")
    # Files without a suffix, and others, of which is said what they are.
    + ("",)
    + (".npy", ".npz", ".mtx", ".svmlight", ".libsvm")
)

FILE = DatasetSpec(
    name="file",
    function="hcbench_datasets.file:file",
    doc="Your own data: vectors or similarities, with or without a truth.",
    parameters=(
        Parameter(
            "path",
            REQUIRED,
            "A table (.csv, .tsv, .txt, .data, also compressed as .gz, .bz2 or .xz; .xlsx; "
            ".parquet; .dta, .sav), arrays (.npy, .npz), a sparse matrix (.npz of scipy, .mtx, "
            ".svmlight), or cells of anndata (.h5ad).",
            type="str",
        ),
        # Roles of columns, or of files beside an array.
        Parameter(
            "labels",
            (),
            "Columns of class labels, the coarsest first: the truth. For arrays (.npy, .npz, .mtx) "
            "files with a label in each line; for .h5ad columns of obs.",
            alternative="str",
        ),
        Parameter(
            "names",
            None,
            "The column of the items' names; for arrays a file with a name in each line.",
            type="str",
            alternative="int",
        ),
        Parameter("drop", (), "Columns to ignore.", alternative="str"),
        # Where else the truth and the items may be.
        Parameter(
            "truth",
            None,
            "A Newick or Nexus file whose leaves are the names of the items, or 0..n-1 without "
            "names; FILE[tree=3] is its third tree, FILE[tree=NAME] that of this name.",
            type="str",
        ),
        Parameter(
            "texts",
            False,
            "Whether the items are texts, the names, with nothing else but labels; other columns "
            "are ignored.",
        ),
        # Numbers are asked about that look like identifiers; the user knows better.
        Parameter(
            "numbers",
            (),
            "Columns of numbers that are used as such although they look like identifiers, dates "
            "or classes.",
            alternative="str",
        ),
        # What the numbers are; where the file does not tell, None asks.
        Parameter(
            "similarity",
            None,
            "Whether the file is an n x n matrix of similarities, one triangle of it, or a list of "
            "all pairs (item, item, similarity). false: numbers that look like a matrix are "
            "vectors after all.",
            type="bool",
        ),
        Parameter(
            "distance",
            None,
            "Whether it is one of distances, which become similarities 1 - d / max d. "
            "false: a matrix that looks like distances has similarities after all.",
            type="bool",
        ),
        Parameter(
            "layer",
            None,
            "The matrix of an .h5ad file: X, a layer, raw, or an array of obsm such as X_pca; it "
            "is asked for if there are several.",
            type="str",
        ),
        # Comparisons, of which a part may be held out.
        Parameter(
            "comparisons",
            None,
            "Whether the rows of the file are comparisons: i, j, k, l means that i and j are more "
            "similar than k and l; i, j, k that i is more similar to j than to k. Items have "
            "names, or are numbered from 0; a line '# n = 60' gives their number. false: columns "
            "that look like comparisons are vectors.",
            type="bool",
        ),
        Parameter(
            "held_out",
            None,
            "Of comparisons: the share that no algorithm gets, another one in each repetition; "
            "held-out.satisfied is the share of them that a tree predicts.",
            type="float",
            interval="(0, 1)",
        ),
        Parameter(
            "split",
            None,
            "What is held out: comparisons, with all answers to each, which is the default; or "
            "annotators, with all answers of each.",
            type="str",
            choices=("comparisons", "annotators"),
        ),
        # What becomes of missing cells and of texts, which no algorithm takes.
        Parameter(
            "missing",
            None,
            "What to do about missing numbers: drop their rows, or put the mean or the median of "
            "their column; drop also omits rows without a label.",
            type="str",
            choices=("drop", "mean", "median"),
        ),
        Parameter(
            "missing_texts",
            (),
            'Texts in columns of numbers that are missing numbers, such as [ND,"<0.3"], besides '
            "NA, nan, none, null, -, . and an empty cell.",
            alternative="str",
        ),
        Parameter(
            "categorical",
            None,
            "What to do about columns of texts without a role: onehot makes each class a column of "
            "0 and 1, gower makes all columns similarities (Gower's coefficient), drop omits them.",
            type="str",
            choices=("onehot", "drop", "gower"),
        ),
        Parameter(
            "ordinal",
            (),
            "Columns of ordered texts, which become 0, 1, 2, ...: {column=[lowest,...,highest]}, "
            "where * in a name stands for any text; or names of columns whose classes are ordered "
            "as they first appear in the file.",
            alternative="str",
        ),
        # Preparation, in this order.
        Parameter(
            "transpose",
            False,
            "Whether the items are the columns, and the rows are features, as in tables of genes.",
        ),
        Parameter("log", False, "Use log(1 + x) of each number x, the natural logarithm."),
        Parameter(
            "scale",
            None,
            "columns and rows: mean 0 and standard deviation 1 of each; robust: each column minus "
            "its median, over the distance of its quartiles. What is constant becomes 0.",
            type="str",
            choices=("columns", "rows", "robust"),
        ),
        Parameter("standardise", False, "The same as scale=columns."),
        Parameter("n", None, "Use a random subsample of n items.", type="int", interval="[2, inf)"),
        # How the file is written.
        Parameter(
            "header",
            None,
            "Whether the first row has the names of the columns; found in the file by default.",
            type="bool",
        ),
        Parameter(
            "delimiter",
            None,
            "The character between the cells of a line; found in the file by default.",
            type="str",
        ),
        Parameter(
            "decimal",
            None,
            "The decimal mark, '.' or ','; found in the file by default.",
            type="str",
            choices=(".", ","),
        ),
        Parameter(
            "encoding",
            None,
            "Such as latin-1; by default UTF-8 or UTF-16, else Windows-1252 with a note.",
            type="str",
        ),
    ),
    provides=_provides_of_file,
    random=_is_random_part,
    dependent=_is_random_part,
    truths=_truths_of_file,
    files=("path", "truth"),
    optional_files=("labels", "names"),
    check="hcbench_datasets.file:file",
    suffixes=_SUFFIXES,
    tags=("own",),
)


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """The planted hierarchy, scikit-learn's bundled sets, public sets, files."""
    return (PLANTED, *(_bundled(name, doc) for name, doc in _BUNDLED), *PUBLIC, OPENML, FILE)


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """A look at a file, and a sample to try."""
    return (
        CommandSpec(
            name="inspect",
            function="hcbench_datasets.commands:inspect",
            doc="Show what a file of your own would be used as.",
        ),
        CommandSpec(
            name="example",
            function="hcbench_datasets.commands:example",
            doc="Write a small data set to try hcbench with.",
        ),
    )


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    """The default suite of ``hcbench compare``."""
    return (
        Suite(
            name="compare",
            doc="The defaults of hcbench compare: an easy and a hard planted hierarchy, real data.",
            algorithms=(
                "hcbench:4-AL",
                "hcbench:UPGMA",
                "hcbench:HDBSCAN",
                "hcbench:Random",
                "hcbench:Truth",
            ),
            datasets=(
                "hcbench:planted[N0=10, delta=0.15]",
                "hcbench:planted[N0=10, delta=0.06]",
                "hcbench:iris",
                "hcbench:digits[n=150]",
            ),
            metrics=(
                "hcbench:AARI",
                "hcbench:kendall-tau-b",
                "hcbench:dasgupta-normalised[similarity=gaussian]",
                "hcbench:queries",
                "hcbench:seconds",
                "hcbench:peak-memory",
            ),
            repetitions=5,
        ),
    )
