"""Problems: the caller's arrays are not changed, and different data have other digests."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from hcbench import Comparisons, HeightKind, Partition, Problem, Tree, finest_partition
from hcbench.errors import InvalidProblemError, InvalidTreeError, ParameterError
from hcbench.run.inputs import give

S = np.array([[1.0, 0.5, 0.2, 0.0], [0.5, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.4], [0.0, 0.1, 0.4, 1]])
PAIRS = Tree.from_parents([4, 4, 5, 5, 6, 6, -1])
CHAIN = Tree.from_parents([4, 4, 5, 6, 5, 6, -1])
HEIGHTS = np.array([0.0, 0, 0, 0, 1, 2, 3])
CSR = sparse.csr_array(S)
WIDER = sparse.csr_array((CSR.data, CSR.indices, CSR.indptr), shape=(4, 9))


def with_heights(kind: HeightKind, factor: float = 1.0) -> Tree:
    return Tree(PAIRS.parent, factor * HEIGHTS, kind)


DIFFERENT: list[dict[str, Any]] = [
    {"n": 5},
    {},
    {"names": tuple("abcd")},
    {"names": tuple("abdc")},
    {"names": ("a, b", "c", "d", "e")},
    {"names": ("a", "b, c", "d", "e")},
    {"vectors": S},
    {"vectors": S.astype(np.float32)},
    {"similarity": S},
    {"vectors": S, "similarity": S},
    {"vectors": CSR},
    {"vectors": WIDER},
    {"tree": PAIRS},
    {"tree": CHAIN},
    {"tree": with_heights(HeightKind.DISTANCE)},
    {"tree": with_heights(HeightKind.DISTANCE, 2)},
    {"tree": with_heights(HeightKind.ORDER)},
    {"truths": {"t": PAIRS}},
    {"truths": {"u": PAIRS}},
    {"truths": {"t": PAIRS, "u": CHAIN}},
    {"truths": {"u": CHAIN, "t": PAIRS}},
    {"truths": {"t u": PAIRS}},
    {"truths": {"t": with_heights(HeightKind.DISTANCE)}},
    {"truths": {"t": with_heights(HeightKind.ORDER)}},
    {"levels": np.array([[0], [0], [1], [1]])},
    {"comparisons": Comparisons(4, [0, 1], [2, 3])},
    {"comparisons": Comparisons(4, [2, 3], [0, 1])},
]


def test_problems_that_differ_in_anything_differ_in_their_digests() -> None:
    problems = [Problem(**{"n": 4, **values}) for values in DIFFERENT]
    assert len({problem.digest() for problem in problems}) == len(problems)


def test_the_same_data_have_the_same_digest_in_any_memory_order() -> None:
    for values in DIFFERENT:
        problem = Problem(**{"n": 4, **values})
        turned = {
            name: np.asfortranarray(value) if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        }
        assert problem.digest() == Problem(**{"n": 4, **turned}).digest()
        assert problem.digest() == pickle.loads(pickle.dumps(problem)).digest()


def arrays(vectors: Any) -> list[np.ndarray]:
    if isinstance(vectors, np.ndarray):
        return [vectors]
    return [vectors.data, vectors.indices, vectors.indptr]


@pytest.mark.parametrize("vectors", [S.copy(), sparse.csr_array(S)], ids=["dense", "sparse"])
def test_the_problem_is_read_only_and_the_callers_arrays_are_not(vectors: Any) -> None:
    problem = Problem(n=4, vectors=vectors)
    for problem_s, callers in zip(arrays(problem.vectors), arrays(vectors), strict=True):
        assert not problem_s.flags.writeable
        assert callers.flags.writeable
        assert np.shares_memory(problem_s, callers), "no copy"
    again = pickle.loads(pickle.dumps(problem))
    assert not any(array.flags.writeable for array in arrays(again.vectors))


def test_similarities_and_levels_of_the_caller_stay_writeable() -> None:
    similarity, levels = S.copy(), np.array([[0], [0], [1], [1]])
    problem = Problem(n=4, similarity=similarity, levels=levels)
    similarity[0, 0] = levels[0, 0] = 7
    with pytest.raises(ValueError, match="read-only"):
        problem.similarity[0, 0] = 1  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        problem.levels[0, 0] = 1  # type: ignore[index]


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_part_has_the_memory_order_of_the_whole(order: Any) -> None:
    items = np.array([3, 0, 1])
    problem = Problem(
        n=4, vectors=np.array(S[:, :2], order=order), similarity=np.array(S, order=order)
    )
    part = problem.take(items)
    assert part.vectors.flags[f"{order}_CONTIGUOUS"]  # type: ignore[union-attr]
    assert part.similarity.flags[f"{order}_CONTIGUOUS"]  # type: ignore[union-attr]
    np.testing.assert_array_equal(part.similarity, S[np.ix_(items, items)])  # type: ignore[arg-type]
    np.testing.assert_array_equal(part.vectors, S[items, :2])  # type: ignore[arg-type]


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_a_part_has_the_index_type_of_the_whole(index: Any) -> None:
    vectors = sparse.csr_array(S)
    vectors.indices, vectors.indptr = vectors.indices.astype(index), vectors.indptr.astype(index)
    problem = Problem(n=4, vectors=vectors)
    part: Any = problem.take(np.array([3, 0, 1])).vectors
    whole: Any = problem.vectors
    assert {part.indices.dtype, part.indptr.dtype} == {whole.indices.dtype, whole.indptr.dtype}
    np.testing.assert_array_equal(part.toarray(), S[[3, 0, 1]])


def test_one_text_is_not_the_names_of_items() -> None:
    with pytest.raises(InvalidProblemError, match="names is a tuple of names, got 'abc'"):
        Problem(n=3, vectors=np.eye(3), names="abc")  # type: ignore[arg-type]
    with pytest.raises(InvalidProblemError, match="names is a tuple of names, got 'abc'"):
        Problem(n=3, vectors=np.eye(3)).with_names("abc")
    tree = Tree([3, 3, 3, -1], names=["a", "b", "c"])
    with pytest.raises(InvalidTreeError, match="names must be a list of strings, got 'cba'"):
        tree.in_order_of("cba")
    with pytest.raises(InvalidTreeError, match="inner_labels must be a list of strings, got 'r'"):
        tree.to_newick(inner_labels="r")


def test_an_unknown_hint_is_refused() -> None:
    problem = Problem(n=4, truths={"t": PAIRS})
    with pytest.raises(ParameterError, match="no hint 'cluster'; the hints are truth, clusters"):
        give(problem, ("cluster",))


@pytest.mark.parametrize("n_levels", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_true_clusters_are_the_items_whose_labels_agree_up_to_a_level(
    seed: int, n_levels: int
) -> None:
    """Labels may be repeated below another class, and be negative."""
    levels = np.random.default_rng(seed).integers(-1, 2, size=(12, n_levels))
    problem = Problem(n=12, levels=levels)
    for level in (None, *range(1, n_levels + 1)):
        rows = [tuple(row[:level]) for row in levels.tolist()]
        expected = Partition([rows.index(row) for row in rows])
        assert finest_partition(problem, level) == expected


# ---- Names of classes ----------------------------------------------------------------------------


def test_labels_in_words_are_coded_in_sorted_order_and_keep_their_names() -> None:
    texts = np.array([["rec", "car"], ["sci", "space"], ["rec", "misc"], ["sci", "misc"]])
    problem = Problem(n=4, levels=texts)
    assert problem.levels is not None
    assert problem.levels.tolist() == [[0, 0], [1, 2], [0, 1], [1, 1]]
    assert problem.classes == (("rec", "sci"), ("car", "misc", "space"))
    assert problem.class_names(1) == ["rec", "sci", "rec", "sci"]
    assert problem.class_names(2) == ["rec / car", "sci / space", "rec / misc", "sci / misc"]
    part = problem.take(np.array([1, 0]))
    assert part.class_names(2) == ["space", "car"], "without the others the last label is enough"
    assert pickle.loads(pickle.dumps(problem)).classes == problem.classes
    assert Problem(n=4, levels=problem.levels).digest() == problem.digest()


def test_classes_without_names_are_called_by_their_integers() -> None:
    problem = Problem(n=3, levels=np.array([[7], [3], [7]]))
    assert (problem.classes, problem.class_names(1)) == (None, ["7", "3", "7"])
    named = Problem(n=3, levels=np.array([[1], [0], [1]]), classes=(("ham", "spam"),))
    assert named.class_names(1) == ["spam", "ham", "spam"]
    assert replace(named, levels=None).classes is None
