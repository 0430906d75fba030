"""Scripted sessions with a person: questions, stored answers, undo and resuming."""

from __future__ import annotations

import io
import json
import pickle
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hcbench import (
    NONE,
    QUERY_KINDS,
    UNSURE,
    AlgorithmSpec,
    DataError,
    HeightKind,
    Oracle,
    ParameterError,
    Partition,
    Problem,
    Tree,
    ask_oracle,
    fit,
    load_registry,
)
from hcbench.errors import UnansweredError
from hcbench.registry.making import make_use
from hcbench.registry.plugins import Plugin
from hcbench.run import call_of, make_answers
from hcbench_ask.answers_file import AnswersFile, Header, RecordedAnswer, RecordedAnswers
from hcbench_ask.contradictions import find_contradiction
from hcbench_ask.oracles import oracle_of, replay
from hcbench_ask.results import (
    contradiction,
    count_disagreeing,
    describe_contradiction,
    report,
    save,
)
from hcbench_ask.session import (
    Defer,
    Leave,
    Query,
    Session,
    SessionResult,
    Undo,
    check_needs,
    header_of,
    kind_of,
    takes_neither,
)
from tests.core.trees import trees
from tests.plugins.ask.asked import TRUE, WORDS, Knower, hold, odd_one_out

# ---- Sessions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm",
    ["InsertionClustering", "InsertionClustering[separator=exact]", "QuickClustering", "Build"],
)
def test_answers_of_a_known_tree_give_it_back(algorithm, tmp_path):
    finding = hold(tmp_path / "a.jsonl", Knower(TRUE, WORDS), algorithm)
    assert finding.result.isomorphic(TRUE)
    assert finding.result.names == WORDS


@pytest.mark.slow
@settings(max_examples=15)
@given(tree=trees(min_leaves=3, max_leaves=8, kind=HeightKind.NONE), seed=st.integers(0, 100))
def test_answers_of_none_give_trees_of_any_degree(tree, seed, tmp_path_factory):
    names = [f"item {i}" for i in range(tree.n)]
    path = tmp_path_factory.mktemp("any") / "a.jsonl"
    found = hold(path, Knower(tree, names), items=names, seed=seed).result
    assert Tree(found.parent).isomorphic(tree)


def test_items_are_shown_in_different_orders(tmp_path):
    person = Knower(TRUE, WORDS)
    hold(tmp_path / "a.jsonl", person)
    newest = [query.items.index(max(query.items)) for query in person.asked]
    assert set(newest) == {0, 1, 2}


def test_a_resumed_session_asks_nothing_twice(tmp_path):
    whole = Knower(TRUE, WORDS)
    expected = hold(tmp_path / "whole.jsonl", whole)
    for left in range(0, len(whole.asked), 3):
        path = tmp_path / f"{left}.jsonl"
        first = Knower(TRUE, WORDS, lambda number, left=left: "leave" if number == left else None)
        with pytest.raises(Leave):
            hold(path, first)
        second = Knower(TRUE, WORDS)
        assert hold(path, second).result == expected.result
        assert [*first.asked[:-1], *second.asked] == whole.asked


def test_an_answer_that_is_taken_back_is_asked_again_and_stays_in_the_file(tmp_path):
    path = tmp_path / "a.jsonl"
    person = Knower(TRUE, WORDS, {3: "undo", 4: "undo", 5: "undo", 6: "undo"}.get)
    finding = hold(path, person)
    assert finding.result.isomorphic(TRUE)
    assert finding.recorded.undone == 3, "at the fourth there is none to take back"
    items = [query.items for query in person.asked]
    assert items[3:7] == items[3::-1][:4]
    assert items[6] == items[7] == items[0], "the first one is put once more"
    assert path.read_text().count('"undo"') == 3
    again = Knower(TRUE, WORDS)
    assert hold(path, again).recorded.answers == finding.recorded.answers
    assert not again.asked


