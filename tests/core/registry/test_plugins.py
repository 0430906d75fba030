"""Loading plugins: a broken one is reported and does not affect the others."""

import ast
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner, Result

from hcbench import compare
from hcbench.cli import main
from hcbench.errors import AmbiguousNameError, ExitCode, PluginError, UnknownNameError
from hcbench.registry import Registry, find_suite, load_registry
from hcbench.registry.patience import named_if_slow
from hcbench.registry.plugins import Plugins
from hcbench.store import Store

METRIC = """
    from hcbench import MetricSpec, hookimpl

    @hookimpl
    def hcbench_metrics():
        return [MetricSpec(name="{name}", function="json:dumps", doc="", direction="lower")]
"""


def install(site: Path, distribution: str, modules: dict[str, str], version: str = "1.0") -> None:
    """Write an installed package with entry points into a folder."""
    info = site / f"{distribution}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    )
    lines = ["[hcbench]"]
    for name, source in modules.items():
        module = f"{distribution.replace('-', '_')}_{name}"
        (site / f"{module}.py").write_text(dedent(source))
        lines.append(f"{name} = {module}")
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for module in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]


def broken(plugins: Plugins) -> dict[str, str]:
    return {b.plugin.name: b.reason for b in plugins.broken}


def test_the_built_in_plugins_are_ordinary_ones() -> None:
    plugins = Plugins()
    assert {"hcbench:metrics", "hcbench:vectors"} <= {p.name for p in plugins.loaded}
    assert not plugins.broken


def test_a_plugin_that_fails_to_import_is_reported_and_the_others_work(site: Path) -> None:
    install(site, "bad-one", {"main": "1 / 0"})
    install(site, "bad-two", {"main": "import sys; sys.exit(3)"})
    install(site, "good", {"main": METRIC.format(name="goodness")})
    registry = Registry(Plugins())
    assert "ZeroDivisionError" in broken(registry.plugins)["bad-one:main"]
    assert "sys.exit(3)" in broken(registry.plugins)["bad-two:main"]
    assert registry.metrics.find("Goodness").plugin.name == "good:main"
    assert registry.algorithms.find("UPGMA")


def test_two_plugins_with_one_entry_point_name_are_both_loaded(site: Path) -> None:
    install(site, "first", {"main": METRIC.format(name="one")})
    install(site, "second", {"main": METRIC.format(name="two")})
    registry = Registry(Plugins())
    assert registry.metrics.find("one").plugin.name == "first:main"
    assert registry.metrics.find("two").plugin.name == "second:main"


def test_names_of_two_packages_must_be_qualified(site: Path) -> None:
    install(site, "first", {"main": METRIC.format(name="same")})
    install(site, "second", {"main": METRIC.format(name="SAME")})
    registry = Registry(Plugins())
    with pytest.raises(AmbiguousNameError, match=r"first:same or second:SAME"):
        registry.metrics.find("same")
    assert registry.metrics.find("second:same").plugin.distribution == "second"


def test_one_package_that_registers_a_name_twice_is_reported(site: Path) -> None:
    both = {"a": METRIC.format(name="same"), "b": METRIC.format(name="same")}
    install(site, "twice", both)
    registry = Registry(Plugins())
    assert broken(registry.plugins)["twice:b"] == "same is registered by twice:a already"
    assert registry.metrics.find("same").plugin.name == "twice:a"


def test_a_misspelt_hook_is_reported_with_the_right_name(site: Path) -> None:
    source = """
        from hcbench import hookimpl

        @hookimpl
        def hcbench_metric():
            return []
    """
    install(site, "typo", {"main": source})
    reason = broken(Plugins())["typo:main"]
    assert reason == "implements an unknown hook hcbench_metric; did you mean hcbench_metrics?"


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("return [42]", "must return MetricSpecs, got 42"),
        ("return 42", "TypeError"),
        ("raise OSError('no disk')", "OSError: no disk"),
        ("return [MetricSpec(name='a b', function='x:y', doc='', direction='lower')]", "a name"),
    ],
)
def test_a_hook_that_returns_nonsense_is_reported(site: Path, body: str, complaint: str) -> None:
    source = f"""
        from hcbench import MetricSpec, hookimpl

        @hookimpl
        def hcbench_metrics():
            {body}
    """
    install(site, "nonsense", {"main": source})
    registry = Registry(Plugins())
    assert complaint in broken(registry.plugins)["nonsense:main"]
    assert registry.metrics.find("AARI")


