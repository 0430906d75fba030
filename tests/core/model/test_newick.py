from __future__ import annotations

import re
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from hcbench import DataError, HcbenchError, HeightKind, ModelWarning, Tree
from hcbench.errors import InvalidTreeError, NewickError, NewickWarning
from hcbench.files.trees import read_tree
from hcbench.model.newick.text import quoted, read_newick, write_newick
from tests.core.trees import caterpillar, trees


def test_reads_topology_labels_and_heights():
    tree = Tree.from_newick("((a:1,b:1):2,c:3);")
    assert tree == Tree(
        [3, 3, 4, 4, -1], [0, 0, 0, 2, 6], HeightKind.DISTANCE, names=["a", "b", "c"]
    )


def test_leaves_are_numbered_as_they_appear_and_parents_after_children():
    nodes = read_newick("(a,((b,c),d)x,e)y")
    assert nodes.labels == ("a", "b", "c", "d", "e")
    assert nodes.parent.tolist() == [7, 5, 5, 6, 7, 6, 7, -1]


def test_blanks_comments_and_quotes() -> None:
    for text in [
        "(a b,'it''s',_c);",
        " ( a b [one ( comment] , [two] 'it''s' , _c ) root [three] ;\n",
        "[&R]\n(a b,\n\t'it''s'[;'],_c)",
        "('a b',\"it's\",_c);".replace('"', ""),
    ]:
        assert read_newick(text).labels == ("a b", "it's", "_c")


def test_labels_may_hold_any_character():
    assert read_newick("('(,;[:]''',ä€\U0001f333,'')").labels == ("(,;[:]'", "ä€\U0001f333", "")


def test_a_quote_inside_a_label_is_an_ordinary_character():
    assert read_newick("(O'Neil,b'');").labels == ("O'Neil", "b''")


def test_a_single_leaf_is_a_tree():
    assert Tree.from_newick("a;") == Tree([-1], names=["a"])
    assert Tree.from_newick("(a);") == Tree([-1], names=["a"])


def test_leaves_without_labels_give_a_tree_without_names():
    assert Tree.from_newick("((,),);") == Tree([3, 3, 4, 4, -1])


def test_nodes_with_one_child_are_removed():
    tree = Tree.from_newick("((((a:1):1,b:2):3):1);")
    assert tree == Tree.from_newick("(a:2,b:2);")


def test_branch_lengths_in_scientific_notation_and_rounded_ones_are_heights():
    tree = Tree.from_newick("((a:1e-1,b:.1):0.2,c:0.3000001);")
    assert tree.height == pytest.approx([0, 0, 0, 0.2, 0.6], abs=1e-6)
    assert (tree.height[:3] == 0).all()


def test_lengths_that_are_not_heights_are_ignored_with_a_warning() -> None:
    for text, reason in [
        ("((a:1,b:1):2,c:1);", "not on one level"),
        ("((a:1,b:1):2,c);", "some are missing"),
        ("((a:1,b:1),c:3);", "some are missing"),
        ("(a:inf,b:inf);", "not on one level"),
        ("(a:1e308,b:1e308);", "too large"),
    ]:
        with pytest.warns(NewickWarning, match=reason) as caught:
            tree = Tree.from_newick(text)
        assert tree.kind is HeightKind.NONE
        assert tree.isomorphic(Tree.from_newick(re.sub(r":[\w.]+", "", text)))
        assert caught[0].filename == __file__


def test_the_branch_length_of_the_root_is_ignored() -> None:
    for text in ["(a,b)", "a", "(a:1,b:1)"]:
        assert Tree.from_newick(f"{text}:3;") == Tree.from_newick(f"{text};")


def test_names_fix_the_order_of_the_leaves():
    tree = Tree.from_newick("((b:1,c:1):1,a:2);", names=["a", "b", "c"])
    assert tree.names == ("a", "b", "c")
    assert tree.lca([1, 0], [2, 1]).tolist() == [3, 4]