@pytest.mark.parametrize("algorithm", ["InsertionClustering", "QuickClustering", "Bottom-up"])
def test_a_deferred_question_comes_back_after_three_others(algorithm, tmp_path):
    path = tmp_path / "a.jsonl"
    person = Knower(TRUE, WORDS, {4: "defer"}.get)
    finding = hold(path, person, algorithm)
    assert finding.result.isomorphic(TRUE)
    asked = [frozenset(query.items) for query in person.asked]
    assert asked.index(asked[4], 5) == 8
    assert [query.deferred for query in person.asked].index(True) == 8
    assert [answer.early for answer in finding.recorded.answers[:9]] == [False] * 4 + [True] * 3 + [
        False
    ] * 2
    assert len(set(asked)) == len(asked) - 1, "nothing else is asked twice"
    again = Knower(TRUE, WORDS)
    assert hold(path, again, algorithm).result == finding.result
    assert not again.asked


def test_questions_deferred_in_a_row_and_taken_back(tmp_path):
    actions = {3: "defer", 4: "defer", 5: "undo", 6: "undo", 7: "undo"}
    person = Knower(TRUE, WORDS, actions.get)
    finding = hold(tmp_path / "a.jsonl", person)
    items = [frozenset(query.items) for query in person.asked]
    assert items[6] == items[4] != items[3], "the second deferral is taken back first"
    assert items[7] == items[3], "then the first"
    assert items[8] == items[2], "then an answer"
    assert finding.recorded.undone == 1
    assert finding.result.isomorphic(TRUE)


@pytest.mark.slow
def test_a_session_in_which_every_question_is_deferred_once_ends(tmp_path):
    seen = set()

    class Hesitant(Knower):
        def __call__(self, query: Query) -> int:
            if frozenset(query.items) not in seen:
                seen.add(frozenset(query.items))
                raise Defer
            return super().__call__(query)

    assert hold(tmp_path / "a.jsonl", Hesitant(TRUE, WORDS)).result.isomorphic(TRUE)


def test_a_question_comes_back_at_once_if_there_is_no_other(tmp_path):
    tree = Tree([3, 3, 4, 4, -1])
    person = Knower(tree, "abc", {0: "defer", 1: "defer"}.get)
    assert hold(tmp_path / "a.jsonl", person, items=tuple("abc")).result.isomorphic(tree)
    assert [query.deferred for query in person.asked] == [False, True, True]


def test_a_wrong_answer_that_is_taken_back_does_not_matter(tmp_path):
    class Hasty(Knower):
        def __call__(self, query: Query) -> int:
            right = super().__call__(query)
            if len(self.asked) == 5:
                return (right + 1) % 3
            if len(self.asked) == 6:
                raise Undo
            return right

    assert hold(tmp_path / "a.jsonl", Hasty(TRUE, WORDS)).result.isomorphic(TRUE)


def test_unsure_answers_are_asked_again_in_another_order(tmp_path):
    unsure = {2: "unsure", 3: "unsure", 4: "unsure", 5: "unsure"}
    person = Knower(TRUE, WORDS, unsure.get)
    finding = hold(tmp_path / "a.jsonl", person)
    same = person.asked[2:7]
    assert len({frozenset(query.items) for query in same}) == 1
    assert len({query.items for query in same}) > 1
    assert [query.unsure for query in same] == [0, 1, 2, 3, 4]
    assert [query.may_be_unsure for query in same] == [True] * (Oracle.PATIENCE - 1) + [False]
    assert finding.result.isomorphic(TRUE)
    assert report(finding, [])["unsure"] == 4
    again = Knower(TRUE, WORDS)
    assert hold(tmp_path / "a.jsonl", again).result == finding.result
    assert not again.asked


def test_a_batch_repeats_unsure_answers_at_the_end(tmp_path):
    person = Knower(TRUE, WORDS, {7: "unsure"}.get)
    finding = hold(tmp_path / "a.jsonl", person, "Bottom-up")
    assert frozenset(person.asked[-1].items) == frozenset(person.asked[7].items)
    assert len(person.asked) == 220 + 1
    assert finding.result.isomorphic(TRUE)


