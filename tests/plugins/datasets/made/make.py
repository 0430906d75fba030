"""Files as pandas, scipy, scanpy, scikit-bio, DendroPy and Biopython write them.

Run in an environment with these packages: python make.py FOLDER. What is expected is written to
expected_py.json, as these packages themselves read their files again, not as hcbench does.
"""

import io
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

import dendropy
import numpy as np
import pandas as pd
import scanpy
import skbio
from Bio import Phylo
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.io import mmwrite
from scipy.spatial.distance import pdist, squareform

NAMES = ["ant", "bee", "cat", "dog", "elk", "fox"]
KINDS = ["insect", "insect", "mammal", "mammal", "mammal", "mammal"]
SIZES = ["small", "small", "small", "large", "large", "small"]
NUMBERS = [[1.5, 0.003], [2.0, 0.1], [46.0, 4.25], [85.0, 20.0], [240.0, 300.5], [70.0, 6.0]]
FRAME = pd.DataFrame(NUMBERS, index=NAMES, columns=["length", "weight"])
LABELLED = FRAME.assign(kind=KINDS)

PACKAGES = (
    *("pandas", "numpy", "scipy", "pyarrow", "openpyxl", "scanpy", "scikit-bio", "DendroPy"),
    "biopython",
)

entries = []


def expect(file, typed="", **content):
    """Add what a file has: names, vectors, distances, similarity, labels or heights."""
    entry = {"file": file, "typed": typed}
    for key, value in content.items():
        entry[key] = np.asarray(value).tolist()
    entries.append(entry)


def make_tables():
    """Tables of pandas, read again by pandas."""
    LABELLED.to_csv("pandas_index.csv")
    back = pd.read_csv("pandas_index.csv", index_col=0)
    parts = {"names": back.index, "vectors": back[["length", "weight"]]}
    expect("pandas_index.csv", "labels=[kind]", labels=back["kind"], **parts)
    LABELLED.rename_axis("animal").to_csv("pandas_named_index.csv")
    expect("pandas_named_index.csv", "names=animal,labels=[kind]", labels=back["kind"], **parts)
    LABELLED.to_csv("pandas_no_index.csv", index=False)
    expect("pandas_no_index.csv", "labels=[kind]", vectors=FRAME, labels=KINDS)
    LABELLED.reset_index(drop=True).to_csv("pandas_range_index.csv")
    expect("pandas_range_index.csv", "labels=[kind]", vectors=FRAME, labels=KINDS)
    LABELLED.reset_index(drop=True).loc[[4, 1, 0, 3]].to_csv("pandas_filtered.csv")
    expect(
        "pandas_filtered.csv",
        "labels=[kind]",
        names=["4", "1", "0", "3"],
        vectors=FRAME.iloc[[4, 1, 0, 3]],
        labels=LABELLED["kind"].iloc[[4, 1, 0, 3]],
    )
    pd.DataFrame(NUMBERS).to_csv("pandas_numbered_columns.csv", index=False)
    expect("pandas_numbered_columns.csv", vectors=NUMBERS)
    LABELLED.to_csv("pandas_semicolon.csv", sep=";", decimal=",")
    expect("pandas_semicolon.csv", "labels=[kind]", labels=KINDS, **parts)
    LABELLED.to_csv("pandas_bz2.csv.bz2")
    expect("pandas_bz2.csv.bz2", "labels=[kind]", labels=KINDS, **parts)
    LABELLED.rename_axis("animal").to_excel("pandas.xlsx")
    expect("pandas.xlsx", "names=animal,labels=[kind]", labels=KINDS, **parts)
    LABELLED.to_csv("pandas_utf16.csv", encoding="utf-16")
    expect("pandas_utf16.csv", "labels=[kind]", labels=KINDS, **parts)
    Path("pandas_printed.txt").write_text(LABELLED.to_string() + "\n")
    expect("pandas_printed.txt", "labels=[kind]", labels=KINDS, **parts)
    Path("pandas_markdown.txt").write_text(LABELLED.rename_axis("animal").to_markdown() + "\n")