def test_names_that_are_not_the_labels_are_refused() -> None:
    for names, message in [
        (["a", "b"], "'c' is not among the items of the list"),
        (["a", "b", "x"], "'x' is missing, and 'c' is not among the items of the list"),
        (["a", "b", "c", "u", "v", "w", "x"], "'u', 'v', 'w' and 1 more are missing"),
        (["a", "a", "b", "c"], "2 items are named 'a'"),
    ]:
        with pytest.raises(DataError, match=message):
            Tree.from_newick("((b,c),a);", names=names)


def test_names_for_leaves_without_labels_are_refused():
    with pytest.raises(DataError, match="named 'a', 'b', and those of the tree have no names"):
        Tree.from_newick("(,);", names=["a", "b"])


def test_invalid_newick_is_refused_with_its_position() -> None:
    for text, message in [
        ("", "character 0, .* there is no tree"),
        (" ;", "there is no tree"),
        ("((a,b);", r"character 6, near '\(\(a,b\);': the text ends inside a parenthesis"),
        ("((a,b)", "character 6, .* the text ends inside a parenthesis"),
        ("(a,b));", "character 5, .* outside of all parentheses"),
        ("a,b;", "character 1, .* outside of all parentheses"),
        ("(a(b,c));", r"character 2, .* a ',' or '\)' was expected"),
        ("((a,b)(c,d));", "character 6, .* was expected"),
        ("('a'b,c);", "character 4, .* was expected"),
        ("(ä[c]b,c);", "character 5, .* was expected"),
        ("(a:1:2,b);", "character 4, .* second branch length"),
        ("(a:1,b:x2);", "character 7, .* not a number"),
        ("(a:nan,b:1);", "character 3, .* not a number"),
        ("(a,'b);", "character 3, .* quoted label is not closed"),
        ("(a,[b);", "character 3, .* comment is not closed"),
        ("(a,);", "1 of 2 leaves have no label"),
    ]:
        with pytest.raises(NewickError, match=message):
            read_newick(text)


def test_two_leaves_with_one_label_are_refused():
    with pytest.raises(InvalidTreeError, match="two leaves are named 'a'"):
        Tree.from_newick("((a,b),a);")


def test_writes_lengths_names_and_quotes():
    tree = Tree(
        [3, 3, 4, 4, -1], [0, 0, 0, 1, 3.5], HeightKind.DISTANCE, names=["a", "it's", "x y"]
    )
    assert tree.to_newick() == "('x y':1.75,(a:0.5,'it''s':0.5):1.25);"
    assert tree.to_newick(lengths=False) == "('x y',(a,'it''s'));"
    assert Tree([3, 3, 4, 4, -1]).to_newick() == "(2,(0,1));"
    assert Tree([-1]).to_newick() == "0;"


def test_lengths_of_affinities_are_halves_of_the_differences_from_the_leaves_up():
    tree = Tree([2, 2, -1], [5.0, 4.0, 1.0], HeightKind.AFFINITY)
    assert tree.to_newick() == "(0:2,1:1.5);"


def test_infinite_heights_have_no_lengths():
    tree = Tree([2, 2, -1], [0, 0, np.inf], HeightKind.DISTANCE)
    with pytest.raises(InvalidTreeError, match="lengths=False"):
        tree.to_newick()
    assert tree.to_newick(lengths=False) == "(0,1);"


def test_labels_are_quoted_where_they_must_be() -> None:
    for label, written in [
        ("a_b", "a_b"),
        ("", "''"),
        ("'", "''''"),
        ("a:b", "'a:b'"),
        ("a\tb", "'a\tb'"),
        ('"d"', "'\"d\"'"),
        ("a=b", "'a=b'"),
        ("a\\b", "'a\\b'"),
        ("#nexus", "'#nexus'"),
        ("ä", "ä"),
    ]:
        assert quoted(label) == written