def test_the_estimate_is_a_bound_until_an_answer_invalidates_it(tmp_path):
    person = Knower(TRUE, WORDS)
    hold(tmp_path / "a.jsonl", person, "InsertionClustering[separator=exact]")
    for query in person.asked:
        assert query.remaining[1]
        assert query.remaining[0] >= len(person.asked) - query.answered
    star = Knower(Tree([5] * 5 + [-1]), WORDS[:5])
    hold(tmp_path / "b.jsonl", star, "InsertionClustering[separator=exact]", WORDS[:5])
    bounds = [query.remaining and query.remaining[1] for query in star.asked]
    assert bounds[0] is True
    assert True not in bounds[1:]


@pytest.mark.parametrize(
    ("algorithm", "takes"),
    [
        ("InsertionClustering", True),
        ("QuickClustering", True),
        ("Build", True),
        ("NoisyInsertion[p=0.8]", False),
        ("NoisyInsertion[p=0.8,strategy=repeat]", False),
        ("NoisyInsertion[p=0.8,strategy=paper]", False),
        ("CL", True),
    ],
)
def test_only_algorithms_that_accept_none_offer_it(algorithm, takes):
    (use,) = load_registry().use_algorithms(algorithm)
    assert takes_neither(use, kind_of(use)) is takes


def test_with_noise_questions_are_repeated_until_the_tree_is_certain(tmp_path):
    rng = np.random.default_rng(0)

    class Erring(Knower):
        def __call__(self, query: Query) -> int:
            right = super().__call__(query)
            return (right + int(rng.integers(1, 3))) % 3 if rng.random() < 0.1 else right

    person = Erring(TRUE, WORDS)
    finding = hold(tmp_path / "a.jsonl", person, "NoisyInsertion[p=0.9]")
    assert finding.result.isomorphic(TRUE)
    assert not any(query.takes_neither for query in person.asked)
    are_bounds = {query.remaining[1] for query in person.asked if query.remaining is not None}
    assert are_bounds == {False}
    errors = sum(
        odd_one_out(TRUE, *(WORDS.index(item) for item in a.query)) != a.code
        for a in finding.recorded.answers
    )
    assert errors > 0
    assert count_disagreeing(finding) == errors


@pytest.mark.parametrize("strategy", ["bayes", "repeat,stop=lead", "repeat"])
@pytest.mark.parametrize("p", [0.7, 0.9])
def test_the_estimate_for_noisy_answers_is_close(p, strategy):
    text = f"NoisyInsertion[p={p},strategy={strategy}]"
    (use,) = load_registry().use_algorithms(text)
    expected, is_bound = use.spec.expected_queries(12, use.params)
    problem = Problem(n=12, truths={"t": TRUE})
    asked = []
    for seed in range(20):
        (noisy,) = load_registry().use_oracles(f"ordinal-queries[noise={round(1 - p, 2)}]")
        oracle = Oracle(make_answers(call_of(noisy), problem, seed, None))
        fit(text, oracle, seed=seed)
        asked.append(oracle.ledger.queries)
    assert not is_bound
    assert 0.7 < np.mean(asked) / expected < 1.4


def saved(finding: SessionResult, stem: Path) -> list[Path]:
    return save(finding.result, report(finding, contradiction(finding)), stem)


def _header(algorithm: str = "InsertionClustering") -> Header:
    (use,) = load_registry().use_algorithms(algorithm)
    return header_of(use, WORDS, 0)


# ---- Other kinds ---------------------------------------------------------------------------------


