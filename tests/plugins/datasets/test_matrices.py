"""Triangles of matrices, lists of pairs and comparisons in tables are never used as vectors."""

from __future__ import annotations

import shlex
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import io, sparse

from hcbench import DataError, ModelWarning, read_comparisons
from hcbench.cli import main
from hcbench.errors import InvalidComparisonsError
from tests.plugins.datasets.test_file import read

PLACES = np.array([0.0, 1.0, 3.5, 7.0, 12.0, 20.0])
DISTANCES = np.abs(np.subtract.outer(PLACES, PLACES))
SIMILARITIES = 1 - DISTANCES / 20
NAMES = list("abcdef")
N = len(NAMES)
ROWS, COLUMNS = np.triu_indices(N, 1)


def values_of(kind):
    return DISTANCES if kind == "distance" else SIMILARITIES


def inspected(path):
    result = CliRunner().invoke(main, ["inspect", str(path)])
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture
def file(tmp_path):
    def write(rows, name="data.csv"):
        path = tmp_path / name
        text = rows if isinstance(rows, str) else "\n".join(",".join(map(str, r)) for r in rows)
        path.write_text(text + "\n")
        return path

    return write


# ---- Triangles -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["distance", "similarity"])
@pytest.mark.parametrize("half", ["lower", "upper"])
@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("index", [True, False])
def test_a_triangle_beside_empty_cells(tmp_path, kind, half, diagonal, header, index):
    keep = np.tri(N, k=0 if diagonal else -1, dtype=bool)
    keep = keep if half == "lower" else keep.T
    frame = pd.DataFrame(np.where(keep, values_of(kind), np.nan), index=NAMES, columns=NAMES)
    path = tmp_path / "data.csv"
    frame.to_csv(path, header=header, index=index)
    problem = read(path, **{kind: True})
    assert np.allclose(problem.similarity, SIMILARITIES)
    assert problem.names == (tuple(NAMES) if header or index else None)
    with pytest.raises(DataError) as caught:
        read(path)
    assert "one triangle of a matrix" in str(caught.value)
    # Ones on the diagonal are no distances.
    are_both_offered = not diagonal or kind == "distance"
    assert ("[distance=true]" in str(caught.value)) == are_both_offered
    assert f"{path}[{kind}=true" in str(caught.value)
    if diagonal:
        shown = inspected(path)
        assert f"[{kind}=true]" in shown
        counted = "distances of 6 items" if kind == "distance" else "similarities of 6 items"
        assert counted in shown


@pytest.mark.parametrize("index", [range(N), range(1, N + 1), (18, 15, 24, 7, 31, 2)])
@pytest.mark.parametrize("part", ["square", "lower", "zeros"])
@pytest.mark.parametrize("kind", ["distance", "similarity"])
@pytest.mark.parametrize("head", [False, True])
def test_an_index_of_numbers_beside_a_matrix_is_no_coordinate(tmp_path, index, part, kind, head):
    values = values_of(kind)
    if part == "lower":
        values = np.where(np.tri(N, dtype=bool), values, np.nan)
    elif part == "zeros":
        values = np.tril(values)
    # The rows are numbered where the columns have other names, or none.
    frame = pd.DataFrame(values, index=index, columns=NAMES).rename_axis("plant")
    path = tmp_path / "data.csv"
    frame.to_csv(path, header=head)
    assert np.allclose(read(path, **{kind: True}).similarity, SIMILARITIES)
    with pytest.raises(DataError, match="of similarities write"):
        read(path)


TRIANGLES = {
    "names and diagonal": [[NAMES[i], *DISTANCES[i, : i + 1]] for i in range(N)],
    "names": [[NAMES[i], *DISTANCES[i, :i]] for i in range(N)],
    "diagonal": [list(DISTANCES[i, : i + 1]) for i in range(N)],
    "numbers only": [list(DISTANCES[i, :i]) for i in range(1, N)],
    "header": [["", *NAMES], *([NAMES[i], *DISTANCES[i, : i + 1]] for i in range(N))],
    "as R prints": [["", *NAMES[:-1]], *([NAMES[i], *DISTANCES[i, :i]] for i in range(1, N))],
    "upper, names": [[NAMES[i], *DISTANCES[i, i:]] for i in range(N)],
    "upper": [list(DISTANCES[i, i + 1 :]) for i in range(N - 1)],
}


