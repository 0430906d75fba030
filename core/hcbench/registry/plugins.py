"""Finding and loading plugins.

pluggy's own loader drops the second of two plugins with one entry-point name, fails if the import
of any plugin fails, and accepts misspelt hooks. So the entry points are loaded here: a plugin is
identified by its distribution and entry point, a broken one is reported and does not affect the
others, and the order of calls does not matter.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import metadata
from importlib.machinery import all_suffixes
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from hcbench.errors import PluginError
from hcbench.model.regular_files import read_regular
from hcbench.model.text import shell_command, suggestion
from hcbench.registry import hookspecs
from hcbench.registry.fingerprint import digest_sources, installed_version
from hcbench.registry.hookspecs import HOOK_VERSION, PROJECT
from hcbench.registry.patience import named_if_slow
from hcbench.registry.sources import code_below
from hcbench.registry.specs import load_function

#: The distribution of the specs that a caller gives from Python.
CALLER = "caller"
#: What plugins register, each by the hook ``hcbench_KIND``.
KINDS = ("algorithms", "datasets", "oracles", "metrics", "suites", "commands", "executors")
REGISTER_HOOKS = tuple(f"hcbench_{kind}" for kind in KINDS)
#: Hooks that are called during a run, and register nothing.
REPORT_HOOKS = ("hcbench_run_started", "hcbench_cell_finished", "hcbench_run_finished")


@dataclass(frozen=True)
class Plugin:
    """The origin of a plugin.

    Attributes
    ----------
    distribution : str
        The package that contains it; the file's name for ``--plugin FILE``.
    entry_point : str
    version : str
        Of the distribution.
    source : Path or None
        The folder of its package, or its file.
    file : Path or None
        The file, if it was loaded from one.
    requires : str
        The versions of hcbench that its distribution requires, such as ``"<0.2,>=0.1"``.
    """

    distribution: str
    entry_point: str
    version: str
    source: Path | None = None
    file: Path | None = None
    requires: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether it belongs to an installed package, and not to the caller or to a file."""
        return self.file is None and self.distribution != CALLER

    @property
    def name(self) -> str:
        """``distribution:entry_point``."""
        return f"{self.distribution}:{self.entry_point}"

    @property
    def is_built_in(self) -> bool:
        """Whether it is a part of hcbench's own distribution."""
        return self.distribution == PROJECT

    @cached_property
    def digest(self) -> str:
        """A digest of its code; "" if it has no files."""
        if self.source is None:
            return ""
        return digest_sources(self.code)

    @cached_property
    def fingerprint(self) -> str:
        """Its version and the digest of its code."""
        if self.source is None:
            return self.version
        return f"{self.version}+{self.digest}"

    @property
    def folder(self) -> Path:
        """To which the paths of its data are relative: of its file or package."""
        if self.source is None:
            return Path()
        return self.source if self.source.is_dir() else self.source.parent

    @property
    def files(self) -> list[Path]:
        """The files of its package, or its only file."""
        if self.source is None:
            return []
        if self.source.is_dir():
            return sorted(self.source.rglob("*.py"))
        return [self.source]

    @property
    def code(self) -> list[Path]:
        """Its files, and those beside them that they import."""
        if self.source is None:
            return []
        if self.file is not None:
            return code_of_file(self.file)
        return code_below(self.files, self.source.parent, self.owns)

    def owns(self, name: str) -> bool:
        """Whether the top-level module of a name, in the folder of its package, belongs to it."""
        if name == PROJECT or self.source is None:
            # Core has a fingerprint of its own.
            return False
        if self.source.parent.name not in _SITE:
            return True
        # Where packages are installed, there are modules of other distributions, too.
        return name in _modules_of(self.distribution)


@dataclass(frozen=True, slots=True)
class Broken:
    """A plugin that is not used, and the reason."""

    plugin: Plugin
    reason: str


