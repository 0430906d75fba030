"""Trees of other programs: Newick, scipy's linkage, R's hclust, scikit-learn's children_."""

from __future__ import annotations

import csv

import numpy as np
import pandas
import pytest
from hypothesis import given
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import AgglomerativeClustering

from hcbench import DataError, HeightKind, Tree, read_tree
from hcbench.errors import InvalidTreeError, NewickWarning
from hcbench.files import TreeFile
from tests.core.trees import leaf_sets, trees

X = np.array([[0.0], [1], [3], [6], [10]])


def as_hclust(Z):
    """scipy's linkage in R's form: items as -1, -2, ..., rows as 1, 2, ..."""
    n = len(Z) + 1
    return np.array([[-c - 1 if c < n else c - n + 1 for c in row[:2]] for row in Z.astype(int)])


def written(folder, name, content):
    path = folder / name
    if isinstance(content, np.ndarray):
        np.save(path, content)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content)
    return path


# ---- hclust --------------------------------------------------------------------------------------


def test_hclust_by_hand():
    # hclust(dist(c(1, 2, 4, 7)), "single") in R.
    tree = Tree.from_hclust([[-1, -2], [-3, 1], [-4, 2]], [1, 2, 3], names=list("abcd"))
    assert tree.parent.tolist() == [4, 4, 5, 6, 5, 6, -1]
    assert tree.height.tolist() == [0, 0, 0, 0, 1, 2, 3]
    assert (tree.kind, tree.names) == (HeightKind.DISTANCE, tuple("abcd"))


@given(trees(binary=True, min_leaves=2, kind=HeightKind.DISTANCE))
def test_hclust_is_the_linkage_in_other_numbers(tree):
    Z = tree.to_linkage()
    assert Tree.from_hclust(as_hclust(Z), Z[:, 2]) == Tree.from_linkage(Z)
    by_order = Tree.from_hclust(as_hclust(Z))
    assert leaf_sets(by_order) == leaf_sets(Tree.from_linkage(Z))
    assert by_order.height[tree.n :].tolist() == list(range(1, tree.n))
    assert by_order.kind is HeightKind.ORDER


def test_tables_that_are_not_from_hclust_are_refused() -> None:
    for merge, reason in [
        ([[-1, -2], [-3, 0]], "row 2 merges -3 and 0.*0 is neither, as both count from 1"),
        ([[-1, -2], [-3, 2]], r"row 2 merges -3 and 2, but .* the rows before it, 1..1$"),
        ([[1, -2], [-3, -1]], "row 1 merges 1 and -2"),
        ([[-1, -2], [-4, 1]], "items -1..-3"),
        ([[-1, -2], [-2, 1]], "item -2 is merged 2 times"),
        ([[-1, -2], [-3, -4], [1, 1]], "row 1 is merged 2 times"),
        ([[-1, -2.5]], "must be integers"),
        ([[-1, np.nan]], "must be integers"),
        ([[-1, -2, 1]], r"merge has shape \(n-1, 2\)"),
    ]:
        with pytest.raises(InvalidTreeError, match=reason):
            Tree.from_hclust(merge)


def test_hclust_heights_must_fit():
    with pytest.raises(InvalidTreeError, match="height has shape"):
        Tree.from_hclust([[-1, -2], [-3, 1]], [1])
    with pytest.raises(InvalidTreeError, match="NaN"):
        Tree.from_hclust([[-1, -2], [-3, 1]], [1, np.nan])


# ---- Files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["nwk", "newick", "tree", "tre", "NWK"])
def test_newick_files(suffix, tmp_path):
    text = "((a:1,b:1):2,\n  c:3);\n"
    tree = read_tree(written(tmp_path, f"t.{suffix}", "\ufeff" + text))
    assert tree == Tree.from_newick(text)
    assert tree.names == ("a", "b", "c")


def test_branch_lengths_that_are_not_heights_are_reported_with_the_file(tmp_path):
    path = written(tmp_path, "t.nwk", "((a:1,b:2):2,c:3);")
    with pytest.warns(NewickWarning, match=r"t\.nwk: branch lengths are ignored"):
        assert read_tree(path).kind is HeightKind.NONE


def test_a_linkage_matrix_as_numpy_scipy_and_pandas_write_it(tmp_path):
    Z = linkage(X, "average")
    rows = [",".join(map(repr, row)) for row in Z.tolist()]
    numbered = [f"{i},{row}" for i, row in enumerate(rows)]
    for name, content in {
        "z.npy": Z,
        "z.csv": "\n".join(rows),
        "headed.csv": "\n".join(["left,right,height,size", *rows]),
        "pandas.csv": "\n".join([",0,1,2,3", *numbered]),
        "z.tsv": "\n".join(rows).replace(",", "\t"),
    }.items():
        assert read_tree(written(tmp_path, name, content)) == Tree.from_linkage(Z), name