@pytest.mark.parametrize("form", TRIANGLES)
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_a_triangle_of_rows_that_differ_in_length(file, form, delimiter):
    path = file("\n".join(delimiter.join(map(str, row)) for row in TRIANGLES[form]))
    problem = read(path, distance=True)
    assert np.allclose(problem.similarity, SIMILARITIES)
    has_names = any(row[0] in NAMES for row in TRIANGLES[form])
    assert problem.names == (tuple(NAMES) if has_names else None)
    with pytest.raises(DataError, match="one triangle of a matrix may be several things"):
        read(path)


def test_a_triangle_of_many_items(file):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(80, 2))
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(-1))
    for rows in (
        [[f"i{k}", *distances[k, :k]] for k in range(80)],
        [list(distances[k, k:]) for k in range(80)],
    ):
        problem = read(file(rows), distance=True)
        assert np.allclose(problem.similarity, 1 - distances / distances.max())


@pytest.mark.parametrize("index", [True, False])
def test_a_triangle_beside_zeros_is_asked(tmp_path, index):
    path = tmp_path / "data.csv"
    frame = pd.DataFrame(np.tril(DISTANCES), index=NAMES, columns=NAMES)
    frame.to_csv(path, header=index, index=index)
    assert np.allclose(read(path, distance=True).similarity, SIMILARITIES)
    with pytest.raises(DataError) as caught:
        read(path)
    assert "with zeros in the other" in str(caught.value)
    assert f"of vectors write '{path}[similarity=false]'" in str(caught.value)
    vectors = read(path, similarity=False, drop=("1",) if index else ()).vectors
    assert np.array_equal(vectors, np.tril(DISTANCES))


def test_a_missing_cell_of_a_matrix_has_the_number_of_its_mirror_cell(file):
    path = file(",b,a,c\na,1,0,4\nb,0,,2\nc,2,4,0")
    problem = read(path, distance=True)
    assert problem.names == ("a", "b", "c")
    assert problem.similarity.tolist() == [[1, 0.75, 0], [0.75, 1, 0.5], [0, 0.5, 1]]
    path = file(",a,b,c\na,0,1,\nb,1,0,2\nc,,2,0")
    for missing in (None, "median"):
        with pytest.raises(DataError, match="line 2: the number of 'a', 'c' is missing in both"):
            read(path, distance=True, missing=missing)


@pytest.mark.parametrize("kind", ["distance", "similarity"])
def test_a_matrix_without_its_diagonal(tmp_path, kind):
    values = values_of(kind).copy()
    np.fill_diagonal(values, np.nan)
    pd.DataFrame(values, index=NAMES, columns=NAMES).to_csv(tmp_path / "data.csv")
    with pytest.raises(DataError, match="without its diagonal may be several things"):
        read(tmp_path / "data.csv")
    problem = read(tmp_path / "data.csv", **{kind: True})
    assert np.allclose(problem.similarity, SIMILARITIES)


def test_rows_and_columns_of_other_names_are_refused(file):
    with pytest.raises(DataError, match="the row 'c' has no column, and the column 'd' no row"):
        read(file(",a,b,d\na,0,1,4\nb,1,0,2\nc,4,2,0"), distance=True)


# ---- Lists of pairs ------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["abcdef", "cafebd"])
@pytest.mark.parametrize("params", [{}, {"distance": True}])
def test_a_named_matrix_with_two_differing_halves_is_asked(tmp_path, order, params):
    values = DISTANCES.copy()
    values[1, 4] = 99  # of b and e; the other half has 11
    frame = pd.DataFrame(values, index=NAMES, columns=NAMES).loc[list(order)]
    path = tmp_path / "data.csv"
    frame.to_csv(path)
    with pytest.raises(DataError) as caught:
        read(path, **params)
    message = str(caught.value)
    pair = "'b', 'e' has 99, and in the other order 11"
    if order == "cafebd":
        pair = "'e', 'b' has 11, and in the other order 99"
    assert f"rows and columns have the same names, but {pair}" in message
    assert "[similarity=false]' if the rows are vectors" in message
    problem = read(path, similarity=False, names="1")
    assert problem.vectors.tolist() == frame.to_numpy().tolist()


