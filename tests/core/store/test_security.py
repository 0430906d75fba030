"""Stores, suites and exports of other people can run no code."""

from __future__ import annotations

import io
import json
import os
import pickle
import sqlite3
import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, strategies as st

import hcbench as package
from hcbench import figures
from hcbench.cli import main
from hcbench.errors import NameSyntaxError, ParameterError, StoreError, SuiteError
from hcbench.model.text import printable
from hcbench.plan.presentation import Presentation
from hcbench.registry.names import format_name, parse_name
from hcbench.registry.suite import Suite
from hcbench.registry.suite_files import read_suite
from hcbench.store import Store
from hcbench.store.codec import decode_result
from hcbench.store.merge import merge_stores
from hcbench_datasets.ordinal import read_ordinal
from tests.core.store.test_store import begin, make_outcome, save

PLUGIN = Path(__file__).parents[2] / "misbehaving.py"
DEFINITELY_NOT = "DROP TABLE cells; --"
INJECTIONS = (
    "' OR '1'='1",
    f"'; {DEFINITELY_NOT}",
    '"; DROP TABLE runs; --',
    "%",
    "_",
    "\\",
    "?",
    ":x",
)


class Payload:
    """Creates a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.file),)


def hcbench(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, done.stderr


def packed(header: Any, rest: bytes = b"") -> bytes:
    head = json.dumps(header).encode()
    return zlib.compress(struct.pack("<I", len(head)) + head + rest)


# ---- Stored results ------------------------------------------------------------------------------


def test_a_pickle_in_place_of_a_result_is_not_loaded(tmp_path: Path) -> None:
    made = tmp_path / "made"
    bomb = pickle.dumps(Payload(made))
    array = io.BytesIO()
    np.save(array, np.array([Payload(made)], dtype=object), allow_pickle=True)
    for content in (bomb, array.getvalue()):
        objects = {"type": "partition", "arrays": [["labels", "|O", 1]]}
        for result in (content, zlib.compress(content), packed(objects, content)):
            with pytest.raises(StoreError, match="damaged"):
                decode_result(result)
    assert not made.exists()


def test_an_invalid_header_is_damage() -> None:
    for header in [
        {},
        [],
        "partition",
        {"type": "tree", "arrays": [["parent", "<i4", 10**12]]},
        {"type": "tree", "arrays": [["parent", "<i4", 10**30]]},
        {"type": "tree", "arrays": [["parent", "<i4", -9]]},
        {"type": "tree", "arrays": [["parent", "i4,O", 1]], "kind": "order", "names": None},
        {"type": "tree", "arrays": [["parent", {"f0": "O"}, 1]], "kind": "order", "names": None},
        {"type": "tree", "arrays": [], "kind": "__import__('os')", "names": None},
        {"type": "partition", "arrays": [["labels", "<f8", 1]]},
    ]:
        with pytest.raises(StoreError, match="damaged"):
            decode_result(packed(header, b"\xff" * 16))


def test_a_header_that_is_nested_without_end_is_damage() -> None:
    head = b"[" * 100_000
    with pytest.raises(StoreError, match="damaged"):
        decode_result(zlib.compress(struct.pack("<I", len(head)) + head))


def test_a_small_result_that_would_become_all_memory_is_damage() -> None:
    with pytest.raises(StoreError, match="takes more than"):
        decode_result(zlib.compress(bytes(2**20 + 1)), most_bytes=2**20)


@pytest.mark.slow
def test_a_store_in_which_bytes_have_changed_is_read_or_told(tmp_path: Path) -> None:
    whole, damaged = tmp_path / "whole.sqlite", tmp_path / "damaged.sqlite"
    with Store(whole) as store:
        run = begin(store)
        save(store, run, [make_outcome(number) for number in range(3)])
        store.finish_run(run)
    content = whole.read_bytes()
    random = np.random.default_rng(0)
    n_refused = 0  # in one line each
    with Store(":memory:") as target:
        for _ in range(150):
            changed = bytearray(content)
            for place in random.integers(len(content), size=10):
                changed[place] = random.integers(256)
            damaged.write_bytes(changed)
            try:
                with Store(damaged) as store:
                    for outcome, _ in store.outcomes():
                        store.cell(outcome.key)
                    merge_stores(target, [store])
            except StoreError as error:
                n_refused += "\n" not in str(error)
    assert n_refused > 20


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_only_damage(content: bytes) -> None:
    for result in (content, zlib.compress(content)):
        with pytest.raises(StoreError, match="damaged"):
            decode_result(result)


# ---- SQL -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("text", INJECTIONS)
def test_sql_in_labels_filters_and_keys_is_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "store"
    with Store(path) as store:
        run = store.begin_run(command=text, suite=text, environment={text: text}, layout={})
        odd = make_outcome(0, algorithm=f"a{text}", dataset=text, oracle=text, reason=text)
        save(store, run, [odd, make_outcome(1)])
        assert [o.repetition for o, _ in store.outcomes(algorithm=f"a{text}")] == [0]
        assert len(store.outcomes(algorithm="*")) == 2
        assert not store.find([text], {text: text})
        with pytest.raises(StoreError, match="has no cell"):
            store.cell(text)
        assert store.run(run).command == text
        assert len(store.outcomes()) == 2
    for option in ("--algo", "--dataset"):
        code, _, err = hcbench("results", "show", option, text * 3, "--store", path)
        assert (code, err.count("\n")) == (3, 1)
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM cells").fetchone() == (2,)
    raw.close()


# ---- Suites --------------------------------------------------------------------------------------

HOSTILE = """
algorithms = ["UPGMA"]
datasets = ["iris"]
metrics = ["leaves"]
repetitions = 1