@given(trees(kind=HeightKind.DISTANCE), st.data())
def test_what_is_written_is_read_again(tree, data):
    names = data.draw(st.lists(st.text(max_size=4), min_size=tree.n, max_size=tree.n, unique=True))
    named = Tree(tree.parent, tree.height, tree.kind, names)
    again = Tree.from_newick(named.to_newick(), names=names)
    assert again.isomorphic(named)
    if tree.n > 1:
        i, j = np.triu_indices(tree.n)
        assert again.merge_height(i, j).tolist() == named.merge_height(i, j).tolist()


NAMES_OF_ALL_KINDS = st.text(max_size=6) | st.text(
    "ab'\"[](){},:;=_# \n\r\t\u2028\ufeff", max_size=6
)


@given(trees(kind=HeightKind.NONE, max_leaves=6), st.data())
def test_every_name_is_read_as_it_was_written(tree, data):
    names = data.draw(st.lists(NAMES_OF_ALL_KINDS, min_size=tree.n, max_size=tree.n, unique=True))
    named = Tree(tree.parent, names=names)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.nwk"
        path.write_bytes(named.to_newick().encode())
        again = read_tree(path)
    assert sorted(again.names) == sorted(names)
    assert again.in_order_of(names).isomorphic(named)


def test_quotes_are_part_of_a_name_that_has_them() -> None:
    names = ['"d"', "'d'", "d", '"', "#nexus", "\ufeffd", "a\nb", "(a:1)"]
    tree = Tree([8] * 8 + [-1], names=names)
    assert Tree.from_newick(tree.to_newick()).names == tuple(names)
    for name in names:
        single = Tree([-1], names=[name])
        assert Tree.from_newick(single.to_newick()) == single


@given(
    st.lists(
        # DendroPy takes a label of one mark for the mark, in quotes as well.
        st.text("abXY'\"[](){},:;=_#*&é+-/\\ ", min_size=2, max_size=5).filter(
            lambda x: x.strip() == x
        ),
        min_size=2,
        max_size=4,
        unique_by=str.casefold,
    )
)
def test_other_programs_read_the_names_that_are_written(names):
    tree = Tree([len(names)] * len(names) + [-1], names=names)
    dendropy = pytest.importorskip("dendropy")
    read = dendropy.Tree.get(data=tree.to_newick(), schema="newick", preserve_underscores=True)
    assert [leaf.taxon.label for leaf in read.leaf_node_iter()] == names


HEIGHTS = st.floats(0, 1e300) | st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.1 + 0.2, 5e-324, 1e-17, 1.0])


@given(trees(min_leaves=2), st.data())
def test_heights_are_read_exactly_as_they_were_written(tree, data):
    """Ties are still ties, what differs still differs, and inversions stay."""
    n_inner = tree.n_nodes - tree.n
    inner = data.draw(st.lists(HEIGHTS, min_size=n_inner, max_size=n_inner))
    names = [str(leaf) for leaf in range(tree.n)]
    written = Tree(tree.parent, [0.0] * tree.n + inner, HeightKind.DISTANCE, names)
    again = Tree.from_newick(written.to_newick(), names)
    i, j = np.triu_indices(tree.n, 1)
    assert again.merge_height(i, j).tolist() == written.merge_height(i, j).tolist()


def test_the_heights_of_affinities_are_read_as_distances():
    tree = Tree([3, 3, 4, 4, -1], [1.0, 1.0, 1.0, 0.7, 0.1], HeightKind.AFFINITY, names=list("abc"))
    again = Tree.from_newick(tree.to_newick(), names=list("abc"))
    assert again.merge_height([0, 0], [1, 2]).tolist() == [0.3, 0.9]


def test_an_inversion_has_a_negative_length():
    tree = Tree([3, 3, 4, 4, -1], [0, 0, 0, 2.0, 1.5], HeightKind.DISTANCE, names=list("abc"))
    assert tree.to_newick() == "(c:0.75,(a:1,b:1):-0.25);"
    assert Tree.from_newick(tree.to_newick(), names=list("abc")) == tree


