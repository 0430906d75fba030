"""Who may import whom: the design's layers, read from the source."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core" / "hcbench"
PLUGINS = sorted(p.name for p in (ROOT / "plugins").iterdir() if p.is_dir())

# Each layer imports only itself and those above it.
LAYERS = [
    {
        "errors",
        "notes",
        "specs",
        "trees",
        "comparisons",
        "problem",
        "given",
        "scored",
        "similarity",
        "compiled",
        "_vectors",
        "_ledger_kernels",
        "_question_kernels",
        "answer_matrix",
        "oracle",
        "files",
    },
    {"hookspecs", "compatibility", "seeds", "names", "quantities", "labels", "outcome", "editions"},
    {"plugins", "registry", "truths", "claims", "suite", "plan", "shards"},
    {
        "workers",
        "environment",
        "cell",
        "inputs",
        "job",
        "store",
        "reuse",
        "layout",
        "dispatch",
        "placement",
        "dask_pool",
        "executors",
        "run",
        "rescore",
    },
    {
        "statistics",
        "views",
        "groups",
        "verdicts",
        "results",
        "tables",
    },
    {
        "api",
        "scoring",
        "figures",
        "plots",
        "asking",
        "report",
        "site",
        "drawing",
        "regress",
        "asv",
        "scaffold",
        "testing",
        "sklearn",
    },
    {"cli"},
    {"__main__"},
]
# Libraries that only some modules may use.
CONFINED = {
    "click": {"cli"},
    "rich": {"cli"},
    "matplotlib": {"figures", "plots", "asking", "drawing"},
    "jinja2": {"report", "site"},
    "plotly": {"report", "site"},
    "sqlalchemy": {"store"},
    "pluggy": {"hookspecs", "plugins"},
    "distributed": {"dask_pool"},
    "dask": {"dask_pool"},
    "sklearn": {"sklearn"},
    "hdbscan": set(),
}


def top(path: Path) -> str:
    """The module of core that a file belongs to."""
    return path.relative_to(CORE).parts[0].removesuffix(".py")


def imports(path: Path, *, runtime_only: bool = True) -> set[str]:
    """Full names of what a file imports; under TYPE_CHECKING only if asked."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if runtime_only and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text()))
    return found


def sources(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


@pytest.mark.parametrize("path", sources(CORE), ids=lambda p: str(p.relative_to(CORE)))
def test_core_imports_only_its_own_layer_and_those_below(path: Path) -> None:
    module = top(path)
    if module == "__init__":
        return
    layer = next((i for i, names in enumerate(LAYERS) if module in names), None)
    assert layer is not None, f"{module} has no layer: put it into LAYERS"
    allowed = set().union(*LAYERS[: layer + 1])
    used = {name.split(".")[1] for name in imports(path) if name.startswith("hcbench.")}
    known = set().union(*LAYERS)
    assert used & known <= allowed


@pytest.mark.parametrize("path", sources(CORE), ids=lambda p: str(p.relative_to(CORE)))
def test_core_never_imports_a_plugin(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports(path, runtime_only=False)} & set(PLUGINS)


@pytest.mark.parametrize("path", sources(CORE), ids=lambda p: str(p.relative_to(CORE)))
def test_libraries_stay_where_they_belong(path: Path) -> None:
    for library in {name.split(".")[0] for name in imports(path)} & set(CONFINED):
        # similarity.py takes distances of sparse vectors from scikit-learn, when it is called.
        if (top(path), library) != ("similarity", "sklearn"):
            assert top(path) in CONFINED[library], f"{library} in {top(path)}"


@pytest.mark.parametrize("plugin", PLUGINS)
def test_plugins_import_only_the_public_core_and_never_each_other(plugin: str) -> None:
    public = {"hcbench", "hcbench.compiled", "hcbench.plots"}
    for path in sources(ROOT / "plugins" / plugin):
        for name in imports(path, runtime_only=False):
            package = name.split(".")[0]
            assert package not in set(PLUGINS) - {plugin}, f"{path}: {name}"
            if package == "hcbench" and name.count(".") >= 1 and name[8:9].islower():
                module = ".".join(name.split(".")[:2])
                is_public = module in public or name.removeprefix("hcbench.") in _public_names()
                assert is_public, f"{path} imports {name}, which is not public"


def _public_names() -> set[str]:
    tree = ast.parse((CORE / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    raise AssertionError("hcbench has no __all__")


def test_the_edition_of_core_holds_all_that_runs_a_cell() -> None:
    """What `hcbench.cell` imports decides results, but for finding plugins and isolating."""
    from hcbench.editions import DECISIVE

    needed, open_modules = set(), {"cell"}
    while open_modules:
        module = open_modules.pop()
        needed.add(module)
        folder = CORE / module
        files = sources(folder) if folder.is_dir() else [CORE / f"{module}.py"]
        used = {n.split(".")[1] for f in files for n in imports(f) if n.startswith("hcbench.")}
        open_modules |= {m for m in used if (CORE / m).is_dir() or (CORE / f"{m}.py").is_file()}
        open_modules -= needed | {"plugins", "workers"}
    assert needed <= set(DECISIVE)
    assert "seeds" in DECISIVE
    for name in DECISIVE:
        assert (CORE / name).is_dir() or (CORE / f"{name}.py").is_file()
