"""The standard suites; the pages of this plugin say why they have these data and metrics.

A small suite takes minutes. The full one has larger samples and more repetitions; it takes hours,
or less on several machines: ``hcbench run standard-vectors-full --shard 1/8``.
"""

from __future__ import annotations

from dataclasses import replace

from hcbench import Figure, Suite

#: Repetitions of a small suite, and of a full one.
SMALL = 3
FULL = 10

#: A floor, and the score with full information.
REFERENCES = ("Random", "Truth")

# ---- Vectors -------------------------------------------------------------------------------------

#: Algorithms of hcbench whose trees differ.
LINKAGES = (
    "DotProduct",
    "UPGMA",
    "UPGMA[metric=cosine]",
    "Complete",
    "Single",
    "Ward",
    "HDBSCAN[min_cluster_size=5]",
)
#: Algorithms of other libraries, but for linkages, whose trees are those above.
PEERS = (
    "sk-agglomerative[neighbours=10]",
    "sk-bisecting-kmeans[n_clusters=50]",
    "sk-birch",
    "skn-paris",
    "skn-louvain",
    "higra-bpt",
)
#: Cuts at each level of the labels; the tree below the cuts; the order in which items join another.
QUALITY = ("AARI", "dendrogram-purity", "kendall-tau-b")
COSTS = ("seconds", "peak-memory")


def _measured(n: int) -> tuple[str, ...]:
    """Measured items: tables, pictures, texts and returns, at most n of the large ones."""
    return (
        # Without standardising, the unit of one column would decide.
        "iris[standardise=true]",
        "wine[standardise=true]",
        "breast-cancer[standardise=true]",
        "glass[standardise=true]",
        # Binary features with many ties; pictures; sparse texts; and noise above the signal.
        "zoo",
        f"digits[n={n}]",
        f"mnist[n={n}]",
        f"amazon-reviews[n={n}]",
        "sp500",
    )


def _generated(n: int) -> tuple[str, ...]:
    """Generated vectors of n items."""
    return (
        # Drawn from a tree.
        f"gray-simulated[n={n}, p=300]",
        f"nested-gaussians[n={n}, depth=4, separation=0.6]",
        f"topics[n={n}]",
        # What each method assumes, and clusters that are not convex.
        f"shapes[kind=blobs, n={n}]",
        f"shapes[kind=unequal, n={n}]",
        f"shapes[kind=stretched, n={n}]",
        f"shapes[kind=moons, n={n}]",
        f"shapes[kind=rings, n={n}]",
    )


VECTORS = Suite(
    name="standard-vectors",
    doc="17 data sets of vectors with labels: which hierarchy separates the classes?",
    algorithms=LINKAGES + PEERS + REFERENCES,
    datasets=_measured(400) + _generated(400),
    oracles=("vectors",),
    metrics=QUALITY + COSTS,
    repetitions=SMALL,
    timeout=60.0,
)
VECTORS_FULL = replace(
    VECTORS,
    name="standard-vectors-full",
    doc="As standard-vectors, with 2000 items of each large data set and 10 repetitions.",
    algorithms=LINKAGES + PEERS + ("fast-plscan", "evoc") + REFERENCES,
    datasets=_measured(1500) + _generated(2000),
    repetitions=FULL,
    timeout=900.0,
)

# ---- Hierarchies ---------------------------------------------------------------------------------


def _true_hierarchies(size: int, n: int) -> tuple[str, ...]:
    """Generated data of n items, or 8 clusters of `size`, and two of measured ones."""
    return (
        # Most are there twice: once easy, and once hard.
        f"planted[N0={size}, delta=0.15]",
        f"planted[N0={size}, delta=0.06]",
        f"gray-simulated[n={n}, p=1000]",
        f"gray-simulated[n={n}, p=50]",
        f"nested-gaussians[n={n}, depth=4, separation=0.6, noise_dimensions=0]",
        f"nested-gaussians[n={n}, depth=4, separation=0.6, noise_dimensions=40]",
        f"topics[n={n}]",
        f"hsbm[n={n}]",
        f"coalescent[n={n}, length=1000]",
        f"coalescent[n={n}, length=200]",
        f"birth-death[n={n}]",
        f"noisy-ultrametric[n={n}, noise=0.1]",
        f"noisy-ultrametric[n={n}, noise=0.3]",
        # Levels that people made.
        "sp500",
        f"amazon-reviews[n={2 * n}]",
    )