def test_the_rows_of_a_named_matrix_may_have_another_order_than_its_columns(tmp_path):
    frame = pd.DataFrame(DISTANCES, index=NAMES, columns=NAMES)
    path = tmp_path / "data.csv"
    frame.loc[list("cafebd")].to_csv(path)
    problem = read(path, distance=True)
    assert problem.names == tuple("cafebd")
    expected = frame.loc[list("cafebd"), list("cafebd")].to_numpy()
    assert np.allclose(problem.similarity, 1 - expected / 20, atol=1e-12)


def pairs_of(kind, names, columns):
    values = values_of(kind)
    rows = [[names[i], names[j], values[i, j]] for i, j in combinations(range(N), 2)]
    return [columns, *rows] if columns else rows


@pytest.mark.parametrize("kind", ["distance", "similarity"])
@pytest.mark.parametrize("names", [NAMES, list(range(N)), [2, 5, 7, 11, 30, 31]])
def test_a_list_of_pairs_with_a_column_that_says_what_it_is(file, kind, names):
    path = file(pairs_of(kind, names, ["item1", "item2", kind]))
    with pytest.raises(DataError, match=rf"a list of pairs \(item1, item2\) .*\[{kind}=true\]"):
        read(path)
    assert f"'{path}[{kind}=true]'" in inspected(path)
    problem = read(path, **{kind: True})
    assert np.allclose(problem.similarity, SIMILARITIES)
    assert problem.names == (None if names[0] == 0 else tuple(map(str, names)))


@pytest.mark.parametrize("columns", [["from", "to", "value"], None])
@pytest.mark.parametrize("names", [NAMES, list(range(N))])
def test_a_list_of_pairs_that_does_not_say_what_it_is_is_asked(file, columns, names):
    path = file(pairs_of("distance", names, columns))
    with pytest.raises(DataError) as caught:
        read(path)
    assert f"of similarities write '{path}[similarity=true]'; of distances" in str(caught.value)
    result = CliRunner().invoke(main, ["inspect", str(path)])
    assert result.exit_code == 2
    assert f"of distances write '{path}[distance=true]'" in result.stderr
    assert np.allclose(read(path, distance=True).similarity, SIMILARITIES)


def test_a_list_of_all_pairs_in_both_orders(tmp_path):
    frame = pd.DataFrame(DISTANCES, index=NAMES, columns=NAMES).stack().reset_index()
    frame.columns = ["Var1", "Var2", "value"]
    frame.to_csv(tmp_path / "data.csv")
    assert "[distance=true]" in inspected(tmp_path / "data.csv")
    problem = read(tmp_path / "data.csv", distance=True)
    assert np.allclose(problem.similarity, SIMILARITIES)
    assert problem.names == tuple(NAMES)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda rows: rows[:-1], "without 'e', 'f'; add the pair"),
        (lambda rows: [*rows, rows[-1]], "'e', 'f' is in line 16 and in line 17; leave one"),
        (lambda rows: [*rows, ["f", "e", 9]], "'e', 'f' has 8, and in the other order 9"),
        (lambda rows: [*rows[:-1], ["e", "f", ""]], "line 16: the number of 'e', 'f' is missing"),
    ],
)
def test_mistakes_in_lists_of_pairs(file, change, part):
    path = file(change(pairs_of("distance", NAMES, ["item1", "item2", "distance"])))
    with pytest.raises(DataError, match=part):
        read(path, distance=True)


