"""Comparisons in files: round trips, and errors with their line."""

import numpy as np
import pytest

from hcbench import Comparisons, DataError, ModelWarning, read_comparisons, write_comparisons
from hcbench.errors import InvalidComparisonsError

ROWS = [[0, 1, 2, 3], [0, 2, 1, 3], [0, 1, 0, 2]]


def text(tmp_path, content: str, name: str = "c.csv"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["c.csv", "c.npz"])
@pytest.mark.parametrize("annotator", [None, [3, 0, 3]])
def test_what_is_written_is_read(tmp_path, name, annotator):
    comparisons = Comparisons.from_quadruplets(7, ROWS, annotator=annotator)
    write_comparisons(comparisons, tmp_path / name)
    assert read_comparisons(tmp_path / name) == comparisons  # n = 7, though 4..6 are in no row


@pytest.mark.parametrize("name", ["c.csv", "c.npz"])
def test_triplets_are_written_as_cblearn_has_them(tmp_path, name):
    rows = [[3, 1, 0], [0, 2, 1]]
    comparisons = Comparisons.from_triplets(4, rows)
    write_comparisons(comparisons, str(tmp_path / name), triplets=True)
    assert read_comparisons(tmp_path / name) == comparisons
    if name == "c.csv":
        assert (tmp_path / name).read_text() == "# n = 4\ni,j,k\n3,1,0\n0,2,1\n"
    else:
        assert np.load(tmp_path / name)["triplets"].tolist() == rows
    with pytest.raises(InvalidComparisonsError, match=r"row 0 .* share no item"):
        write_comparisons(Comparisons.from_quadruplets(4, ROWS), tmp_path / name, triplets=True)


@pytest.mark.parametrize("name", ["c.csv", "c.npz"])
def test_the_empty_set_is_written_and_read(tmp_path, name):
    write_comparisons(Comparisons(3, [], []), tmp_path / name)
    assert read_comparisons(tmp_path / name) == Comparisons(3, [], [])


@pytest.mark.parametrize(
    "content",
    [
        "0,1,2,3\n0,2,1,3\n0,1,0,2\n",
        "\ufeff0,1,2,3\n0,2,1,3\n0,1,0,2",
        "# a survey\n\nI, J, K, L\n0, 1, 2, 3\n\n0,2,1,3 # sure\n0,1,0,2\n",
        "i,j,k,l,response\n0,1,2,3,1\n1,3,0,2,-1\n0,1,0,2,1\n0,1,1,2,0\n",
        "k,l,i,j\n2,3,0,1\n1,3,0,2\n0,2,0,1\n",
    ],
)
@pytest.mark.filterwarnings("ignore:1 of 4 comparisons are ties")
def test_ways_to_write_a_table(tmp_path, content):
    assert read_comparisons(text(tmp_path, content)) == Comparisons.from_quadruplets(4, ROWS)


def test_annotators_by_number_and_by_name(tmp_path):
    numbered = read_comparisons(text(tmp_path, "0,1,2,3,4\n0,1,2,4,0\n"))
    assert numbered.annotator.tolist() == [4, 0]
    named = read_comparisons(text(tmp_path, "i,j,k,annotator\n0,1,2,Zoe\n0,2,3,Ann\n1,0,2,Zoe\n"))
    assert named.annotator.tolist() == [1, 0, 1]
    assert named.triplets().tolist() == [[0, 1, 2], [0, 2, 3], [1, 0, 2]]
    assert named.n == 4


@pytest.mark.parametrize(
    "rows",
    [
        "anchor,left,right,choice\nant,bee,cat,left\ncat,ant,bee,right\n",
        "ref,a,b,answer\nant,bee,cat,a\ncat,ant,bee,b\n",
        "anchor,left,right,selected\nant,bee,cat,bee\ncat,ant,bee,bee\n",
        "i,j,k,response\nant,bee,cat,1\ncat,ant,bee,-1\n",
    ],
)
def test_a_response_names_the_nearer_item_or_its_column(tmp_path, rows):
    comparisons = read_comparisons(text(tmp_path, rows))
    # ant is nearer to bee than to cat, and cat to bee than to ant.
    assert comparisons.triplets().tolist() == [[0, 1, 2], [2, 1, 0]]


def test_ties_are_omitted_with_a_note_of_their_number(tmp_path):
    path = text(tmp_path, "anchor,left,right,choice\na,b,c,left\nb,a,c,tie\nc,a,b,right\n")
    with pytest.warns(ModelWarning, match="1 of 3 comparisons are ties"):
        assert read_comparisons(path).triplets().tolist() == [[0, 1, 2], [2, 1, 0]]


@pytest.mark.parametrize("name", ["c.csv", "c.npz"])
def test_responses_of_1_and_0_are_asked_about(tmp_path, name):
    """0 may mean that the last item is nearer; as "no answer" the row would be lost."""
    path = text(tmp_path, "i,j,k,response\n0,1,2,1\n1,0,2,0\n")
    if name == "c.npz":
        path = tmp_path / name
        np.savez(path, triplets=[[0, 1, 2], [1, 0, 2]], responses=[1, 0])
    with pytest.raises(InvalidComparisonsError, match=r"1 responses are 0 .*; write -1 where"):
        read_comparisons(path)


def test_a_response_that_names_neither_item_is_an_error_with_its_line(tmp_path):
    path = text(tmp_path, "anchor,left,right,choice\na,b,c,left\nb,a,c,x\n")
    with pytest.raises(InvalidComparisonsError, match=r"line 3: the response is 'x'; write"):
        read_comparisons(path)