def test_pairs_of_pairs_are_asked_about_the_same_way(tmp_path):
    places = {word: place for place, word in enumerate(WORDS[:6])}

    def person(query: Query) -> int:
        i, j, k, l = (places[item] ** 1.5 for item in query.items)  # noqa: E741
        return int(np.sign(abs(k - l) - abs(i - j)))

    found = hold(tmp_path / "a.jsonl", person, "CL", WORDS[:6]).result
    at = np.arange(6) ** 1.5

    def closer(i: int, j: int, *other: int) -> bool:
        return bool(abs(at[i] - at[j]) < abs(at[other[0]] - at[other[1]]))

    expected = fit("CL", n=6, quadruplet=closer)
    assert Tree(found.parent).isomorphic(Tree(expected.parent))


def _halves(oracle, items, rng):
    """Cut a tree at the nodes whose first and last leaf belong together."""
    assert items.names == WORDS

    def belongs(node: int) -> bool:
        leaves = items.tree.leaves(node)
        return len(leaves) == 1 or oracle.ask([[leaves[0], leaves[-1]]])[0] == 1

    labels, left = np.zeros(items.n, np.int64), [items.tree.root]
    while left:
        node = left.pop()
        if belongs(node):
            labels[items.tree.leaves(node)] = node
        else:
            left.extend(items.tree.children(node))
    return Partition(labels)


CUTTER = make_use(
    AlgorithmSpec(
        name="Halves",
        function=_halves,
        doc="",
        accepts=("vectors", "pair-queries"),
        needs=("tree",),
        returns="partition",
    ),
    Plugin("test", "test", "0"),
    {},
)


def test_a_tree_is_cut_by_asking_which_items_belong_together(tmp_path):
    plants = set(WORDS[:6])
    with AnswersFile(tmp_path / "a.jsonl", header_of(CUTTER, WORDS, 0, TRUE)) as file:
        person = lambda query: int(len(plants & set(query.items)) != 1)  # noqa: E731
        finding = Session(CUTTER, file, person, TRUE).run()
    assert finding.result == Partition([0] * 6 + [1] * 6)
    assert count_disagreeing(finding) == 0
    assert saved(finding, tmp_path / "out") == [tmp_path / "out.json"]
    assert json.loads((tmp_path / "out.json").read_text())["clusters"] == [0] * 6 + [1] * 6


def test_unmet_needs_of_an_algorithm_are_reported():
    registry = load_registry()
    with pytest.raises(ParameterError, match="a person cannot answer these"):
        kind_of(registry.use_algorithms("UPGMA")[0])
    with pytest.raises(Exception, match="give one with --tree"):
        check_needs(CUTTER, None)
    with pytest.raises(ParameterError, match="omit --tree"):
        check_needs(registry.use_algorithms("Build")[0], TRUE)


# ---- The file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        ("ordinal-queries", {0: 0, 1: 1, 2: 2, NONE: "none", UNSURE: "unsure"}),
        ("quadruplet-queries", {1: 1, -1: -1, 0: 0, UNSURE: "unsure"}),
        ("pair-queries", {1: 1, 0: 0, UNSURE: "unsure"}),
    ],
)
def test_answers_are_read_as_written_and_others_refused(kind, codes, tmp_path):
    path, query = tmp_path / "a.jsonl", WORDS[: QUERY_KINDS[kind].arity]
    with AnswersFile(path, Header(kind=kind, items=WORDS)) as file:
        for code in codes:
            file.add(query, code)
    written = path.read_text()
    lines = [json.loads(line) for line in written.splitlines()[1:]]
    assert [line["answer"] for line in lines] == list(codes.values())
    read = RecordedAnswers.read(path).answers
    assert read == [RecordedAnswer(query, code, at) for at, code in enumerate(codes, start=2)]
    for wrong in (7, -2, True, None, "1", "perhaps", 1.0, [], *[-1] * (kind == "ordinal-queries")):
        path.write_text(written + json.dumps({"question": query, "answer": wrong}) + "\n")
        with pytest.raises(DataError, match=f"line {len(codes) + 2} is not an answer"):
            RecordedAnswers.read(path)


