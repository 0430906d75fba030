"""The papers of the libraries and of their methods."""

from __future__ import annotations

from hcbench import Reference


def _article(key: str, author: str, title: str, journal: str, year: str, doi: str) -> Reference:
    fields = {"author": author, "title": title, "journal": journal, "year": year, "doi": doi}
    return Reference(key, "article", fields)


SCIPY = _article(
    "virtanen2020",
    "Virtanen, Pauli and Gommers, Ralf and Oliphant, Travis E. and others",
    "SciPy 1.0: Fundamental Algorithms for Scientific Computing in Python",
    "Nature Methods",
    "2020",
    "10.1038/s41592-019-0686-2",
)
FASTCLUSTER = _article(
    "muellner2013",
    "Müllner, Daniel",
    "fastcluster: Fast Hierarchical, Agglomerative Clustering Routines for R and Python",
    "Journal of Statistical Software",
    "2013",
    "10.18637/jss.v053.i09",
)
SCIKIT_LEARN = Reference(
    "pedregosa2011",
    "article",
    {
        "author": "Pedregosa, Fabian and Varoquaux, Gaël and Gramfort, Alexandre and others",
        "title": "Scikit-learn: Machine Learning in Python",
        "journal": "Journal of Machine Learning Research",
        "volume": "12",
        "pages": "2825--2830",
        "year": "2011",
        "url": "https://jmlr.org/papers/v12/pedregosa11a.html",
    },
)
BISECTING = Reference(
    "steinbach2000",
    "inproceedings",
    {
        "author": "Steinbach, Michael and Karypis, George and Kumar, Vipin",
        "title": "A Comparison of Document Clustering Techniques",
        "booktitle": "KDD Workshop on Text Mining",
        "year": "2000",
        "url": "https://hdl.handle.net/11299/215421",
    },
)
BIRCH = _article(
    "zhang1996",
    "Zhang, Tian and Ramakrishnan, Raghu and Livny, Miron",
    "BIRCH: An Efficient Data Clustering Method for Very Large Databases",
    "ACM SIGMOD Record",
    "1996",
    "10.1145/235968.233324",
)
HDBSCAN = _article(
    "campello2015",
    "Campello, Ricardo J. G. B. and Moulavi, Davoud and Zimek, Arthur and Sander, Jörg",
    "Hierarchical Density Estimates for Data Clustering, Visualization, and Outlier Detection",
    "ACM Transactions on Knowledge Discovery from Data",
    "2015",
    "10.1145/2733381",
)
FAST_HDBSCAN = Reference(
    "mcinnes2017",
    "inproceedings",
    {
        "author": "McInnes, Leland and Healy, John",
        "title": "Accelerated Hierarchical Density Based Clustering",
        "booktitle": "IEEE International Conference on Data Mining Workshops",
        "pages": "33--42",
        "year": "2017",
        "doi": "10.1109/ICDMW.2017.12",
    },
)
PLSCAN = _article(
    "bot2025",
    "Bot, Daniël M. and McInnes, Leland and Aerts, Jan",
    "Persistent Multiscale Density-based Clustering",
    "arXiv:2512.16558",
    "2025",
    "10.48550/arXiv.2512.16558",
)
PARIS = _article(
    "bonald2018",
    "Bonald, Thomas and Charpentier, Bertrand and Galland, Alexis and Hollocou, Alexandre",
    "Hierarchical Graph Clustering using Node Pair Sampling",
    "arXiv:1806.01664",
    "2018",
    "10.48550/arXiv.1806.01664",
)
LOUVAIN = _article(
    "blondel2008",
    "Blondel, Vincent D. and Guillaume, Jean-Loup and Lambiotte, Renaud and Lefebvre, Etienne",
    "Fast Unfolding of Communities in Large Networks",
    "Journal of Statistical Mechanics: Theory and Experiment",
    "2008",
    "10.1088/1742-5468/2008/10/P10008",
)
HIGRA = _article(
    "perret2019",
    "Perret, Benjamin and Chierchia, Giovanni and Cousty, Jean and Guimarães, Silvio J. F. "
    "and Kenmochi, Yukiko and Najman, Laurent",
    "Higra: Hierarchical Graph Analysis",
    "SoftwareX",
    "2019",
    "10.1016/j.softx.2019.100335",
)
NEIGHBOUR_JOINING = _article(
    "saitou1987",
    "Saitou, Naruya and Nei, Masatoshi",
    "The Neighbor-Joining Method: a New Method for Reconstructing Phylogenetic Trees",
    "Molecular Biology and Evolution",
    "1987",
    "10.1093/oxfordjournals.molbev.a040454",
)
SOKAL_1958 = Reference(
    "sokal1958",
    "article",
    {
        "author": "Sokal, Robert R. and Michener, Charles D.",
        "title": "A Statistical Method for Evaluating Systematic Relationships",
        "journal": "University of Kansas Science Bulletin",
        "volume": "38",
        "pages": "1409--1438",
        "year": "1958",
    },
)