def test_merges_of_hclust_as_written_by_r(tmp_path):
    Z = linkage(X, "average")
    merge = as_hclust(Z)
    rows = [",".join(map(str, row)) for row in merge.tolist()]
    with_heights = [f"{row},{h}" for row, h in zip(rows, Z[:, 2], strict=True)]
    r = ['"","V1","V2","V3"', *(f'"{i}",{row}' for i, row in enumerate(with_heights, start=1))]
    order, heights = Tree.from_hclust(merge), Tree.from_hclust(merge, Z[:, 2])
    assert read_tree(written(tmp_path, "m.csv", "\n".join(rows))) == order
    assert read_tree(written(tmp_path, "m.npy", merge)) == order
    assert read_tree(written(tmp_path, "h.csv", "\n".join(with_heights))) == heights
    assert read_tree(written(tmp_path, "r.csv", "\n".join(r))) == heights


@pytest.mark.parametrize("sep", [",", "\t"])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_merges_as_pandas_writes_them_with_and_without_index_and_header(n, sep, tmp_path):
    Z = linkage(np.random.default_rng(n).normal(size=(n, 2)), "average")
    merge = as_hclust(Z)
    tables = {
        "linkage": (Z, Tree.from_linkage(Z)),
        "hclust": (merge, Tree.from_hclust(merge)),
        "hclust with heights": (
            np.column_stack((merge.astype(object), Z[:, 2])),
            Tree.from_linkage(Z),
        ),
        "children": (Z[:, :2].astype(int), Tree.from_children(Z[:, :2])),
    }
    path = tmp_path / ("t.csv" if sep == "," else "t.tsv")
    for what, (table, expected) in tables.items():
        frame = pandas.DataFrame(table)
        named = frame.rename(columns=lambda column: f"V{column + 1}")
        texts = [
            frame.to_csv(sep=sep, index=False),
            frame.to_csv(sep=sep),
            frame.to_csv(sep=sep, index=False, header=False),
            named.to_csv(sep=sep, index=False),
            named.to_csv(sep=sep, index_label="step"),
            named.set_axis(range(1, n)).to_csv(sep=sep, quoting=csv.QUOTE_NONNUMERIC),
        ]
        # R's write.table has no cell above the row names.
        texts.append(texts[-1].split(sep, 1)[1])
        for text in texts:
            path.write_text("\ufeff" + text.replace("\n", "\r\n"))
            assert read_tree(path) == expected, (what, text)


def test_a_header_of_numbers_is_no_row_of_the_table(tmp_path):
    # Read as a row, it would merge the items 0 and 1, which the next row does.
    path = written(tmp_path, "t.csv", "0,1,2,3\n0,1,0.5,2\n")
    assert read_tree(path) == Tree.from_linkage([[0, 1, 0.5, 2]])
    path = written(tmp_path, "t.csv", "0,1,height,size\n0,1,0.5,2\n")
    assert read_tree(path) == Tree.from_linkage([[0, 1, 0.5, 2]])
    # Without a header, the first row of scikit-learn's merges may be the same numbers.
    path = written(tmp_path, "t.csv", "0,1,2\n2,3,5\n")
    assert read_tree(path) == Tree.from_children([[0, 1], [2, 3]], [2, 5])


@pytest.mark.parametrize("suffix", ["trees", "t", "tre", "nwk", "newick", "tree", "treefile"])
def test_one_of_several_trees_is_chosen_by_its_number(suffix, tmp_path):
    path = written(tmp_path, f"x.{suffix}", "(a,b);\n(c,(d,e));\n" * 500)
    assert read_tree(path, tree=1000).names == ("c", "d", "e")
    with pytest.raises(DataError, match=rf"x\.{suffix}: there are 1000 trees: choose one"):
        read_tree(path)
    with pytest.raises(DataError, match="tree=1001: there are 1000 trees, counted from 1"):
        read_tree(path, tree=1001)
    nexus = "#NEXUS\nBegin trees;\n" + "tree s = [&R] (a,b);\n" * 1001
    path = written(tmp_path, f"y.{suffix}", nexus)
    assert read_tree(path, tree=1001).names == ("a", "b")
    with pytest.raises(DataError, match="there are 1001 trees"):
        read_tree(path)


def test_files_with_parameters(tmp_path):
    path = written(tmp_path, "x.trees", "(a:1,b:1);(a:2,b:2);")
    file = TreeFile.parse(f"{path}[tree=2,heights=whole]")
    assert (file.name, file.read().height[-1]) == ("x.trees[tree=2,heights=whole]", 2)
    assert TreeFile.parse(f"{path}[tree=2]").read().height[-1] == 4
    odd = written(tmp_path, "odd[1].nwk", "(a,b);")
    assert TreeFile.parse(str(odd)).read().names == ("a", "b")
    odd = written(tmp_path, "odd.nwk[1]", "(a,b);")
    assert TreeFile.parse(str(odd)).path == odd
    with pytest.raises(DataError, match="a tree has the parameters tree, heights and burn_in"):
        TreeFile.parse(f"{path}[nr=2]")