def test_other_programs_read_the_distances_of_merges_as_lengths_of_paths():
    points = np.random.default_rng(0).normal(size=(30, 3))
    Z = linkage(points, "average")
    tree = Tree.from_linkage(Z, names=[f"x{i}" for i in range(30)])
    read = pytest.importorskip("dendropy").Tree.get(data=tree.to_newick(), schema="newick")
    distances = read.phylogenetic_distance_matrix()
    expected = squareform(cophenet(Z))
    taxa = {taxon.label: taxon for taxon in read.taxon_namespace}
    for i, j in [(0, 1), (3, 17), (29, 4), (12, 13)]:
        assert distances(taxa[f"x{i}"], taxa[f"x{j}"]) == pytest.approx(expected[i, j])


def test_lengths_sum_to_half_of_the_distance_or_to_the_whole() -> None:
    text = "((a:1,b:1):2,c:3);"
    for heights, expected in [(None, [2, 6]), ("half", [2, 6]), ("whole", [1, 3])]:
        tree = Tree.from_newick(text, heights=heights)
        assert tree.height.tolist()[3:] == expected
    with pytest.raises(InvalidTreeError, match=r"heights='full': write half, .* or whole"):
        Tree.from_newick(text, heights="full")


def test_one_of_several_trees_is_chosen_by_its_number() -> None:
    text = "[one; comment](a,b);\n('c;d',(e,f[;]));;\n  g"
    names = [Tree.from_newick(text, tree=number).names for number in (1, 2, 3)]
    assert names == [("a", "b"), ("c;d", "e", "f"), ("g",)]
    with pytest.raises(NewickError, match=r"^there are 3 trees: choose one .*tree=1 to tree=3"):
        Tree.from_newick(text)
    for wrong in (0, 4, -1):
        with pytest.raises(NewickError, match=f"tree={wrong}: there are 3 trees, counted from 1"):
            Tree.from_newick(text, tree=wrong)
    with pytest.raises(NewickError, match="tree=2: there is 1 tree"):
        Tree.from_newick("(a,b);", tree=2)
    with pytest.raises(NewickError, match="the trees have no names; write a number"):
        Tree.from_newick(text, tree="1")
    for wrong in (1.0, True):
        with pytest.raises(NewickError, match="give the number of the tree"):
            Tree.from_newick(text, tree=wrong)


# ---- Rounded lengths -----------------------------------------------------------------------------


def rounded_newick(tree: Tree, form: str) -> str:
    """Newick with branch lengths as other programs round them."""
    lengths = [format(x, form) for x in (tree.height[tree.parent] - tree.height) / 2]
    return write_newick(tree.leaf_range, map(str, range(tree.n)), lengths)


@pytest.mark.parametrize("method", ["average", "complete", "single", "ward"])
@pytest.mark.parametrize(
    ("form", "error"),
    [(".5f", 1e-4), (".3f", 1e-2), (".2f", 0.1), (".6g", 1e-4), (".3g", 0.1), (".4e", 1e-3)],
)
def test_rounded_lengths_are_heights_up_to_the_digits_that_are_written(method, form, error):
    points = np.random.default_rng(1).normal(size=(60, 4))
    tree = Tree.from_linkage(linkage(points, method))
    again = Tree.from_newick(rounded_newick(tree, form), [str(i) for i in range(60)])
    assert again.kind is HeightKind.DISTANCE
    i, j = np.triu_indices(60, 1)
    assert again.merge_height(i, j) == pytest.approx(tree.merge_height(i, j), abs=error)
    # No parent is below its child.
    assert (again.height[again.parent[:-1]] >= again.height[:-1]).all()
    # The lengths of these heights are the lengths that were written, to within half a unit of the
    # last digit (and rounding of doubles).
    if form.endswith("f"):
        unit = 10.0 ** -int(form[1:-1])
        written = (again.height[again.parent] - again.height) / 2
        original = {frozenset(again.leaves(v)): written[v] for v in range(again.n_nodes - 1)}
        for v in range(tree.n_nodes - 1):
            exact = float(format((tree.height[tree.parent[v]] - tree.height[v]) / 2, form))
            key = frozenset(tree.leaves(v))
            assert abs(original[key] - exact) <= unit / 2 + 1e-5