def test_a_failing_reporter_is_switched_off(site: Path) -> None:
    source = """
        from hcbench import hookimpl
        calls = []

        @hookimpl
        def hcbench_cell_finished(outcome):
            calls.append(outcome)
            {line}
    """
    install(site, "failing", {"main": source.format(line="raise OSError('full')")})
    install(site, "steady", {"main": source.format(line="pass")})
    plugins = Plugins()
    plugins.report("hcbench_cell_finished", outcome=1)
    plugins.report("hcbench_cell_finished", outcome=2)
    import failing_main  # type: ignore[import-not-found]
    import steady_main  # type: ignore[import-not-found]

    assert steady_main.calls == [1, 2]
    assert failing_main.calls == [1]
    assert plugins.warnings == ["reporter failing:main failed and is switched off: OSError: full"]


def test_a_plugin_file_is_loaded_for_one_run(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(dedent(METRIC.format(name="mine")))
    registry = Registry(Plugins([file]))
    entry = registry.metrics.find("mine:mine")
    assert entry.plugin.file == file
    before = entry.plugin.fingerprint
    file.write_text(dedent(METRIC.format(name="mine")) + "CHANGED = True\n")
    after = Registry(Plugins([file])).metrics.find("mine").plugin.fingerprint
    assert after != before


@pytest.mark.slow
def test_an_installed_plugin_is_identified_by_its_code_beside_its_version(site: Path) -> None:
    def fingerprint(value: str) -> str:
        (site / "mine_main.py").write_text(f"VALUE = {value}")
        (found,) = (p for p in Plugins().loaded if p.distribution == "mine")
        return found.fingerprint

    install(site, "mine", {"main": ""})
    first = fingerprint("1")
    assert first.startswith("1.0+")
    assert fingerprint("2") != first
    assert fingerprint("1") == first
    assert fingerprint("1  # why") != first, "all bytes count, so that no file is parsed"


def test_a_requested_plugin_file_that_fails_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    with pytest.raises(PluginError, match="there is no file"):
        Plugins([file])
    file.write_text("import nowhere")
    with pytest.raises(PluginError, match="ModuleNotFoundError: No module named 'nowhere'"):
        Plugins([file])


HALF = """
    from hcbench import AlgorithmSpec, hookimpl

    @hookimpl
    def hcbench_algorithms():
        return [AlgorithmSpec(name="half", function="json:dumps", doc="", accepts=("vectors",))]

    @hookimpl
    def hcbench_metrics():
        raise OSError("no disk")
"""


def test_a_plugin_that_fails_in_one_hook_registers_nothing(site: Path) -> None:
    install(site, "halfway", {"main": HALF})
    registry = Registry(Plugins())
    assert "OSError: no disk" in broken(registry.plugins)["halfway:main"]
    with pytest.raises(UnknownNameError):
        registry.algorithms.find("half")


def test_a_plugin_file_that_is_broken_in_a_hook_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "halfway.py"
    file.write_text(dedent(HALF))
    with pytest.raises(PluginError, match=r"halfway\.py: hcbench_metrics failed: OSError: no disk"):
        load_registry([file])


def test_an_unknown_name_is_reported_with_the_closest() -> None:
    registry = Registry(Plugins())
    for name, hint in (
        ("UPMGA", "did you mean UPGMA or WPGMA?"),
        ("bisecting", "did you mean sk-bisecting-kmeans?"),
        ("average linkage", "see hcbench list --search 'average linkage'"),
        ("zzzzzz", "there are"),
    ):
        with pytest.raises(UnknownNameError, match=re.escape(hint)):
            registry.algorithms.find(name)


def test_two_files_of_one_name_and_one_file_twice(tmp_path: Path) -> None:
    files = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "m.py")
        files[-1].write_text(dedent(METRIC.format(name=f"of-{folder}")))
    registry = Registry(Plugins([*files, files[0]]))
    assert registry.metrics.find("a/m:of-a").plugin.file == files[0]
    assert registry.metrics.find("of-b").plugin.file == files[1]