@pytest.mark.slow
def test_a_truncated_file_keeps_all_complete_answers(tmp_path):
    """Truncated at any byte, as by kill -9."""
    path = tmp_path / "a.jsonl"
    hold(path, Knower(TRUE, WORDS, {4: "undo"}.get), items=WORDS)
    data = path.read_bytes()
    header = _header()
    first = data.index(b"\n") + 1
    torn = tmp_path / "torn.jsonl"
    for end in [*range(12), first - 1, *range(first, first + 120), len(data) - 1, len(data)]:
        torn.write_bytes(data[:end])
        with AnswersFile(torn, header) as file:
            recorded = [list(answer.query) for answer in file.recorded.answers]
            file.add(WORDS[:3], 0)
        whole = data[:end].count(b"\n")
        standing: list[list[str]] = []
        for line in map(json.loads, data.splitlines()[1:whole]):
            standing.append(line["question"]) if "question" in line else standing.pop()
        assert recorded == standing
        lines = torn.read_bytes().splitlines()
        assert len(lines) == max(whole, 1) + 1
        assert all(json.loads(line) for line in lines)


@pytest.mark.parametrize(
    ("items", "algorithm", "seed", "said"),
    [
        (("fig", *WORDS[1:]), "InsertionClustering", 0, "with 'apple', without 'fig'"),
        (WORDS[:-1], "InsertionClustering", 0, "other items: with 'cod'"),
        (WORDS[::-1], "InsertionClustering", 0, "in another order"),
        (WORDS, "QuickClustering", 0, "another algorithm: InsertionClustering, not QuickCluster"),
        (WORDS, "InsertionClustering[order=given]", 0, "another algorithm"),
        (WORDS, "InsertionClustering", 3, "another seed: 0, not 3"),
        (WORDS, "CL", 0, "another kind: ordinal-queries, not quadruplet-queries"),
    ],
)
def test_answers_of_another_session_are_refused_with_the_difference(
    items, algorithm, seed, said, tmp_path
):
    path = tmp_path / "a.jsonl"
    with pytest.raises(Leave):
        hold(path, Knower(TRUE, WORDS, {2: "leave"}.get))
    before = path.read_bytes()
    with pytest.raises(DataError, match=said) as raised:
        hold(path, Knower(TRUE, WORDS), algorithm, items, seed)
    assert "--answers FILE" in str(raised.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"question": ["apple", "pear", "plum"], "answer": 7}', "line 3 is not an answer"),
        ('{"question": ["apple", "pear", "fig"], "answer": 1}', "line 3 is not an answer"),
        ('{"question": ["apple", "pear"], "answer": 1}', "line 3 is not an answer"),
        ("[1, 2]", "line 3 is not an answer"),
        ("half a line", "line 3 is not an answer"),
        ('{"undo": true}\n{"undo": true}', "line 4 is not an answer"),
        (
            '{"question": ["apple", "pear", "plum"], "answer": 1}',
            "line 3 answers a question about 'apple', 'pear', 'plum', but the algorithm asks about",
        ),
    ],
)
def test_a_changed_file_is_refused_with_the_line(line, said, tmp_path):
    path = tmp_path / "a.jsonl"
    with pytest.raises(Leave):
        hold(path, Knower(TRUE, WORDS, {1: "leave"}.get))
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DataError, match=said):
        hold(path, Knower(TRUE, WORDS))


def test_other_files_are_not_changed(tmp_path):
    path = tmp_path / "a.jsonl"
    for text in ("my diary\n", "my diary", '{"a": 1}\n', "\x00" * 9):
        path.write_text(text)
        with pytest.raises(DataError, match="was not written by hcbench ask"):
            hold(path, Knower(TRUE, WORDS))
        assert path.read_text() == text
    with pytest.raises(DataError, match="No such file"):
        hold(tmp_path / "nowhere" / "a.jsonl", Knower(TRUE, WORDS))
    with pytest.raises(DataError, match="cannot read"):
        RecordedAnswers.read(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    "line",
    [
        pickle.dumps("x"),
        b'{"hcbench answers": 1, "kind": "__import__"}',
        b'{"hcbench answers": 1, "kind": ["os"], "items": [], "algorithm": "", "seed": 0}',
        b"[" * 100_000,
        b'{"hcbench answers": {"__class__": "os.system"}}',
    ],
)
def test_pickles_are_refused_in_one_line(line, tmp_path):
    path = tmp_path / "a.answers.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(DataError) as caught:
        RecordedAnswers.read(path)
    assert "\n" not in str(caught.value)