def make_levels():
    """Tables with several rows of header, or several columns of index."""
    columns = pd.MultiIndex.from_product([["day 1", "day 2"], ["length", "weight"]])
    numbers = np.hstack([FRAME.to_numpy(), 2 * FRAME.to_numpy()])
    wide = pd.DataFrame(numbers, index=NAMES, columns=columns)
    wide.to_csv("pandas_two_headers.csv")
    back = pd.read_csv("pandas_two_headers.csv", header=[0, 1], index_col=0)
    expect("pandas_two_headers.csv", names=back.index, vectors=back)
    wide.rename_axis("animal").to_csv("pandas_two_headers_named_index.csv")
    back = pd.read_csv("pandas_two_headers_named_index.csv", header=[0, 1], index_col=0)
    expect("pandas_two_headers_named_index.csv", "names=animal", names=back.index, vectors=back)
    wide.rename_axis(columns=["day", "measure"]).to_csv("pandas_two_named_headers.csv")
    back = pd.read_csv("pandas_two_named_headers.csv", header=[0, 1], index_col=0)
    expect("pandas_two_named_headers.csv", 'names="day measure"', names=back.index, vectors=back)
    wide.to_csv("pandas_two_headers_no_index.csv", index=False)
    back = pd.read_csv("pandas_two_headers_no_index.csv", header=[0, 1])
    expect("pandas_two_headers_no_index.csv", vectors=back)
    index = pd.MultiIndex.from_arrays([KINDS, NAMES], names=["kind", "animal"])
    tall = pd.DataFrame(NUMBERS, index=index, columns=["length", "weight"])
    tall.to_csv("pandas_two_indexes.csv")
    back = pd.read_csv("pandas_two_indexes.csv", index_col=[0, 1])
    expect(
        "pandas_two_indexes.csv",
        "names=animal,labels=[kind]",
        names=back.index.get_level_values(1),
        labels=back.index.get_level_values(0),
        vectors=back,
    )
    tall.rename_axis([None, None]).to_csv("pandas_two_unnamed_indexes.csv")
    grouped = LABELLED.assign(size=SIZES).groupby("kind").agg({"length": ["mean", "std"]})
    grouped.to_csv("pandas_grouped.csv")
    wide.to_excel("pandas_two_headers.xlsx")
    back = pd.read_excel("pandas_two_headers.xlsx", header=[0, 1], index_col=0)
    expect("pandas_two_headers.xlsx", names=back.index, vectors=back)
    tall.to_excel("pandas_two_indexes.xlsx")
    wide.to_parquet("pandas_two_headers.parquet")
    expect(
        "pandas_two_headers.parquet",
        names=NAMES,
        vectors=pd.read_parquet("pandas_two_headers.parquet"),
    )
    tall.to_parquet("pandas_two_indexes.parquet")
    expect(
        "pandas_two_indexes.parquet",
        "names=animal,labels=[kind]",
        names=NAMES,
        labels=KINDS,
        vectors=pd.read_parquet("pandas_two_indexes.parquet"),
    )


def make_binary():
    """Files of pandas that are no text."""
    LABELLED.to_parquet("pandas.parquet")
    back = pd.read_parquet("pandas.parquet")
    parts = {"names": back.index, "vectors": back[["length", "weight"]], "labels": back["kind"]}
    expect("pandas.parquet", "labels=[kind]", **parts)
    LABELLED.rename_axis("animal").to_parquet("pandas_named_index.parquet")
    expect("pandas_named_index.parquet", "names=animal,labels=[kind]", **parts)
    LABELLED.astype({"kind": "category"}).rename_axis("animal").reset_index().to_feather(
        "pandas.feather"
    )
    expect("pandas.feather", "names=animal,labels=[kind]", **parts)
    LABELLED.rename_axis("animal").to_stata("pandas.dta")
    back = pd.read_stata("pandas.dta")
    expect(
        "pandas.dta",
        "names=animal,labels=[kind]",
        names=back["animal"],
        labels=back["kind"],
        vectors=back[["length", "weight"]],
    )
    LABELLED.to_pickle("pandas.pkl")


def make_json():
    """The orientations of DataFrame.to_json."""
    named = LABELLED.rename_axis("animal").reset_index()
    parts = {"names": NAMES, "vectors": FRAME, "labels": KINDS}
    named.to_json("pandas_records.json", orient="records")
    expect("pandas_records.json", "names=animal,labels=[kind]", **parts)
    LABELLED.to_json("pandas_columns.json")
    expect("pandas_columns.json", "labels=[kind]", **parts)
    LABELLED.to_json("pandas_index.json", orient="index")
    expect("pandas_index.json", "labels=[kind]", **parts)
    LABELLED.to_json("pandas_split.json", orient="split")
    expect("pandas_split.json", "labels=[kind]", **parts)
    LABELLED.rename_axis("animal").to_json("pandas_table.json", orient="table")
    expect("pandas_table.json", "names=animal,labels=[kind]", **parts)
    FRAME.to_json("pandas_values.json", orient="values")
    expect("pandas_values.json", vectors=FRAME)
    named.to_json("pandas_lines.jsonl", orient="records", lines=True)
    expect("pandas_lines.jsonl", "names=animal,labels=[kind]", **parts)


