"""hcbench uses what libraries document, and changes nothing of the process that imports it.

Both are read from the source, as far as it shows them: private names of libraries, assignments to
their attributes, and calls that change the whole process. What stays is listed with its reason.
`tests/core/test_unchanged_process.py` compares a process before and after calls.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*(ROOT / "core").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")])

#: Names that begin with an underscore and are documented.
DOCUMENTED = {
    "_exit": "os._exit ends a forked process",
    "_asdict": "of named tuples, and of SQLAlchemy's rows",
    "_fields": "of named tuples",
    "_make": "of named tuples",
    "_mapping": "of SQLAlchemy's rows",
    "_replace": "of named tuples",
    "_repr_html_": "what a notebook shows",
    "_repr_png_": "what a notebook shows",
}

#: Attributes of functions that say how they are made, instead of what they do.
INTERNAL = ("__closure__", "__code__", "__globals__", "__wrapped__")

#: Modules of numba that its documentation does not name, and one of these that it does.
UNDOCUMENTED_OF_NUMBA = ("numba.core", "numba.np", "numba.cpython", "numba.misc", "numba.parfors")
DOCUMENTED_OF_NUMBA = ("numba.core.event",)

#: Calls that change the whole process; a name without a module is that of a method.
CALLS = (
    *("atexit.register", "faulthandler.enable", "gc.disable", "gc.enable", "gc.freeze"),
    *("gc.set_threshold", "locale.setlocale", "logging.basicConfig", "logging.captureWarnings"),
    *("logging.disable", "matplotlib.use", "multiprocessing.set_start_method", "numpy.random.seed"),
    *("numpy.set_printoptions", "numpy.seterr", "os.chdir", "os.putenv", "os.umask", "os.unsetenv"),
    *("pandas.set_option", "random.seed", "resource.setrlimit", "signal.signal"),
    *("socket.setdefaulttimeout", "sys.setprofile", "sys.setrecursionlimit", "sys.settrace"),
    *("warnings.filterwarnings", "warnings.resetwarnings", "warnings.simplefilter"),
    *("reload_config", "setLevel"),
)

#: Objects of the process whose methods change it.
SHARED = ("os.environ", "os.environb", "sys.argv", "sys.meta_path", "sys.path", "sys.path_hooks")
METHODS = (
    *("append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "sort"),
    *("update", "__setitem__"),
)

#: What stays: by the package of core or the plugin, and the expression, with the reason.
ALLOWED = {
    # In processes of our own: workers, the process that forks them, and children.
    ("api", "warnings.simplefilter"): "a child process that compiles kernels",
    ("files", "resource.setrlimit"): "a child process that reads one file",
    ("hcbench_strict", "np.random.seed"): "a child process that runs one algorithm",
    ("hcbench_strict", "random.seed"): "as above",
    ("hcbench_strict", "sys.argv[:]"): "as above",
    ("run", "faulthandler.enable"): "a worker",
    ("run", "gc.freeze"): "the process that forks workers",
    ("run", "locale.setlocale"): "a cell must not depend on earlier cells of its worker",
    ("run", "np.random.seed"): "as above",
    ("run", "np.seterr"): "as above",
    ("run", "os.chdir"): "as above",
    ("run", "os.environ"): "as above",
    ("run", "os.environ.clear"): "as above",
    ("run", "os.environ['TMPDIR']"): "a worker",
    ("run", "os.environb.update"): "a cell must not depend on earlier cells of its worker",
    ("run", "random.seed"): "as above",
    ("run", "resource.setrlimit"): "a worker",
    ("run", "signal.signal"): "a worker, and the process that forks workers",
    ("run", "sys.argv[:]"): "the process that forks workers",
    ("run", "tempfile.tempdir"): "a worker",
    ("testing", "signal.signal"): "a child process that runs checks",
    # In the process of the program, not in that of a caller of its functions.
    ("cli", "os.environ['NUMBA_DISABLE_JIT']"): "small trees need no compiled kernels",
    ("hcbench", "sys.path.append"): "python -m hcbench: the current folder goes last",
    ("hcbench", "sys.path.pop"): "as above",
    (
        "cli",
        "setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))",
    ): "standard streams that were closed",
    ("cli", "os.environ.update"): "where it stores compiled kernels",
    ("cli", "set_threshold"): "a plan has very many objects that live long",
    # Restored when the block ends.
    ("cli", "signal.signal"): "while a command runs",
    ("hcbench_ask", "signal.signal"): "while a person answers at the terminal",
    ("hcbench_asv", "gc.disable"): "while a call is timed",
    ("hcbench_asv", "gc.enable"): "as above",
    ("hcbench_dask", "logger.setLevel"): "while a cluster is open",
    ("hcbench_datasets", "logger.setLevel"): "while a file is downloaded",
    ("hcbench_datasets", "socket.setdefaulttimeout"): "as above",
    ("registry", "sys.path.append"): "while plugin files are loaded and called, and in workers",
    ("registry", "sys.path.remove"): "as above",
    ("testing", "np.random.seed"): "while a check runs",
    ("testing", "os.environ[variable]"): "as above",
    ("testing", "random.seed"): "as above",
    # Modules of plugin files, which are imported by their paths, as the import system documents.
    ("registry", "sys.modules[name]"): "the module of a plugin file",
    ("registry", "sys.modules[module_name]"): "a plugin file that was edited is imported again",
    # At the end of the process.
    ("run", "atexit.register"): "the process that forks workers ends",
    ("testing", "atexit.register"): "the workers of checks end",
}


def room_of(path: Path) -> str:
    """The package of core, or the plugin, that has a file."""
    parts = path.relative_to(ROOT).parts
    is_in_package = parts[0] == "core" and len(parts) > 3
    return parts[2] if is_in_package else parts[1]


def is_private(name: str) -> bool:
    """Whether a name is private by convention."""
    return name.startswith("_") and not name.startswith("__") and name not in {"_", *DOCUMENTED}


def is_foreign(module: str) -> bool:
    """Whether a module is no part of hcbench."""
    return not module.partition(".")[0].startswith("hcbench")


class Source:
    """A file of the source.

    Attributes
    ----------
    imported : dict of str to str
        The full name of what is imported from elsewhere, by the name that it has in the file.
    private : set of str
        The private names that the file defines itself.
    """

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.imported: dict[str, str] = {}
        self.private: set[str] = set()
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    if is_foreign(alias.name):
                        top = alias.name.partition(".")[0]
                        self.imported[alias.asname or top] = alias.name if alias.asname else top
            case ast.ImportFrom(module=str(module), names=names, level=0) if is_foreign(module):
                for alias in names:
                    self.imported[alias.asname or alias.name] = f"{module}.{alias.name}"
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.private.add(name)
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                self.private.add(name)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                self.private.add(name)

    def full_name(self, node: ast.AST) -> str:
        """The dotted name of an expression, such as ``numpy.random.seed``; "" if it has none."""
        if isinstance(node, ast.Name):
            return self.imported.get(node.id, "")
        if isinstance(node, ast.Attribute):
            owner = self.full_name(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        return ""

    def is_imported(self, node: ast.AST) -> bool:
        """Whether an expression is an attribute or item of something that is imported."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.imported

    def is_restored(self, node: ast.AST) -> bool:
        """Whether the filters of warnings are restored at the end of a block around a call."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.With) and "catch_warnings(" in ast.unparse(node):
                return True
        return False

    def tricks(self) -> Iterator[str]:
        """What the file should not do."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Import(names=names):
                    yield from self._private_imports([alias.name for alias in names])
                case ast.ImportFrom(module=str(module), names=names, level=0):
                    yield from self._private_imports([f"{module}.{alias.name}" for alias in names])
                case ast.Attribute() | ast.Subscript():
                    yield from self._tricks_of_attribute(node)
                case ast.Call():
                    yield from self._tricks_of_call(node)

    def _private_imports(self, names: list[str]) -> Iterator[str]:
        for name in names:
            if is_foreign(name) and any(is_private(part) for part in name.split(".")):
                yield f"import {name}"
            if name.startswith("unittest.mock"):
                yield f"import {name}"

    def _tricks_of_attribute(self, node: ast.Attribute | ast.Subscript) -> Iterator[str]:
        text = ast.unparse(node)
        if not isinstance(node.ctx, ast.Load) and self.is_imported(node):
            yield text
        if isinstance(node, ast.Attribute):
            is_own = node.attr in self.private
            if node.attr in INTERNAL or (is_private(node.attr) and not is_own):
                yield text

    def _tricks_of_call(self, node: ast.Call) -> Iterator[str]:
        text = ast.unparse(node.func)
        full = self.full_name(node.func)
        owner, _, method = full.rpartition(".")
        if owner in SHARED and method in METHODS:
            yield text
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr in CALLS
        if (full in CALLS or is_method) and not self.is_restored(node):
            yield text
        changes_or_reads = text in ("setattr", "delattr", "vars") and node.args
        if changes_or_reads and self.full_name(node.args[0]):
            yield ast.unparse(node)
        if text in ("getattr", "setattr", "delattr", "hasattr") and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and is_private(str(name.value)):
                yield ast.unparse(node)