HIERARCHIES = Suite(
    name="standard-hierarchies",
    doc="15 data sets with a true hierarchy: which method recovers it?",
    # All accept vectors and similarities, as ranks are over data sets on which all ran.
    algorithms=(
        "DotProduct",
        "UPGMA",
        "WPGMA",
        "Complete",
        "Single",
        "HDBSCAN[min_cluster_size=5]",
        "skn-paris",
        "skn-louvain",
        "higra-bpt",
        "skbio-nj",
    )
    + REFERENCES,
    datasets=_true_hierarchies(20, 200),
    metrics=("triplet-agreement[count=resolved-in-truth]", "kendall-tau-b", "AARI") + COSTS,
    repetitions=SMALL,
    timeout=60.0,
)
#: Published hierarchies; some are downloaded.
_PUBLISHED = ("wordnet[n=800]", "gics", "products", "pythons", "rcv1[n=2000]")
HIERARCHIES_FULL = replace(
    HIERARCHIES,
    name="standard-hierarchies-full",
    doc="As standard-hierarchies, with 1000 items, downloaded data, and 10 repetitions.",
    datasets=_true_hierarchies(125, 1000) + _PUBLISHED,
    repetitions=FULL,
    timeout=900.0,
)

# ---- Comparisons ---------------------------------------------------------------------------------

#: What the methods get or ask: a sample of quadruplets; quadruplets; or the odd one of three items.
PASSIVE = ("4-AL", "4K-AL", "AL-rowsum", "tSTE-AL", "FORTE-AL")
ACTIVE = ("4K-AL-act", "CL", "SL")
ORDINAL = ("InsertionClustering", "QuickClustering")


def _once(datasets: tuple[str, ...], oracle: str) -> tuple[tuple[str, str, str], ...]:
    """References run with one oracle only, as they ask nothing."""
    triples = []
    for name in REFERENCES:
        for dataset in datasets:
            triples.append((name, dataset, oracle))
    return tuple(triples)


#: Data of the small suite: simulations of the paper, labelled vectors, and answers of a crowd.
_COMPARED = (
    "planted[N0=8, delta=0.15]",
    "planted[N0=8, delta=0.1]",
    "planted[N0=8, delta=0.06]",
    "planted[N0=8, L=2, delta=0.1]",
    "iris[n=60, standardise=true]",
    "wine[n=60, standardise=true]",
    "breast-cancer[n=60, standardise=true]",
    "digits[n=60]",
    "mnist[n=60]",
    "zoo",
    "shapes[n=60]",
    "shapes[kind=unequal, n=60]",
    "shapes[kind=moons, n=60]",
    "car",
)
#: The same with more items.
_COMPARED_FULL = (
    "planted[N0=30, delta=0.15]",
    "planted[N0=30, delta=0.1]",
    "planted[N0=30, delta=0.06]",
    "planted[N0=60, L=2, delta=0.1]",
    "iris[n=150, standardise=true]",
    "wine[n=150, standardise=true]",
    "breast-cancer[n=150, standardise=true]",
    "digits[n=240]",
    "mnist[n=240]",
    "zoo",
    "glass[standardise=true]",
    "shapes[n=240]",
    "shapes[kind=unequal, n=240]",
    "shapes[kind=moons, n=240]",
    "car",
)
#: Oracles for algorithms that choose what they ask, and the similarities themselves.
_ASKED = (
    "quadruplet-queries[similarity=euclidean]",
    "ordinal-queries[source=similarity, similarity=euclidean]",
    "similarities[similarity=euclidean]",
)
COMPARISONS = Suite(
    name="standard-comparisons",
    doc="Items known by comparisons only: how good a hierarchy, from how many answers?",
    # AL, on the similarities themselves, is what perfect use of all answers could give.
    algorithms=PASSIVE + ACTIVE + ORDINAL + ("AL",) + REFERENCES,
    datasets=_COMPARED,
    oracles=("quadruplet-set[similarity=euclidean]",) + _ASKED,
    only=_once(_COMPARED, "quadruplet-set[similarity=euclidean]"),
    metrics=("AARI", "dendrogram-purity", "queries") + COSTS,
    repetitions=SMALL,
    timeout=120.0,
)
COMPARISONS_FULL = replace(
    COMPARISONS,
    name="standard-comparisons-full",
    doc="As standard-comparisons, with more items, proportions of answers, and 10 repetitions.",
    datasets=_COMPARED_FULL,
    oracles=("quadruplet-set[p=[0.01, 0.1], similarity=euclidean]",) + _ASKED,
    only=_once(_COMPARED_FULL, "quadruplet-set[p=0.1, similarity=euclidean]"),
    repetitions=FULL,
    timeout=1800.0,
)

# ---- Scaling -------------------------------------------------------------------------------------

#: The same trees by several libraries, and methods that avoid O(n^2).
RIVALS = (
    "UPGMA",
    "Ward",
    "Single",
    "HDBSCAN[min_cluster_size=5]",
    "scipy-linkage[method=[average, ward, single]]",
    "fc-linkage[method=[average, ward, single]]",
    "fc-vector[method=[ward, single]]",
    "sk-agglomerative[linkage=[average, ward]]",
    "sk-agglomerative[neighbours=10]",
    "sk-birch",
    "sk-hdbscan",
    "fast-plscan",
    "skn-paris",
    "higra-bpt",
)