class Plugins:
    """All loaded plugins; the only place that touches pluggy.

    Parameters
    ----------
    files : sequence of Path
        Plugin files for this run, beside those that are installed.

    Raises
    ------
    PluginError
        If one of ``files`` cannot be loaded.
    """

    def __init__(self, files: Sequence[Path] = ()) -> None:
        self.loaded: list[Plugin] = []
        self.broken: list[Broken] = []
        self.warnings: list[str] = []
        self.files = tuple(dict.fromkeys(Path(file).resolve() for file in files))
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        for plugin, entry_point in installed_plugins():
            self._load(plugin, partial(_import_installed, plugin, entry_point))
        for file in self.files:
            plugin = Plugin(self._name_of_file(file), "file", "0", file, file=file)
            with self.importable():
                self._load(plugin, partial(import_current, file))
        self.check_files()
        self.loaded.sort(key=lambda plugin: plugin.name)

    def _name_of_file(self, file: Path) -> str:
        """The name of a plugin file, which is never that of a package or of another file."""
        reserved = {CALLER, PROJECT}
        for plugin, _ in installed_plugins():
            reserved.add(plugin.distribution.casefold())
        stems = [path.stem for path in self.files]
        if stems.count(file.stem) == 1 and file.stem.casefold() not in reserved:
            return file.stem
        return f"{file.parent.name}/{file.stem}"

    def importable(self) -> AbstractContextManager[None]:
        """Have modules beside plugin files found while a block runs, as `importable` does."""
        return importable(self.files)

    def check_files(self) -> None:
        """Raise an error if a plugin file is broken, as it was asked for.

        Raises
        ------
        PluginError
            If one of ``files`` is broken.
        """
        for broken in self.broken:
            file = broken.plugin.file
            if file is None:
                continue
            reason = broken.reason
            if str(file) not in reason:
                reason = f"--plugin {file}: {reason}"
            raise PluginError(reason)

    def _load(self, plugin: Plugin, load: Any) -> None:
        unmet = unmet_requirement(plugin.distribution, plugin.requires, installed_version(PROJECT))
        if unmet:
            self.refuse(plugin, unmet)
            return
        try:
            with named_if_slow(plugin.name):
                module = load()
            self._manager.register(module, plugin.name)
        except PluginError as error:
            self.refuse(plugin, str(error))
        except Exception as error:
            self.refuse(plugin, f"cannot be imported: {type(error).__name__}: {error}")
        except SystemExit as error:
            self.refuse(plugin, f"cannot be imported: it calls sys.exit({error.code!r})")
        else:
            wrong = unmet_hooks(module, plugin.distribution) or self._misspelt(module)
            if wrong:
                self._manager.unregister(module)
                self.refuse(plugin, wrong)
            else:
                self.loaded.append(plugin)

    def has_code(self, module: str) -> bool:
        """Whether a module is in the package, or is the file, of a plugin that is loaded."""
        loaded_names = {plugin.name for plugin in self.loaded}
        packages = set()
        for name, loaded in self._manager.list_name_plugin():
            if name in loaded_names:
                packages.add(getattr(loaded, "__name__", "").partition(".")[0])
        return module.partition(".")[0] in packages

    def function(self, name: str) -> Callable[..., Any]:
        """A function that a suite or a store names, which must be code of a plugin.

        Names come from suites and stores, which may have any origin.

        Raises
        ------
        PluginError
            If it is not a function of a loaded plugin.
        """
        refused = PluginError(f"{name} is not a function of a plugin; only those are called")
        if not self.has_code(name.partition(":")[0]):
            raise refused
        with self.importable():
            function: Callable[..., Any] = load_function(name)
        if not self.has_code(getattr(function, "__module__", None) or ""):
            # A module of a plugin has imported it from elsewhere.
            raise refused
        return function

    def _misspelt(self, module: ModuleType) -> str | None:
        """That a module implements a hook that there is not; None if it does not."""
        hooks = REGISTER_HOOKS + REPORT_HOOKS
        for caller in self._manager.get_hookcallers(module) or ():
            if caller.has_spec():
                continue
            hint = suggestion(caller.name, hooks) or f"hooks are {', '.join(hooks)}"
            return f"implements an unknown hook {caller.name}; {hint}"
        return None

    def refuse(self, plugin: Plugin, reason: str) -> None:
        """Report a plugin as broken."""
        self.broken.append(Broken(plugin, reason))
        if plugin in self.loaded:
            self.loaded.remove(plugin)

    def registered(self, hook: str) -> Iterator[tuple[Plugin, list[Any]]]:
        """The specs that each plugin returns from one registering hook, by plugin name."""
        for plugin in list(self.loaded):
            items: list[Any] = []
            try:
                for result in self._call_one(plugin, hook):
                    items += result
            except Exception as error:
                self.refuse(plugin, f"{hook} failed: {type(error).__name__}: {error}")
            else:
                yield plugin, items

    def _call_one(self, plugin: Plugin, hook: str, **kwargs: Any) -> list[Any]:
        """What one plugin returns from its implementations of a hook."""
        excluded = []
        for name, module in self._manager.list_name_plugin():
            if name != plugin.name:
                excluded.append(module)
        files = [] if plugin.file is None else [plugin.file]
        # A hook may import a module beside its file.
        with importable(files):
            results: list[Any] = self._manager.subset_hook_caller(hook, excluded)(**kwargs)
        return results

    def report(self, hook: str, **kwargs: Any) -> None:
        """Call a reporting hook of all plugins; a plugin that fails is switched off."""
        if not getattr(self._manager.hook, hook).get_hookimpls():
            return
        for plugin in list(self.loaded):
            try:
                self._call_one(plugin, hook, **kwargs)
            except Exception as error:
                self.warnings.append(
                    f"reporter {plugin.name} failed and is switched off: "
                    f"{type(error).__name__}: {error}"
                )
                self._manager.unregister(name=plugin.name)
                self.loaded.remove(plugin)