def modules_of_numba(text: str) -> Iterator[str]:
    """The modules of numba that a file imports, or reaches by attributes of numba."""
    source = Source(text)
    for full_name in source.imported.values():
        if full_name.partition(".")[0] == "numba":
            yield full_name
    for node in ast.walk(source.tree):
        full_name = source.full_name(node)
        if full_name.startswith("numba."):
            yield full_name


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_of_numba_only_documented_modules_are_used(path: Path) -> None:
    for name in modules_of_numba(path.read_text(encoding="utf-8")):
        is_documented = not name.startswith(UNDOCUMENTED_OF_NUMBA)
        assert is_documented or name.startswith(DOCUMENTED_OF_NUMBA), name


def test_undocumented_modules_of_numba_are_noticed() -> None:
    assert [*modules_of_numba("import numba.core.config as c\nc.reload_config()")]
    assert "numba.core.caching" in modules_of_numba("import numba\nnumba.core.caching.Cache")
    assert "numba.np.ufunc.parallel" in modules_of_numba("from numba.np.ufunc import parallel")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_private_names_of_libraries_and_no_effects_on_the_process(path: Path) -> None:
    tricks = Source(path.read_text(encoding="utf-8")).tricks()
    assert [trick for trick in tricks if (room_of(path), trick) not in ALLOWED] == []


