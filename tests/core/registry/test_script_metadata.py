"""Inline script metadata of plugin files (PEP 723): what is not met is refused, unexecuted."""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from hcbench.cli import main
from hcbench.errors import PluginError
from hcbench.registry import load_registry
from hcbench.registry.script_metadata import ScriptMetadata, read_script_metadata

HERE = version("hcbench")
NUMPY = version("numpy")
PLUGIN = """
from pathlib import Path

from hcbench import hookimpl

Path(__file__).with_name("executed").touch()

@hookimpl
def hcbench_algorithms():
    return []
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def write(file: Path, *lines: str, ending: str = "\n") -> None:
    """Write a plugin with a block of metadata."""
    block = ["#!/usr/bin/env python", "# /// script"]
    block += [f"# {line}" if line else "#" for line in lines]
    block.append("# ///")
    text = "\n".join(block) + "\n" + PLUGIN
    file.write_bytes(text.replace("\n", ending).encode())


def refusal(file: Path) -> str:
    """Why the file is refused, without having been executed."""
    with pytest.raises(PluginError) as caught:
        load_registry([file])
    assert not file.with_name("executed").exists()
    message = str(caught.value)
    assert "\n" not in message
    assert str(file) in message
    return message


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_file_whose_requirements_are_met_is_loaded(file: Path, ending: str) -> None:
    write(
        file,
        "requires-python = '>=3.11'",
        "dependencies = [",
        f'  "NumPy>=2,<={NUMPY}",',
        '  "hcbench>=0.0",',
        "  \"no-such-package; python_version < '3'\",",
        "]",
        "",
        "[tool.mine]",
        "dependencies = 3",
        ending=ending,
    )
    loaded = load_registry([file]).plugins.loaded
    (plugin,) = [plugin for plugin in loaded if plugin.file == file]
    assert plugin.requires == ">=0.0"
    assert file.with_name("executed").exists()
    shown = CliRunner().invoke(main, ["plugins", "--plugin", str(file), "--format", "json"])
    described = {row["plugin"]: row for row in json.loads(shown.stdout)["loaded"]}
    assert described["mine:file"]["requires"] == "hcbench>=0.0"


@pytest.mark.parametrize(
    "text",
    [
        PLUGIN,
        "# /// script\n# dependencies = ['no-such-package']\n" + PLUGIN,  # not closed
        "# /// scripts\n# dependencies = ['no-such-package']\n# ///\n" + PLUGIN,
        "# /// script\n#dependencies = ['no-such-package']\n# ///\n" + PLUGIN,  # no blank
        "# /// script\n# ///\n" + PLUGIN,
    ],
)
def test_a_file_without_metadata_requires_nothing(file: Path, text: str) -> None:
    file.write_text(text)
    assert read_script_metadata(file) == ScriptMetadata()
    load_registry([file])


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            ["dependencies = ['no-such-package>=1.5', 'numpy']"],
            "requires no-such-package>=1.5 (not installed): pip install 'no-such-package>=1.5'",
        ),
        (
            ["dependencies = ['numpy>=99']"],
            f"requires numpy>=99 ({NUMPY} is installed): pip install 'numpy>=99'",
        ),
        (
            ["dependencies = ['no-such-package', \"numpy>=99; python_version >= '3'\"]"],
            f"requires no-such-package (not installed) and numpy>=99 ({NUMPY} is installed): "
            "pip install no-such-package 'numpy>=99'",
        ),
        (
            ["dependencies = ['HCBench>=99']"],
            f"requires HCBench>=99 ({HERE} is installed): pip install 'HCBench>=99'",
        ),
        (
            ["requires-python = '>=4'"],
            f"requires Python >=4, and this is {platform.python_version()}; run hcbench with such "
            "a version",
        ),
    ],
)
def test_a_requirement_that_is_not_met_is_named_with_the_way_out(
    file: Path, lines: list[str], reason: str
) -> None:
    write(file, *lines)
    assert refusal(file) == f"{file} {reason}"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["dependencies = ["], "is not TOML: "),
        (["dependencies = 'numpy'"], "has dependencies = 'numpy'; write a list of texts"),
        (["dependencies = [3]"], "has the dependency 3; write it as 'numpy>=2'"),
        (["dependencies = ['numpy 2']"], "has the dependency 'numpy 2'; write it as 'numpy>=2'"),
        (["requires-python = 3.12"], "has requires-python = 3.12; write it as '>=3.12'"),
        (["requires-python = '3.12'"], "has requires-python = '3.12'; write it as '>=3.12'"),
    ],
)
def test_metadata_that_cannot_be_read_are_refused(
    file: Path, lines: list[str], reason: str
) -> None:
    write(file, *lines)
    assert reason in refusal(file)


def test_two_blocks_are_refused(file: Path) -> None:
    block = "# /// script\n# dependencies = []\n# ///\n"
    file.write_text(block + "\n" + block + PLUGIN)
    assert refusal(file) == f"{file} has 2 blocks '# /// script'; join them to one"


def test_the_command_line_tells_it_in_one_line(file: Path) -> None:
    write(file, "dependencies = ['no-such-package>=1.5']")
    shown = CliRunner().invoke(main, ["list", "algorithms", "--plugin", str(file)])
    assert shown.exit_code == 4
    assert shown.stderr == (
        f"hcbench: error: {file} requires no-such-package>=1.5 (not installed): pip install "
        "'no-such-package>=1.5'\n"
    )


def test_a_file_that_is_no_text_has_the_error_of_its_import(file: Path) -> None:
    file.write_bytes(b"# /// script\n# dependencies = []\n# ///\nx = '\xff'\n")
    with pytest.raises(PluginError, match="cannot be imported: SyntaxError"):
        load_registry([file])


def test_what_is_installed_later_is_found(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(file, "dependencies = ['late-package>=2']")
    assert "not installed" in refusal(file)
    info = file.parent / "late_package-2.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: late-package\nVersion: 2.1\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(file.parent)])
    load_registry([file])