def test_whole_numbers_and_one_decimal_are_heights_if_they_are_exact_or_fine_enough() -> None:
    for text, heights in [
        ("((a:1,b:1):2,c:3);", [2, 6]),
        ("((a:0.1,b:0.1):0.2,c:0.3);", [0.2, 0.6]),
        # No tree has exactly 10.2 and 29.8, whose difference 9.8 is written as 9.7: 10.3 and 29.8.
        ("((a:5.1,b:5.1):9.7,c:14.9);", [10.3, 29.8]),
        ("((a:510,b:510):970,c:1481);", [1021, 2962]),
        ("((a:1e2,b:100):5e1,c:1.5e2);", [200, 300]),
    ]:
        assert Tree.from_newick(text).height.tolist()[3:] == pytest.approx(heights, abs=1e-9)


def test_trees_that_are_not_ultrametric_have_no_heights_whatever_their_digits() -> None:
    for text in [
        "((a:1,b:1):1,c:1);",
        "((a:1,b:2):1,c:3);",
        "((a:0.1,b:0.2):0.1,c:0.3);",
        "((a:0.1,b:0.1):0.1,c:0.3);",
        "((a:5.1,b:5.2):9.7,c:14.8);",
        "((a:5.1,b:5.1):9.7,c:15.1);",
        "((a:510,b:510):970,c:1485);",
        "((a:0.12345,b:0.12346):0.10000,c:0.22345);",
        "((a:1.0,b:1.0):1.0,(c:1.0,(d:1.0,e:1.0):1.0):1.0);",
    ]:
        with pytest.warns(NewickWarning, match="not on one level, but between"):
            assert Tree.from_newick(text).kind is HeightKind.NONE


@given(trees(min_leaves=6, max_leaves=12, binary=True, kind=HeightKind.NONE), st.integers(0, 999))
def test_random_lengths_are_not_heights(tree, seed):
    lengths = np.random.default_rng(seed).uniform(0.1, 1.0, tree.n_nodes)
    for form in (".1f", ".3f", ".4e", ".17g"):
        text = write_newick(
            tree.leaf_range, map(str, range(tree.n)), [format(x, form) for x in lengths]
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewickWarning)
            kind = Tree.from_newick(text).kind
        # With one digit, few leaves may be on one level by chance.
        assert kind is HeightKind.NONE or form == ".1f"


def test_negative_heights_are_no_heights():
    with pytest.warns(NewickWarning, match="height -1; distances are not negative"):
        assert Tree.from_newick("(a:-1,b:-1);").kind is HeightKind.NONE


def test_heights_that_tie_in_a_file_of_another_program_are_tied():
    # 0.1 + 0.2 and 0.3, and doubles that another program subtracted.
    text = "(((a:0.1,b:0.1):0.2,c:0.3):0.7,((d:0.1,e:0.1):0.19999999999999998,f:0.3):0.7);"
    tree = Tree.from_newick(text)
    assert len(set(tree.height.tolist())) == 4  # 0, 0.2, 0.6 and 2


def test_lengths_that_python_reads_as_numbers_are_not_always_numbers() -> None:
    for length in ("1_0", "0x1A", "\u0661", "--1", "1e"):
        with pytest.raises(NewickError):
            Tree.from_newick(f"(a:{length},b:{length});")


def test_a_text_may_begin_with_a_byte_order_mark():
    assert Tree.from_newick("\ufeff(a,b);").names == ("a", "b")
    assert Tree.from_newick("\ufeff#NEXUS begin trees; tree t = (a,b); end;").names == ("a", "b")