def test_a_first_line_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    hold(path, Knower(TRUE, WORDS))
    text = path.read_text()
    path.write_text(text.replace('"apple", "pear", "plum", "oak"', '"apple", "pear", "fig", "oak"'))
    with pytest.raises(DataError, match="line 1 was changed"):
        RecordedAnswers.read(path)
    path.write_text(text.replace('"hcbench answers": 1', '"hcbench answers": 9'))
    with pytest.raises(DataError, match="another version"):
        RecordedAnswers.read(path)


def test_two_sessions_cannot_write_to_one_file(tmp_path):
    path = tmp_path / "a.jsonl"
    with AnswersFile(path, _header()), pytest.raises(DataError, match="in use by another"):
        AnswersFile(path, _header())
    AnswersFile(path, _header()).__exit__()


# ---- Contradictions ------------------------------------------------------------------------------

FOUR = [
    Tree.from_newick(text, names=tuple("abcd"))
    for text in (f"({x},({y},({z},{w})));" for x, y, z, w in permutations("abcd"))
] + [
    Tree.from_newick(f"((a,{x}),({y},{z}));", names=tuple("abcd"))
    for x, y, z in (("b", "c", "d"), ("c", "b", "d"), ("d", "b", "c"))
]


def _holds(tree: Tree, triplet: tuple[int, int, int]) -> bool:
    return odd_one_out(tree, *triplet) == 2


@pytest.mark.slow
def test_answers_about_four_items_contradict_each_other_if_no_tree_agrees():
    """All answers to the four queries: one of three for each, or none."""
    questions = list(combinations(range(4), 3))
    options = [[None, (a, b, c), (a, c, b), (b, c, a)] for a, b, c in questions]
    for chosen in product(*options):
        triplets = [t for t in chosen if t is not None]
        possible = any(all(_holds(tree, t) for t in triplets) for tree in FOUR)
        found = find_contradiction(triplets)
        assert bool(found) is not possible
        for left_out in found:
            rest = [triplets[row] for row in found if row != left_out]
            assert any(all(_holds(tree, t) for t in rest) for tree in FOUR), "none can be left out"


@given(st.data())
def test_contradictions_are_those_of_build(data):
    n = data.draw(st.integers(3, 7))
    triples = list(combinations(range(n), 3))
    codes = data.draw(st.lists(st.integers(-1, 2), min_size=len(triples), max_size=len(triples)))
    said = dict(zip(triples, codes, strict=True))
    rows = [
        (*(x for x in triple if x != triple[code]), triple[code])
        for triple, code in said.items()
        if code != NONE
    ]
    found = find_contradiction(rows)
    try:
        fit("Build", n=n, ordinal=lambda *triple: said[triple])
    except DataError:
        assert found
        assert not any(find_contradiction([rows[r] for r in found if r != row]) for row in found)
    else:
        assert not found


def test_contradictory_answers_are_reported_with_items_and_lines(tmp_path):
    truth = Knower(TRUE, WORDS)

    def person(query: Query) -> int:
        liar = {"apple", "pear", "dog"} == set(query.items)
        return query.items.index("apple") if liar else truth(query)

    finding = hold(tmp_path / "a.jsonl", person, "Bottom-up")
    contradicting = contradiction(finding)
    found = [
        odd_one_out(finding.result, *map(WORDS.index, a.query)) for a in finding.recorded.answers
    ]
    said = [answer.code for answer in finding.recorded.answers]
    assert count_disagreeing(finding) == sum(a != b for a, b in zip(found, said, strict=True)) > 0
    text = describe_contradiction(contradicting)
    assert "'apple' is the odd one out, not" in text
    by_line = (tmp_path / "a.jsonl").read_text().splitlines()
    for answer in contradicting:
        assert json.loads(by_line[answer.line - 1])["question"] == list(answer.query)
    said = report(finding, contradicting)
    assert {"question", "odd"} == set(said["contradiction"][0])


