"""Programs as algorithms: what they read and return, how they fail, and the rows of real ones."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench import Comparisons, HcbenchError, Partition, Tree, load_registry
from hcbench.errors import PluginError
from hcbench.testing import checks_of
from hcbench_foreign import Program
from hcbench_foreign.declaration import read_declaration
from hcbench_foreign.program import ForeignProgram, peak_bytes, peak_until_now

# Points on a line: 0 and 1 join at 1, 10 and 12 at 2, and the rest at 10.5, the mean of four.
LINE = np.array([[0.0], [1.0], [10.0], [12.0]])
LINKAGE = "0,1,1,2\n2,3,2,2\n4,5,10.5,4\n"


def declare(folder: Path, **keys: Any) -> Path:
    file = folder / "foreign.toml"
    table = keys.pop("parameters", {})
    lines = ['loader = "hcbench_foreign:Program"', 'name = "foreign"']
    lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    lines += ["[parameters]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    file.write_text("\n".join(lines))
    return file


@pytest.fixture(params=["pidfd_open is missing", "pidfd_open is not allowed"])
def another_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system, or a container, that does not tell what Linux does."""

    def refused(pid: int) -> int:
        raise PermissionError(1, "Operation not permitted")

    if request.param == "pidfd_open is missing":
        monkeypatch.delattr(os, "pidfd_open")
    else:
        monkeypatch.setattr(os, "pidfd_open", refused)


@pytest.mark.usefixtures("another_system")
def test_programs_run_where_linux_is_not(tmp_path: Path) -> None:
    tree = run(declare(tmp_path, command=["printf", LINKAGE]))
    assert tree.merge_height([0, 2, 0], [1, 3, 2]).tolist() == [1, 2, 10.5]
    program = ForeignProgram(read_declaration(declare(tmp_path, command=["true"])))
    _, peak = program._run([sys.executable, "-c", "bytearray(300 << 20)"], tmp_path, None)
    assert peak > 300 << 20
    with pytest.raises(HcbenchError, match="exit code 3"):
        program._run(["sh", "-c", "exit 3"], tmp_path, None)


def test_where_there_is_no_proc_the_system_says_the_largest_memory_at_the_end() -> None:
    assert peak_until_now(os.getpid()) > 1 << 20
    assert peak_until_now(os.getpid(), Path("/nowhere")) == 0
    assert peak_bytes(600, 500, sampled=0, platform="linux") == 600 * 1024


def test_the_largest_memory_is_in_the_unit_of_the_system() -> None:
    assert peak_bytes(5_000_000, 1000, sampled=0, platform="linux") == 5_000_000 * 1024
    assert peak_bytes(5_000_000, 1000, sampled=0, platform="darwin") == 5_000_000


def test_the_memory_of_a_small_program_is_not_that_of_the_process_that_starts_it() -> None:
    assert peak_bytes(900, 1000, sampled=7 << 10, platform="linux") == 7 << 10
    assert peak_bytes(2000, 1000, sampled=7 << 10, platform="linux") == 2000 << 10


def run(file: Path, data: Any = LINE, name: str = "foreign", **keywords: Any) -> Any:
    (use,) = load_registry([file]).use_algorithms(name)
    return hcbench.fit(use, data, **keywords)


def test_a_program_may_read_stdin_and_write_stdout(tmp_path: Path) -> None:
    printing = ["sh", "-c", f"cat >$0; printf '{LINKAGE}'", str(tmp_path / "read")]
    tree = run(declare(tmp_path, command=printing))
    assert (tmp_path / "read").read_text() == "0\n1\n10\n12\n"
    assert isinstance(tree, Tree)
    assert tree.merge_height([0, 2, 0], [1, 3, 2]).tolist() == [1, 2, 10.5]


def test_branch_lengths_are_halves_of_distances_unless_declared_otherwise(tmp_path: Path) -> None:
    newick = "((0:0.5,1:0.5):4.75,(2:1,3:1):4.25);"
    for keys, factor in [({}, 1.0), ({"heights": "half"}, 1.0), ({"heights": "whole"}, 0.5)]:
        file = declare(tmp_path, command=["echo", newick], returns="newick", **keys)
        merges = run(file).merge_height([0, 2, 0], [1, 3, 2])
        assert merges.tolist() == [factor * 1, factor * 2, factor * 10.5]