@given(trees(kind=HeightKind.NONE))
def test_the_topology_is_read_again(tree):
    again = Tree.from_newick(tree.to_newick(), names=[str(i) for i in range(tree.n)])
    assert again.isomorphic(tree)


@pytest.mark.slow
def test_a_deep_tree_breaks_no_recursion_limit():
    tree = caterpillar(100_000)
    again = Tree.from_newick(tree.to_newick(), names=[str(i) for i in range(tree.n)])
    assert again.isomorphic(tree)
    assert np.array_equal(np.sort(again.height), np.sort(tree.height))


def test_underscores_match_names_with_blanks():
    with pytest.warns(ModelWarning, match="blanks for underscores"):
        tree = Tree.from_newick("((Homo_sapiens,Pan_paniscus),'Mus musculus');", names=APES)
    assert tree.names == tuple(APES)
    assert tree.lca(0, 1) == 3
    with pytest.raises(HcbenchError, match="'Mus_mus' is not among"):
        Tree.from_newick("((Homo_sapiens,Pan_paniscus),Mus_mus);", names=APES)


def test_labels_that_scikit_bio_writes_match_their_names():
    skbio = pytest.importorskip("skbio")
    names = ["it em's", "x_1", "q[2]", "d'Or"]
    linkage = np.array([[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 3, 4]], dtype=float)
    text = str(skbio.TreeNode.from_linkage_matrix(linkage, names))
    with pytest.warns(ModelWarning, match="blanks for underscores"):
        tree = Tree.from_newick(text, names=names)
    assert tree.isomorphic(Tree.from_linkage(linkage))


APES = ["Homo sapiens", "Pan paniscus", "Mus musculus"]
NEXUS = """#NEXUS
begin taxa; dimensions ntax=3; end;
BEGIN TREES;
    Translate
        1 'Homo sapiens',
        2 'O''Hara; sp.',
        3 Mus_musculus;
    tree one [&U] = [&R] ((1:1,2:1)inner:1,3:2);
    tree two = (1,(2,3));
END;
"""


def test_a_tree_of_a_nexus_file(tmp_path):
    tree = Tree.from_newick(NEXUS, tree=1)
    (tmp_path / "a.nex").write_text(NEXUS)
    assert read_tree(tmp_path / "a.nex", tree=1) == tree
    assert tree.names == ("Homo sapiens", "O'Hara; sp.", "Mus_musculus")
    assert tree.lca(0, 1) == 3
    assert tree.merge_height([0, 0], [1, 2]).tolist() == [2, 4]
    untranslated = NEXUS[: NEXUS.index("Translate")] + NEXUS[NEXUS.index("tree one") :]
    assert Tree.from_newick(untranslated, tree=1).names == ("1", "2", "3")
    commented = NEXUS.replace("#NEXUS", "#NEXUS\n[no tree x = (7,8);]").replace(
        "((1:1,", "((1[&r=1]:1,"
    )
    assert Tree.from_newick(commented, tree=1) == tree
    with pytest.raises(HcbenchError, match="no tree in the Nexus text"):
        Tree.from_newick("#NEXUS begin trees; end;")


def test_quotes_may_be_double():
    assert Tree.from_newick('(("Homo sapiens",b),"O\'Hara");').names == (
        "Homo sapiens",
        "b",
        "O'Hara",
    )
    with pytest.raises(NewickError, match="not closed"):
        Tree.from_newick('("a,b);')


def test_only_names_that_differ_in_more_than_blanks_are_told():
    message = "'Homo erectus' is missing, and 'Pan_paniscus' is not among"
    with pytest.raises(DataError, match=message):
        Tree.from_newick(
            "(Homo_sapiens,(Pan_paniscus,Mus));", names=["Homo sapiens", "Homo erectus", "Mus"]
        )


def test_labels_that_are_equal_with_blanks_are_two_items():
    with pytest.raises(DataError, match="'a_b' is not among"):
        Tree.from_newick("('a b',(a_b,c));", names=["a b", "c"])
