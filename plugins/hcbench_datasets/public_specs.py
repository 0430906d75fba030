"""Specs of the public data sets that the papers use."""

from __future__ import annotations

from hcbench import DatasetSpec, Needs, Parameter, Params
from hcbench_datasets.references import PAPERS

_LABELLED: Needs = ("vectors", "levels", "truth")


_DOCUMENTS = 11_314  # of the training split of 20 Newsgroups


def _is_sample(params: Params) -> bool:
    """With ``n`` the seed selects the items; without, the data are the same for every seed."""
    return params["n"] is not None


def _holds_out(params: Params) -> bool:
    """The seed selects the answers that are held out."""
    return params["held_out"] is not None


def _provides_of_car(params: Params) -> tuple[str, ...]:
    if _holds_out(params):
        return ("comparisons", "levels", "truth", "held_out")
    return ("comparisons", "levels", "truth")


def _is_newsgroups_random(params: Params) -> bool:
    """The seed selects the documents, or the terms."""
    if params["sample"] == "random" and _is_sample_of_documents(params):
        return True
    return params["p"] is not None and params["terms"] == "random"


def _is_sample_of_documents(params: Params) -> bool:
    """The seed selects the documents unless all are used."""
    return params["n"] != _DOCUMENTS


def _sample(default: int | None, items: str) -> Parameter:
    return Parameter(
        "n", default, f"Use a random sample of n {items}.", type="int", interval="[2, inf)"
    )


# ---- Texts and tables of the papers --------------------------------------------------------------

NEWSGROUPS = DatasetSpec(
    name="20newsgroups",
    function="hcbench_datasets.newsgroups:newsgroups",
    doc="TF-IDF of 5000 of the 11314 training documents of 20 topics, about 11000 terms; sparse.",
    parameters=(
        _sample(5000, "documents"),
        Parameter(
            "sample",
            "random",
            "A new sample for each seed, or always that of Gray et al.",
            choices=("random", "authors"),
        ),
        Parameter(
            "p",
            None,
            "Number of terms to keep; by default all.",
            type="int",
            interval="[1, inf)",
        ),
        Parameter(
            "terms",
            "frequent",
            "Which p terms to keep: those that occur most often, or random ones.",
            choices=("frequent", "random"),
        ),
        Parameter(
            "lemmas",
            "simplemma",
            "Lemmas: by a dictionary of all forms; WordNet's nouns, with NLTK's stop words, as in "
            "the paper; by removing plural endings only; or none.",
            choices=("simplemma", "wordnet", "plurals", "none"),
        ),
        Parameter(
            "by",
            "document",
            "What an item is; the vector of a topic is the mean of its documents'.",
            choices=("document", "topic"),
        ),
        Parameter(
            "pca",
            None,
            "Number of uncentred principal component scores to use as vectors.",
            type="int",
            interval="[1, inf)",
        ),
    ),
    provides=_LABELLED,
    random=_is_newsgroups_random,
    dependent=_is_newsgroups_random,
    truths=("authors", "dotted"),
    licence="public newsgroup posts, collected by Ken Lang for research; no licence stated",
    paper=PAPERS["lang1995"],
    requires=("scikit-learn", "simplemma", "scipy"),
    tags=("real", "text"),
)

NEWSGROUPS_PCA = DatasetSpec(
    name="20newsgroups-pca",
    function="hcbench_datasets.newsgroups:newsgroups_pca",
    doc="Principal components of word counts of 200 of the 11314 training documents of 20 topics.",
    parameters=(
        _sample(200, "documents"),
        Parameter("features", 100, "Number of components.", interval=f"[1, {_DOCUMENTS})"),
    ),
    provides=_LABELLED,
    random=_is_sample_of_documents,
    dependent=_is_sample_of_documents,
    family=NEWSGROUPS.name,
    licence=NEWSGROUPS.licence,
    paper=PAPERS["lang1995"],
    requires=("scikit-learn", "scipy"),
    tags=("real", "text"),
)

ZOO = DatasetSpec(
    name="zoo",
    function="hcbench_datasets.uci:zoo",
    doc="100 animals of 7 classes, 16 raw features: 15 of 0 or 1, and the number of legs.",
    provides=_LABELLED,
    random=False,
    licence="CC BY 4.0",
    paper=PAPERS["forsyth1990"],
    tags=("real",),
)