def test_the_heights_of_a_table_are_whole_unless_told_otherwise(tmp_path):
    Z = linkage(X, "average")
    path = written(tmp_path, "z.npy", Z)
    for heights, factor in [(None, 1), ("whole", 1), ("half", 2)]:
        tree = read_tree(path, heights=heights)
        assert tree.height[5:].tolist() == (factor * Z[:, 2]).tolist()
    for suffix in ("npy", "nwk"):
        path = written(tmp_path, f"z.{suffix}", Z if suffix == "npy" else "(a:1,b:1);")
        with pytest.raises(DataError, match="heights='third': write half"):
            read_tree(path, heights="third")
    with pytest.raises(DataError, match="tree=2: a table of merges is one tree"):
        read_tree(written(tmp_path, "z.npy", Z), tree=2)


def test_distances_below_the_leaves_are_refused_and_inversions_are_not(tmp_path):
    centroid = linkage([[0.0, 0], [1, 0], [0.5, 0.9]], "centroid")
    assert centroid[1, 2] < centroid[0, 2]
    tree = read_tree(written(tmp_path, "z.npy", centroid))
    assert tree.height[3:].tolist() == centroid[:, 2].tolist()
    wrong = centroid * [1, 1, -1, 1]
    for name, table in {
        "z.npy": wrong,
        "z.csv": "0,1,-0.5,2\n2,3,1,3",
        "h.csv": "-1,-2,1\n-3,1,-0.5",
        "c.csv": "0,1,-0.5\n2,3,1",
    }.items():
        with pytest.raises(DataError, match=r"row [01], counted from 0, merges at .* -") as caught:
            read_tree(written(tmp_path, name, table))
        assert "\n" not in str(caught.value)
        assert "max(s) - s" in str(caught.value)
        assert "kind='affinity'" in str(caught.value)
    with pytest.raises(InvalidTreeError, match="merges at the distance -inf"):
        Tree.from_children([[0, 1]], [-np.inf])
    # The ways out.
    similarities = [[0, 1, -0.5, 2], [2, 3, -0.8, 3]]
    tree = Tree.from_linkage(similarities, kind="affinity", leaf_height=0.0)
    assert tree.height[3:].tolist() == [-0.5, -0.8]
    # Negative similarities as distances, where the leaves are below them.
    assert Tree.from_linkage(similarities, leaf_height=-1.0).height[3:].tolist() == [-0.5, -0.8]


def test_negative_distances_that_are_rounding_errors_are_zero():
    # Cosines of equal vectors, and of numbers with single precision.
    Z = linkage([[1.0, 1, 1], [1, 1, 1], [1, 2, 0]], "average", metric="cosine")
    for noise, largest in [(-2.2e-16, 1.0), (-1e-7, 1.0), (-2.2e-16, 0.0)]:
        Z[:, 2] = [noise, largest]
        assert Tree.from_linkage(Z).height.tolist() == [0, 0, 0, 0, largest]


def test_merges_of_scikit_learn(tmp_path):
    fitted = AgglomerativeClustering(linkage="average", compute_distances=True).fit(X)
    plain = Tree.from_children(fitted.children_)
    assert read_tree(written(tmp_path, "c.npy", fitted.children_)) == plain
    with_distances = np.column_stack((fitted.children_, fitted.distances_))
    expected = Tree.from_children(fitted.children_, fitted.distances_)
    assert read_tree(written(tmp_path, "d.npy", with_distances)) == expected