def test_a_list_of_pairs_with_several_columns_of_numbers_is_asked(file):
    rows = pairs_of("distance", NAMES, ["item1", "item2", "distance"])
    rows = [[*row, "votes" if i == 0 else i % 3] for i, row in enumerate(rows)]
    path = file(rows)
    expected = f"keep one of them, as in '{path}[drop=[votes],distance=true]'"
    with pytest.raises(DataError) as caught:
        read(path)
    assert expected in str(caught.value)
    assert np.allclose(read(path, drop=("votes",), distance=True).similarity, SIMILARITIES)


def test_points_on_a_grid_are_vectors(file):
    rows = [[x, y, x * y + 2 * x] for x in range(3) for y in range(3)]
    assert read(file(rows), header=False).vectors.shape == (9, 3)
    rows = np.random.default_rng(0).integers(0, 3, size=(40, 3)).tolist()
    assert read(file([["x", "y", "z"], *rows])).vectors.shape == (40, 3)


# ---- Comparisons ---------------------------------------------------------------------------------

CROWD = "worker,anchor,near,far\nw2,lion,cat,hen\nw1,cat,lion,hen\nw2,hen,cat,lion"


@pytest.mark.parametrize("header", ["i,j,k,annotator", "i,j,k", "anchor,near,far,worker"])
def test_comparisons_by_name_are_no_list_of_pairs(file, header):
    """Names of items in three columns are not two of a pair and something else."""
    rows = ["oak,elm,cat,w1", "cat,cow,oak,w2", "elm,oak,cow,w1", "cow,cat,elm,w2"]
    if header == "i,j,k":
        rows = [row.rpartition(",")[0] for row in rows]
    path = file("\n".join([header, *rows]))
    assert "comparisons of 4 items" in inspected(path)
    assert read(path, comparisons=True).names == ("cat", "cow", "elm", "oak")


@pytest.mark.parametrize("index", ["", "index"])
def test_triplets_of_a_crowd_are_read_by_the_names_of_their_columns(file, index):
    text = CROWD
    if index:
        lines = CROWD.split("\n")
        text = "\n".join([f",{lines[0]}", *(f"{i},{row}" for i, row in enumerate(lines[1:]))])
    path = file(text)
    with pytest.raises(DataError, match=r"are comparisons of items; write .*\[comparisons=true\]"):
        read(path)
    assert f"'{path}[comparisons=true,held_out=0.2]'" in inspected(path)
    problem = read(path, comparisons=True)
    assert problem.names == ("cat", "hen", "lion")
    assert problem.comparisons.triplets().tolist() == [[2, 0, 1], [0, 2, 1], [1, 0, 2]]
    assert problem.comparisons.annotator.tolist() == [1, 0, 1]


def test_other_columns_of_a_crowd_are_named_before_they_are_dropped(file):
    lines = CROWD.split("\n")
    path = file("\n".join([f"{lines[0]},seconds", *(f"{row},2.5" for row in lines[1:])]))
    with pytest.raises(DataError, match=r"worker, anchor, near, far are .*drop=\[seconds\]"):
        read(path)
    shown = inspected(path)
    assert "not used beside comparisons: seconds" in shown
    assert "drop=[seconds]" in shown
    problem = read(path, comparisons=True, drop=("seconds",))
    assert problem.comparisons.triplets().tolist() == [[2, 0, 1], [0, 2, 1], [1, 0, 2]]
    with pytest.raises(InvalidComparisonsError, match="column 'seconds' is unknown"):
        read(path, comparisons=True)


def test_comparisons_may_be_separated_by_semicolons(file):
    problem = read(file(CROWD.replace(",", ";")), comparisons=True)
    assert problem.names == ("cat", "hen", "lion")


def test_a_truth_is_matched_with_the_names_in_comparisons(file):
    truth = file("((lion,cat),hen);", "truth.nwk")
    problem = read(file(CROWD), comparisons=True, truth=str(truth))
    assert problem.truth.names == ("cat", "hen", "lion")
    assert problem.truth.lca(0, 2) == problem.truth.n