def test_nothing_is_allowed_that_is_not_there() -> None:
    present = set()
    for path in SOURCES:
        for trick in Source(path.read_text(encoding="utf-8")).tricks():
            present.add((room_of(path), trick))
    assert set(ALLOWED) - present == set()


@pytest.mark.parametrize(
    ("text", "trick"),
    [
        ("import click\nclick.IntRange.name = 'number'", "click.IntRange.name"),
        ("import warnings\nwarnings.showwarning = print", "warnings.showwarning"),
        ("import os\nvars(os.environ)['_data']", "vars(os.environ)"),
        ("from os import environ\nenviron['A'] = '1'", "environ['A']"),
        ("import sys\nsys.meta_path.append(3)", "sys.meta_path.append"),
        ("import sys as s\ns.path.insert(0, '.')", "s.path.insert"),
        ("import gc\ngc.set_threshold(9)", "gc.set_threshold"),
        ("import numpy as np\nnp.random.seed(3)", "np.random.seed"),
        ("import warnings\nwarnings.simplefilter('ignore')", "warnings.simplefilter"),
        ("def f(kernel):\n    return kernel._cache", "kernel._cache"),
        ("def f(g):\n    return g.__code__.co_varnames", "g.__code__"),
        ("from numba.core import _dispatcher", "import numba.core._dispatcher"),
        ("from unittest.mock import patch", "import unittest.mock.patch"),
        ("import click\nsetattr(click, 'a', 1)", "setattr(click, 'a', 1)"),
        ("def f(x):\n    return getattr(x, '_y')", "getattr(x, '_y')"),
    ],
)
def test_a_trick_is_noticed(text: str, trick: str) -> None:
    assert list(Source(text).tricks()) == [trick]


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos._exit(0)",
        "class A:\n    def f(self, other):\n        self._x = 1\n        return other._x",
        "import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('ignore')",
        "from hcbench.oracle import _kernels",
        "import numpy as np\nx = np.zeros(3)\nx[0] = 1",
    ],
)
def test_plain_code_is_no_trick(text: str) -> None:
    assert list(Source(text).tricks()) == []