# ---- Results -------------------------------------------------------------------------------------


def test_results_are_written_in_standard_formats(tmp_path):
    odd = ("it's", "a (b), c;", "Müller & Söhne <br>", "two\nlines", "$x$ 木")
    tree = Tree.from_parents([5, 5, 6, 7, 7, 6, 8, 8, -1])
    finding = hold(tmp_path / "a.jsonl", Knower(tree, odd), items=odd)
    written = saved(finding, tmp_path / "my.tree")
    assert [path.name for path in written] == ["my.tree.json", "my.tree.nwk", "my.tree.svg"]
    back = Tree.from_newick((tmp_path / "my.tree.nwk").read_text(), names=odd)
    assert Tree(back.parent).isomorphic(tree)
    said = json.loads((tmp_path / "my.tree.json").read_text())
    assert said["items"] == list(odd)
    assert Tree(said["parent"]).isomorphic(tree)
    assert said["answers"] == said["distinct"] == len(finding.recorded.answers)
    drawn = (tmp_path / "my.tree.svg").read_text()
    assert all(text in drawn for text in ("木", "Müller &amp; Söhne &lt;br&gt;", "a (b), c;"))
    with pytest.raises(DataError, match="cannot write"):
        saved(finding, tmp_path / "no" / "folder")


# ---- Recorded answers as an oracle ---------------------------------------------------------------


def test_recorded_answers_are_an_oracle_about_items_of_these_names(tmp_path):
    path = tmp_path / "a.jsonl"
    finding = hold(path, Knower(TRUE, WORDS), "Bottom-up")
    order = np.random.default_rng(1).permutation(12)
    problem = Problem(n=12, names=tuple(WORDS[i] for i in order))
    for name in ("InsertionClustering", "QuickClustering", "Build"):
        found = fit(name, problem, oracle=f"recorded-ordinal[file='{path}']", seed=5)
        assert Tree.from_newick(found.to_newick(), names=WORDS).isomorphic(finding.result)


def test_a_question_asked_again_gets_the_next_answer_to_it_then_the_first_again():
    header = Header(kind="ordinal-queries", items=("a", "b", "c"))
    said = [(("a", "b", "c"), 0), (("c", "b", "a"), 0), (("b", "a", "c"), -2), (("b", "c", "a"), 1)]
    answers = [RecordedAnswer(query, code, 0) for query, code in said]
    recorded = RecordedAnswers(Path("x"), header, answers)
    oracle_answers = replay(recorded, ("c", "a", "b"))  # 0 is c, 1 is a, 2 is b
    oracle = Oracle(oracle_answers)
    assert [int(oracle.ask([[1, 2, 0]])[0]) for _ in range(4)] == [0, 2, 2, 0]
    assert Oracle(oracle_answers).ask([[0, 1, 2]]).tolist() == [1]


def test_a_query_without_an_answer_is_reported(tmp_path):
    path = tmp_path / "a.jsonl"
    hold(path, Knower(TRUE, WORDS))
    with pytest.raises(Exception, match="has no answer about"):
        fit("Build", Problem(n=12, names=WORDS), oracle=f"recorded-ordinal[file='{path}']")
    with pytest.raises(Exception, match="items are matched by name"):
        fit("Build", Problem(n=12), oracle=f"recorded-ordinal[file='{path}']")
    with pytest.raises(Exception, match="answers to ordinal-queries, not to quadruplet-queries"):
        fit("CL", Problem(n=12, names=WORDS), oracle=f"recorded-quadruplet[file='{path}']")