def make_matrices():
    """Distances of scipy and scikit-bio."""
    condensed = pdist(np.log1p(NUMBERS))
    square = squareform(condensed)
    pd.DataFrame(square, NAMES, NAMES).to_csv("pandas_distances.csv")
    expect("pandas_distances.csv", "distance=true", names=NAMES, distances=square)
    pd.DataFrame(square).to_csv("pandas_distances_numbered.csv")
    expect("pandas_distances_numbered.csv", "distance=true", distances=square)
    pd.DataFrame(square).to_csv("pandas_distances_bare.csv", index=False, header=False)
    expect("pandas_distances_bare.csv", "distance=true", distances=square)
    stacked = pd.DataFrame(square, NAMES, NAMES).stack()
    stacked.to_csv("pandas_stacked.csv")
    expect("pandas_stacked.csv", "distance=true", names=NAMES, distances=square)
    np.savetxt("numpy_savetxt.txt", square)
    expect("numpy_savetxt.txt", "distance=true", distances=np.loadtxt("numpy_savetxt.txt"))
    np.savetxt("numpy_savetxt_vectors.csv", NUMBERS, delimiter=",")
    expect(
        "numpy_savetxt_vectors.csv", vectors=np.loadtxt("numpy_savetxt_vectors.csv", delimiter=",")
    )
    np.save("scipy_condensed.npy", condensed)
    expect("scipy_condensed.npy", "distance=true", distances=square)
    matrix = skbio.DistanceMatrix(square, NAMES)
    matrix.write("skbio_lsmat.tsv", format="lsmat")
    back = skbio.DistanceMatrix.read("skbio_lsmat.tsv", format="lsmat")
    expect("skbio_lsmat.tsv", "distance=true", names=back.ids, distances=back.data)
    matrix.write("skbio_lsmat.txt", format="lsmat")
    expect("skbio_lsmat.txt", "distance=true", names=back.ids, distances=back.data)
    matrix.write("skbio.phy", format="phylip_dm")
    back = skbio.DistanceMatrix.read("skbio.phy", format="phylip_dm")
    expect("skbio.phy", "distance=true", names=back.ids, distances=back.data)
    matrix.write("skbio_lower.phy", format="phylip_dm", layout="lower")
    expect("skbio_lower.phy", "distance=true", names=back.ids, distances=back.data)
    matrix.to_data_frame().to_csv("skbio_frame.csv")
    expect("skbio_frame.csv", "distance=true", names=NAMES, distances=square)
    ordination = skbio.stats.ordination.pcoa(matrix, method="eigh")
    ordination.write("skbio_ordination.txt", format="ordination")


def make_cells():
    """Sparse matrices of scipy, and a folder of 10x Genomics as scanpy reads it."""
    counts = np.array(
        [[3, 0, 1, 0], [4, 0, 0, 1], [0, 5, 0, 2], [0, 6, 1, 2], [0, 0, 9, 7], [1, 4, 0, 2]]
    )
    genes = pd.DataFrame(index=["Actb", "Gapdh", "Sox2", "Pou5f1"])
    folder = Path("tenx")
    folder.mkdir(exist_ok=True)
    mmwrite(folder / "matrix.mtx", sparse.coo_matrix(counts.T), field="integer")
    rows = pd.DataFrame({0: [f"ENS{i}" for i in range(4)], 1: genes.index, 2: "Gene Expression"})
    rows.to_csv(folder / "genes.tsv", sep="\t", header=False, index=False)
    Path(folder / "barcodes.tsv").write_text("\n".join(NAMES) + "\n")
    back = scanpy.read_10x_mtx(folder)
    expect(
        "tenx/matrix.mtx",
        "transpose=true,names='tenx/barcodes.tsv'",
        names=back.obs_names,
        vectors=back.X.toarray(),
    )
    mmwrite("scipy_dense.mtx", np.array(NUMBERS))
    expect("scipy_dense.mtx", vectors=NUMBERS)
    sparse.save_npz("scipy_sparse.npz", sparse.csr_array(counts))
    expect("scipy_sparse.npz", vectors=counts)