[[figures]]
name = "evil"
doc = "Runs something."
function = "{function}"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    ["os:system", "subprocess:run", "antigravity:geohash", "evil:draw", "hcbench:compare"],
)
@pytest.mark.usefixtures("in_process")
def test_a_figure_of_a_suite_calls_only_functions_of_plugins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath('made').mkdir()\n")
    (tmp_path / "suite.toml").write_text(HOSTILE.format(function=function))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    suite = read_suite(tmp_path / "suite.toml")
    results = package.compare(
        ["good"], ["numbers"], metrics=["leaves"], repetitions=1, plugins=[PLUGIN], store=":memory:"
    )
    (drawn,) = package.figures.draw_figures(
        results, tmp_path / "figures", figures=suite.figures, store=":memory:", plugins=[PLUGIN]
    )
    assert drawn.path is None
    assert "is not a function of a plugin" in drawn.reason
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "name",
    [
        "__import__('os').system('true')",
        "UPGMA[metric=__import__('os')]",
        "os:system",
        "hcbench_datasets.file:file",
        "{{7*7}}",
        "UPGMA[metric=!!python/object/apply:os.system]",
    ],
)
def test_names_that_look_like_code_are_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "suite.toml"
    path.write_text(f"algorithms = [{json.dumps(name)}]\ndatasets = ['iris']\n")
    code, out, err = hcbench("run", path, "--dry-run", "--store", tmp_path / "store")
    assert code in (2, 3, 4)
    assert (out, err.count("\n")) == ("", 1)
    assert "defect" not in err


@pytest.mark.slow
def test_text_that_would_take_all_memory_or_the_stack_is_one_line(tmp_path: Path) -> None:
    for text in (
        "[" * 10**5,
        "[" * 60 + "]" * 60,
        "{" * 60 + "}" * 60,
    ):
        with pytest.raises(NameSyntaxError) as caught:
            parse_name(f"A[x={text}]")
        assert len(str(caught.value)) < 300
    # Text in braces is kept as it is; a function that reads it, such as that of orders, checks it.
    many_parts = "a." * 10**5 + "a=1"
    assert parse_name(f"A[x={{{many_parts}}}]").params == {"x": f"{{{many_parts}}}"}
    with pytest.raises(ParameterError) as caught_order:
        read_ordinal(f"{{{many_parts}}}")
    assert len(str(caught_order.value)) < 300
    with pytest.raises(NameSyntaxError, match="no Unicode text"):
        parse_name("A[x='\udc80']")
    suite = tmp_path / "s.toml"
    for text, message in (
        ("x = " + "[" * 10**5, "nested too deep"),
        ("seed = " + "1" * 5000, "has 5000 digits"),
        ("a." * 10**5 + "a = 1", "a key has more than 50 parts"),
        ("[" + "'a' . " * 10**5 + "a]", "a key has more than 50 parts"),
    ):
        suite.write_text(text)
        with pytest.raises(SuiteError, match=message):
            read_suite(suite)


def test_files_of_a_suite_are_those_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "suites"
    folder.mkdir()
    for name in ("plants.csv", "plants.nwk", "a.answers.jsonl", "iris"):
        (folder / name).write_text("")
    data = "plants.csv[truth='plants.nwk', labels=[family]]"
    (folder / "s.toml").write_text(
        f"algorithms = ['UPGMA[metric=cosine]', 'X[init=\"./start.nwk\"]']\n"
        f"datasets = [\"{data}\", '../more.csv', 'iris', '/abs/olute.csv', "
        "'recorded-items[path=a.answers.jsonl]']\n"
        f"oracles = ['recorded-triplets[file=[./a.answers.jsonl, missing.jsonl]]']\n"
        f"only = [['UPGMA', \"{data}\"]]\n"
        f"[[claims]]\nclaim = 'c'\nalgorithm = 'UPGMA'\ndataset = \"{data}\"\n"
        "metric = 'AARI'\npaper = '1'\n"
    )
    relative = Path(os.path.relpath(folder / "s.toml"))
    for path in (folder / "s.toml", relative):
        suite = read_suite(path)
        found = parse_name(suite.datasets[0])
        assert found.base == str(folder / "plants.csv")
        assert found.params == {"truth": str(folder / "plants.nwk"), "labels": ("family",)}
        assert suite.datasets[1:4] == (str(tmp_path / "more.csv"), "iris", "/abs/olute.csv")
        assert parse_name(suite.datasets[4]).params == {"path": str(folder / "a.answers.jsonl")}
        (oracle,) = suite.oracles
        assert parse_name(oracle).params["file"] == (
            str(folder / "a.answers.jsonl"),
            "missing.jsonl",
        )
        assert suite.algorithms[0] == "UPGMA[metric=cosine]", "as it was written"
        assert parse_name(suite.algorithms[1]).params == {"init": str(folder / "start.nwk")}
        assert suite.only == (("UPGMA", suite.datasets[0]),)
        assert suite.claims[0].dataset == suite.datasets[0]
        described = json.loads(json.dumps(Presentation(suite=suite).describe()))
        assert Presentation.of_description(described).suite.datasets == suite.datasets