def code_of_file(file: Path) -> list[Path]:
    """A plugin file, and the files in its folder that it imports.

    Raises
    ------
    PluginError
        If another plugin file has a module of the same name beside it.
    """
    return code_below([file], file.parent, partial(is_beside, file.parent))


def is_beside(folder: Path, name: str) -> bool:
    """Whether the module of a name is in a folder; what is installed goes before it."""
    if name == PROJECT:
        return False
    paths = [folder / name]
    for suffix in all_suffixes():
        paths.append(folder / f"{name}{suffix}")
    if not any(path.exists() for path in paths):
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    if spec is None:
        # The folder is not on the path yet.
        return True
    if spec.has_location:
        module_folders = [Path(str(spec.origin)).parent]
    else:
        # A namespace package has no file, and may be in several folders.
        module_folders = [Path(place) for place in spec.submodule_search_locations or ()]
    for module_folder in module_folders:
        if module_folder in (folder, folder / name):
            return True
        if module_folder in _folders or module_folder.parent in _folders:
            raise PluginError(
                f"two plugin files have a module {name} beside them, in {module_folder} and in "
                f"{folder}; rename one of them, or use one of the files only"
            )
    return False


@cache
def _modules_of(distribution: str) -> frozenset[str]:
    """The top-level modules that a distribution has installed."""
    try:
        files = metadata.distribution(distribution).files or ()
    except metadata.PackageNotFoundError:
        return frozenset()
    return frozenset(file.parts[0].partition(".")[0] for file in files)


#: Folders of plugin files that were loaded: two of them may not have modules of one name.
_folders: set[Path] = set()

#: Folders that are on ``sys.path`` for a block only.
_temporary: list[str] = []


@contextmanager
def importable(files: Iterable[str | Path]) -> Iterator[None]:
    """Have modules beside plugin files found, as those beside a script are, while a block runs.

    Their folders are the last of ``sys.path``, so that what is installed goes before them, and are
    removed at the end: this process may be a notebook, or any program that calls `hcbench.compare`.
    """
    added = []
    for file in files:
        folder = Path(file).resolve().parent
        if _add_to_path(folder):
            added.append(str(folder))
    _temporary.extend(added)
    try:
        yield
    finally:
        for path in added:
            _temporary.remove(path)
            with suppress(ValueError):  # a plugin may have removed it
                sys.path.remove(path)


