"""Files as pandas, R, PHYLIP, scanpy and others write them, read as a user would ask for them.

What is expected is written by hand: the matrix, names and labels that were put into the file. The
files of R, GenePattern, fastText and others that are no Python packages are typed in their layout,
since these programs do not run where the tests do.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import io, sparse
from scipy.spatial.distance import squareform

from hcbench import DataError, ModelWarning, Problem, read_tree
from hcbench.cli import main
from hcbench.registry.names import parse_file
from tests.plugins.datasets.test_file import read

NAMES = ("ant", "bee", "cat", "dog")
VECTORS = [[1.5, 10.0], [2.0, 20.0], [3.5, 30.0], [4.0, 40.0]]
KINDS = ("insect", "insect", "mammal", "mammal")
DISTANCES = np.array(
    [
        [0.0, 2.0, 6.0, 10.0],
        [2.0, 0.0, 5.0, 9.0],
        [6.0, 5.0, 0.0, 4.0],
        [10.0, 9.0, 4.0, 0.0],
    ]
)


def typed(path: Path, parameters: str) -> Problem:
    """The problem of ``PATH[parameters]``, as it is typed behind --datasets."""
    name = parse_file(f"{path}[{parameters}]" if parameters else str(path))
    return read(Path(name.base), **name.params)


def first_seen(labels: Sequence[object]) -> list[int]:
    """Labels numbered in the order in which they appear."""
    return pd.factorize(np.asarray(labels))[0].tolist()


@dataclass(frozen=True, slots=True)
class File:
    """A text, what one types behind its name, and what was put into it."""

    name: str
    text: str
    parameters: str = ""
    names: tuple[str, ...] | None = NAMES
    vectors: Sequence[Sequence[float]] | None = None
    distances: np.ndarray | None = None
    labels: tuple[Sequence[object], ...] = ()


def check(problem: Problem, file: File) -> None:
    if file.names is not None:
        assert problem.names == file.names
    if file.vectors is None:
        assert problem.vectors is None
    else:
        vectors = problem.vectors
        if sparse.issparse(vectors):
            vectors = vectors.toarray()
        np.testing.assert_allclose(vectors, file.vectors)
    if file.distances is not None:
        expected = 1 - file.distances / file.distances.max()
        np.testing.assert_allclose(problem.similarity, expected, atol=1e-12)
    for column, labels in enumerate(file.labels):
        assert first_seen(problem.levels[:, column]) == first_seen(labels)


FRAME = pd.DataFrame(VECTORS, index=list(NAMES), columns=["x", "y"])
NUMBERED = FRAME.reset_index(drop=True)
WITH_KIND = FRAME.assign(kind=KINDS)
SQUARE = pd.DataFrame(DISTANCES, index=list(NAMES), columns=list(NAMES))

TABLES = {
    "pandas with index": File("a.csv", FRAME.to_csv(), vectors=VECTORS),
    "pandas with named index": File(
        "a.csv", FRAME.rename_axis("animal").to_csv(), "names=animal", vectors=VECTORS
    ),
    "pandas with numbered index": File("a.csv", NUMBERED.to_csv(), names=None, vectors=VECTORS),
    "pandas without index": File(
        "a.csv", NUMBERED.to_csv(index=False), names=None, vectors=VECTORS
    ),
    "pandas with labels": File(
        "a.csv", WITH_KIND.to_csv(), "labels=[kind]", vectors=VECTORS, labels=(KINDS,)
    ),
    "pandas with tabs": File("a.tsv", FRAME.to_csv(sep="\t"), vectors=VECTORS),
    "pandas with semicolons": File("a.csv", FRAME.to_csv(sep=";", decimal=","), vectors=VECTORS),
    "pandas with a missing number": File(
        "a.csv",
        ",x,y\nant,1.5,10\nbee,,20\ncat,3.5,30\ndog,4,40\n",
        "missing=mean",
        vectors=[[1.5, 10], [3, 20], [3.5, 30], [4, 40]],
    ),
    "R write.csv": File(
        "a.csv",
        '"","x","y","kind"\n"ant",1.5,10,"insect"\n"bee",2,20,"insect"\n'
        '"cat",3.5,30,"mammal"\n"dog",4,40,"mammal"\n',
        "labels=[kind]",
        vectors=VECTORS,
        labels=(KINDS,),
    ),
    "R write.csv2": File(
        "a.csv",
        '"";"x";"y"\n"ant";1,5;10\n"bee";2;20\n"cat";3,5;30\n"dog";4;40\n',
        vectors=VECTORS,
    ),
    "R write.table": File(
        "a.txt",
        '"x" "y"\n"ant" 1.5 10\n"bee" 2 20\n"cat" 3.5 30\n"dog" 4 40\n',
        vectors=VECTORS,
    ),
    "R write.table with tabs": File(
        "a.tsv", "x\ty\nant\t1.5\t10\nbee\t2\t20\ncat\t3.5\t30\ndog\t4\t40\n", vectors=VECTORS
    ),
    "R with NA": File(
        "a.csv",
        '"","x","y"\n"ant",1.5,10\n"bee",NA,20\n"cat",3.5,30\n"dog",4,40\n',
        "missing=mean",
        vectors=[[1.5, 10], [3, 20], [3.5, 30], [4, 40]],
    ),
    "class in numbers": File(
        "a.csv",
        "animal,x,y,class\nant,1.5,10,1\nbee,2,20,1\ncat,3.5,30,2\ndog,4,40,2\n",
        "names=animal,labels=[class]",
        vectors=VECTORS,
        labels=(KINDS,),
    ),
    "date and identifier": File(
        "a.csv",
        "id,when,x,y\nant,2020-01-02,1.5,10\nbee,2020-01-03,2,20\n"
        "cat,2021-05-06,3.5,30\ndog,2021-05-07,4,40\n",
        "names=id,drop=[when]",
        vectors=VECTORS,
    ),
    "taxonomy of levels": File(
        "a.csv",
        "species,class,order,x,y\nant,insect,Hym,1.5,10\nbee,insect,Hym,2,20\n"
        "cat,mammal,Car,3.5,30\ndog,mammal,Can,4,40\n",
        "names=species,labels=[class,order]",
        vectors=VECTORS,
        labels=(KINDS, ("Hym", "Hym", "Car", "Can")),
    ),
    "word2vec text": File(
        "a.txt", "4 2\nant 1.5 10\nbee 2 20\ncat 3.5 30\ndog 4 40\n", vectors=VECTORS
    ),
    "fastText": File(
        "a.vec", "4 2\nant 1.5 10 \nbee 2 20 \ncat 3.5 30 \ndog 4 40 \n", vectors=VECTORS
    ),
    "GloVe": File(
        "a.txt",
        "ant 1.5 10\nbee 2 20\ncat 3.5 30\ndog 4 40\n",
        'names="1"',
        vectors=VECTORS,
    ),
}

PHYLIP_ROWS = "ant  0 2 6 10\nbee  2 0 5 9\ncat  6 5 0 4\ndog  10 9 4 0\n"
STRICT_NAMES = ("Formica ru", "Apis melli", "Felis catu", "Canis lupu")

MATRICES = {
    "pandas": File("d.csv", SQUARE.to_csv(), "distance=true", distances=DISTANCES),
    "pandas with rows in another order": File(
        "d.csv",
        SQUARE.loc[["dog", "ant", "cat", "bee"]].to_csv(),
        "distance=true",
        names=("dog", "ant", "cat", "bee"),
        distances=DISTANCES[np.ix_([3, 0, 2, 1], [3, 0, 2, 1])],
    ),
    "R as.matrix of dist": File(
        "d.csv",
        '"","ant","bee","cat","dog"\n"ant",0,2,6,10\n"bee",2,0,5,9\n"cat",6,5,0,4\n"dog",10,9,4,0\n',
        "distance=true",
        distances=DISTANCES,
    ),
    "R write.table of dist": File(
        "d.txt",
        '"ant" "bee" "cat" "dog"\n"ant" 0 2 6 10\n"bee" 2 0 5 9\n"cat" 6 5 0 4\n"dog" 10 9 4 0\n',
        "distance=true",
        distances=DISTANCES,
    ),
    "R dist as printed": File(
        "d.txt",
        "    ant bee cat\nbee   2        \ncat   6   5    \ndog  10   9   4\n",
        "distance=true",
        distances=DISTANCES,
    ),
    "ape cophenetic": File(
        "d.csv",
        '"","ant","bee","cat","dog"\n"ant",0,2,10,10\n"bee",2,0,10,10\n'
        '"cat",10,10,0,4\n"dog",10,10,4,0\n',
        "distance=true",
        distances=np.array([[0, 2, 10, 10], [2, 0, 10, 10], [10, 10, 0, 4], [10, 10, 4, 0]]),
    ),
    "scikit-bio lsmat": File(
        "d.tsv",
        "\tant\tbee\tcat\tdog\nant\t0.0\t2.0\t6.0\t10.0\nbee\t2.0\t0.0\t5.0\t9.0\n"
        "cat\t6.0\t5.0\t0.0\t4.0\ndog\t10.0\t9.0\t4.0\t0.0\n",
        "distance=true",
        distances=DISTANCES,
    ),
    "lower triangle": File(
        "d.csv",
        ",ant,bee,cat,dog\nant,0,,,\nbee,2,0,,\ncat,6,5,0,\ndog,10,9,4,0\n",
        "distance=true",
        distances=DISTANCES,
    ),
    "long table": File(
        "d.csv",
        "a,b,d\nant,bee,2\nant,cat,6\nant,dog,10\nbee,cat,5\nbee,dog,9\ncat,dog,4\n",
        "distance=true",
        distances=DISTANCES,
    ),
    "PHYLIP relaxed": File("d.phy", f"4\n{PHYLIP_ROWS}", "distance=true", distances=DISTANCES),
    "PHYLIP strict": File(
        "d.phy",
        "    4\nFormica ru  0.0 2.0 6.0 10.0\nApis melli  2.0 0.0 5.0 9.0\n"
        "Felis catu  6.0 5.0 0.0 4.0\nCanis lupu  10.0 9.0 4.0 0.0\n",
        "distance=true",
        names=STRICT_NAMES,
        distances=DISTANCES,
    ),
    "PHYLIP lower": File(
        "d.phy",
        "4\nant\nbee 2\ncat 6 5\ndog 10 9 4\n",
        "distance=true",
        distances=DISTANCES,
    ),
    "PHYLIP wrapped": File(
        "d.phy",
        "4\nant 0 2\n  6 10\nbee 2 0\n  5 9\ncat 6 5\n  0 4\ndog 10 9\n  4 0\n",
        "distance=true",
        distances=DISTANCES,
    ),
}


@pytest.mark.parametrize("file", TABLES.values(), ids=TABLES)
def test_tables(tmp_path, file):
    path = tmp_path / file.name
    path.write_text(file.text)
    check(typed(path, file.parameters), file)


@pytest.mark.parametrize("file", MATRICES.values(), ids=MATRICES)
def test_matrices(tmp_path, file):
    path = tmp_path / file.name
    path.write_text(file.text)
    check(typed(path, file.parameters), file)


def test_a_wrong_count_of_phylip_names_the_line(tmp_path):
    path = tmp_path / "d.phy"
    path.write_text(f"5\n{PHYLIP_ROWS}")
    with pytest.raises(DataError, match="line 1 says 5 items, and there are 4"):
        typed(path, "distance=true")


@pytest.mark.parametrize("cell", ["<0.3", "ND"])
def test_a_cell_below_the_limit_of_detection_is_named(tmp_path, cell):
    path = tmp_path / "a.csv"
    rows = [f"{i},{i * i}" for i in range(500)]
    rows[250] = f"{cell},7"
    path.write_text("x,y\n" + "\n".join(rows) + "\n")
    with pytest.raises(DataError, match=f"line 252.*{cell}|{cell}.*line 252"):
        typed(path, "")


def test_condensed_npy(tmp_path):
    path = tmp_path / "d.npy"
    np.save(path, squareform(DISTANCES))
    check(typed(path, "distance=true"), File("d.npy", "", names=None, distances=DISTANCES))


def test_square_npy(tmp_path):
    path = tmp_path / "d.npy"
    np.save(path, DISTANCES)
    check(typed(path, "distance=true"), File("d.npy", "", names=None, distances=DISTANCES))


def test_npz(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=np.array(VECTORS), labels=np.array(KINDS), names=np.array(NAMES))
    check(typed(path, ""), File("a.npz", "", vectors=VECTORS, labels=(KINDS,)))


def test_excel(tmp_path):
    path = tmp_path / "a.xlsx"
    WITH_KIND.rename_axis("animal").to_excel(path)
    problem = typed(path, "names=animal,labels=[kind]")
    check(problem, File("a.xlsx", "", vectors=VECTORS, labels=(KINDS,)))


def test_anndata(tmp_path):
    anndata = pytest.importorskip("anndata")
    path = tmp_path / "a.h5ad"
    cells = pd.DataFrame({"kind": list(KINDS)}, index=list(NAMES))
    anndata.AnnData(np.array(VECTORS), obs=cells).write_h5ad(path)
    problem = typed(path, "labels=[kind]")
    check(problem, File("a.h5ad", "", vectors=VECTORS, labels=(KINDS,)))


def test_gct(tmp_path):
    path = tmp_path / "a.gct"
    path.write_text(
        "#1.2\n4\t2\nName\tDescription\tx\ty\nant\tna\t1.5\t10\nbee\tna\t2\t20\n"
        "cat\tna\t3.5\t30\ndog\tna\t4\t40\n"
    )
    with pytest.warns(ModelWarning, match="transpose=true makes the samples the items"):
        check(typed(path, ""), File("a.gct", "", vectors=VECTORS))
    with pytest.warns(ModelWarning, match="Description is not used"):
        samples = typed(path, "transpose=true")
    assert samples.names == ("x", "y")
    assert samples.vectors.tolist() == np.array(VECTORS).T.tolist()
    path.write_text("#1.4\n4\t2\t1\t0\n")
    with pytest.raises(DataError, match=r"the first line of a \.gct file is #1\.2 or #1\.3"):
        typed(path, "")


GCT_13 = (
    "#1.3\n4\t2\t2\t1\nid\tdesc\tchip\tx\ty\ntissue\tna\tna\tliver\tbrain\n"
    "ant\tna\t7\t1.5\t10\nbee\tna\t7\t2\t20\ncat\tna\t7\t3.5\t30\ndog\tna\t7\t4\t40\n"
)


@pytest.mark.parametrize("compressed", [False, True])
def test_gct_with_rows_and_columns_about_the_others(tmp_path, compressed):
    path = tmp_path / "a.gct"
    if compressed:
        path = tmp_path / "a.gct.gz"
        path.write_bytes(gzip.compress(GCT_13.encode()))
    else:
        path.write_text(GCT_13)
    with pytest.warns(ModelWarning, match="and desc, chip, tissue are not used"):
        check(typed(path, ""), File("a.gct", "", vectors=VECTORS))


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ("5\t2\t2\t1", "line 2: it says 5 rows, and there are 4"),
        ("4\t3\t2\t1", "line 2: it says 3 samples, and there are 2"),
    ],
)
def test_a_gct_file_that_is_cut_off(tmp_path, counts, message):
    path = tmp_path / "a.gct"
    path.write_text(GCT_13.replace("4\t2\t2\t1", counts))
    with pytest.raises(DataError, match=message):
        typed(path, "")


TABLE = "name;x;y\nant;1.5;10\nbee;2;20\ncat;3.5;30\ndog;4;40\n"


def test_lines_of_old_macs(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(TABLE.replace("\n", "\r").encode())
    check(typed(path, "names=name"), File("a.csv", "", vectors=VECTORS))


def test_utf_16_without_a_mark_is_read_as_the_message_says(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(TABLE.encode("utf-16-le"))
    with pytest.raises(DataError, match=r"zero bytes: .* or write encoding=utf-16-le"):
        typed(path, "names=name")
    check(typed(path, "names=name,encoding=utf-16-le"), File("a.csv", "", vectors=VECTORS))


def test_comments_between_rows_are_counted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE.replace("cat", "# the second part\ncat"))
    with pytest.warns(ModelWarning, match=r"1 lines that begin with # .*line 4"):
        check(typed(path, "names=name"), File("a.csv", "", vectors=VECTORS))
    path.write_text(TABLE.replace("cat", "#1"))
    assert typed(path, "names=name").names == ("ant", "bee", "#1", "dog")


@pytest.mark.parametrize("ending", ["json", "jsonl", "arff"])
def test_compressed_texts_are_what_their_first_suffix_says(tmp_path, ending):
    frame = pd.DataFrame(VECTORS, columns=["x", "y"]).assign(name=NAMES)
    text = frame.to_json(orient="records", lines=ending == "jsonl")
    if ending == "arff":
        lines = ["@relation a", "@attribute x numeric", "@attribute y numeric", "@data"]
        text = "\n".join(lines + [f"{x},{y}" for x, y in VECTORS]) + "\n"
    path = tmp_path / f"a.{ending}.gz"
    path.write_bytes(gzip.compress(text.encode()))
    problem = typed(path, "" if ending == "arff" else "names=name")
    assert problem.vectors.tolist() == VECTORS


def test_a_compressed_workbook_is_to_be_decompressed(tmp_path):
    path = tmp_path / "a.xlsx.gz"
    path.write_bytes(gzip.compress(b"PK"))
    with pytest.raises(DataError, match="only texts are read compressed; decompress it"):
        typed(path, "")


def test_ten_x(tmp_path):
    # 10x writes genes as rows and cells as columns.
    io.mmwrite(tmp_path / "matrix.mtx", sparse.coo_matrix(np.array(VECTORS).T))
    (tmp_path / "barcodes.tsv").write_text("\n".join(NAMES) + "\n")
    (tmp_path / "features.tsv").write_text("E1\tx\tGene Expression\nE2\ty\tGene Expression\n")
    with pytest.warns(ModelWarning, match="names them"):
        typed(tmp_path / "matrix.mtx", "transpose=true")
    names = f'names="{tmp_path / "barcodes.tsv"}"'
    problem = typed(tmp_path / "matrix.mtx", f"transpose=true,{names}")
    check(problem, File("matrix.mtx", "", vectors=VECTORS))


def test_ten_x_as_cell_ranger_compresses_it(tmp_path):
    io.mmwrite(tmp_path / "m.mtx", sparse.coo_matrix(np.array(VECTORS).T))
    contents = {
        "matrix.mtx.gz": (tmp_path / "m.mtx").read_bytes(),
        "barcodes.tsv.gz": "\n".join(NAMES).encode(),
        "features.tsv.gz": b"E1\tx\tGene Expression\nE2\ty\tGene Expression\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(gzip.compress(content))
    (tmp_path / "m.mtx").unlink()
    path = tmp_path / "matrix.mtx.gz"
    with pytest.raises(DataError, match=r"to cluster cells write .*barcodes\.tsv\.gz"):
        typed(path, "")
    problem = typed(path, f'transpose=true,names="{tmp_path / "barcodes.tsv.gz"}"')
    check(problem, File("matrix.mtx", "", vectors=VECTORS))
    shown = CliRunner().invoke(main, ["inspect", str(tmp_path)])
    assert f"of its matrix write hcbench inspect {path}" in shown.stderr


# ---- Trees ---------------------------------------------------------------------------------------

PAIRS = {frozenset({"ant", "bee"}), frozenset({"cat", "dog"})}

TREES = {
    "ape write.tree": ("t.nwk", "((ant:1,bee:1):4,(cat:2,dog:2):3);\n"),
    "ape write.nexus": (
        "t.nex",
        "#NEXUS\n[R-package APE, Mon Jan  1 10:00:00 2024]\n\nBEGIN TAXA;\n"
        "\tDIMENSIONS NTAX = 4;\n\tTAXLABELS\n\t\tant\n\t\tbee\n\t\tcat\n\t\tdog\n\t;\nEND;\n"
        "BEGIN TREES;\n\tTRANSLATE\n\t\t1\tant,\n\t\t2\tbee,\n\t\t3\tcat,\n\t\t4\tdog\n\t;\n"
        "\tTREE * UNTITLED = [&R] ((1:1,2:1):4,(3:2,4:2):3);\nEND;\n",
    ),
    "MrBayes con.tre": (
        "t.con.tre",
        "#NEXUS\n[ID: 0123]\nbegin taxa;\n\tdimensions ntax=4;\n\ttaxlabels\n\t\tant\n\t\tbee\n"
        "\t\tcat\n\t\tdog\n\t\t;\nend;\nbegin trees;\n\ttranslate\n\t\t1\tant,\n\t\t2\tbee,\n"
        "\t\t3\tcat,\n\t\t4\tdog\n\t\t;\n   tree con_50_majrule = [&R] ((1[&prob=1.0e+00]:"
        "1.0e+00[&length_mean=1.0,length_95%HPD={0.9,1.1}],2:1):4,(3:2,4:2):3);\nend;\n",
    ),
    "BEAST trees": (
        "t.trees",
        "#NEXUS\nBegin trees;\n\tTranslate\n\t\t1 ant,\n\t\t2 bee,\n\t\t3 cat,\n\t\t4 dog\n;\n"
        "tree STATE_0 [&lnP=-34.5] = [&R] ((1:[&rate=1.0]1,2:[&rate=1.0]1):[&rate=1.0]4,"
        "(3:2,4:2):3);\nEnd;\n",
    ),
}


@pytest.mark.parametrize("key", TREES)
def test_trees(tmp_path, key):
    name, text = TREES[key]
    path = tmp_path / name
    path.write_text(text)
    tree = read_tree(path, NAMES)
    # Two leaves merge at the length of the path between them: 1 + 1, 2 + 2 and 5 + 5.
    heights = sorted(tree.height[np.unique(tree.parent[tree.parent >= 0])])
    np.testing.assert_allclose(heights, [2, 4, 10])
    assert tree.names == NAMES
    clusters = set()
    for node in np.unique(tree.parent[: tree.n]):
        clusters.add(frozenset(NAMES[leaf] for leaf in np.flatnonzero(tree.parent[:4] == node)))
    assert clusters == PAIRS


@pytest.mark.parametrize("has_heights", [True, False])
def test_merges_of_hclust(tmp_path, has_heights):
    path = tmp_path / "merge.csv"
    text = '"","V1","V2","height"\n"1",-1,-2,2\n"2",-3,-4,4\n"3",1,2,10\n'
    if not has_heights:
        text = '"","V1","V2"\n"1",-1,-2\n"2",-3,-4\n"3",1,2\n'
    path.write_text(text)
    tree = read_tree(path, NAMES)
    assert tree.names == NAMES
    assert tree.parent[0] == tree.parent[1]
    assert tree.parent[2] == tree.parent[3]
    assert tree.parent[0] != tree.parent[2]
    if has_heights:
        inner = np.unique(tree.parent[tree.parent >= 0])
        np.testing.assert_allclose(sorted(tree.height[inner]), [2, 4, 10])
