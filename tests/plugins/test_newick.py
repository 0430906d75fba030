from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import (
    DataError,
    HcbenchError,
    HeightKind,
    InvalidTreeError,
    ModelWarning,
    NewickError,
    NewickWarning,
    Tree,
)
from hcbench_files.newick import quoted, read_newick
from hcbench_files.trees import read_tree
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