def _sizes(*sizes: int) -> str:
    """One data set for each number of items."""
    listed = ", ".join(str(size) for size in sizes)
    return f"nested-gaussians[depth=5, separation=1.0, n=[{listed}]]"


def _costs_figure(method: str, doc: str, algorithms: str) -> Figure:
    """Time and memory of some algorithms against the number of items."""
    return Figure(
        name=f"standard-scaling-{method}",
        doc=doc,
        x="dataset.n",
        metric="seconds, peak-memory",
        panel=("metric",),
        where=(f"algorithm={algorithms}",),
        band="interval",
        log="xy",
    )


SCALING = Suite(
    name="standard-scaling",
    doc="Time and memory from 1000 to 10,000 points of 10 coordinates.",
    algorithms=RIVALS,
    datasets=(_sizes(1000, 3000, 10_000),),
    oracles=("vectors",),
    metrics=("seconds", "peak-memory", "AARI"),
    repetitions=SMALL,
    # What takes longer or more is a row with the reason.
    timeout=60.0,
    memory=4.0,
    figures=(
        _costs_figure(
            "average",
            "Average linkage, time and memory: ours, scipy, fastcluster, scikit-learn, higra.",
            "UPGMA, scipy-linkage[method=average], fc-linkage[method=average], "
            "sk-agglomerative[linkage=average], higra-bpt",
        ),
        _costs_figure(
            "ward",
            "Ward's method, time and memory: ours, scipy, fastcluster and scikit-learn.",
            "Ward, scipy-linkage[method=ward], fc-linkage[method=ward], fc-vector[method=ward], "
            "sk-agglomerative[linkage=ward], sk-agglomerative[neighbours=10]",
        ),
        _costs_figure(
            "single",
            "Single linkage and HDBSCAN, time and memory, of all libraries.",
            "Single, scipy-linkage[method=single], fc-linkage[method=single], "
            "fc-vector[method=single], *hdbscan, *plscan",
        ),
    ),
)
SCALING_FULL = replace(
    SCALING,
    name="standard-scaling-full",
    doc="As standard-scaling, to 100,000 points, with an hour and 32 GiB for each call.",
    datasets=(_sizes(1000, 3000, 10_000, 30_000, 100_000),),
    timeout=3600.0,
    memory=32.0,
)

# ---- Noise ---------------------------------------------------------------------------------------

#: Proportions of wrong answers.
_WRONG = "[0.0, 0.1, 0.2, 0.3, 0.4]"
NOISE = Suite(
    name="standard-noise",
    doc="Wrong answers and noisy similarities: how fast does the quality fall?",
    algorithms=(
        "4-AL",
        "4K-AL",
        "4K-AL-act",
        "AL-rowsum",
        "tSTE-AL",
        "InsertionClustering",
        "NoisyInsertion[p=0.6]",
        "QuickClustering",
        "UPGMA",
        "Single",
        "skn-paris",
    ),
    datasets=("planted[N0=8, delta=0.15, sigma=[0.05, 0.1, 0.2]]",),
    oracles=(
        # Of a tenth of all quadruplets, passive methods would average out any noise.
        f"quadruplet-set[p=0.01, noise={_WRONG}]",
        f"quadruplet-queries[noise={_WRONG}]",
        f"ordinal-queries[source=similarity, noise={_WRONG}]",
        "similarities",
    ),
    metrics=("AARI", "triplet-agreement[count=resolved-in-truth]", "queries", "seconds"),
    repetitions=SMALL,
    timeout=120.0,
    # An algorithm with correct answers and one with wrong ones are not rivals.
    ranks=False,
    figures=(
        Figure(
            name="standard-noise-answers",
            doc="AARI against the proportion of wrong answers, for sigma = 0.1.",
            x="oracle.noise",
            metric="AARI",
            where=("dataset.sigma=0.1",),
            band="interval",
        ),
        Figure(
            name="standard-noise-similarities",
            doc="AARI against the noise of the similarities, with correct answers.",
            x="dataset.sigma",
            metric="AARI",
            where=("oracle.noise=0.0|",),
            band="interval",
        ),
    ),
)
NOISE_FULL = replace(
    NOISE,
    name="standard-noise-full",
    doc="As standard-noise, with 240 items and 10 repetitions.",
    datasets=("planted[N0=30, delta=0.15, sigma=[0.05, 0.1, 0.2, 0.4]]",),
    repetitions=FULL,
    timeout=1800.0,
)

SUITES = (
    VECTORS,
    VECTORS_FULL,
    HIERARCHIES,
    HIERARCHIES_FULL,
    COMPARISONS,
    COMPARISONS_FULL,
    SCALING,
    SCALING_FULL,
    NOISE,
    NOISE_FULL,
)