@pytest.mark.parametrize(
    "header", ["i,j,k,annotator", "Anchor,Near,Far,Worker ID", "head,closer,farther,user_id"]
)
def test_triplets_by_number_are_recognised(file, header):
    path = file(f"{header}\n0,1,2,7\n0,2,3,9\n1,0,2,7")
    with pytest.raises(DataError, match=r"\[comparisons=true\]', or .*\[comparisons=false\]' for"):
        read(path)
    problem = read(path, comparisons=True)
    assert problem.n == 4
    assert problem.comparisons.triplets().tolist() == [[0, 1, 2], [0, 2, 3], [1, 0, 2]]
    assert read(path, comparisons=False).vectors.shape == (3, 4)


def test_rows_that_may_be_triplets_are_asked(file):
    rng = np.random.default_rng(0)
    path = file([rng.permutation(6)[:3] for _ in range(30)])
    with pytest.raises(DataError, match="the rows may be comparisons of items"):
        read(path, header=False)
    assert len(read_comparisons(path)) == 30


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("anchor,near,far\na,b,c\na,b,3", "line 3: k is '3', and 'a' in line 2 is a name"),
        ("anchor,near,far\n007,001,002", None),
        ("anchor,near,far\n1,2,3\n4,3,2\n3,1,2", "the items are 1 to 4; are they counted from 1"),
        ("# n = 5\nanchor,near,far\n1,2,3\n4,3,2\n3,1,2", None),
        ("# n = 5\nanchor,near,far\na,b,c", "there are 3 names of items, and n is 5"),
        ("anchor,near,left\n1,2,3", "column 'left' is unknown"),
    ],
)
def test_items_of_comparisons_are_names_or_numbers(file, text, message):
    path = file(text)
    if message is None:
        assert len(read_comparisons(path)) == text.count("\n") - text.count("#")
        return
    with pytest.raises(InvalidComparisonsError, match=message):
        read_comparisons(path)


def test_comparisons_may_be_separated_by_tabs(file):
    path = file("worker\tanchor\tnear\tfar\n3\t0\t1\t2", "data.tsv")
    assert read(path, comparisons=True).comparisons.triplets().tolist() == [[0, 1, 2]]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["triangle", "list", "crowd", "vectors"])
def test_the_command_that_inspect_prints_applies_to_the_file(file, tmp_path, form):
    rows = {
        "triangle": TRIANGLES["header"],
        "list": pairs_of("distance", NAMES, ["item1", "item2", "distance"]),
        "crowd": CROWD,
        "vectors": [["", 0, 1], *([i, *DISTANCES[i, :2]] for i in range(N))],
    }
    command = inspected(file(rows[form])).splitlines()[-1]
    words = shlex.split(command)
    assert words[:2] == ["hcbench", "compare"]
    options = ["--dry-run", "--store", str(tmp_path / "s.sqlite")]
    result = CliRunner().invoke(main, [*words[1:], *options])
    assert result.exit_code == 0, result.stderr
    assert "inapplicable" not in result.stdout
    assert "2 cells, 0 stored" in result.stdout


@pytest.mark.parametrize("names", [NAMES, range(N), [3, 1, 0, 2, 5, 4]])
@pytest.mark.parametrize("part", ["square", "lower", "diagonal"])
@pytest.mark.parametrize("suffix", ["txt", "csv", "data"])
def test_phylip_with_another_ending_is_a_matrix(file, names, part, suffix):
    rows = [f"   {N}"]
    for i, name in enumerate(names):
        end = {"square": N, "lower": i, "diagonal": i + 1}[part]
        rows.append(f"{name:<10}" + " ".join(f"{d:.4f}" for d in DISTANCES[i, :end]))
    path = file("\n".join(rows), name=f"data.{suffix}")
    problem = read(path, distance=True)
    order = np.argsort(names) if problem.names is None else np.arange(N)
    assert np.allclose(problem.similarity, SIMILARITIES[np.ix_(order, order)])
    assert "distances of 6 items" in inspected(path)
    with pytest.raises(DataError, match=r"of distances write .*\[distance=true\]"):
        read(path)


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("worker", ["first", "last", "none"])
@pytest.mark.parametrize("header", [True, False])
def test_triplets_with_other_names_or_none_are_asked(tmp_path, start, worker, header):
    rng = np.random.default_rng(2)
    triplets = np.array([rng.permutation(6)[:3] for _ in range(40)]) + start
    frame = pd.DataFrame(triplets, columns=["odd", "left", "right"])
    if worker != "none":
        frame.insert(0 if worker == "first" else 3, "who", rng.integers(0, 3, 40))
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False, header=header)
    with pytest.raises(DataError, match="the rows may be comparisons of items") as caught:
        read(path)
    assert f"'{path}[comparisons=false]'" in str(caught.value)
    assert read(path, comparisons=False).vectors.shape == frame.shape
    if header or worker != "none":
        names = {"odd": "anchor", "left": "near", "right": "far", "who": "worker"}
        frame.rename(columns=names).to_csv(path, index=False)
        with pytest.raises(DataError, match="are comparisons of items; write"):
            read(path)