def heights_of(tree, names):
    """The length of the path between any two leaves, by DendroPy."""
    tree.calc_node_root_distances()
    distances = tree.phylogenetic_distance_matrix()
    taxa = {taxon.label: taxon for taxon in tree.taxon_namespace}
    square = np.zeros((len(names), len(names)))
    for row, one in enumerate(names):
        for column, another in enumerate(names):
            if one != another:
                square[row, column] = distances.distance(taxa[one], taxa[another])
    return square


def make_trees():
    """Trees of scipy, scikit-bio, DendroPy and Biopython."""
    linkage = hierarchy.average(pdist(np.log1p(NUMBERS)))
    heights = squareform(hierarchy.cophenet(linkage))
    np.save("scipy_linkage.npy", linkage)
    expect("scipy_linkage.npy", "tree", heights=heights)
    np.savetxt("scipy_linkage.txt", linkage)
    expect("scipy_linkage.txt", "tree", heights=heights)
    pd.DataFrame(linkage).to_csv("scipy_linkage.csv")
    expect("scipy_linkage.csv", "tree", heights=heights)
    pd.DataFrame(linkage, columns=["left", "right", "height", "size"]).to_csv(
        "scipy_linkage_named.csv", index=False
    )
    expect("scipy_linkage_named.csv", "tree", heights=heights)
    node = skbio.TreeNode.from_linkage_matrix(linkage, NAMES)
    node.write("skbio_tree.nwk", format="newick")
    node.write("skbio_tree.txt", format="newick")
    back = dendropy.Tree.get(path="skbio_tree.nwk", schema="newick", preserve_underscores=True)
    for file in ("skbio_tree.nwk", "skbio_tree.txt"):
        expect(file, "tree", names=NAMES, heights=heights_of(back, NAMES))
    newick = "(((ant:1,bee:1):2,cat:3)few:1,(dog:2,(elk:1,fox:1):1):2)all;"
    other = "((ant:2,dog:2):2,((bee:1,cat:1):1,(elk:1,fox:1):1):2);"
    trees = dendropy.TreeList.get(data=newick + other, schema="newick")
    trees[0].label, trees[1].label = "first", "my second"
    trees.write(path="dendropy.nex", schema="nexus")
    trees.write(path="dendropy.trees", schema="newick")
    trees.write(path="dendropy.xml", schema="nexml")
    trees[:1].write(path="dendropy_one.nexml", schema="nexml")
    back = dendropy.TreeList.get(path="dendropy.nex", schema="nexus")
    for choice, tree in (("first", back[0]), ("my second", back[1])):
        expect(
            "dendropy.nex",
            f"tree={json.dumps(choice)}",
            names=NAMES,
            heights=heights_of(tree, NAMES),
        )
    expect("dendropy.trees", "tree=2", names=NAMES, heights=heights_of(back[1], NAMES))
    parsed = Phylo.read(io.StringIO(newick), "newick")
    Phylo.write(parsed, "biopython_phylo.xml", "phyloxml")
    Phylo.write(parsed, "biopython.xml", "nexml")
    Phylo.write(parsed, "biopython.nex", "nexus")
    Phylo.write(parsed, "biopython.txt", "newick")
    for file in ("biopython.nex", "biopython.txt"):
        expect(file, "tree", names=NAMES, heights=heights_of(back[0], NAMES))
    letters = dendropy.DnaCharacterMatrix.from_dict({"ant": "ACGT", "bee": "ACGA", "cat": "ACCA"})
    letters.write(path="dendropy_sequences.nex", schema="nexus")


def main():
    """Make all files in the folder, the current one if none is given."""
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else ".")
    for make in (
        make_tables,
        make_levels,
        make_binary,
        make_json,
        make_matrices,
        make_cells,
        make_trees,
    ):
        make()
    Path("expected_py.json").write_text(
        json.dumps(entries, indent=None).replace('}, {"file', '},\n{"file')
    )
    versions = [f"{name} {version(name)}" for name in PACKAGES]
    sys.stdout.write(", ".join(versions) + "\n")


if __name__ == "__main__":
    main()