def keep_importable(folder: Path) -> None:
    """Have modules in the folder of a plugin file found from now on, in a process of our own."""
    _add_to_path(folder)


def lasting_path() -> list[str]:
    """``sys.path`` without what `importable` has added."""
    return [path for path in sys.path if path not in _temporary]


def _add_to_path(folder: Path) -> bool:
    """Add a folder to ``sys.path``; False if it is there already."""
    _folders.add(folder)
    if str(folder) in sys.path:
        return False
    sys.path.append(str(folder))
    # The import system lists a folder once, and a module may have been written since.
    importlib.invalidate_caches()
    return True


def _remove_stale_bytecode(path: Path) -> None:
    """Remove the stored bytecode of a file that was changed after the bytecode was written.

    Python does the same at the next import, but recognises a change by the size and the time in
    whole seconds, and executes what an edit of the same size and second has replaced.
    """
    # There may be none, or the folder cannot be written.
    with suppress(NotImplementedError, OSError):
        bytecode = Path(importlib.util.cache_from_source(str(path)))
        # No program can set the time of the last change of a file, unlike that of its content.
        if bytecode.stat().st_mtime_ns <= path.stat().st_ctime_ns:
            bytecode.unlink()


#: The code of each plugin file when it was imported, by the name of its module.
_imported: dict[str, str] = {}


def import_current(file: Path) -> ModuleType:
    """Import a plugin file, again if its code has changed since, with all that it imports.

    The modules beside it must be `importable`.
    """
    name = module_of(file)
    if not file.is_file():
        # It raises the error.
        return import_file(file)
    code = code_of_file(file)
    digest = digest_sources(code)
    if _imported.get(name, digest) != digest:
        # Its module and those beside it are imported again.
        changed_files = {str(path) for path in code}
        for module_name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) in changed_files:
                del sys.modules[module_name]
    _imported[name] = digest
    return import_file(file)


def imported_digest(file: Path) -> str:
    """The digest of the code of a plugin file when this process imported it; "" if it has not."""
    return _imported.get(module_of(file), "")


def module_of(file: Path) -> str:
    """The name under which a plugin file is imported.

    It is derived from the full path, so that it is the same in the main process and in workers.
    """
    return f"hcbench_file_{hashlib.blake2b(str(file).encode(), digest_size=6).hexdigest()}"


def import_file(file: Path, place: Path | None = None, digest: str = "") -> ModuleType:
    """Import a plugin file under a name of its own, once.

    The modules beside it must be `importable`.

    Parameters
    ----------
    file : Path
        Its path for the main process.
    place : Path, optional
        Its path on this machine, if that is another one.
    digest : str, optional
        Of the code that the file and those beside it must have.

    Raises
    ------
    PluginError
        If there is no such file, it is no plugin, or its code is not that of the digest.
    """
    name = module_of(file)
    if name in sys.modules:
        return sys.modules[name]
    place = place or file
    if not place.is_file():
        raise PluginError(f"there is no file {place}; give the path of a .py or .toml file")
    code = code_of_file(place)
    _check_digest(file, code, digest)
    for path in code:
        _remove_stale_bytecode(path)
    loader = _declared_loader(place) if place.suffix == ".toml" else None
    spec = importlib.util.spec_from_file_location(name, place, loader=loader)
    if spec is None or spec.loader is None:
        raise PluginError(f"{file} is no plugin file; its name must end in .py or .toml")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        # It may have been written while it was imported.
        _check_digest(file, code, digest)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _check_digest(file: Path, code: Iterable[Path], digest: str) -> None:
    """Refuse code that is not what the main process has imported, whose digest is in the keys."""
    if digest and digest_sources(code) != digest:
        raise PluginError(
            f"the plugin changed during the run: {file}, or a module beside it; run the same "
            "command again"
        )


def _declared_loader(file: Path) -> Any:
    """What makes a module of a TOML file: an `importlib.abc.Loader`, which the file names."""
    import tomllib

    declared = tomllib.loads(read_regular(file).decode("utf-8-sig")).get("loader")
    if not isinstance(declared, str):
        raise PluginError(f"{file} names no loader, such as loader = 'hcbench_foreign:Program'")
    return load_function(declared)(file)


