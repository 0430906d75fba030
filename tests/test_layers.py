"""Allowed imports, read from the source, including those in functions and for types."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core" / "hcbench"
PLUGINS = sorted(p.name for p in (ROOT / "plugins").iterdir() if p.is_dir())

#: The packages of core: each imports only itself and those before it.
ROOMS = [
    "errors",
    "model",
    "oracle",
    "registry",
    "files",
    "plan",
    "store",
    "run",
    "analysis",
    "claims",
    "results",
    "figures",
    "pages",
    "testing",
    "api",
    "cli",
]
#: Public modules that name what is defined in the packages, or in plugins; above all of them.
FACADES = {"asv", "commands", "compiled", "datasets", "hooks", "sklearn"}
PUBLIC_MODULES = (
    "analysis",
    "asv",
    "commands",
    "compiled",
    "datasets",
    "errors",
    "figures",
    "files",
    "model",
    "oracle",
    "plan",
    "registry",
    "run",
    "store",
    "testing",
)
#: Libraries that only some modules may use.
CONFINED = {
    "click": {"cli"},
    "rich": {"cli"},
    "matplotlib": {"api", "figures"},
    "jinja2": {"pages"},
    "plotly": {"pages"},
    "sqlalchemy": {"store"},
    "pluggy": {"registry"},
    "distributed": set(),
    "dask": set(),
    "sklearn": set(),
    "hdbscan": set(),
}


def imports(path: Path) -> Iterator[str]:
    """Full names of all imports in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules() -> Iterator[tuple[str, Path]]:
    """The files of core by their paths, such as ``run/cell``."""
    for path in sorted(CORE.rglob("*.py")):
        name = path.relative_to(CORE).with_suffix("").as_posix()
        if name not in ("__init__", "__main__") and "/example/" not in name:
            yield name, path


def test_each_package_of_core_imports_only_those_before_it() -> None:
    wrong = set()
    for name, path in modules():
        room = name.split("/")[0]
        if room in FACADES:
            continue
        assert room in ROOMS, f"{room} is no package of the design"
        later = {*ROOMS[ROOMS.index(room) + 1 :], *FACADES}
        for used in imports(path):
            if used.startswith("hcbench.") and used.split(".")[1] in later:
                wrong.add(f"{name}: {used}")
    assert not wrong


def test_core_imports_plugins_only_in_the_bridges_to_them() -> None:
    assert {
        (name, used.split(".")[0])
        for name, path in modules()
        for used in imports(path)
        if used.split(".")[0] in PLUGINS
    } == {("asv", "hcbench_asv"), ("datasets", "hcbench_datasets"), ("sklearn", "hcbench_sklearn")}


def test_libraries_are_imported_only_where_allowed() -> None:
    wrong = [
        f"{name}: {library}"
        for name, path in modules()
        for library in {used.split(".")[0] for used in imports(path)} & set(CONFINED)
        if not any(f"{name}/".startswith(f"{where}/") for where in CONFINED[library])
    ]
    assert not wrong


def test_plugins_import_only_the_public_core_and_never_each_other() -> None:
    public = {"hcbench"}
    for module in ("hcbench", *(f"hcbench.{name}" for name in PUBLIC_MODULES)):
        public |= {module, *(f"{module}.{name}" for name in import_module(module).__all__)}
    wrong = []
    for plugin in PLUGINS:
        for path in sorted((ROOT / "plugins" / plugin).rglob("*.py")):
            for used in imports(path):
                package = used.split(".")[0]
                private = package == "hcbench" and used not in public
                if package in set(PLUGINS) - {plugin} or private:
                    wrong.append(f"{path}: {used}")
    assert not wrong


def imports_of_modules(package: Path) -> dict[str, set[str]]:
    """The modules of a package, each with those of them that it imports."""
    files = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        files[".".join(parts)] = path
    graph = {}
    for module, path in files.items():
        graph[module] = set()
        for used in imports(path):
            # A name is of the longest module that is a part of it.
            while used and used not in files:
                used = used.rpartition(".")[0]
            if used and used != module:
                graph[module].add(used)
    return graph


def modules_in_circles(graph: dict[str, set[str]]) -> set[str]:
    """The modules that import themselves through others."""
    remaining = set(graph)
    while True:
        # In a circle, each module imports another one of it, and is imported by another one.
        free = set()
        for module in remaining:
            importers = {other for other in remaining if module in graph[other]}
            if not importers or not graph[module] & remaining:
                free.add(module)
        if not free:
            return remaining
        remaining -= free


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}
    assert modules_in_circles(graph) == {"b", "c"}


def test_the_modules_of_core_import_each_other_in_one_direction() -> None:
    assert not modules_in_circles(imports_of_modules(CORE))


def test_the_modules_of_a_plugin_import_each_other_in_one_direction() -> None:
    for plugin in PLUGINS:
        assert not modules_in_circles(imports_of_modules(ROOT / "plugins" / plugin))


def test_the_fingerprint_of_core_contains_all_modules_that_run_a_cell() -> None:
    """Results depend on the imports of `hcbench.run.cell`, except for plugins and isolation."""
    from hcbench.registry.fingerprint import RESULT_MODULES

    def decisive(name: str) -> bool:
        return any(f"{name}/".startswith(f"{part}/") for part in RESULT_MODULES)

    files = dict(modules())
    needed, waiting = set(), {"run/cell", "plan/seeds"}
    while waiting:
        name = waiting.pop()
        needed.add(name)
        for used in imports(files[name]):
            parts = used.split(".")[1:]
            found = [
                name
                for k in range(1, len(parts) + 1)
                for name in ("/".join(parts[:k]), "/".join([*parts[:k], "__init__"]))
                if name in files
            ]
            waiting.update(found[-1:])  # the imported module, not its packages
        # What a name means is in the key of a cell, whoever looks it up.
        undecisive = ("registry/__init__", "registry/plugin_files", "registry/uses", "run/workers")
        waiting -= needed | {n for n in files if n.startswith(undecisive)}
    undecided = {name for name in needed if not decisive(name) and not name.endswith("/__init__")}
    assert not undecided
    for name in RESULT_MODULES:
        assert (CORE / name).is_dir() or (CORE / f"{name}.py").is_file()