def test_the_number_of_items_is_given_noted_or_the_largest(tmp_path):
    assert read_comparisons(text(tmp_path, "0,1,2\n")).n == 3
    assert read_comparisons(text(tmp_path, "# n = 9\n0,1,2\n")).n == 9
    assert read_comparisons(text(tmp_path, "# n = 9\n0,1,2\n"), n=5).n == 5
    for blank in ("", "\n", "i,j,k\n", "i,j,k\n \n\n"):
        assert read_comparisons(text(tmp_path, blank)).n == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0,1,2\n0,1\n", "line 2 has 2 columns, not the 3 of i, j, k"),
        ("0,1\n", "line 1 has 2 columns; write i,j,k or i,j,k,l"),
        ("i,j,k,l\n0,1,2,3\n\n0,1,x,3\n", "line 4: k is 'x', not a whole number"),
        ("0,1,2,3\n0,1,2.5,3\n", "line 2: k is '2.5', not a whole number"),
        ("# n = 3\n0,1,2\n# pause\n0,1,3\n", r"line 4 \[0, 1, 3\]: items must be in 0\.\.2"),
        ("i,j,k\n0,1,2\n0,1,1\n", "line 3 .*: a pair is compared with itself"),
        ("i,j,k\na,b,c\nb,b,c\n", "line 3 b, b, c: an item is paired .*; correct or remove"),
        ("i,j,k\na,b,c\nb,,c\n", "line 3: there is no item j; write it, or remove the line"),
        ("0,1,2,2\n", "line 1 .*: an item is paired with itself"),
        ("i,j,k,m\n0,1,2,3\n", "line 1: column 'm' is unknown"),
        ("i,j,j\n0,1,2\n", "line 1: column 'j' is .* there twice"),
        ("i,j,l\n0,1,2\n", "line 1: there is no column 'k'"),
        ("i,j,k,annotator\n0,1,2,-4\n", "line 2: annotator is -4"),
        ("0,-1,2\n", r"line 1 .* items must be in"),
    ],
)
def test_errors_in_a_table_are_reported_with_their_line(tmp_path, content, message):
    path = text(tmp_path, content)
    with pytest.raises(InvalidComparisonsError, match=f"c.csv: {message}") as error:
        read_comparisons(path)
    assert "\n" not in str(error.value)


def test_arrays_of_other_packages_in_files(tmp_path):
    triplets, path = [[0, 1, 2], [3, 2, 1]], tmp_path / "c.npz"
    np.savez(path, triplets=triplets, responses=[True, False])
    assert read_comparisons(path).triplets().tolist() == [[0, 1, 2], [3, 1, 2]]
    np.savez(path, quadruplets=ROWS)
    assert read_comparisons(path) == Comparisons.from_quadruplets(4, ROWS)
    unique = Comparisons.from_quadruplets(4, ROWS).unique()
    np.savez(path, comparisons=unique.to_array())
    assert read_comparisons(path) == unique
    np.save(tmp_path / "a.npy", unique.to_array())
    assert read_comparisons(tmp_path / "a.npy") == unique
    np.save(tmp_path / "a.npy", np.array(triplets))
    assert read_comparisons(tmp_path / "a.npy", n=6) == Comparisons.from_triplets(6, triplets)


def test_files_with_other_content_are_refused(tmp_path):
    path = tmp_path / "c.npz"
    np.savez(path, x=[1])
    with pytest.raises(InvalidComparisonsError, match="has x; it must have closer and farther"):
        read_comparisons(path)
    np.savez(path, closer=[0], farther=[1])
    with pytest.raises(InvalidComparisonsError, match="pairs of how many items"):
        read_comparisons(path)
    np.savez(path, triplets=[[0, 1, 2]], n=[5, 6])
    with pytest.raises(InvalidComparisonsError, match="n must be one whole number"):
        read_comparisons(path)
    np.savez(path, comparisons=np.zeros((3, 3, 3)))
    with pytest.raises(InvalidComparisonsError, match="array is of 3 items, and n is 9"):
        read_comparisons(path, n=9)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match=r"c\.npz"):
        read_comparisons(path)
    np.savez(path, triplets=[[0, 1, 2]])
    archive = path.read_bytes()
    name = archive.rindex(b"PK\x01\x02")  # its entry in the directory at the end
    path.write_bytes(archive[: name + 10] + b"\x63" + archive[name + 11 :])
    with pytest.raises(DataError, match="compression method is not supported"):
        read_comparisons(path)
    path = tmp_path / "c.npy"
    for header in (
        b"{'a': (",
        b"'" * 3,
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (1e9,)}",
    ):
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        with pytest.raises(DataError, match="save it again with numpy"):
            read_comparisons(path)
    np.save(tmp_path / "c.npy", np.zeros((2, 2), int))
    with pytest.raises(InvalidComparisonsError, match=r"got \(2, 2\)"):
        read_comparisons(tmp_path / "c.npy")
    with pytest.raises(DataError, match="cannot read"):
        read_comparisons(tmp_path / "none.csv")
    with pytest.raises(DataError, match=r"'\.txt'"):
        read_comparisons(tmp_path / "c.txt")
    with pytest.raises(DataError, match=r"'\.txt'"):
        write_comparisons(Comparisons(2, [], []), tmp_path / "c.txt")


@pytest.mark.parametrize("name", ["c.csv", "c.npz"])
def test_a_file_that_cannot_be_written_is_told_in_one_line(tmp_path, name):
    with pytest.raises(DataError, match=r"cannot write .*; create the folder .* first$"):
        write_comparisons(Comparisons(2, [], []), tmp_path / "nowhere" / name)
