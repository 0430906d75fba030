"""Ratings and the odd one out of many: against hand-computed values and scipy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

import hcbench
from hcbench import (
    QUERY_KINDS,
    UNSURE,
    Answers,
    NotApplicableError,
    Oracle,
    OracleRequest,
    Problem,
    Tree,
    ask_oracle,
)
from hcbench.cli import main
from hcbench.oracle import Recorder
from hcbench_ask.oracles import recorded_rating
from hcbench_llm.oracles import Prompts
from hcbench_ratings.linkage import merge_by_means
from hcbench_ratings.oracles import odd_of_many, rating_queries
from hcbench_strict.messages import ASK
from hcbench_strict.parent import reply_to

LINE = Problem(n=4, vectors=np.array([[0.0], [1.0], [4.0], [9.0]]))
RATINGS = {"noise": 0.0, "whole": False, "annotators": 0, "bias": 0.0, "persistent": True}
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def rated(problem: Problem = LINE, seed: int = 0, **params: Any) -> Oracle:
    params = RATINGS | {"similarity": "euclidean"} | params
    return Oracle(rating_queries(OracleRequest(problem=problem, seed=seed), **params))


def test_ratings_are_linear_in_the_similarity() -> None:
    similarity = np.array([[0.0, 2.0, 5.0], [2.0, 0.0, 3.0], [5.0, 3.0, 0.0]])
    oracle = rated(Problem(n=3, similarity=similarity))
    # From 2 (rated 0) to 5 (rated 9), so that 3 is rated 3.
    assert oracle.ask([(0, 1), (2, 0), (1, 2), (1, 1)]).tolist() == [0.0, 9.0, 3.0, 9.0]
    whole = rated(Problem(n=3, similarity=np.sqrt(similarity)), whole=True)
    assert whole.ask([(1, 2)]).tolist() == [np.rint(9 * (3**0.5 - 2**0.5) / (5**0.5 - 2**0.5))]


def test_noise_depends_on_the_seed_the_pair_and_if_wanted_the_repetition() -> None:
    right = rated().ask(PAIRS)
    one, same, other = (rated(seed=seed, noise=0.5) for seed in (1, 1, 2))
    noisy = one.ask(PAIRS)
    np.testing.assert_array_equal(noisy, same.ask(np.flip(PAIRS, axis=1)))
    assert not np.array_equal(noisy, other.ask(PAIRS))
    np.testing.assert_array_equal(noisy, one.ask(PAIRS))
    anew = rated(noise=0.5, persistent=False)
    assert not np.array_equal(anew.ask(PAIRS), anew.ask(PAIRS))
    many = rated(noise=0.5, persistent=False).ask([(1, 2)] * 2000) - right[3]
    assert abs(many.mean()) < 5 * 0.5 / 2000**0.5
    assert many.std() == pytest.approx(0.5, rel=0.1)
    assert 0 <= rated(noise=50.0).ask(PAIRS).min() <= rated(noise=50.0).ask(PAIRS).max() <= 9


def test_the_linkage_of_all_ratings_is_upgma() -> None:
    vectors = np.random.default_rng(0).normal(size=(25, 3))
    tree = hcbench.fit("RatingLinkage", vectors, oracle="rating-queries")
    assert isinstance(tree, Tree)
    distances = pdist(vectors)
    # Ratings are from 0 to 9, for the nearest two items; 9 less the rating is a distance.
    ratings = 9 * (distances.max() - distances) / np.ptp(distances)
    expected = linkage(9 - ratings, "average")
    other = Tree.from_linkage(expected)
    assert {frozenset(tree.leaves(v).tolist()) for v in range(25, 49)} == {
        frozenset(other.leaves(v).tolist()) for v in range(25, 49)
    }
    np.testing.assert_allclose(np.sort(tree.height[25:]), np.sort(9 - expected[:, 2]))


def test_the_linkage_of_some_ratings_by_hand() -> None:
    total = np.array([[0, 8, 0, 2], [8, 0, 3, 0], [0, 3, 0, 0], [2, 0, 0, 0]], dtype=float)
    weight = (total > 0) * 1.0
    # 0 and 1 at 8; then 2 with 1 alone at 3, not (3 + 0) / 2; 3 with 0 alone at 2.
    assert merge_by_means(total, weight, 0.0).tolist() == [
        [0.0, 1.0, 8.0, 2.0],
        [2.0, 4.0, 3.0, 3.0],
        [3.0, 5.0, 2.0, 4.0],
    ]
    weight[3] = weight[:, 3] = total[3] = total[:, 3] = 0
    assert merge_by_means(total, weight, -1.0)[2].tolist() == [3.0, 5.0, -1.0, 4.0]


def test_with_a_budget_so_many_pairs_are_rated_and_results_are_recorded() -> None:
    limited = ask_oracle("rating-queries", lambda i, j: 9.0 - abs(i - j), n=6, budget=7)
    assert hcbench.fit("RatingLinkage", limited).n == 6
    assert limited.ledger.queries == 7
    answers = Answers(
        kind="rating-queries", n=6, arity=2, answer=lambda q, *_: 9.0 - abs(q[:, 0] - q[:, 1])
    )
    oracle = Oracle(answers, None, (5, 10))
    hcbench.fit("RatingLinkage", oracle)
    assert [point.queries for point in Recorder(oracle).trace] == [5, 10, 15]


def test_a_function_rates() -> None:
    def rating(i: int, j: int) -> float:
        return 9.0 if i // 2 == j // 2 else 1.0 + (i // 4 == j // 4)

    tree = hcbench.fit("RatingLinkage", n=8, rating=rating)
    assert isinstance(tree, Tree)
    assert sorted(tree.height[8:]) == [1.0, 2.0, 2.0, 9.0, 9.0, 9.0, 9.0]


def annotated(told: Sequence[tuple[float, float, int]]) -> Oracle:
    """Ratings with confidence and annotator, in the order of `PAIRS`."""
    by_pair = dict(zip(PAIRS, told, strict=True))
    fields = [("code", "f8"), ("confidence", "f8"), ("annotator", "i8")]

    def answer(queries: Any, *_: object) -> Any:
        return np.array([by_pair[tuple(sorted(query))] for query in queries.tolist()], fields)

    return Oracle(Answers(kind="rating-queries", n=4, arity=2, answer=answer))


def test_annotators_are_made_equal_and_confidence_weighs() -> None:
    # Annotator 1 rates all 3 lower: centred, (2, 3) is as close as (0, 1).
    told = [(8, 1, 0), (4, 1, 0), (3, 1, 0), (1, 1, 1), (0, 1, 1), (5, 1, 1)]
    equal = hcbench.fit("RatingLinkage[centre=true]", annotated(told))
    assert isinstance(equal, Tree)
    # Means 5 and 2, of all 3.5: 8 - 1.5 and 5 + 1.5; between, (2.5 + 1.5 + 2.5 + 1.5) / 4.
    assert sorted(equal.height[4:]) == [2.0, 6.5, 6.5]
    told = [(8, 1, 0), (4, 0.5, 0), (1, 0.25, 0), (1, 0.25, 0), (4, 0.5, 0), (7, 1, 0)]
    sure = hcbench.fit("RatingLinkage", annotated(told))
    assert isinstance(sure, Tree)
    assert sorted(sure.height[4:]) == [(4 * 0.5 + 0.25 + 0.25 + 4 * 0.5) / 1.5, 7.0, 8.0]


def test_annotators_add_their_bias() -> None:
    oracle = rated(annotators=2, bias=1.0, seed=3)
    ratings, right = oracle.ask([(1, 2)] * 3 + PAIRS), rated().ask([(1, 2)] * 3 + PAIRS)
    assert oracle.details is not None
    who = oracle.details["annotator"]
    assert len(set(who[:3].tolist())) == 1, "a pair has one annotator"
    biases = np.random.default_rng(3).normal(0, 1.0, 2)
    np.testing.assert_allclose(ratings, np.clip(right + biases[who], 0, 9))
    assert set(who.tolist()) == {0, 1}


def test_the_odd_one_has_the_least_sum_of_similarities() -> None:
    w = np.zeros((6, 6))
    for i, j, value in [(0, 1, 5), (0, 2, 4), (1, 2, 3), (3, 0, 2), (3, 1, 2), (4, 3, 1)]:
        w[i, j] = w[j, i] = value
    odd = odd_of_many(
        OracleRequest(problem=Problem(n=6, similarity=w), seed=0),
        k=4,
        noise=0.0,
        similarity="cosine",
    )
    oracle = Oracle(odd)
    # Sums among 0, 1, 2, 3: 11, 10, 7, 4. Among 1, 2, 4, 5: 3, 3, 0, 0, and 4 is before 5.
    assert oracle.ask([(0, 1, 2, 3), (3, 2, 1, 0), (5, 4, 2, 1)]).tolist() == [3, 0, 1]
    assert oracle.ledger.distinct_queries == 2
    noisy = odd_of_many(
        OracleRequest(problem=Problem(n=6, similarity=w), seed=0),
        k=4,
        noise=0.9,
        similarity="cosine",
    )
    assert (Oracle(noisy).ask([(0, 1, 2, 3)] * 3) == Oracle(noisy).ask([(0, 1, 2, 3)])).all()
    with pytest.raises(NotApplicableError, match="k=9: there are only 6 items"):
        odd_of_many(
            OracleRequest(problem=Problem(n=6, similarity=w), seed=0),
            k=9,
            noise=0.0,
            similarity="cosine",
        )


def test_the_linkage_of_odd_ones_finds_clusters() -> None:
    labels = np.repeat([0, 1, 2], 6)
    vectors = np.eye(3)[labels] + np.random.default_rng(0).normal(0, 0.05, (18, 3))
    tree = hcbench.fit("OddLinkage[queries=60]", vectors, oracle="odd-of-many[k=6]")
    assert isinstance(tree, Tree)
    found = tree.cut(3).labels
    assert len(set(zip(labels.tolist(), found.tolist(), strict=True))) == 3


def test_a_person_rates(tmp_path: Path) -> None:
    items = tmp_path / "items.txt"
    items.write_text("dog\nwolf\ncat\n")
    command = ["ask", str(items), "--algo", "RatingLinkage"]
    done = CliRunner().invoke(main, command, input="7\n2\n7\n")
    assert done.exit_code == 0, done.stderr
    assert "How alike are these two, from 0 (not at all) to 9 (the same)?" in done.stderr
    file = tmp_path / "items.answers.jsonl"
    answers = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    by_pair = {frozenset(line["question"]): line["answer"] for line in answers}
    assert sorted(by_pair.values()) == [2, 7, 7]
    problem = Problem(n=3, names=("dog", "wolf", "cat"))
    replayed = Oracle(recorded_rating(OracleRequest(problem=problem, seed=0), file=str(file)))
    assert replayed.ask([(1, 0), (2, 1)]).tolist() == [
        by_pair[frozenset(("dog", "wolf"))],
        by_pair[frozenset(("wolf", "cat"))],
    ]


def test_a_language_model_rates() -> None:
    prompts = Prompts(QUERY_KINDS["rating-queries"], ("oak", "fir", "elm"), "Trees.")
    assert prompts.write([0, 2]).splitlines()[:4] == [
        "Trees.",
        "How alike are these two, from 0 (not at all) to 9 (the same)?",
        "oak",
        "elm",
    ]
    said = ["7", "7 of 9", "Rating: 3.", "between 3 and 4", "very"]
    assert [prompts.read(text, (0, 2)) for text in said] == [7, 7, 3, UNSURE, UNSURE]


def test_an_algorithm_in_a_process_of_its_own_gets_numbers_and_details() -> None:
    oracle = rated(annotators=2, bias=1.0, seed=3)
    expected = oracle.ask(PAIRS)
    content = np.array(PAIRS, dtype=np.int64).tobytes()
    told = reply_to(rated(annotators=2, bias=1.0, seed=3), ASK, content)
    there = Oracle(Answers(kind="rating-queries", n=4, arity=2, answer=lambda *_: told))
    np.testing.assert_array_equal(there.ask(PAIRS), expected)
    assert there.details is not None
    assert oracle.details is not None
    assert there.details["annotator"].tolist() == oracle.details["annotator"].tolist()
    assert reply_to(rated(), ASK, content).dtype == np.float64