GLASS = DatasetSpec(
    name="glass",
    function="hcbench_datasets.uci:glass",
    doc="214 pieces of glass of 6 kinds, refractive index and 8 oxides in weight per cent.",
    parameters=(
        Parameter("standardise", False, "Give each feature mean 0 and standard deviation 1."),
    ),
    provides=_LABELLED,
    random=False,
    licence="CC BY 4.0",
    paper=PAPERS["german1987"],
    tags=("real",),
)

CAR = DatasetSpec(
    name="car",
    function="hcbench_datasets.car:car",
    doc="60 cars of 4 classes, compared by a crowd: which of three is the most central?",
    parameters=(
        Parameter(
            "answers",
            "reduced",
            "The 6056 statements of the papers, or all 7097 answers of the survey.",
            choices=("reduced", "all"),
        ),
        Parameter(
            "held_out",
            None,
            "The share of the questions that no algorithm gets, another one in each repetition; "
            "held-out.satisfied is the share of their answers that a tree predicts.",
            type="float",
            interval="(0, 1)",
        ),
    ),
    provides=_provides_of_car,
    random=_holds_out,
    dependent=_holds_out,
    licence="published for research by its collectors; no licence stated",
    paper=PAPERS["kleindessner2017b"],
    tags=("real",),
)

AMAZON_REVIEWS = DatasetSpec(
    name="amazon-reviews",
    function="hcbench_datasets.reviews:amazon_reviews",
    doc="TF-IDF of 5000 product reviews, 5594 terms, in 3 levels of product types; sparse.",
    parameters=(
        _sample(None, "reviews"),
        Parameter(
            "cleaning",
            "once",
            "Clean the text of the file again, with WordNet's nouns and NLTK's stop words: 5588 "
            "terms, as in tables 3 and 4 of the paper.",
            choices=("once", "twice"),
        ),
    ),
    provides=_LABELLED,
    random=_is_sample,
    dependent=_is_sample,
    licence="CC0 as Gray et al. state; the user provides the file, from Kaggle",
    paper=PAPERS["gray2023"],
    requires=("scikit-learn",),
    tags=("real", "text"),
)

SP500 = DatasetSpec(
    name="sp500",
    function="hcbench_datasets.stocks:sp500",
    doc="Daily returns of S&P 500 stocks, in GICS sectors and sub-industries; "
    "your file determines the stocks and days.",
    parameters=(
        Parameter(
            "standardise",
            True,
            "Give each stock mean 0 and standard deviation 1 over the days.",
        ),
    ),
    provides=_LABELLED,
    random=False,
    licence="CC0 as Gray et al. state; the user provides the file, from Kaggle",
    paper=PAPERS["gray2023"],
    tags=("real",),
)

ZEBRAFISH = DatasetSpec(
    name="zebrafish",
    function="hcbench_datasets.zebrafish:zebrafish",
    doc="Expression of about 5500 variable genes in 5079 cells of zebrafish embryos, "
    "in tissues and their subcategories; you provide the .h5ad file.",
    parameters=(
        Parameter(
            "path",
            None,
            "An .h5ad file of counts; by default WagnerScience2018.h5ad in HCBENCH_DATA.",
            type="str",
        ),
        _sample(5079, "labelled cells"),
        Parameter("tissue", "TissueName", "The column of the cells' tissues."),
        Parameter(
            "subcategory",
            "ClusterName",
            'The column of their subcategories; the part before the first "-" is ignored.',
        ),
    ),
    provides=_LABELLED,
    random=_is_sample,
    dependent=_is_sample,
    files=("path",),
    licence="CC0 as Gray et al. state; the user provides the file",
    paper=PAPERS["wagner2018"],
    tags=("real",),
)

# ---- Pictures ------------------------------------------------------------------------------------