# ---- Two halves that differ, and negative numbers ------------------------------------------------


@pytest.mark.filterwarnings("default:the halves of the matrix")
@pytest.mark.parametrize("kind", ["distance", "similarity"])
def test_halves_that_differ_by_rounding_are_averaged_with_a_note(tmp_path, kind):
    values = values_of(kind).copy()
    values[1, 2] += 0.0001
    path = tmp_path / "data.csv"
    pd.DataFrame(values, index=NAMES, columns=NAMES).to_csv(path)
    assert f"[{kind}=true]" in inspected(path)
    with pytest.warns(ModelWarning, match=r"differ by up to 0\.0001"):
        problem = read(path, **{kind: True})
    np.testing.assert_allclose(problem.similarity, SIMILARITIES, atol=0.0001)


@pytest.mark.parametrize("ending", ["csv", "npy"])
def test_halves_that_differ_by_more_are_asked_about_without_names(tmp_path, ending):
    """A square of numbers with a zero diagonal would be used as vectors."""
    values = DISTANCES.copy()
    values[1, 2] += 3
    path = tmp_path / f"data.{ending}"
    if ending == "npy":
        np.save(path, values)
    else:
        np.savetxt(path, values, delimiter=",")
    with pytest.raises(DataError, match=r"items 1 and 2 have 5.5, and in the other order 2.5"):
        read(path)
    assert read(path, similarity=False).vectors.shape == (N, N)
    with pytest.raises(DataError, match=r"not symmetric: .*; correct one of them"):
        read(path, distance=True)


@pytest.mark.parametrize("ending", ["csv", "npy"])
def test_a_matrix_with_negative_numbers_is_not_offered_as_distances(tmp_path, ending):
    values = DISTANCES.copy()
    values[1, 2] = values[2, 1] = -1
    path = tmp_path / f"data.{ending}"
    if ending == "npy":
        np.save(path, values)
    else:
        pd.DataFrame(values, index=NAMES, columns=NAMES).to_csv(path)
    with pytest.raises(DataError) as caught:
        read(path)
    assert "[similarity=true]" in str(caught.value)
    assert "distance=true" not in str(caught.value)
    np.testing.assert_array_equal(read(path, similarity=True).similarity, values)


def test_what_is_offered_for_a_sparse_symmetric_matrix_can_be_read(tmp_path):
    adjacency = sparse.coo_array(np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]))
    path = tmp_path / "graph.mtx"
    io.mmwrite(path, adjacency, symmetry="symmetric")
    with pytest.raises(DataError) as caught:
        read(path)
    assert "of similarities write" in str(caught.value)
    assert "[similarity=true,distance=false]" in str(caught.value)
    problem = read(path, similarity=True, distance=False)
    np.testing.assert_array_equal(problem.similarity, adjacency.toarray())


def test_rows_and_columns_with_a_name_twice(tmp_path):
    path = tmp_path / "data.csv"
    names = ["a", "a"] + NAMES[2:]
    pd.DataFrame(DISTANCES, index=names, columns=names).to_csv(path)
    with pytest.raises(DataError, match="two columns are named 'a'; rename one"):
        read(path)