def test_leaves_are_in_the_order_of_the_names_that_are_given(tmp_path):
    names = ("d", "b", "e", "a", "c")
    Z = linkage(X, "average")
    newick = Tree.from_linkage(Z, names=names).to_newick()
    for name, content in {"t.nwk": newick, "t.npy": Z}.items():
        tree = read_tree(written(tmp_path, name, content), names)
        assert tree.names == names
        assert set(leaf_sets(tree)) == set(leaf_sets(Tree.from_linkage(Z))), name
        other = "'f' is missing" if name == "t.nwk" else "5 leaves, and there are 6 items"
        with pytest.raises(DataError, match=rf"{name}: .*{other}"):
            read_tree(str(tmp_path / name), (*names, "f"))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.txt", "some words", "there are no merges below the header"),
        ("t.nwk", b"\x1f\x8b\x08\0", "compressed: decompress it, with gunzip"),
        ("t.rds", b"\x1f\x8b\x08\0", "compressed: decompress it, with gunzip"),
        ("t.pkl", b"\x80\x04", "save the linkage matrix with numpy.save"),
        ("t.txt", "structure(list(merge = 1))", "ape::write.tree"),
        ("t.json", '{"name": "root"}', "save the tree as Newick"),
        ("t.xml", "<?xml version='1.0'?>\n<phyloxml>", "Phylo.convert"),
        ("t.xml", "<?xml version='1.0'?>\n<nex:nexml>", "dendropy.TreeList.get"),
        ("t.xml", "<html>", "XML is not read as a tree"),
        ("t.nwk", "(a,b", "add '\\)'"),
        ("t.nwk", "(a,b);(c,d);", "there are 2 trees: choose one"),
        ("t.nwk", "(a,(b,a));", "two leaves are named 'a'"),
        ("t.nwk", b"(\xe9\0,b);", "is not UTF-8"),
        ("t.nwk", "", "no tree in the text"),
        ("t.csv", "", "the file is empty"),
        ("t.csv", "0,1,1,2\n2,3,NA,3", "line 2: 'NA' is not a number"),
        ("t.csv", "0,1,x,2\n2,3,1,3", "line 1: 'x' is not a number"),
        ("t.csv", "0,1,1,2\n2,3,nan,3", "line 2: 'nan' is not a number"),
        ("t.csv", "0,1,1,2\n2,3,1_0,3", "line 2: '1_0' is not a number"),
        ("t.csv", "0,1,1,2\n2,3,4", "line 2: 3 cells, but the first row has 4"),
        ("t.csv", '0,1,"1', "are the quotes closed"),
        ("t.csv", "1\n2", r"4 columns .* shape \(2, 1\)"),
        ("t.csv", "1,2,0.5\n3,4,1", "counted from 1, as in MATLAB"),
        ("t.csv", "1,2,0.5,2\n4,3,1,3", "counted from 1, as in MATLAB"),
        ("t.csv", "-1,-2\n-3,0", "0 is neither"),
        ("t.csv", "0,1,1,2\n4,2,2,3", "row 1 merges 4 and 2, but only"),
        ("t.csv", "0,1,1,2\n0,2,2,3", "cluster 0 is merged 2 times"),
        ("t.npy", b"", "the file is empty"),
        ("t.npy", b"not numpy's", "no array of numbers"),
        ("t.npy", np.array([["a", "b"]]), "and of numbers"),
        ("t.npy", np.zeros(3), r"shape \(3,\)"),
    ],
)
def test_invalid_trees_are_reported_in_one_line_with_the_file(name, content, reason, tmp_path):
    path = written(tmp_path, name, content)
    with pytest.raises(DataError, match=reason) as caught:
        read_tree(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files(tmp_path):
    for name in ("t.nwk", "t.csv", "t.npy"):
        with pytest.raises(DataError, match="cannot read"):
            read_tree(tmp_path / name)
    (tmp_path / "folder.nwk").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        read_tree(tmp_path / "folder.nwk")


def test_archives_are_refused_and_objects_are_not_loaded(tmp_path):
    np.savez(tmp_path / "z.npz", linkage(X))
    (tmp_path / "z.npz").rename(tmp_path / "z.npy")
    with pytest.raises(DataError, match="archive"):
        read_tree(tmp_path / "z.npy")
    np.save(tmp_path / "o.npy", np.array([[{}, 1]], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="no array of numbers"):
        read_tree(tmp_path / "o.npy")


@pytest.mark.parametrize("name", ["outtree", "tree.txt", "tree.dat", "tree.csv", "tree.TRE"])
def test_a_tree_is_recognised_by_its_content(name, tmp_path):
    path = written(tmp_path, name, "[of PHYLIP] ((ant:1,bee:1):1,\ncat:2);\n")
    tree = read_tree(path)
    assert tree.names == ("ant", "bee", "cat")
    assert tree.merge_height([0, 0], [1, 2]).tolist() == [2, 4]
    nexus = written(tmp_path, name, "#nexus\nbegin trees;\ntree one = (a,b);\nend;\n")
    assert read_tree(nexus).names == ("a", "b")


@pytest.mark.parametrize("name", ["Z", "Z.txt", "Z.dat", "Z.csv"])
@pytest.mark.parametrize("delimiter", [" ", "\t", ";"])
def test_a_linkage_matrix_is_read_with_any_suffix(name, delimiter, tmp_path):
    merges = linkage(np.random.default_rng(0).normal(size=(9, 2)), "average")
    np.savetxt(tmp_path / name, merges, delimiter=delimiter)
    if name == "Z.csv" and delimiter == " ":
        pytest.skip("a .csv file has no blanks between its cells")
    np.testing.assert_allclose(read_tree(tmp_path / name).to_linkage(), merges)
