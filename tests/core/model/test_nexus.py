"""Nexus files as other programs write them; DendroPy reads what it can, too."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st

from hcbench import DataError, Tree, read_tree
from hcbench.errors import NewickError
from tests.core.trees import leaf_sets

dendropy = pytest.importorskip("dendropy")


def nexus(*commands: str, block: str = "trees") -> str:
    return f"#NEXUS\nbegin {block};\n" + "\n".join(commands) + "\nend;\n"


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        # Keys and labels in quotes, and apostrophes.
        (["translate '1' Ann, '2' Bob;", "tree t = (1,2);"], ["Ann", "Bob"]),
        (["translate 'k 1' 'Ann B.', \"2\" 'Bob''s';", "tree t = ('k 1',2);"], ["Ann B.", "Bob's"]),
        (["translate 1 O'Brien, 2 d'Arc;", "tree t = (1,2);"], ["O'Brien", "d'Arc"]),
        (["translate 1 'it''s; (a)', 2 \"b,c\";", "tree t = (1,2);"], ["it's; (a)", "b,c"]),
        (['translate 1 "say ""hi""", 2 b;', "tree t = ('1',\"2\");"], ['say "hi"', "b"]),
        (["translate\n1\n  Ann\n,\n2 Bob\n,;", "tree\nt\n=\n(1\n,2)\n;"], ["Ann", "Bob"]),
        (["translate 1 gi|2:3, 2 b*;", "tree t = (1,2);"], ["gi|2:3", "b*"]),
        # Keywords in any case, and unrooted and default trees with any name.
        (["utree t = (a,b);"], ["a", "b"]),
        (["UTREE * 'my; tree' = [&U] (a,b);"], ["a", "b"]),
        (["Tree *t=[&R][&W 1/3](a,b);"], ["a", "b"]),
        (["tRaNsLaTe a x;", 'TREE "a=b" = (a,b);'], ["x", "b"]),
        # Comments: nested, in the places of BEAST's, with the marks of the format.
        (["[a [nested; (x,y)] 'comment]tree t = (a[it's]:1,b[&h={.1,2}]:[&r]1);"], ["a", "b"]),
        (["tree t = [&R] ((a[&height_95%_HPD={0,1}]:1,b:1)[&p=1]:.5,c:1.5);"], ["a", "b", "c"]),
        (["translate [key] 1 [label] Ann[!], 2 Bob;", "tree t [=] = (1,2);"], ["Ann", "Bob"]),
        (["tree t = ('a[1]',\"b[2]\");"], ["a[1]", "b[2]"]),
        # Labels are as they are written.
        (["tree t = (Homo_sapiens,'Pan paniscus');"], ["Homo_sapiens", "Pan paniscus"]),
        (["title 'x;y';", "link taxa = t;", "tree t = (1,2);"], ["1", "2"]),
    ],
)
def test_leaves_by_hand(commands, names, tmp_path):
    assert list(Tree.from_newick(nexus(*commands)).names) == names
    (tmp_path / "t.trees").write_text("\ufeff" + nexus(*commands))
    assert list(read_tree(tmp_path / "t.trees").names) == names


def test_numbers_of_taxa_are_their_names():
    taxa = nexus("dimensions ntax=3;", "TaxLabels Ann 'Bob B.' [no] \"C\";", block="taxa")
    for block, names in {
        nexus("tree t = ((3,1),2);"): ["C", "Ann", "Bob B."],
        nexus("translate x 3, y Ann;", "tree t = ((x,y),2);"): ["C", "Ann", "Bob B."],
        nexus("translate 1 'Bob B.';", "tree t = (1,3);"): ["Bob B.", "C"],
        nexus("tree t = (4,0);"): ["4", "0"],
    }.items():
        text = taxa + block.removeprefix("#NEXUS")
        assert list(Tree.from_newick(text).names) == names
    # A taxon that is named by a number is no other one.
    numbers = nexus("taxlabels 3 1 x;", block="TAXA") + "begin trees; tree t = (1,(3,x)); end;"
    assert Tree.from_newick(numbers).names == ("1", "3", "x")


def test_inner_labels_are_not_translated():
    text = nexus("translate 1 a, 2 b, 3 c;", "tree t = ((1,2)3,3)1;")
    assert Tree.from_newick(text).names == ("a", "b", "c")