def installed_fingerprints() -> dict[str, str]:
    """The fingerprint of each installed plugin, by its name; no plugin is imported."""
    return {plugin.name: plugin.fingerprint for plugin, _ in installed_plugins()}


def installed_plugins() -> list[tuple[Plugin, EntryPoint]]:
    """Every installed plugin, sorted by name, each distribution once."""
    plugins: dict[str, tuple[Plugin, EntryPoint]] = {}
    for distribution in distributions():
        entry_points = distribution.entry_points.select(group=PROJECT)
        if not entry_points:
            continue
        # Each property parses the whole metadata, so that it is read once.
        name = distribution.name
        version = distribution.version
        requires = requirement_of(distribution)
        for entry_point in entry_points:
            source = _source(entry_point)
            plugin = Plugin(name, entry_point.name, version, source, requires=requires)
            # Of a distribution that is installed twice, Python imports the first.
            plugins.setdefault(plugin.name, (plugin, entry_point))
    return [plugins[name] for name in sorted(plugins)]


def _import_installed(plugin: Plugin, entry_point: EntryPoint) -> Any:
    """Import an installed plugin; one that may be edited where it is, as it is now."""
    is_edited = plugin.source is not None and plugin.source.parent.name not in _SITE
    if plugin.distribution != PROJECT and is_edited:
        for path in plugin.code:
            _remove_stale_bytecode(path)
    return entry_point.load()


#: The folders in which packages are installed, beside those of others.
_SITE = ("site-packages", "dist-packages")


def _source(entry_point: EntryPoint) -> Path | None:
    """The folder of the package of an entry point, or its file if it is a single module."""
    spec = importlib.util.find_spec(entry_point.module.partition(".")[0])
    if spec is None or not spec.origin:
        return None
    source = Path(spec.origin)
    if source.name == "__init__.py":
        return source.parent
    return source


#: The attribute of a plugin's module with the version of the hooks that it is written for.
STATED = "HCBENCH_HOOKS"


def requirement_of(distribution: Distribution) -> str:
    """The versions of hcbench that a distribution requires, such as ``"<0.2,>=0.1"``; "" for any.

    Requirements that cannot be parsed are ignored: pip installs no such package.
    """
    if distribution.name == PROJECT:
        return ""
    versions = []
    for requirement in distribution.requires or ():
        # Most are of other packages, and parsing takes long.
        if PROJECT in requirement.lower():
            versions.append(_versions(requirement))
    return ",".join(filter(None, versions))


def _versions(text: str) -> str:
    """The versions of hcbench in one requirement; "" if it does not apply."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return ""
    if requirement.name.lower() != PROJECT:
        return ""
    if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
        return ""
    return str(requirement.specifier)


def unmet_requirement(distribution: str, required: str, installed: str) -> str | None:
    """Why a version of hcbench does not meet the requirement of a plugin; None if it does."""
    if not required or not installed:
        # hcbench is not installed where it runs from a folder that is on the path.
        return None
    from packaging.specifiers import SpecifierSet

    if SpecifierSet(required).contains(installed, prereleases=True):
        return None
    return f"requires {PROJECT}{required}, and {installed} is installed: " + shell_command(
        "pip", "install", "--upgrade", distribution, PROJECT
    )


def unmet_hooks(
    module: ModuleType, distribution: str, hook_version: int = HOOK_VERSION
) -> str | None:
    """Why a module is incompatible with a version of the hooks; None if it is not."""
    stated = getattr(module, STATED, hook_version)
    if not isinstance(stated, int) or isinstance(stated, bool) or stated < 1:
        return f"{STATED} must be a version of the hooks, such as {hook_version}; got {stated!r}"
    if stated == hook_version:
        return None
    behind = PROJECT
    if stated < hook_version:
        behind = distribution
    return (
        f"is written for version {stated} of the hooks, and {PROJECT} "
        f"{installed_version(PROJECT)} has version {hook_version}: "
        + shell_command("pip", "install", "--upgrade", behind)
    )