@given(st.text(max_size=20))
def test_only_names_of_files_are_changed(text: str) -> None:
    name = format_name("UPGMA", {"metric": text}) if text else "UPGMA"
    assume(not text.startswith(("./", "../")))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.toml"
        lists = {"algorithms": [name], "datasets": ["iris"], "metrics": ["AARI"]}
        lines = [f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in lists.items()]
        path.write_text("\n".join(lines).replace("\x7f", r"\u007f"))  # JSON, and so TOML
        assert read_suite(path).algorithms == (name,)


# ---- Terminals -----------------------------------------------------------------------------------

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202ereversed\x7f\x00"


@given(st.text())
def test_what_is_printable_has_no_control_characters(text: str) -> None:
    shown = printable(text + EVIL)
    assert all(c in "\n\t" or not (ord(c) < 32 or 127 <= ord(c) < 160) for c in shown)
    if text.isascii() and text.isprintable():
        assert printable(text) == text


@pytest.mark.slow
def test_escape_sequences_of_a_store_do_not_reach_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store"
    with Store(path) as store:
        suite = Suite(name=EVIL, algorithms=(EVIL,), datasets=(EVIL,))
        layout = Presentation(suite=suite, algorithms=(EVIL,), datasets=(EVIL,)).describe()
        run = store.begin_run(command=EVIL, suite=EVIL, environment={}, layout=layout)
        labels = {"algorithm": EVIL, "dataset": EVIL, "oracle": EVIL}
        wrong = make_outcome(0, **labels, status="error", reason=EVIL, log=EVIL, traceback=EVIL)
        noted = make_outcome(1, **labels, notes=(EVIL,))
        save(store, run, [wrong, noted])
    # As on a terminal, which rich would send sequences of its own.
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "99")
    for command in (
        ("results",),
        ("results", "show"),
        ("results", "show", "--format", "json"),
        ("results", "diff", 1, 1, "--all"),
        ("rerun", make_outcome(0).key),
        ("results", "rescore", "--metrics", "queries"),
        ("results", "merge", path, "-o", tmp_path / "other"),
        ("results", "show", "--algo", EVIL + "none"),
    ):
        where = () if "merge" in command else ("--store", path)
        _, out, err = hcbench(*command, *where)
        assert out or err
        for raw in ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "\x7f"):
            assert raw not in out
            assert raw not in err


def test_control_characters_in_names_reach_neither_the_terminal_nor_a_figure(
    tmp_path: Path,
) -> None:
    file = tmp_path / "red.csv"
    rows = [f"n{i}\x1b[31m,{i % 3},k{i > 3}\x1b[32m" for i in range(8)]
    file.write_text("\n".join(["name\x1b[33m,x,kind", *rows]))
    _, shown, told = hcbench("inspect", file)
    assert "n0\\x1b[31m" in shown
    assert "\x1b" not in shown + told
    tree = package.Tree.from_levels([[0], [0], [1]], names=["a\x1b[31m", "b", "c"])
    assert "a\\x1b[31m" in [node.text for node in ElementTree.fromstring(tree._repr_svg_()).iter()]
    figure = tmp_path / "tree.svg"
    drawn, ax = figures.new_figure(3, 3)
    figures.dendrogram(ax, tree)
    drawn.savefig(figure)
    ElementTree.parse(figure)


def test_control_characters_in_the_description_of_a_plugin_are_written_out(tmp_path: Path) -> None:
    file = tmp_path / "red.py"
    file.write_text(
        "import hcbench\n\n\n@hcbench.hookimpl\ndef hcbench_algorithms():\n"
        "    args = dict(name='Red', function='red:f', doc='Red\\x1b[31m.', accepts=('vectors',))\n"
        "    return [hcbench.AlgorithmSpec(**args)]\n"
    )
    for command in (("info", "Red"), ("list", "algorithms")):
        _, shown, told = hcbench(*command, "--plugin", file)
        assert "Red\\x1b[31m." in shown
        assert "\x1b" not in shown + told


def test_an_error_shows_the_beginning_of_a_word_that_is_longer_than_any_path() -> None:
    ended = CliRunner().invoke(main, ["compare", "--algos", "A" * 100_000, "--dry-run"])
    assert ended.exit_code == 2
    assert f"'{'A' * 39}..." in ended.stderr
    assert len(ended.stderr) < 500