# ---- Commands ------------------------------------------------------------------------------------

COMMAND = """
    from hcbench import CommandSpec, hookimpl

    @hookimpl
    def hcbench_commands():
        return [CommandSpec(name="{name}", function="{function}", doc="Greet {name}.")]
"""
GREET = """
    import click
    from hcbench import DataError

    @click.command()
    @click.argument("whom")
    def greet(whom):
        "Greet somebody."
        if whom == "nobody":
            raise DataError("there is nobody")
        click.echo(f"hello {whom}" if whom.strip() else 1 / 0)

    other = 42
"""


def add_command(site: Path, package: str, name: str, function: str) -> None:
    function = f"{package}_{function}" if function.startswith("code:") else function
    install(site, package, {"main": COMMAND.format(name=name, function=function)})
    (site / f"{package}_code.py").write_text(dedent(GREET))


def hcbench(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.slow
def test_a_plugin_adds_a_command_that_is_listed_without_importing_it(site: Path) -> None:
    add_command(site, "polite", "greet", "code:greet")
    assert "  greet       Greet greet.\n" in hcbench("--help").stdout
    assert "polite_code" not in sys.modules
    assert hcbench("greet", "--help").stdout.startswith("Usage: hcbench greet [OPTIONS] WHOM")
    assert hcbench("greet", "you").stdout == "hello you\n"
    refused = hcbench("greet", "nobody")
    assert (refused.exit_code, refused.stderr) == (2, "hcbench: error: there is nobody\n")
    plugins = json.loads(hcbench("plugins", "--format", "json").stdout)["loaded"]
    (polite,) = (plugin for plugin in plugins if plugin["plugin"] == "polite:main")
    assert polite["commands"] == ["greet"]


def test_a_command_of_a_plugin_is_completed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_command(site, "polite", "greet", "code:greet")
    monkeypatch.setenv("COMP_WORDS", "hcbench gr")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert BashComplete(main, {}, "hcbench", "_HCBENCH_COMPLETE").complete() == "plain,greet"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("nowhere:greet", "cannot load nowhere:greet: ModuleNotFoundError: No module named"),
        ("code:nothing", "has no attribute 'nothing'"),
        ("code:other", "broken:main: broken_code:other is no click command"),
    ],
)
def test_a_command_that_cannot_be_loaded_is_one_line(
    site: Path, function: str, reason: str
) -> None:
    add_command(site, "broken", "greet", function)
    assert "greet" in hcbench("--help").stdout
    result = hcbench("greet", "you")
    assert result.exit_code == ExitCode.PLUGIN
    assert result.stderr.startswith("hcbench: error: ")
    assert reason in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_command_that_fails_is_one_line(site: Path) -> None:
    add_command(site, "polite", "greet", "code:greet")
    result = hcbench("greet", " ")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("hcbench: error: ZeroDivisionError: division by zero; ")


@pytest.mark.slow
def test_commands_of_two_packages_with_one_name_are_qualified(site: Path) -> None:
    add_command(site, "first", "greet", "code:greet")
    add_command(site, "second", "greet", "code:greet")
    listed = hcbench("--help").stdout
    assert "  first:greet" in listed
    assert "  second:greet" in listed
    result = hcbench("greet", "you")
    assert result.exit_code != 0
    assert "two packages register greet; write first:greet or second:greet" in result.stderr
    assert hcbench("second:greet", "you").stdout == "hello you\n"


@pytest.mark.slow
def test_a_plugin_cannot_take_the_place_of_a_command_of_hcbench(site: Path) -> None:
    add_command(site, "rude", "compare", "code:greet")
    assert hcbench("compare", "--help").stdout.startswith("Usage: hcbench compare [OPTIONS]\n")
    assert "  rude:compare" in hcbench("--help").stdout
    assert hcbench("rude:compare", "you").stdout == "hello you\n"