MNIST = DatasetSpec(
    name="mnist",
    function="hcbench_datasets.mnist:mnist",
    doc="The first 10000 handwritten digits of a split, 28 x 28 grey levels, 10 classes.",
    parameters=(
        Parameter(
            "n",
            10_000,
            "Use the first n digits; HCBENCH_DATA may contain fewer than all 60000.",
            interval="[2, inf)",
        ),
        Parameter("split", "train", "Training or test digits.", choices=("train", "test")),
    ),
    provides=_LABELLED,
    random=False,
    licence="CC BY-SA 3.0",
    paper=PAPERS["lecun1998"],
    tags=("real", "images"),
)

CIFAR_100 = DatasetSpec(
    name="cifar-100",
    function="hcbench_datasets.cifar:cifar_100",
    doc="The first images of a split of CIFAR-100, 32 x 32 pixels, 100 classes in 20 superclasses.",
    parameters=(
        Parameter("n", 5000, "Use the first n images.", interval="[2, inf)"),
        Parameter("split", "train", "Training or test images.", choices=("train", "test")),
    ),
    provides=_LABELLED,
    random=False,
    licence="none is stated; see the authors' page, www.cs.toronto.edu/~kriz/cifar.html",
    paper=PAPERS["krizhevsky2009"],
    tags=("real", "images"),
)

# ---- Hierarchies of experts ----------------------------------------------------------------------

WORDNET = DatasetSpec(
    name="wordnet",
    function="hcbench_datasets.hierarchies:wordnet",
    doc="Nouns below a noun of WordNet 3.1, TF-IDF of their definitions; the truth is its tree.",
    parameters=(
        Parameter("root", "mammal", "The noun above all."),
        Parameter(
            "sense", 1, "Which of its meanings, as WordNet numbers them.", interval="[1, inf)"
        ),
        _sample(None, "nouns"),
    ),
    provides=("vectors", "truth"),
    random=_is_sample,
    dependent=_is_sample,
    licence="WordNet 3.1 licence (Princeton University), free for any purpose",
    paper=PAPERS["miller1995"],
    tags=("real", "text"),
)
GICS = DatasetSpec(
    name="gics",
    function="hcbench_datasets.hierarchies:gics",
    doc="163 sub-industries, TF-IDF of their definitions, with sector, group and industry; sparse.",
    provides=_LABELLED,
    random=False,
    licence="property of MSCI and S&P; the file is of the MIT-licensed package gics",
    paper=PAPERS["gics2023"],
    requires=("scikit-learn",),
    tags=("real", "text"),
)
PRODUCTS = DatasetSpec(
    name="products",
    function="hcbench_datasets.hierarchies:products",
    doc="Categories of products, TF-IDF of their names; the truth is Shopify's taxonomy; sparse.",
    parameters=(_sample(1000, "of the 8251 categories"),),
    provides=("vectors", "truth"),
    random=_is_sample,
    dependent=_is_sample,
    licence="MIT",
    paper=PAPERS["shopify2024"],
    requires=("scikit-learn",),
    tags=("real", "text"),
)
PYTHONS = DatasetSpec(
    name="pythons",
    function="hcbench_datasets.hierarchies:pythons",
    doc="33 pythons and relatives, distances of their DNA; the truth is their phylogeny.",
    provides=("similarity", "truth"),
    random=False,
    licence="BSD-3-Clause, with DendroPy",
    paper=PAPERS["sukumaran2010"],
    tags=("real", "phylogeny"),
)
RCV1 = DatasetSpec(
    name="rcv1",
    function="hcbench_datasets.hierarchies:rcv1",
    doc="News of Reuters, TF-IDF, with a path of topics; sparse.",
    parameters=(
        _sample(5000, "documents"),
        Parameter(
            "subset",
            "train",
            "The documents to train with, or later ones.",
            choices=("train", "test"),
        ),
    ),
    provides=_LABELLED,
    random=_is_sample,
    dependent=_is_sample,
    licence="for research, as Reuters and NIST state for RCV1",
    paper=PAPERS["lewis2004"],
    requires=("scikit-learn",),
    tags=("real", "text"),
)

PUBLIC = (
    NEWSGROUPS,
    NEWSGROUPS_PCA,
    ZOO,
    GLASS,
    CAR,
    AMAZON_REVIEWS,
    SP500,
    ZEBRAFISH,
    MNIST,
    CIFAR_100,
    WORDNET,
    GICS,
    PRODUCTS,
    PYTHONS,
    RCV1,
)
