"""Selection of checks, exemptions, and output of pytest and the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import hcbench_reference
from hcbench import MetricSpec
from hcbench.cli import main
from hcbench.errors import HcbenchError, ParameterError, PluginError
from hcbench.plan.outcome import Outcome
from hcbench.run.workers import Report
from hcbench.testing import CheckFailedError, UnknownCheckWarning, checks_of, running
from hcbench.testing.isolation import run_limited

PLUGIN = '''
from hcbench import AlgorithmSpec, Answers, MetricSpec, OracleSpec, Parameter, Tree, hookimpl


def count(request):
    """The number of items."""
    n = request.problem.n
    return Answers(kind="number", n=n, data=n)


def star(oracle, items, rng, *, flag=False):
    """All at once."""
    n = oracle.read()
    return Tree([n] * n + [-1]) if n > 1 else Tree([-1])


def depth(scored):
    """The depth of the deepest leaf."""
    return scored.tree.depths.max()


@hookimpl
def hcbench_oracles():
    return [
        OracleSpec(
            name="count",
            function=count,
            doc="The number of items.",
            kind="number",
            needs=("vectors",),
            countable=False,
        )
    ]


@hookimpl
def hcbench_algorithms():
    return [
        AlgorithmSpec(
            name="Star",
            function=star,
            doc="A star.",
            accepts=("number",),
            parameters=(Parameter("flag", False, "Nothing."),),
        )
    ]


@hookimpl
def hcbench_metrics():
    return [MetricSpec(name="depth", function=depth, doc="Depth.", direction="none")]
'''


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(PLUGIN)
    return file


def labels(what: object) -> set[str]:
    return {check.subject.label for check in checks_of(what)}


@pytest.mark.slow
def test_checks_can_be_selected_by_name(plugin):
    assert labels("UPGMA") == {"UPGMA"}
    assert labels(["upgma[metric=['cosine','euclidean']]", "AARI"]) == {
        "UPGMA",
        "UPGMA[metric=cosine]",
        "AARI",
    }
    assert labels("hcbench:reference") == labels(hcbench_reference) == {"Random", "Truth"}
    assert labels(hcbench_reference.RANDOM) == {"Random"}
    assert labels(str(plugin)) == labels(plugin) == {"Star", "depth", "count"}
    assert {"UPGMA", "iris", "vectors", "AARI"} <= labels("hcbench")


@pytest.mark.slow
def test_names_of_a_file_take_parameters(plugin):
    found = checks_of("Star[flag=true]", plugins=[plugin])
    assert {check.subject.label for check in found} == {"Star[flag=true]"}
    assert {c.name: c.run() for c in found}["valid_result"].status == "passed"


def test_invalid_names_are_refused() -> None:
    for what, sentence in [
        ("UPGM", "did you mean UPGMA"),
        ("UPGMA[alpha=1]", "UPGMA has no parameter 'alpha'"),
        ("NoisyInsertion", r"NoisyInsertion needs p: NoisyInsertion\[p=...\]"),
        ("gray2023-table1", "is a suite"),
        ("./nowhere.py", "there is no file"),
        (7, "7 cannot be checked"),
        (json, "json registers nothing"),
    ]:
        with pytest.raises(HcbenchError, match=sentence):
            checks_of(what)


def test_a_plugin_that_raises_at_import(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("raise RuntimeError('no')")
    with pytest.raises(PluginError, match="cannot be imported: RuntimeError: no"):
        checks_of(str(file))


def test_specs_of_a_package_with_required_parameters_are_skipped():
    check = next(c for c in checks_of("hcbench:ordinal") if c.subject.label == "NoisyInsertion")
    assert check.run().reason == "NoisyInsertion needs p: name NoisyInsertion[p=...]"


@pytest.mark.slow
def test_an_algorithm_uses_the_oracle_of_its_plugin(plugin):
    found = {check.id: check.run() for check in checks_of(str(plugin))}
    assert {name for name, each in found.items() if each.status == "failed"} == set()
    assert {name for name, each in found.items() if each.status == "advice"} == {"Star:paper"}
    assert found["Star:valid_result"].status == "passed"
    assert found["count:valid_answers"].status == "passed"


def undeclared(scored, width=3):
    """A metric with a parameter that its spec does not declare."""
    return 0.0


UNDECLARED = MetricSpec(name="undeclared", function=undeclared, doc="", direction="none")


def outcomes(**exempt):
    """The outcomes of two checks of a metric that fails the first and ignores the second."""
    names = ("signature", "documented")
    checks = checks_of(UNDECLARED, exempt)
    findings = {check.name: check.run() for check in checks if check.name in names}
    return [(findings[name].status, findings[name].reason) for name in names]


def test_a_required_check_fails_and_advice_does_not():
    (required, sentence), (advice, advised) = outcomes()
    assert (required, advice) == ("failed", "advice")
    assert sentence == "undeclared does not declare width, which its function takes"
    assert advised == "undeclared has no doc"


def test_an_exempt_check_is_expected_to_fail():
    assert outcomes(signature="no time") == [
        ("exempt", "no time"),
        ("advice", "undeclared has no doc"),
    ]
    assert outcomes(documented="a secret")[1] == ("exempt", "a secret")


def test_an_exempt_check_that_passes_fails():
    (check,) = (c for c in checks_of(UNDECLARED, {"range": "old"}) if c.name == "range")
    sentence = "undeclared passes range, from which it is exempt (old); remove the exemption"
    assert (check.run().status, check.run().reason) == ("failed", sentence)
    with pytest.raises(CheckFailedError, match="remove the exemption"):
        check()


def test_an_exemption_of_one_plugin_is_none_of_the_others(plugin):
    checks = checks_of(str(plugin), {"Star:paper": "made up", "documented": "later"})
    assert {c.id: c.exempt for c in checks if c.exempt} == {
        "Star:paper": "made up",
        "Star:documented": "later",
        "depth:documented": "later",
        "count:documented": "later",
    }


@pytest.mark.parametrize("reason", [" ", True])
def test_an_exemption_needs_a_reason(plugin, reason):
    with pytest.raises(ParameterError, match="paper has no reason"):
        checks_of(str(plugin), {"paper": reason})


@pytest.mark.parametrize("name", ["papr", "UPGMA:paper"])
def test_an_exemption_from_an_unknown_check_is_a_warning(plugin, name):
    with pytest.warns(UnknownCheckWarning, match=f"no check '{name}'; there is paper") as caught:
        checks = checks_of(str(plugin), {name: "typo"})
    assert not any(check.exempt for check in checks)
    assert caught[0].filename == __file__


def test_a_crash_is_a_failure_with_its_location():
    def broken(scored):
        """Nothing."""
        return undefined  # noqa: F821

    spec = MetricSpec(name="broken", function=broken, doc="Nothing.", direction="none")
    found = {check.name: check for check in checks_of(spec)}["range"]
    assert "NameError" in found.run().reason
    assert "(test_checks.py:" in found.run().reason
    with pytest.raises(CheckFailedError) as raised:
        found()
    assert isinstance(raised.value.__cause__, NameError)


@pytest.mark.slow
def test_with_pytest(plugin, tmp_path):
    """Each check is a test.

    What does not apply, and advice, is skipped with its reason; what is exempt has to fail.
    """
    (tmp_path / "test_mine.py").write_text(
        "from hcbench.testing import parametrize_with_checks\n\n\n"
        "exempt = {'Star:ties': 'old', 'Star:signature': 'why not'}\n"
        f"@parametrize_with_checks([{str(plugin)!r}], exempt=exempt)\n"
        "def test_conforms(check):\n    check()\n"
    )
    plugin.write_text(PLUGIN.replace("flag=False", "flag=True"))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rsfx", "-v", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "test_mine.py::test_conforms[Star:valid_result] PASSED" in done.stdout
    assert "test_mine.py::test_conforms[Star:paper] SKIPPED" in done.stdout
    assert "advice: Star has no paper" in done.stdout
    assert "test_mine.py::test_conforms[Star:ties] FAILED" in done.stdout
    assert "remove the exemption" in done.stdout
    assert "test_mine.py::test_conforms[Star:signature] XFAIL (why not)" in done.stdout
    assert "it asks nothing that is counted" in done.stdout
    assert "1 failed" in done.stdout


# ---- The command line ----------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["check", *arguments])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.slow
def test_a_failed_required_check_is_exit_code_1(plugin):
    code, out, _ = run(str(plugin))
    assert code == 0, "advice does not fail"
    table, advice = out.split("advice", 1)
    assert "Star:paper" not in table
    assert "Star:paper" in advice
    assert "1 advice" in advice
    plugin.write_text(PLUGIN.replace("flag=False", "flag=True"))
    code, out, _ = run(str(plugin))
    assert code == 1
    assert "Star:signature" in out.split("advice", 1)[0]
    assert "1 failed" in out
    code, out, _ = run(str(plugin), "--exempt", "Star:signature=made up: for a test")
    assert code == 0
    assert "made up: for a test" in " ".join(out.split())
    code, out, _ = run(str(plugin), "--exempt", "signature=made up")
    assert code == 1, "the other plugins pass"


@pytest.mark.slow
def test_one_plugin_has_a_row_for_each_check():
    code, out, _ = run("AARI", "-q")
    assert code == 0
    rows = {line.split()[0] for line in out.splitlines() if line.strip()}
    assert {check.name for check in checks_of("AARI")} <= rows


def test_list_runs_nothing(tmp_path):
    file = tmp_path / "crash.py"
    file.write_text(PLUGIN.replace('"""All at once."""', "raise SystemExit"))
    code, out, _ = run(str(file), "--list")
    assert code == 0
    required, advice = out.split("advice", 1)
    assert "Star:truth_unseen" in required
    assert "Star:paper" in advice


@pytest.mark.slow
def test_json(plugin):
    code, out, _ = run(str(plugin), "--format", "json")
    rows = json.loads(out)["checks"]
    assert code == 0
    assert [row for row in rows if row["status"] not in ("passed", "not applicable")] == [
        {
            "name": "Star",
            "check": "paper",
            "required": False,
            "status": "advice",
            "reason": "Star has no paper; set paper=Reference(...)",
        }
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "limit", "sentence"),
    [
        ("while True: pass", 0.5, "Star does not return within 0.5 s (--timeout)"),
        ("import os; os._exit(3)", 60, "Star ends the process with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", 60, "Star ends the process by SIGKILL"),
    ],
)
def test_a_hang_or_crash_affects_only_its_own_check(tmp_path, body, limit, sentence):
    file = tmp_path / "ends.py"
    file.write_text(PLUGIN.replace('"""All at once."""', f'"""All at once."""\n    {body}'))
    checks = {check.name: check for check in checks_of(str(file))}
    chosen = [checks[name] for name in ("documented", "valid_result", "paper", "same_seed")]
    first, *found = run_limited(chosen, limit)
    assert first.status == "passed"
    assert [finding.reason for finding in found][::2] == [sentence, sentence]
    assert found[1].reason.startswith("Star has no paper")


@pytest.mark.slow
def test_the_limit_of_a_check_is_an_option(tmp_path):
    file = tmp_path / "ends.py"
    file.write_text(
        "import time\nfrom hcbench import MetricSpec, hookimpl\n"
        "@hookimpl\ndef hcbench_metrics():\n"
        "    spec = {'doc': 'A nap.', 'direction': 'none', 'function': lambda s: time.sleep(9)}\n"
        "    return [MetricSpec(name='nap', **spec)]\n"
    )
    code, out, _ = run(str(file), "--timeout", "200ms")
    assert code == 1
    assert "nap does not return within 0.2 s" in " ".join(out.split())
    code, _, err = run(str(file), "--timeout", "soon")
    assert code == 2
    assert "'soon' is no time above 0; write 300, 90s" in err


@pytest.mark.slow
def test_mistakes_in_one_line() -> None:
    for arguments, code, sentence in [
        (["UPGM"], 2, "did you mean UPGMA or skbio-upgma"),
        (["UPGMA", "--exempt", "paper"], 2, "'paper' has no reason; write CHECK=REASON"),
        (["./nowhere.py"], 4, "there is no file"),
    ]:
        found, out, err = run(*arguments)
        assert (found, out) == (code, "")
        assert sentence in err
        assert err.count("\n") == 1


def test_an_unknown_check_is_a_line_on_stderr() -> None:
    code, _, err = run("UPGMA", "--list", "--exempt", "papr=x")
    assert code == 0
    assert err == "hcbench: exempt: there is no check 'papr'; there is paper\n"


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("paper=none", "paper", "none"),
        ("4-AL:paper=a = b", "4-AL:paper", "a = b"),
        ("4-AL[init=3]:ties = x]:y=z", "4-AL[init=3]:ties", "x]:y=z"),
    ],
)
def test_an_exemption_as_it_is_written(text, name, reason):
    from hcbench.cli.check import read_exemption

    assert read_exemption(text) == (name, reason)


def test_a_job_that_was_lost_with_the_fork_server_runs_again(monkeypatch):
    expected = object.__new__(Outcome)
    lost = Report("x", "crash", reason="killed by signal 9", outside=True, lost=True)
    reports = [lost, Report("x", "done", expected)]
    pool = SimpleNamespace(submit=lambda *_: None, wait=lambda: [reports.pop(0)])
    monkeypatch.setattr(running, "_pool", lambda _files: pool)
    monkeypatch.setattr(running, "pack_job", lambda *_: b"")
    subject = SimpleNamespace(
        label="x", registry=SimpleNamespace(plugins=SimpleNamespace(files=()))
    )
    assert running.run_in_worker(subject, None) is expected
    reports[:] = [lost, lost]
    with pytest.raises(CheckFailedError, match="fails in another process: killed by signal 9"):
        running.run_in_worker(subject, None)
