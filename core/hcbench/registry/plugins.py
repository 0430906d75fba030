"""Finding and loading plugins.

pluggy's own loader drops the second of two plugins with one entry-point name, fails if the import
of any plugin fails, and accepts misspelt hooks. So the entry points are loaded here: a plugin is
identified by its distribution and entry point, a broken one is reported and does not affect the
others, and the order of calls does not matter.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib import metadata
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from hcbench.errors import HcbenchError, PluginError
from hcbench.model.text import suggestion
from hcbench.registry import hookspecs
from hcbench.registry.compatibility import requirement_of, unmet_requirement
from hcbench.registry.fingerprint import digest_sources, installed_version
from hcbench.registry.hookspecs import PROJECT
from hcbench.registry.patience import named_if_slow
from hcbench.registry.plugin_files import (
    code_of_file,
    import_current,
    importable,
    remove_stale_bytecode,
)
from hcbench.registry.script_metadata import check_requirements, read_script_metadata
from hcbench.registry.sources import code_below
from hcbench.registry.specs import load_function

#: The distribution of the specs that a caller gives from Python.
CALLER = "caller"
#: What plugins register, each by the hook ``hcbench_KIND``.
KINDS = ("algorithms", "datasets", "oracles", "metrics", "suites", "commands", "executors")
REGISTER_HOOKS = tuple([f"hcbench_{kind}" for kind in KINDS])
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
        The versions of hcbench that its distribution, or its file, requires, such as
        ``"<0.2,>=0.1"``.

    Examples
    --------
    >>> plugin = hcbench.load_registry().algorithms.find("UPGMA").plugin
    >>> plugin.name
    'hcbench:vectors'
    >>> plugin.is_built_in
    True
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

    def is_called(self, name: str) -> bool:
        """Whether somebody who writes this name means it: its distribution's, or its own."""
        if name == self.name:
            return True
        return normalise_distribution(name) == normalise_distribution(self.distribution)

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
        if self.source.is_dir():
            return self.source
        return self.source.parent

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


def normalise_distribution(name: str) -> str:
    """The usual spelling of a distribution (PEP 503): ``My_Package`` is ``my-package``."""
    return re.sub(r"[-_.]+", "-", name).lower()


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
        # A file counts once, also if it is given by two paths.
        resolved_files = [Path(file).resolve() for file in files]
        self.files = tuple(dict.fromkeys(resolved_files))
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        for plugin, entry_point in installed_plugins():
            self._load(plugin, partial(_import_installed, plugin, entry_point))
        for file in self.files:
            self._load_file(file)
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

    def _load_file(self, file: Path) -> None:
        """Import a plugin file, unless its metadata say that it cannot run here."""
        plugin = Plugin(self._name_of_file(file), "file", "0", file, file=file)
        try:
            script = read_script_metadata(file)
            check_requirements(script, file)
        except PluginError as error:
            self.refuse(plugin, str(error))
            return
        plugin = replace(plugin, requires=script.hcbench)
        with self.importable():
            self._load(plugin, partial(import_current, file))

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
        except HcbenchError as error:
            self.refuse(plugin, str(error))
        except Exception as error:
            self.refuse(plugin, f"cannot be imported: {type(error).__name__}: {error}")
        except SystemExit as error:
            self.refuse(plugin, f"cannot be imported: it calls sys.exit({error.code!r})")
        else:
            wrong = self._misspelt(module)
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
        files = []
        if plugin.file is not None:
            files.append(plugin.file)
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


@cache
def _modules_of(distribution: str) -> frozenset[str]:
    """The top-level modules that a distribution has installed."""
    try:
        files = metadata.distribution(distribution).files or ()
    except metadata.PackageNotFoundError:
        return frozenset()
    modules = set()
    for file in files:
        # A module is a file, such as six.py, or a folder.
        modules.add(file.parts[0].partition(".")[0])
    return frozenset(modules)


def installed_fingerprints() -> dict[str, str]:
    """The fingerprint of each installed plugin, by its name; no plugin is imported."""
    fingerprints = {}
    for plugin, _ in installed_plugins():
        fingerprints[plugin.name] = plugin.fingerprint
    return fingerprints


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
            remove_stale_bytecode(path)
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
