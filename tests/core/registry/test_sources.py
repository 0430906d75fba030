"""What files import, found by their text."""

from pathlib import Path

import pytest

from hcbench.registry.fingerprint import digest_sources
from hcbench.registry.sources import imported_names, named_modules, used_below


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a", ["a"]),
        ("import a.b as c, d", ["a.b", "d"]),
        ("from a import b, c as d", ["a.b", "a.c"]),
        ("from a import (\n    b,  # why\n    c,\n)", ["a.b", "a.c"]),
        ("from a import b, \\\n    c", ["a.b", "a.c"]),
        ("from . import a", [".a"]),
        ("from ..a import b", ["..a.b"]),
        ("from a import *", ["a.*"]),
        ("def f():\n    import a", ["a"]),
        ("if True: import a", ["a"]),
        ("x = 1; from a import b; import c", ["a.b", "c"]),
        ("important = 1\nfromage = 2", []),
    ],
)
def test_imports_are_found(text: str, names: list[str]) -> None:
    assert list(imported_names(text.encode())) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import_module('a.b')", ["a.b"]),
        ('importlib.import_module(".a", __name__)', [".a"]),
        ("__import__( 'a')", ["a"]),
        ("runpy.run_module('a')", ["a"]),
        ("import_module(name)", []),
        ("function='a.b:f'", ["a.b"]),
        ('"not a module:f"', []),
        ("x[1:a]", []),
    ],
)
def test_modules_that_a_text_names_are_found(text: str, names: list[str]) -> None:
    assert list(named_modules(text.encode())) == names


def test_the_file_that_defines_a_name_is_used_and_not_its_packages(tmp_path: Path) -> None:
    package = tmp_path / "a"
    package.mkdir()
    contents = {
        "__init__.py": "from a.unused import x\n",
        "unused.py": "x = 1\n",
        "used.py": "from a import again\n",
        "again.py": "from a.start import y\n",
        "start.py": "from a.used import y\n",
    }
    for name, text in contents.items():
        (package / name).write_text(text)
    used = used_below([package / "start.py"], tmp_path, lambda name: name == "a")
    assert [path.name for path in used] == ["again.py", "start.py", "used.py"]


def test_names_and_bytes_of_files_are_in_their_digest(tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("x = 1\n")
    two.write_text("x = 1\n")
    digests = [digest_sources([one]), digest_sources([two]), digest_sources([one, two])]
    one.write_text("x = 1  # why\n")
    digests.append(digest_sources([one]))
    assert len(set(digests)) == 4