def test_placeholders_are_filled(tmp_path: Path) -> None:
    command = ["sh", "-c", f"echo $1 >{tmp_path}/got; printf '0\\n0\\n1\\n1\\n' >$0"]
    command += ["{output}", "{n} {k} {threads} {other}"]
    file = declare(tmp_path, command=command, returns="labels", parameters={"k": 3})
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())  # as some editors begin a file
    assert run(file, name="foreign[k=7]") == Partition([0, 0, 1, 1])
    assert (tmp_path / "got").read_text() == "4 7 1 {other}\n"


def test_parameters_may_have_the_names_of_the_arguments_of_an_algorithm(tmp_path: Path) -> None:
    command = ["sh", "-c", f"echo $1 >{tmp_path}/got; printf '{LINKAGE}' >$0"]
    command += ["{output}", "{oracle} {items} {rng}"]
    parameters = {"oracle": 1, "items": 2, "rng": 3}
    run(declare(tmp_path, command=command, parameters=parameters), name="foreign[items=5]")
    assert (tmp_path / "got").read_text() == "1 5 3\n"


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("distances", LINE[:3], [[0, 1, 10], [1, 0, 9], [10, 9, 0]]),
        (
            "distances",
            np.array([[9, 5.0, 2], [5, 9, 1], [2, 1, 9]]),
            [[0, 0, 3], [0, 0, 4], [3, 4, 0]],
        ),
        ("similarities", np.array([[9, 5.0], [5, 9]]), [[9, 5], [5, 9]]),
        ("comparisons", Comparisons(3, [0], [2]), [[0, 1, 1, 2]]),
    ],
)
@pytest.mark.parametrize("form", ["csv", "npy", "npz"])
def test_what_a_program_reads(
    tmp_path: Path, kind: str, data: Any, expected: list[list[float]], form: str
) -> None:
    n = data.n if isinstance(data, Comparisons) else len(data)
    newick = f"({','.join(map(str, range(n)))});"
    command = ["sh", "-c", f"cp $0 {tmp_path}/copy; echo '{newick}'", "{input}"]
    file = declare(tmp_path, command=command, input=kind, input_format=form, returns="newick")
    assert run(file, data).isomorphic(Tree([n] * n + [-1]))
    copy = tmp_path / "copy"
    if form == "csv":
        read = np.loadtxt(copy, delimiter=",", ndmin=2)
    else:
        read = np.load(copy) if form == "npy" else np.load(copy)["data"]
    assert read.tolist() == expected


def test_levels_are_a_tree(tmp_path: Path) -> None:
    command = ["printf", "0,0\\n0,0\\n1,1\\n1,2\\n"]
    tree = run(declare(tmp_path, command=command, returns="levels"))
    assert tree.isomorphic(Tree.from_levels([[0, 0], [0, 0], [1, 1], [1, 2]]))


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["no-such-program"], "foreign: cannot start no-such-program: No such file or directory"),
        (
            ["sh", "-c", "echo early >&2; echo 'too late' >&2; exit 3"],
            "foreign: exit code 3: too late",
        ),
        (["sh", "-c", "kill -9 $$"], "foreign: killed by signal 9: no message"),
        (["echo", "nonsense"], "foreign: its output 'nonsense\\n' cannot be read as linkage: "),
        (["true", "{output}"], "foreign: it wrote no file {output}"),
    ],
)
def test_failures_have_one_line(tmp_path: Path, command: list[str], reason: str) -> None:
    with pytest.raises(HcbenchError) as caught:
        run(declare(tmp_path, command=command))
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({}, "command is missing"),
        ({"command": "sh x"}, "command is a list of arguments"),
        ({"command": ["a"], "returns": "tree"}, "returns is one of linkage, newick"),
        ({"command": ["a"], "color": 1}, "unknown key 'color'"),
        ({"command": ["a"], "parameters": {"seed": 1}}, "a parameter cannot be named 'seed'"),
    ],
)
def test_mistakes_in_a_file_are_told(tmp_path: Path, keys: dict[str, Any], reason: str) -> None:
    with pytest.raises(PluginError, match=reason):
        load_registry([declare(tmp_path, **keys)])


def test_a_file_names_its_loader(tmp_path: Path) -> None:
    file = tmp_path / "none.toml"
    file.write_text("name = 'x'")
    with pytest.raises(PluginError, match="names no loader"):
        load_registry([file])