@pytest.mark.parametrize("name", ["Greet", "gr eet", "-greet", "first:greet", ""])
def test_a_command_whose_name_cannot_be_typed_is_reported(site: Path, name: str) -> None:
    add_command(site, "polite", name, "code:greet")
    registry = Registry(Plugins())
    assert "no command can be called" in broken(registry.plugins)["polite:main"]
    assert "warning: broken plugins are not used: polite:main" in hcbench("ask", "--help").stderr


# ---- Executors -----------------------------------------------------------------------------------

EXECUTOR = """
    from contextlib import contextmanager
    from hcbench import ExecutorSpec, HcbenchError, hookimpl
    from hcbench.run import CellPool, check_machine

    class Elsewhere:
        slots = 1

        def __init__(self, machine):
            self.machine = machine
            self.memory = 2**30

        def describe(self):
            return {"workers": [self.machine]}

        def pool(self, cells):
            return CellPool(1)

    @contextmanager
    def opened(*, jobs, scheduler, threads, fingerprints, files):
        if scheduler is None:
            raise HcbenchError("--scheduler is missing")
        machine = check_machine(fingerprints)
        yield Elsewhere({**machine, "at": scheduler, "jobs": jobs, "files": list(files)})

    @hookimpl
    def hcbench_executors():
        return [ExecutorSpec(name="NAME", function="far_main:opened", doc="far away.")]
"""


@pytest.mark.slow
def test_a_plugin_offers_an_executor(site: Path, tmp_path: Path) -> None:
    install(site, "far", {"main": EXECUTOR.replace("NAME", "elsewhere")})
    store = tmp_path / "store.sqlite"
    options = ("compare", "--algos=UPGMA,Ward", "--datasets=iris", "-r1", "--metrics=AARI", "-q")
    help_ = " ".join(hcbench("compare", "--help").stdout.split())
    assert re.search(r"--executor \[local\|(dask\|)?elsewhere(\|strict)?\]", help_)
    assert "elsewhere: far away." in help_
    far = (*options, "--executor=elsewhere", f"--store={store}", "--format=csv", "-j3")
    refused = hcbench(*far)
    assert (refused.exit_code, refused.stderr) == (2, "hcbench: error: --scheduler is missing\n")
    done = hcbench(*far, "--scheduler=the moon")
    assert done.exit_code == 0, done.stderr
    with Store(store) as opened:
        environment = opened.run().environment
        there = {outcome.algorithm: outcome.points for outcome, _ in opened.outcomes()}
    (machine,) = environment["workers"]
    assert machine == environment["machine"] | {"at": "the moon", "jobs": 3, "files": []}
    hcbench(*options, "--fresh", f"--store={store}")
    with Store(store) as opened:
        assert {o.algorithm: o.points for o, _ in opened.outcomes()} == there


@pytest.mark.slow
def test_an_executor_that_does_not_exist(tmp_path: Path) -> None:
    result = hcbench("compare", "--executor=nowhere", f"--store={tmp_path / 'store.sqlite'}")
    assert result.exit_code == ExitCode.USAGE
    assert "'nowhere' is not one of 'local'" in result.stderr
    with pytest.raises(UnknownNameError, match="no executor is called 'nowhere'"):
        compare(["UPGMA"], ["iris"], executor="nowhere", store=tmp_path / "store.sqlite")


def test_an_executor_whose_name_cannot_be_typed_is_reported(site: Path) -> None:
    install(site, "far", {"main": EXECUTOR.replace("NAME", "far away")})
    assert "no executor can be called 'far away'" in broken(Registry(Plugins()).plugins)["far:main"]


PAIRS = """
    import click
    from hcbench import commands

    @click.command()
    @click.option("--metric")
    @click.option("--metrics")
    @click.option("--algo")
    @click.option("--algorithm", multiple=True)
    @click.option("--kind", type=click.Choice(["suite", "suites"]))
    @commands.names_option("--oracles", "Oracles.")
    @commands.names_option("--datasets", "Data sets.")
    @click.option("--dataset")
    def greet(**options):
        "Show the options."
        click.echo(repr(options))
"""