def test_blocks_have_their_own_translations_and_their_trees_are_counted_together():
    first = nexus("translate 1 a, 2 b, 3 c;", "tree t = ((1,2),3);", "tree u = (1,(2,3));")
    second = nexus("translate 1 x, 2 y, 3 z;", "utree v = ((3,1),2);")
    third = nexus("tree w = ((1,3),2);")
    other = nexus("tree no = (7,8);", "matrix a'b ACGT[;] c 'x y';", block="mrbayes")
    text = first + other.removeprefix("#NEXUS") + second[7:] + third[7:]
    names = [Tree.from_newick(text, tree=number).names for number in (1, 2, 3, 4)]
    assert names == [tuple("abc"), tuple("abc"), tuple("zxy"), tuple("132")]
    with pytest.raises(NewickError, match=r"^there are 4 trees: choose one .* tree=1 to tree=4"):
        Tree.from_newick(text)
    for wrong in (0, -1, 5):
        with pytest.raises(NewickError, match=f"^tree={wrong}: there are 4 trees, counted from 1"):
            Tree.from_newick(text, tree=wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (nexus("tree t = (a,b)"), "line 4, .*a ';' is missing before this"),
        (nexus("tree t = (a,b)", "tree u = (b,a);"), "line 4, .*a ';' is missing"),
        (nexus("translate 1 a, 2 b", "tree t = (1,2);"), "line 4, .*';' is missing behind the tra"),
        ("#NEXUS\nbegin trees\ntree t = (a,b);\nend;", "line 3, .*';' is missing behind 'trees'"),
        ("#NEXUS\nbegin trees;\n\ntree t = (a,b)", "line 4, .*the ';' of the command 'tree'"),
        (nexus("translate 1 a\n 2 b;", "tree t = (1,2);"), "line 3, .*quotes around a label"),
        (nexus("translate 1 a, , 2 b;", "tree t = (1,2);"), "line 3, .*is a key and a label"),
        (nexus("translate 1 a, 1 b;", "tree t = (1,2);"), "line 3, .*'1' is translated twice"),
        (nexus("tree t (a,b);"), "line 3, .*the '=' is missing"),
        (nexus("", "tree t = (a,'b);"), "line 4, .*quoted label is not closed"),
        (nexus("tree t = (a,[b);"), "line 3, .*comment is not closed"),
        (nexus("tree t = (a,(b);"), "line 3, .*add '\\)'"),
        (nexus("tree t = (a b,c);"), "line 3, .*was expected here"),
        (nexus("tree t = ;"), "line 3, .*there is no tree"),
        (nexus("title x;"), "there is no tree in the Nexus text"),
        ("#NEXUS", "there is no tree in the Nexus text"),
    ],
)
def test_mistakes_are_one_line_with_the_number_of_the_line(text, message, tmp_path):
    path = tmp_path / "t.nex"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_tree(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    path.write_bytes(text.replace("\n", "\r\n").encode())
    with pytest.raises(DataError, match=message):
        read_tree(path)


def test_a_run_that_goes_on_has_no_end_yet():
    text = nexus("tree a = (x,y);", "tree b = (x,y);").removesuffix("end;\n")
    assert Tree.from_newick(text, tree=2).names == ("x", "y")


# ---- Against DendroPy ----------------------------------------------------------------------------

WORDS = st.text("abcXYZ019_.-é", min_size=1, max_size=4)
LABELS = st.text("ab XY1_'\"[](),:;=*é", min_size=1, max_size=5).map(str.strip).filter(bool)
# DendroPy needs a blank between a comment and a quote.
GAPS = st.sampled_from([" ", "\n", "\t ", " [c] ", "[a [b] c] ", " [&x={1,2}] ", "[it's]\n"])


def in_quotes(label: str) -> str:
    return "'" + label.replace("'", "''") + "'"


def as_written(label: str) -> str:
    """In quotes unless it is a plain word."""
    return label if re.fullmatch(r"[\wé.-]+", label) else in_quotes(label)


def any_case(draw: st.DrawFn, word: str) -> str:
    return draw(st.sampled_from([word, word.upper(), word.title()]))


@st.composite
def files(draw: st.DrawFn) -> str:
    """Nexus files with taxa, translations and several trees, with comments in between."""
    labels = WORDS | LABELS
    n = draw(st.integers(2, 5))
    taxa = draw(st.lists(labels, min_size=n, max_size=n))
    # A number would name another taxon.
    taxa = [f"t{taxon}" if taxon.isdecimal() else taxon for taxon in taxa]
    taxa = [f"{taxon}{i}" for i, taxon in enumerate(taxa)]

    def gap() -> str:
        return draw(GAPS)

    text = "#NEXUS\n"
    has_taxa = draw(st.booleans())
    if has_taxa:
        listed = gap().join(f" {as_written(taxon)} " for taxon in taxa)
        text += f"{any_case(draw, 'begin')} taxa;{gap()}dimensions ntax={n};\n"
        text += f"{any_case(draw, 'taxlabels')}{gap()} {listed};\nend;\n"
    text += f"begin{gap()} {any_case(draw, 'trees')} ;\n"
    tokens = [as_written(taxon) for taxon in taxa]
    if draw(st.booleans()):
        keys = (
            [f"k{i}" for i in range(n)] if draw(st.booleans()) else list(map(str, range(1, n + 1)))
        )
        pairs = [f"{key}{gap()} {token}" for key, token in zip(keys, tokens, strict=True)]
        text += f"{any_case(draw, 'translate')} {gap()}{','.join(pairs)};\n"
        tokens = [in_quotes(key) if draw(st.booleans()) else key for key in keys]
    elif has_taxa and draw(st.booleans()):
        tokens = list(map(str, range(1, n + 1)))
    for number in range(draw(st.integers(1, 3))):
        parts = list(draw(st.permutations(tokens)))
        while len(parts) > 1:
            size = draw(st.integers(2, len(parts)))
            inside = f",{gap()}".join(f"{part}:{draw(st.integers(0, 9))}" for part in parts[:size])
            parts = [f"({inside}{gap()})", *parts[size:]]
        star = draw(st.sampled_from(["", "* "]))
        name = draw(st.sampled_from([f"t{number}", f"'t {number}'"]))
        rooting = draw(st.sampled_from(["", "[&R] ", "[&U]", "[&W 1/2] "]))
        text += f"{any_case(draw, 'tree')} {star}{name}{gap()}={gap()}{rooting}{parts[0]};\n"
    return text + any_case(draw, "end") + ";\n"


def names_of_clusters(tree: Tree) -> set[frozenset[str]]:
    assert tree.names is not None
    clusters = set()
    for leaves in leaf_sets(tree):
        clusters.add(frozenset(tree.names[leaf] for leaf in leaves))
    return clusters


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:branch lengths are ignored")
@settings(max_examples=100, deadline=None)
@given(files())
def test_trees_are_those_of_dendropy(text):
    expected = dendropy.TreeList.get(
        data=text, schema="nexus", preserve_underscores=True, rooting="force-rooted"
    )
    for number, tree in enumerate(expected, start=1):
        clusters = set()
        for node in tree.preorder_node_iter():
            clusters.add(frozenset(leaf.taxon.label for leaf in node.leaf_iter()))
        assert names_of_clusters(Tree.from_newick(text, tree=number)) == clusters
    with pytest.raises(NewickError, match=f"there (is|are) {len(expected)} tree"):
        Tree.from_newick(text, tree=len(expected) + 1)


def test_a_name_with_blanks_without_quotes_is_read_as_ape_writes_it():
    tree = Tree.from_newick(nexus("translate 1 Dr. Hen's, 2 b;", "tree t = (1,2);"))
    assert tree.names == ("Dr. Hen's", "b")


TREES = nexus("tree one = ((a,b),c);", "tree my_second = (a,(b,c));", "tree x = (b,(a,c));")


@pytest.mark.parametrize(("name", "pair"), [("one", "ab"), ("my second", "bc"), ("x", "ac")])
def test_a_tree_is_chosen_by_its_name(name, pair):
    tree = Tree.from_newick(TREES, tree=name)
    first, second = (tree.names.index(letter) for letter in pair)
    assert tree.parent[first] == tree.parent[second]


def test_a_tree_that_is_not_there_is_suggested():
    with pytest.raises(NewickError, match="tree='onne': no tree has this name; did you mean one"):
        Tree.from_newick(TREES, tree="onne")
    with pytest.raises(NewickError, match=r"or by its name \(one, my_second, x\)"):
        Tree.from_newick(TREES)
    with pytest.raises(NewickError, match="have no names; write a number, such as tree=1"):
        Tree.from_newick("(a,b);(a,c);", tree="one")


@pytest.mark.parametrize(
    ("block", "way_out"),
    [("distances", "distance=true"), ("characters", "dist.dna"), ("data", "dist.dna")],
)
def test_a_text_without_trees_says_what_it_has(block, way_out):
    with pytest.raises(NewickError, match=f"no tree, but {block.upper()}.*{way_out}"):
        Tree.from_newick(f"#NEXUS\nbegin {block};\nmatrix a 1 b 2;\nend;\n")