def test_the_program_is_part_of_the_key(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("echo 1")
    file = declare(tmp_path, command=["sh", "./run.sh"])
    (before,) = load_registry([file]).use_algorithms("foreign")
    script.write_text("echo 2")
    sys.modules.pop(before.spec.function.partition(":")[0])  # type: ignore[union-attr]
    (after,) = load_registry([file]).use_algorithms("foreign")
    assert before.params["program"] != after.params["program"]


SOURCE = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
int main(int argc, char **argv) {  // a caterpillar; 300 MB, or no end, from 100 items on
  int n = atoi(argv[1]);
  size_t size = n < 100 ? 1 : 300u << 20;
  char *block = (char *)malloc(size);
  memset(block, argc, size);
  if (argc > 2 && n >= 100) for (;;) pause();
  for (int i = 1, top = 0; i < n; top = n + i++ - 1) printf("%d,%d,%d,%d\\n", i, top, i, i + 1);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [40, 500])
def test_the_memory_of_a_program_is_its_own(tmp_path: Path, megabytes: int) -> None:
    code = f"import time; held = bytearray({megabytes} << 20); time.sleep(0.1)"
    program = ForeignProgram(read_declaration(declare(tmp_path, command=["true"])))
    _, peak = program._run([sys.executable, "-c", code], tmp_path, None)
    assert megabytes << 20 <= peak < (megabytes + 40) << 20


@pytest.mark.slow
def test_a_compiled_program_has_rows_with_its_memory_and_limits(tmp_path: Path) -> None:
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler is installed")
    (tmp_path / "line.cpp").write_text(SOURCE)
    subprocess.run([compiler, "line.cpp", "-o", "line"], cwd=tmp_path, check=True)
    keys: dict[str, Any] = {"null": ["./line", "1"], "command": ["./line", "{n}"]}
    (tmp_path / "hangs").mkdir()
    file = declare(tmp_path, **keys)
    hangs = declare(tmp_path / "hangs", command=["../line", "{n}", "forever"])
    hangs = hangs.rename(tmp_path / "hangs" / "hangs.toml")
    hangs.write_text(hangs.read_text().replace('"foreign"', '"hangs"'))
    found = hcbench.compare(
        ["foreign", "hangs"],
        {"line": np.arange(100.0)[:, None]},
        metrics=["seconds"],
        repetitions=1,
        timeout=4.0,
        plugins=[file, hangs],
        store=tmp_path / "store.sqlite",
        progress=False,
    )
    done, late = found.outcomes
    assert done.status == "ok", done.reason
    assert done.cost.peak_bytes is not None
    assert 300 << 20 <= done.cost.peak_bytes < 400 << 20
    startup = done.points[-1].values["startup_seconds (reported)"].value
    assert startup is not None
    # On a busy machine starting may take longer by itself than all of the call did.
    assert startup > 0
    assert late.status == "timeout"


@pytest.mark.slow
def test_a_program_of_another_environment_makes_the_same_trees(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", "other"], cwd=tmp_path, check=True
    )
    (packages,) = (tmp_path / "other").glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    (tmp_path / "average.py").write_text(
        textwrap.dedent(
            """
            import sys
            import numpy as np
            from scipy.cluster.hierarchy import linkage
            assert "other" in sys.prefix
            np.save(sys.argv[2] + ".npy", linkage(np.load(sys.argv[1]), "average"))
            import os
            os.rename(sys.argv[2] + ".npy", sys.argv[2])
            """
        )
    )
    command = ["./other/bin/python", "./average.py", "{input}", "{output}"]
    file = declare(tmp_path, command=command, input_format="npy", output_format="npy")
    vectors = np.random.default_rng(0).normal(size=(60, 3))
    ours = hcbench.fit("UPGMA", vectors, metric="euclidean")
    theirs = run(file, vectors)
    assert isinstance(ours, Tree)
    assert theirs.isomorphic(ours)


@pytest.mark.attack("keys")
def test_a_program_gets_the_secrets_that_it_declares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PGPASSWORD", "HCBENCH_LLM_KEY", "MY_API_KEY", "MY_SETTING"):
        monkeypatch.setenv(name, "value")
    # Two clusters if the variables are there, and no output of four lines if they are not.
    script = (
        'test -z "$PGPASSWORD$HCBENCH_LLM_KEY" && test "$MY_SETTING" = value '
        '&& test "$MY_API_KEY" = "$1" && printf "0\n0\n1\n1\n"'
    )
    keys: dict[str, Any] = {"returns": "labels", "command": ["sh", "-c", script, "sh", ""]}
    assert isinstance(run(declare(tmp_path, **keys)), Partition)
    keys |= {"command": ["sh", "-c", script, "sh", "value"], "env": ["MY_API_*"]}
    file = declare(tmp_path, **keys)
    assert isinstance(run(file), Partition)
    (use,) = load_registry([file]).use_algorithms("foreign")
    assert use.spec.secrets == ("MY_API_*",)


# ---- What a file tells of a program --------------------------------------------------------------

BIBTEX = (
    "@article{sokal1958,\n  author = {Sokal, Robert},\n  title = {Averages},\n  year = {1958},\n}\n"
)


def test_a_file_has_paper_licence_and_required_packages(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text(BIBTEX)
    keys = {"paper": "./a.bib", "licence": "GPL-3.0", "requires": ["scipy"]}
    file = declare(tmp_path, command=["printf", LINKAGE], **keys)
    spec = load_registry([file]).algorithms.find("foreign").spec
    assert spec.paper is not None
    assert spec.paper.key == "sokal1958"
    assert (spec.licence, spec.requires) == ("GPL-3.0", ("scipy",))


@pytest.mark.parametrize(
    ("text", "paper", "message"),
    [
        (BIBTEX, "./b.bib", "there is no file .*b.bib; write it, or omit paper"),
        (2 * BIBTEX.replace("1958", "58") + BIBTEX, "./a.bib", "has 2 entries; leave the one"),
        ("", "./a.bib", "has 0 entries"),
    ],
)
def test_a_wrong_paper_is_one_line(tmp_path: Path, text: str, paper: Any, message: str) -> None:
    (tmp_path / "a.bib").write_text(text)
    with pytest.raises(HcbenchError, match=message):
        read_declaration(declare(tmp_path, command=["true"], paper=paper))


@pytest.mark.parametrize("key", ["name", "doc", "licence", "paper"])
def test_a_text_that_is_none_is_told(tmp_path: Path, key: str) -> None:
    file = tmp_path / "a.toml"
    keys = {"name": "'a'", "command": "['true']", key: "3"}
    file.write_text("".join(f"{name} = {value}\n" for name, value in keys.items()))
    message = f"{key} is a text, such as '.*'; got 3"
    with pytest.raises(HcbenchError, match=message):
        read_declaration(file)
    file.write_text('loader = "hcbench_foreign:Program"\n' + file.read_text())
    with pytest.raises(PluginError, match=message) as raised:
        load_registry([file])
    # The name of an exception says nothing to whoever wrote the file.
    assert "DataError" not in str(raised.value)


def test_a_changed_file_is_another_program(tmp_path: Path) -> None:
    """Its digest is a parameter, so that results of the old one are not reused."""
    first = read_declaration(declare(tmp_path, command=["true"])).digest
    second = read_declaration(declare(tmp_path, command=["true"], heights="whole")).digest
    assert first != second


def test_a_module_of_a_package_makes_an_algorithm_of_a_file(tmp_path: Path) -> None:
    """Without a loader in the file; the spec names the object, which runs the program."""
    file = tmp_path / "line.toml"
    file.write_text(f"name = 'Line'\ncommand = ['printf', {json.dumps(LINKAGE)}]\n")
    program = Program(file)
    spec = program.spec("package.module:program")
    assert (spec.name, spec.function) == ("Line", "package.module:program")
    tree = hcbench.fit(replace(spec, function=program), LINE)
    assert isinstance(tree, Tree)
    assert tree.cut(2) == Partition([0, 0, 1, 1])


def test_a_file_passes_the_checks(tmp_path: Path) -> None:
    """Its function is an object, whose source and documentation are those of its class."""
    script = tmp_path / "average.py"
    script.write_text(
        "import sys, numpy as np\nfrom scipy.cluster.hierarchy import linkage\n"
        "X = np.loadtxt(sys.argv[1], delimiter=',', ndmin=2)\n"
        "Z = linkage(X, 'average') if len(X) > 1 else np.empty((0, 4))\n"
        "np.savetxt(sys.argv[2], Z, delimiter=',')\n"
    )
    command = [sys.executable, "./average.py", "{input}", "{output}"]
    file = declare(tmp_path, command=command, doc="Average linkage.")
    outcomes = {}
    for check in checks_of(str(file)):
        if check.name in ("key", "signature", "documented"):
            finding = check.run()
            outcomes[check.name] = (finding.status, finding.reason)
    assert outcomes == dict.fromkeys(outcomes, ("passed", ""))