def test_the_options_of_a_plugin_are_those_that_it_declares(site: Path) -> None:
    """The command line of hcbench itself does not distinguish singular and plural."""
    add_command(site, "pairs", "greet", "code:greet")
    (site / "pairs_code.py").write_text(dedent(PAIRS))
    written = "--metric a --metrics b --algo c --algorithm d --algorithm e --kind suite"
    shared = "--oracle f --oracles g --dataset h --datasets i,j"
    result = hcbench("greet", *written.split(), *shared.split())
    assert result.stderr == ""
    assert ast.literal_eval(result.stdout) == {
        "metric": "a",
        "metrics": "b",
        "algo": "c",
        "algorithm": ("d", "e"),
        "kind": "suite",
        "oracles": ("f", "g"),
        "dataset": "h",
        "datasets": ("i", "j"),
    }
    refused = hcbench("greet", "--algos", "x")
    assert "No such option '--algos'" in refused.stderr
    assert "--oracle " not in hcbench("greet", "--help").stdout


OWN_UPGMA = """
import numpy as np
from hcbench import AlgorithmSpec, hookimpl

def cluster(oracle, items, rng):
    return np.arange(items.n) % 2

@hookimpl
def hcbench_algorithms():
    return [AlgorithmSpec(name="UPGMA", function=f"{__name__}:cluster", doc="Mine.",
                          accepts=("vectors",), returns="partition")]
"""


@pytest.mark.attack("names of plugins")
@pytest.mark.parametrize("stem", ["hcbench", "HCBench", "caller", "mine"])
def test_a_file_replaces_nothing_whatever_it_is_called(tmp_path: Path, stem: str) -> None:
    file = tmp_path / "folder" / f"{stem}.py"
    file.parent.mkdir()
    file.write_text(OWN_UPGMA)
    registry = load_registry([file])
    assert registry.plugins.broken == []
    full_name = "mine:UPGMA" if stem == "mine" else f"folder/{stem}:UPGMA"
    with pytest.raises(AmbiguousNameError, match=re.escape("write ")) as caught:
        registry.algorithms.find("UPGMA")
    assert full_name in str(caught.value)
    assert "hcbench:UPGMA" in str(caught.value)
    # Both names that the message gives mean one.
    assert registry.algorithms.find("hcbench:UPGMA").plugin.distribution == "hcbench"
    assert registry.algorithms.find(full_name).plugin.file == file
    (use,) = registry.use_algorithms(full_name)
    assert not use.plugin.is_installed


@pytest.mark.attack("names of plugins")
def test_suites_of_a_package_mean_its_own_algorithms(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN_UPGMA)
    runner = CliRunner()
    commands = [["run", "standard-vectors"], ["compare", "--algos", "WPGMA"]]
    for command in commands:
        arguments = [*command, "--dry-run", "--store", ":memory:"]
        expected: Result = runner.invoke(main, arguments)
        done: Result = runner.invoke(main, [*arguments, "--plugin", str(file)])
        assert done.exit_code == 0, done.output
        assert done.stdout == expected.stdout
    own = file.read_text() + (
        "\nfrom hcbench import Suite\n@hookimpl\ndef hcbench_suites():\n"
        "    return [Suite(name='own', algorithms=('UPGMA',), datasets=('iris',),"
        " only=(('UPGMA', 'iris'),))]\n"
    )
    file.write_text(own)
    arguments = ["run", "own", "--plugin", str(file), "--dry-run", "--store", ":memory:"]
    done = runner.invoke(main, arguments)
    assert done.exit_code == 0, done.output
    registry = load_registry([file])
    assert find_suite(registry, "own").algorithms == ("mine:UPGMA",)
    assert find_suite(registry, "own").only == (("mine:UPGMA", "iris"),)


@pytest.mark.attack("names of plugins")
def test_an_import_that_does_not_end_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with named_if_slow("quick:plugin", patience=30.0):
        pass
    assert capsys.readouterr().err == ""
    with named_if_slow("slow:plugin", patience=0.01):
        time.sleep(1.0)
    assert "the plugin slow:plugin is still being imported after 0.01 s" in capsys.readouterr().err