def test_without_a_terminal_recorded_answers_are_used(tmp_path):
    path = tmp_path / "a.jsonl"
    problem = Problem(n=12, names=WORDS)
    with pytest.raises(Exception, match="workers have no terminal to ask a person"):
        fit("InsertionClustering", problem, oracle=f"person[answers='{path}']")
    hold(path, Knower(TRUE, WORDS), "Bottom-up")
    found = fit("InsertionClustering", problem, oracle=f"person[answers='{path}']")
    assert found.isomorphic(TRUE)


def test_a_person_at_a_terminal_is_asked_in_lines_and_nothing_twice(tmp_path, monkeypatch, capfd):
    names = ("fir\x1b[31m", "oak", "cat\x9b\u202e", "dog")
    path, problem = tmp_path / "a.jsonl", Problem(n=4, names=names)
    said = ("what", "u", *"1212121212")
    monkeypatch.setattr("hcbench_ask.oracles.has_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(said)))
    found = fit("Build", problem, oracle=f"person[answers='{path}']", on_conflict="star")
    shown = capfd.readouterr().err
    assert "fir" in shown
    assert not {"\x1b", "\x9b", "\u202e"} & {*shown}
    recorded = RecordedAnswers.read(path)
    assert len(recorded.answers) == 5, "four questions, one of them put twice"
    assert recorded.answers[0].code == UNSURE
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    again = fit("Build", problem, oracle=f"person[answers='{path}']", on_conflict="star")
    assert again == found
    with pytest.raises(KeyboardInterrupt):  # no more answers
        fit("NoisyInsertion[p=0.9]", problem, oracle=f"person[answers='{path}']")


def test_a_person_who_is_never_sure_is_an_error_of_the_oracle():
    with pytest.raises(UnansweredError, match="asked 5 times"):
        fit("Build", n=3, ordinal=lambda *_: -2)


# ---- A plugin's own kind of question -------------------------------------------------------------


@pytest.mark.parametrize(("oracle", "k"), [("odd-of-many", 5), ("odd-of-many[k=4]", 4)])
def test_a_kind_of_a_plugin_is_asked_stored_and_replayed(oracle, k, tmp_path):
    registry = load_registry()
    (use,) = registry.use_algorithms("OddLinkage[queries=3]")
    kind = kind_of(use, registry.use_oracles(oracle))
    path, asked = tmp_path / "a.jsonl", []

    def last_word(query):
        if len(asked) == 5:
            asked.clear()
            raise Leave
        asked.append(query)
        return query.items.index(max(query.items))

    def run():
        with AnswersFile(path, header_of(use, WORDS, 0, None, kind)) as file:
            return Session(use, file, last_word).run()

    with pytest.raises(Leave):
        run()
    result = run().result
    assert {len(query.items) for query in asked} == {k}
    recorded = RecordedAnswers.read(path)
    assert recorded.kind == kind
    assert all(a.query[a.code] == max(a.query) for a in recorded.answers)
    true = ask_oracle(kind, lambda *items: np.argmax([WORDS[i] for i in items]), n=len(WORDS))
    assert result.isomorphic(fit(use, true))
    assert result.isomorphic(fit(use, Oracle(replay(recorded, WORDS))))
    with pytest.raises(DataError, match="a kind of a plugin, which no oracle of hcbench replays"):
        oracle_of(path)
    other = registry.use_oracles("odd-of-many[k=6]")
    with (
        pytest.raises(DataError, match="another question of the kind odd-of-many"),
        AnswersFile(path, header_of(use, WORDS, 0, None, kind_of(use, other))),
    ):
        pass


def test_each_choice_of_a_kind_of_a_plugin_has_one_key():
    registry = load_registry()
    (use,) = registry.use_algorithms("OddLinkage")
    with pytest.raises(ParameterError, match="the key of a choice is '10'; a person answers by"):
        kind_of(use, registry.use_oracles("odd-of-many[k=10]"))
    with pytest.raises(ParameterError, match="accepts odd-of-many: a person cannot answer"):
        kind_of(use, registry.use_oracles("vectors"))
