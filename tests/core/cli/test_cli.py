"""Commands that run no cells: help, lists, completion, dry runs, and errors."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from hcbench import load_registry
from hcbench.analysis.tables import Block, TableEntry
from hcbench.cli import COMMANDS, main
from hcbench.cli.describing import example as example_of
from hcbench.cli.draw import write_blocks
from hcbench.cli.terminal import tell_warnings
from hcbench.registry.names import parse_name

TOYS = str(Path(__file__).parents[2] / "plugins_for_tests" / "toys.py")
HEAVY = {"matplotlib", "numba", "scipy", "sklearn", "hdbscan"}


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("HCBENCH_DEBUG", raising=False)


def call(*args: str) -> Result:
    return CliRunner().invoke(main, args)


def toys(*args: str) -> Result:
    """Call a command with the plugin file of the tests."""
    return call(*args, "--plugin", TOYS)


# ---- Start-up ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["--version"],
        ["list"],
        ["info", "UPGMA"],
        ["cite", "UPGMA"],
        ["plugins"],
        ["completion", "bash"],
        ["compare", "--help"],
        ["compare", "--dry-run"],
        ["run", "compare", "--dry-run", "--format", "json"],
        ["results"],
        ["COMPLETE"],
    ],
    ids=" ".join,
)
def test_commands_that_run_nothing_import_nothing_heavy(args: list[str], tmp_path: Path) -> None:
    env = {**os.environ, "HCBENCH_STORE": str(tmp_path / "s.sqlite")}
    if args == ["COMPLETE"]:
        words = {"COMP_WORDS": "hcbench compare --algos U", "COMP_CWORD": "3"}
        env |= {"_HCBENCH_COMPLETE": "bash_complete", **words}
        args = []
    code = (
        "import atexit, sys\n"
        "from hcbench.cli import main\n"
        "atexit.register(lambda: print('LOADED', *sys.modules, file=sys.stderr))\n"
        f"main({args!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.partition("LOADED")[2].split())
    assert "click" in loaded
    assert not loaded & HEAVY


# ---- Help ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_names_every_command_and_goes_to_stdout(flag: str) -> None:
    result = call(flag)
    assert result.exit_code == 0
    assert result.stderr == ""
    listed = re.findall(r"^  (\w+) ", result.stdout.split("Commands:\n")[1], re.MULTILINE)
    assert listed[: len(COMMANDS)] == list(COMMANDS)


@pytest.mark.parametrize("arguments", [(), ("results",), ("new",)])
def test_no_command_is_cut_short_in_a_list_of_80_columns(arguments: tuple[str, ...]) -> None:
    text = CliRunner().invoke(main, [*arguments, "--help"], terminal_width=80).stdout
    listed = text.split("Commands:\n")[1]
    assert ".\n" in listed
    assert "..." not in listed


def parameters_of(command: click.Command) -> list[tuple[str, click.Parameter]]:
    found = [(command.name or "", parameter) for parameter in command.params]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            _, below, _ = command.resolve_command(context, [name])  # those of plugins, too
            assert below is not None
            found += parameters_of(below)
    return found


def test_every_option_is_documented_in_a_sentence() -> None:
    options = [(c, p) for c, p in parameters_of(main) if isinstance(p, click.Option)]
    assert len(options) > 100
    without = [(c, p.name) for c, p in options if not p.help]
    assert without == []


@pytest.mark.slow
def test_every_command_has_help_with_both_flags() -> None:
    for command in COMMANDS:
        short, long = call(command, "-h"), call(command, "--help")
        assert short.exit_code == 0, short.stderr
        assert short.stdout == long.stdout
        assert short.stdout.startswith(f"Usage: hcbench {command}")


@pytest.mark.slow
def test_examples_in_help_are_quoted_and_work() -> None:
    text = call("compare", "--help").stdout
    examples = [line.strip() for line in text.split("Examples:")[1].splitlines() if line.strip()]
    assert len(examples) == 5
    for example in examples:
        if "mydata" not in example:
            result = call(*shlex.split(example)[1:], *_dry(example))
            assert result.exit_code == 0, (example, result.stderr)


def _dry(example: str) -> list[str]:
    return [] if "--dry-run" in example else ["--dry-run"]


# ---- Registered names ----------------------------------------------------------------------------


def test_info_shows_everything_about_a_name() -> None:
    text = re.sub(r"0\+\w+", "VERSION", toys("info", "comb").stdout)
    assert text == (
        "Comb: algorithm\n"
        "A caterpillar.\n"
        "\n"
        "accepts  toy, vectors\n"
        "returns  a tree\n"
        "paper    Doe & Roe 2020, Toys (hcbench cite Comb)\n"
        "tags     paper:toy2020\n"
        "plugin   toys:file VERSION\n"
        "example  hcbench compare --algos 'Comb[start=0]'\n"
        "\n"
        "parameter  default  values          meaning\n"
        "start      0        int in [0, 10]  Where to begin.\n"
    )


def test_the_example_of_a_name_is_one_that_can_be_used() -> None:
    registry = load_registry()
    for dataset in registry.datasets.entries:
        *_, name = shlex.split(example_of(dataset))
        if not name.startswith("./") and "..." not in name:  # for the reader to fill in
            (use,) = registry.use_datasets(name)
            assert use.provides, name
    for algorithm in registry.algorithms.entries:
        *_, name = shlex.split(example_of(algorithm))
        if "..." not in name:  # for the reader to fill in
            assert len(registry.use_algorithms(name)) == 1


def test_required_parameters_are_placeholders_in_the_example() -> None:
    assert "NoisyInsertion[p=...]" in call("info", "NoisyInsertion").stdout


def test_values_are_words_and_numbers_in_an_interval_each_by_itself() -> None:
    (prior, bands) = json.loads(call("info", "WDP", "--format", "json").stdout)["parameters"][:2]
    assert prior["values"] == "uniform | bands or float in (0, 1) or list or callable"
    assert bands["values"] == "int in [1, 1000000] or list"


def test_info_as_json_has_the_same() -> None:
    about = json.loads(toys("info", "line", "--format", "json").stdout)
    assert about["kind"] == "data set"
    assert about["provides"] == ["vectors", "levels", "truth"]
    assert about["licence"] == "CC0"
    assert about["parameters"] == [
        {"name": "n", "default": "8", "values": "int in [2, inf)", "doc": "Items."}
    ]


@pytest.mark.slow
def test_list_of_one_kind_has_a_name_and_a_line_each() -> None:
    listed = json.loads(toys("list", "metrics", "--format", "json").stdout)
    ours = [row for row in listed["metrics"] if row["plugin"] == "toys:file"]
    assert ours == [
        {
            "name": "nodes",
            "doc": "Number of nodes.",
            "aliases": [],
            "direction": "lower is better",
            "needs": [],
            "tags": [],
            "licence": "",
            "plugin": "toys:file",
        },
        {
            "name": "size",
            "doc": "Mean of the data.",
            "aliases": [],
            "direction": "higher is better",
            "needs": [],
            "tags": [],
            "licence": "",
            "plugin": "toys:file",
        },
    ]
    text = toys("list", "metrics").stdout
    assert "nodes " in text
    assert "Number of nodes.\n" in text
    assert max(map(len, text.splitlines())) <= 80


def test_names_are_folded_between_their_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    name = TableEntry("ordinal-queries[source=similarity,noise=0.25,repeats=3]")
    write_blocks(
        [Block("one", ("oracle", "AARI"), (False, True), ((name, TableEntry("0.5")),), ())]
    )
    lines = [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()]
    assert lines[3:5] == ["ordinal-queries[source=similarity,", "noise=0.25,repeats=3]"]


def test_parts_of_a_wide_table_have_only_rows_with_a_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ("algorithm", *(f"{number}" * 15 for number in range(5)))
    rows = [
        (TableEntry("UPGMA"), *[TableEntry("0.5")] * 4, TableEntry("-")),
        (TableEntry("tSTE-AL"), TableEntry("-"), *[TableEntry("0.5")] * 4),
    ]
    write_blocks([Block("one", names, (False, *[True] * 5), tuple(rows), ())])
    shown = [line.split()[0] for line in capsys.readouterr().out.splitlines() if "0.5" in line]
    assert shown == ["UPGMA", "tSTE-AL", "tSTE-AL"]


@pytest.mark.slow
def test_list_has_all_kinds() -> None:
    listed = json.loads(toys("list", "--format", "json").stdout)
    assert list(listed) == ["algorithms", "datasets", "oracles", "metrics", "suites"]
    assert "toys" in [suite["name"] for suite in listed["suites"]]


def test_cite_prints_each_paper_once_and_reports_missing_ones() -> None:
    result = toys("cite", "Comb", "Comb[start=1]", "Fail")
    assert result.stdout == (
        "@article{toy2020,\n"
        "  author = {Doe, Jane and Roe, Richard},\n"
        "  title = {Toys},\n"
        "  year = {2020},\n"
        "}\n"
    )
    assert result.stderr == "hcbench: Fail has no paper\n"
    of_suite = toys("cite", "toys")
    assert of_suite.stdout == result.stdout, "the paper of the one algorithm that it names"
    assert of_suite.stderr == "hcbench: toys has no paper\n"


def test_cite_of_a_package_prints_the_papers_of_all_that_it_registers() -> None:
    of_package = call("cite", "hcbench")
    assert of_package.exit_code == 0
    keys = re.findall(r"^@\w+\{(.*),$", of_package.stdout, re.MULTILINE)
    papers = set()
    for catalogue in load_registry().catalogues:
        for entry in catalogue.entries:
            if entry.spec.paper is not None:
                papers.add(entry.spec.paper.key)
    assert set(keys) >= papers
    assert len(keys) == len(set(keys))
    assert of_package.stderr == ""


@pytest.mark.slow
def test_plugins_lists_what_is_registered_and_broken_with_reasons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "sad-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sad\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hcbench]\nmain = sad_no_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    about = json.loads(toys("plugins", "--format", "json").stdout)
    assert about["broken"] == [
        {
            "plugin": "sad:main",
            "version": "1.0",
            "requires": None,
            "reason": "cannot be imported: ModuleNotFoundError: No module named 'sad_no_module'",
        }
    ]
    (ours,) = (p for p in about["loaded"] if p["plugin"] == "toys:file")
    assert ours["algorithms"] == ["Comb", "Fail", "Knowing"]
    assert "sad:main" in toys("plugins").stdout
    warned = toys("list", "suites")
    assert warned.exit_code == 0
    assert warned.stderr == (
        "hcbench: warning: broken plugins are not used: sad:main (see hcbench plugins)\n"
    )
    assert toys("compare", "--algos", "Comb", "--dry-run", "--quiet").stderr == ""


# ---- Dry runs ------------------------------------------------------------------------------------


def test_dry_run_shows_cells_and_excluded_combinations_and_creates_nothing(tmp_path: Path) -> None:
    store = tmp_path / "none" / "s.sqlite"
    result = toys(
        "compare",
        "--algos=Comb[start=[0,1]],Knowing",
        "--datasets=line,bare",
        "--metrics=nodes",
        "-r3",
        "--dry-run",
        f"--store={store}",
    )
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        "dataset  algorithm      oracle   cells  stored\n"
        "line     Comb           toy          3       0\n"
        "line     Comb[start=1]  toy          3       0\n"
        "line     Knowing        vectors      3       0\n"
        "bare     Comb           toy          3       0\n"
        "bare     Comb[start=1]  toy          3       0\n"
        "\n"
        "inapplicable:\n"
        "  Knowing needs truth, which bare does not provide\n"
        "\n"
        f"15 cells, 0 stored in {store}, 15 to run\n"
        "metrics: nodes\n"
    )
    assert not store.parent.exists()


@pytest.mark.slow
def test_dry_run_estimates_times_from_stored_cells(tmp_path: Path) -> None:
    args = ["compare", "--algos=Comb", f"--store={tmp_path}/s.sqlite"]
    assert toys(*args, "--datasets=line", "-r1", "--quiet").exit_code == 0
    shown = toys(*args, "--datasets=line,bare", "-r3", "--dry-run").stdout
    assert "6 cells, 1 stored in" in shown
    told = "calls: about 0 s in all, as stored calls of the same took; unknown for 3 cells\n"
    assert told in shown


@pytest.mark.slow
def test_times_are_estimated_from_three_sizes_before_and_at_the_start_of_a_run(
    tmp_path: Path,
) -> None:
    args = ["compare", "--algos=UPGMA", f"--store={tmp_path}/s.sqlite", "-r1", "-j1"]
    sizes = "shapes[n=10],shapes[n=20]"
    assert "calls: about" not in call(*args, f"--datasets={sizes}").stderr
    larger = "shapes[n=40]"
    assert "calls: about" not in call(*args, f"--datasets={larger}", "--dry-run").stdout
    assert call(*args, f"--datasets={larger}", "--quiet").exit_code == 0
    expected = (
        "calls: about 0 s in all, 1 cell by a power law in n, from stored calls of the same "
        "algorithm with n = 10 to 40, extrapolated to n = 80\n"
    )
    assert expected in call(*args, "--datasets=shapes[n=80]", "--dry-run").stdout
    assert f"hcbench: {expected}" in call(*args, "--datasets=shapes[n=80]").stderr


def test_dry_run_as_json_is_one_object() -> None:
    args = ["--algos", "Comb", "--datasets", "line", "--budget", "1e3,2000", "--checkpoints", "10"]
    result = toys("compare", *args, "--dry-run", "--format", "json")
    plan = json.loads(result.stdout)
    assert (plan["cells"], plan["stored"], plan["to_run"]) == (10, 0, 10)
    assert [group["budget"] for group in plan["groups"]] == [1000, 2000]
    assert plan["left_out"] == []


@pytest.mark.slow
def test_defaults_are_those_of_the_suite_compare() -> None:
    plan = json.loads(call("compare", "--dry-run", "--format", "json").stdout)
    about = json.loads(call("info", "compare", "--format", "json").stdout)
    assert plan["repetitions"] == about["repetitions"]
    assert [f"hcbench:{metric}" for metric in plan["metrics"]] == about["metrics"]
    assert {f"hcbench:{g['algorithm']}" for g in plan["groups"]} <= set(about["algorithms"])


@pytest.mark.slow
def test_a_suite_is_a_name_or_a_file_and_options_take_precedence(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('algorithms = ["Comb"]\ndatasets = ["line"]\nrepetitions = 4\n')
    for suite, cells in ((str(file), 4), ("toys", 4)):
        plan = toys("run", suite, "--dry-run", "--format", "json")
        assert json.loads(plan.stdout)["cells"] == cells
    plan = toys("run", str(file), "-r2", "--dry-run", "--format", "json")
    assert json.loads(plan.stdout)["cells"] == 2


# ---- Mistakes ------------------------------------------------------------------------------------

MISTAKES = {
    "unknown name": (["--algos", "Commb"], 2, "no algorithm is called 'Commb'; did you mean Comb?"),
    "several": (
        ["--algos", "Commb,Comb[start=x]", "--datasets", "./none.xyz", "--metrics", "depht"],
        2,
        "did you mean Comb?; Comb: start must be int, got 'x'; cannot read none.xyz: No such file",
    ),
    "unknown parameter": (
        ["--algos", "Comb[begin=1]"],
        2,
        "Comb has no parameter 'begin'; did you mean start? Where to begin.",
    ),
    "wrong type": (["--algos", "Comb[start=x]"], 2, "Comb: start must be int, got 'x'"),
    "out of range": (["--algos", "Comb[start=11]"], 2, "Comb: start must be in [0, 10], got 11"),
    "p above 1": (
        ["--oracles", "quadruplet-set[p=1.5]"],
        2,
        "quadruplet-set: p must be in (0, 1], got 1.5",
    ),
    "missing parameter": (["--datasets", "demanding"], 2, "demanding needs n: demanding[n=...]"),
    "open bracket": (["--algos", "Comb["], 2, "'Comb[': a bracket is not closed"),
    "no name": (
        ["--algos", ","],
        2,
        "Invalid value for '--algos': no name is given (see hcbench compare --help)",
    ),
    "missing file": (["--datasets", "./none.csv"], 2, "cannot read ./none.csv: No such file"),
    "unknown ending": (
        ["--datasets", "./none.xyz"],
        2,
        "cannot read none.xyz: No such file",
    ),
    "space for comma": (
        ["--algos", "Comb", "Fail"],
        2,
        "Got unexpected extra argument (Fail); write names after --algos and --datasets",
    ),
    "misspelt option": (["--algoss", "Comb"], 2, "No such option"),
    "comma in a number": (["-r", "1,000"], 2, "not a valid integer; write numbers without commas"),
    "comma in a budget": (["--budget", "1,000"], 2, "'000' is not a number of queries"),
    "repetitions": (
        ["-r", "0"],
        2,
        "Invalid value for '-r' / '--repetitions': 0 is not in the range x>=1",
    ),
    "jobs": (["-j", "0"], 2, "Invalid value for '-j' / '--jobs': 0 is not in the range x>=1"),
    "seed": (["--seed", "-1"], 2, "Invalid value for '--seed': -1 is not in the range x>=0"),
    "timeout": (
        ["--timeout", "0"],
        2,
        "'--timeout': '0' is no time above 0; write 300, 90s, 10min or 1h, or none",
    ),
    "timeout nan": (["--timeout", "nan"], 2, "'nan' is no time above 0; write 300"),
    "memory": (["--memory", "inf"], 2, "'inf' is no memory above 0; write 2, which are GiB, 512MB"),
    "budget": (["--budget", "1k"], 2, "'1k' is not a number of queries; write for example 1000"),
    "unpaid budget": (
        ["--budget", "5USD"],
        2,
        "--budget 5USD limits nothing here: numbers limit queries",
    ),
    "negative budget": (["--budget", "-5"], 2, "'-5' is not a number of queries"),
    "format": (["--format", "xml"], 2, "Invalid value for '--format': 'xml' is not one of"),
    "dry run format": (["--dry-run", "--format", "latex"], 2, "--dry-run has no --format latex"),
    "no plugin file": (["--plugin", "none.py"], 2, "File 'none.py' does not exist"),
    "store of what": (["--store", "mysql://x"], 3, "a store cannot be kept in 'mysql'"),
    "store is a folder": (["--store", "/"], 3, "/ is a folder; give a file"),
}


@pytest.mark.slow
def test_a_mistake_is_one_line_on_stderr_and_an_exit_code() -> None:
    for args, code, message in MISTAKES.values():
        result = toys("compare", *args)
        assert result.exit_code == code
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("hcbench: error: ")
        assert message in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read {}: No such file or directory"),
        ("algorithms = [", "suite {} is not valid TOML"),
        ("algos = []", "{}: unknown entry 'algos'; did you mean algorithms?"),
        ("repetitions = 0", "repetitions must be a whole number from 1, got 0"),
    ],
)
def test_a_bad_suite_ends_with_3(text: str | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    if text is not None:
        file.write_text(text)
    result = call("run", str(file))
    assert result.exit_code == 3
    assert message.format(file) in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_unknown_suite_ends_with_3() -> None:
    result = call("run", "compar")
    assert result.exit_code == 3
    assert "no suite is called 'compar'; did you mean compare" in result.stderr


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(3)", "cannot be imported: it calls sys.exit(3)"),
        (
            "from hcbench import hookimpl\n@hookimpl\ndef hcbench_algorithm(): return ()",
            "implements an unknown hook hcbench_algorithm; did you mean hcbench_algorithms?",
        ),
        (
            "from hcbench import hookimpl\n@hookimpl\ndef hcbench_algorithms(): return 1 / 0",
            "hcbench_algorithms failed: ZeroDivisionError: division by zero",
        ),
    ],
)
def test_a_named_plugin_file_that_fails_ends_with_4(source: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(source)
    result = call("list", "--plugin", str(file))
    assert result.exit_code == 4
    assert result.stderr == f"hcbench: error: --plugin {file}: {why}\n"


def test_output_of_a_plugin_while_it_loads_is_not_data(tmp_path: Path) -> None:
    file = tmp_path / "chatty.py"
    file.write_text("print('hello')")
    result = call("list", "suites", "--format", "json", "--plugin", str(file))
    assert json.loads(result.stdout)
    assert result.stderr == "hello\n"


def test_an_unknown_command_is_reported_with_the_closest() -> None:
    result = call("comparee")
    assert result.exit_code == 2
    assert result.stderr == (
        "hcbench: error: No such command 'comparee'; did you mean compare? (see hcbench --help)\n"
    )
    assert "; hcbench results show 3 shows that run (see" in call("results", "3").stderr


def test_an_unknown_command_of_a_group_is_reported_with_all() -> None:
    result = call("results", "what")
    assert result.exit_code == 2
    assert "No such command 'what'; there are diff, " in result.stderr


@pytest.mark.parametrize("kind", ["algo", "algos", "algorithm", "algorithms"])
def test_names_of_options_and_kinds_may_be_singular(kind: str) -> None:
    listed = toys("list", kind, "--short").stdout
    assert "Comb\n" in listed
    assert "metrics" not in listed
    planned = toys("compare", f"--{kind}", "Comb", "--dataset", "iris", "--dry-run")
    assert planned.exit_code == 0, planned.stderr


def test_an_unknown_name_of_info_is_reported_with_the_closest() -> None:
    result = toys("info", "Combb")
    assert result.exit_code == 2
    assert "is called 'Combb'; did you mean Comb" in result.stderr


def test_a_defect_is_one_line_and_a_traceback_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise RuntimeError("oh\nno")

    monkeypatch.setattr("hcbench.cli.listing.load_plugins", fail)
    line = (
        "hcbench: error: RuntimeError: oh no; this is a defect; run with HCBENCH_DEBUG=1 for the "
        "traceback\n"
    )
    result = call("list")
    assert (result.exit_code, result.stderr) == (1, line)
    monkeypatch.setenv("HCBENCH_DEBUG", "1")
    told = call("list").stderr
    assert told.startswith("Traceback")
    assert told.endswith(line)


@pytest.mark.slow
def test_a_closed_pipe_is_not_an_error() -> None:
    command = f"{sys.executable} -m hcbench info UPGMA | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# ---- Completion ----------------------------------------------------------------------------------


def zsh_words(*words: str) -> list[str]:
    """What zsh completes, which does not split words at ``=`` as bash does."""
    env = {
        "_HCBENCH_COMPLETE": "zsh_complete",
        "COMP_WORDS": shlex.join(["hcbench", *words]),
        "COMP_CWORD": str(len(words)),
    }
    lines = CliRunner(env=env).invoke(main, []).stdout.strip().splitlines()
    # Three lines for each: its type, its text and its description.
    return [f"{kind},{text}" for kind, text in zip(lines[::3], lines[1::3], strict=True)]


def complete(*words: str) -> list[str]:
    env = {
        "_HCBENCH_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["hcbench", *words]),
        "COMP_CWORD": str(len(words)),
    }
    result = CliRunner(env=env).invoke(main, [])
    return result.stdout.split()


@pytest.mark.slow
def test_names_are_completed() -> None:
    for words, expected in [
        (["compare", "--plugin", TOYS, "--algos", "comb"], ["plain,Comb"]),
        (["compare", "--plugin", TOYS, "--algos", "Comb,Kn"], ["plain,Comb,Knowing"]),
        (["compare", "--plugin", TOYS, "--datasets", "Li"], ["plain,line"]),
        (["compare", "--datasets", "./my"], ["file,./my"]),
        (["compare", "--plugin", TOYS, "--oracles", "to"], ["plain,toy"]),
        (["compare", "--plugin", TOYS, "--metrics", "size,nod"], ["plain,size,nodes"]),
        (["info", "--plugin", TOYS, "knowi"], ["plain,Knowing"]),
        (["cite", "--plugin", TOYS, "Comb", "knowi"], ["plain,Knowing"]),
        (["run", "--plugin", TOYS, "toy"], ["plain,toys"]),
        (["run", "./x"], ["file,./x"]),
        (["compare", "--algos", "UPGMA,@phy"], ["plain,UPGMA,@phylogeny"]),
        (["list", "alg"], ["plain,algorithms"]),
        (["compl"], ["plain,completion"]),
        (["compare", "--plugin", "none.py", "--algos", "xyz"], []),
    ]:
        assert complete(*words) == expected


@pytest.mark.slow
def test_parameters_and_values_inside_of_lists_are_completed() -> None:
    for word, expected in [
        ("UPGMA,Complete[met", ["plain,UPGMA,Complete[metric="]),
        ("UPGMA[metric=cos", ["plain,UPGMA[metric=cosine"]),
        ("4-AL[metric=cosine", []),
        ("half[of=su", []),
        ("None[", []),
        ("UPGMA[metric=cosine],Com", ["plain,UPGMA[metric=cosine],Complete"]),
    ]:
        assert zsh_words("compare", "--algos", word) == expected, word
    assert zsh_words("compare", "--datasets", "iris[standar") == ["plain,iris[standardise="]
    shown = zsh_words("compare", "--datasets", "iris[standardise=")
    assert shown == [f"plain,iris[standardise={text}" for text in ("true", "false")]


@pytest.mark.slow
def test_columns_of_a_table_are_completed(tmp_path: Path) -> None:
    table = tmp_path / "flowers.csv"
    table.write_text("\ufeffplot;petal.width;petal.length;kind of;$(touch x)\n1;2;3;4;5\n", "utf-8")
    begun = f"{table}[labels="
    columns = ["plot", "petal.width", "petal.length"]
    assert zsh_words("compare", "--datasets", begun) == [f"plain,{begun}{c}" for c in columns]
    assert zsh_words("compare", "--datasets", f"{begun}pe") == [
        f"plain,{begun}{c}" for c in columns[1:]
    ]
    begun = f"iris,{table}[drop=plot,names=pl"
    assert zsh_words("compare", "--datasets", begun) == [f"plain,{begun}ot"]
    (tmp_path / "empty.csv").write_text("")
    for path in ("empty.csv", "missing.csv", "."):
        assert zsh_words("compare", "--datasets", f"{tmp_path}/{path}[labels=") == []


@pytest.mark.slow
def test_runs_are_completed_by_number_and_name() -> None:
    assert complete("results", "show", "") == []
    for seed in ("0", "1"):
        assert toys("compare", "--algos=Comb", "--datasets=line", f"--seed={seed}").exit_code == 0
    call("results", "name", "1", "first-try")
    expected = ["plain,2", "plain,1", "plain,first-try"]
    for words in (("results", "show"), ("results", "diff", "1"), ("report",), ("results", "rm")):
        assert complete(*words, "") == expected, words
    assert complete("results", "show", "fi") == ["plain,first-try"]
    assert complete("tree", "1") == ["plain,1"]
    assert complete("tree", "UPG") == ["plain,UPGMA"]
    assert complete("tree", "UPGMA", "ir") == ["plain,iris"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_line_for_a_shell(shell: str) -> None:
    result = call("completion", shell)
    assert result.stdout.count("\n") == 1
    assert f"_HCBENCH_COMPLETE={shell}_source hcbench" in result.stdout
    assert result.stderr == ""


@pytest.mark.slow
def test_no_command_at_all_shows_the_help() -> None:
    done = subprocess.run([sys.executable, "-m", "hcbench"], capture_output=True, text=True)
    assert "Commands:" in done.stdout
    assert done.stdout.count("\n") > 10
    assert not done.stderr


@pytest.mark.slow
def test_a_full_disk_for_the_output_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "hcbench", "list"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.stderr.startswith("hcbench: error: the output cannot be written: No space left")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "way_out"),
    [
        (["compare", "UPGMA", "iris"], "write names after --algos and --datasets"),
        (["compare", "--algos", "planted[N0=5]"], "kind data set: name it with --datasets"),
        (["compare", "--metrics", "UPGMA"], "kind algorithm: name it with --algos"),
        (["compare", "--algos", "UPGMA(metric=cosine)"], "write UPGMA[metric=cosine]"),
        (["compare", "--algos", "4-AL[init=two]"], "one of 4K-AL, or int in [1, inf); got 'two'"),
        (["run", "closer"], "no suite is called 'closer'; write ./closer.toml"),
    ],
)
def test_frequent_mistakes_have_a_way_out(args, way_out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "closer.toml").touch()
    result = call(*args)
    assert result.exit_code
    assert way_out in result.stderr


def test_options_may_be_singular_and_words_need_not_be_english():
    result = call(
        "compare", "--algo", "UPGMA", "--dataset", "iris", "--metric", "AARI", "--dry-run"
    )
    assert result.exit_code == 0, result.stderr
    assert parse_name("./pflanzen.csv[labels=größe]").params == {"labels": "größe"}


@pytest.mark.slow
def test_list_short_prints_names_one_per_line() -> None:
    names = toys("list", "metrics", "--short").stdout.splitlines()
    listed = json.loads(toys("list", "metrics", "--format", "json").stdout)
    assert names == [row["name"] for row in listed["metrics"]]


@pytest.mark.parametrize("text", ["1_0", "٣", "1e1", "0x2", "03"])
def test_numbers_of_options_are_written_with_digits_only(text: str) -> None:
    for option in ("-r", "--seed", "--threads"):
        result = toys("compare", "--algos", "Comb", "--datasets", "line", option, text)
        assert result.exit_code == 2
        assert f"{text!r} is not a valid integer" in result.stderr
    result = toys("compare", "--algos", "Comb", "--datasets", "line", "--budget", "1_000")
    assert "'1_000' is not a number of queries" in result.stderr


def test_a_warning_is_one_line_that_is_told_once_when_its_block_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show = warnings.showwarning
    with tell_warnings():
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            for _ in range(2):
                warnings.warn("the data are\nodd", UserWarning, stacklevel=1)
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "hcbench: warning: the data are odd\n"
    assert warnings.showwarning is show
