"""What is checked: specs with their parameters, found by what people name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from hcbench.errors import HcbenchError, ParameterError, PluginError, UnknownNameError
from hcbench.registry import Registry, Use, load_registry, make_use
from hcbench.registry.names import parse_name
from hcbench.registry.plugins import REGISTER_HOOKS, Plugin
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, MetricSpec, OracleSpec, Spec, unmet
from hcbench.run.job import Call

_NOUNS: dict[type[Spec], str] = {
    AlgorithmSpec: "algorithm",
    MetricSpec: "metric",
    OracleSpec: "oracle",
    DatasetSpec: "data set",
}
_SESSION = Plugin("caller", "session", "0")


@dataclass(frozen=True, eq=False)
class Subject:
    """A spec with its parameters, and whom it may meet.

    Attributes
    ----------
    use : Use
        None where a parameter has to be given.
    spec : Spec
    registry : Registry
    oracles : tuple of Use
        Those that need no parameter, its own plugin's first.
    missing : str
        Which parameter has to be given.
    memory : dict
        What one check has found out for the next.
    """

    spec: Any
    use: Use[Any] | None
    registry: Registry
    oracles: tuple[Use[OracleSpec], ...]
    missing: str = ""
    memory: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def noun(self) -> str:
        """Algorithm, metric, oracle or data set."""
        return next(noun for kind, noun in _NOUNS.items() if isinstance(self.spec, kind))

    @property
    def label(self) -> str:
        """The name with the parameters that differ from the defaults."""
        return self.use.label if self.use else str(self.spec.name)

    @property
    def params(self) -> dict[str, Any]:
        """All of them."""
        assert self.use is not None
        return dict(self.use.params)

    @property
    def call(self) -> Call:
        """The function with its parameters."""
        return Call(self.spec.function, self.params)

    def oracle(self, kind: str, provided: frozenset[str]) -> Use[OracleSpec] | None:
        """An oracle of a kind that such data can feed."""
        fitting = [
            use
            for use in self.oracles
            if use.spec.kind == kind and unmet(use.spec.needs, provided) is None
        ]
        return min(fitting, key=lambda use: use.spec.name != kind, default=None)


def subjects_of(what: Any, plugins: Sequence[str | Path] = ()) -> list[Subject]:
    """All that is named.

    Parameters
    ----------
    what : str, Spec, module, or iterable of these
        A registered name, with parameters; a plugin file; a distribution, or one of its plugins; a
        spec; a module with hooks.
    plugins : sequence of path
        Plugin files beside those that are installed.

    Raises
    ------
    HcbenchError
        If nothing is registered under a name, or a plugin is broken.
    """
    if isinstance(what, str | Path | Spec | ModuleType) or not isinstance(what, Iterable):
        return list(_found(what, plugins))
    return [subject for one in what for subject in _found(one, plugins)]


def _found(what: Any, plugins: Sequence[str | Path]) -> Iterator[Subject]:
    if isinstance(what, str | Path) and str(what).endswith(".py"):
        yield from _of_file(Path(what), plugins)
        return
    registry = load_registry(plugins)
    if isinstance(what, Spec):
        yield _subject(what, make_use(what, _SESSION, {}), registry, ())
    elif isinstance(what, ModuleType):
        yield from _of_module(what, registry)
    elif isinstance(what, str | Path):
        yield from _of_name(str(what), registry)
    else:
        raise ParameterError(
            f"{what!r} cannot be checked; name what is registered, or give a spec or a plugin "
            "module"
        )


def _of_module(module: ModuleType, registry: Registry) -> Iterator[Subject]:
    hooks = [getattr(module, name) for name in REGISTER_HOOKS if hasattr(module, name)]
    specs = [spec for hook in hooks for spec in hook() if isinstance(spec, Spec)]
    if not specs:
        raise PluginError(f"{module.__name__} registers nothing that could be checked")
    yield from _together([(spec, _SESSION) for spec in specs], registry)


def _of_file(file: Path, plugins: Sequence[str | Path]) -> Iterator[Subject]:
    registry = load_registry([*plugins, file])
    loaded = [plugin for plugin in registry.plugins.loaded if plugin.file == file.resolve()]
    yield from _together(_registered(registry, loaded), registry)


def _of_name(text: str, registry: Registry) -> Iterator[Subject]:
    uses = _named(registry, text)
    if uses:
        for use in uses:
            yield _subject(use.spec, use, registry, ())
        return
    plugins = [p for p in registry.plugins.loaded if text in (p.distribution, p.name)]
    if not plugins:
        raise _unknown(registry, text)
    yield from _together(_registered(registry, plugins), registry)


def _named(registry: Registry, text: str) -> list[Use[Any]]:
    """Of whatever kind; a name with parameters is of that kind which has them."""
    resolvers = (
        registry.use_algorithms,
        registry.use_metrics,
        registry.use_oracles,
        registry.use_datasets,
    )
    found: list[Use[Any]] = []
    wrong: list[HcbenchError] = []
    for resolve in resolvers:
        try:
            found += resolve(text)
        except UnknownNameError:
            continue
        except HcbenchError as error:
            wrong.append(error)
    if wrong and not found:
        raise wrong[0]
    return found


def _unknown(registry: Registry, text: str) -> HcbenchError:
    for broken in registry.plugins.broken:
        if text in (broken.plugin.distribution, broken.plugin.name):
            return PluginError(f"{broken.plugin.name} is broken: {broken.reason}")
    try:
        registry.find(parse_name(text).base)
    except HcbenchError as error:
        return UnknownNameError(
            f"{error}; a distribution or a file, such as ./{text}.py, can be checked too"
        )
    return ParameterError(f"{text} is a suite; what it names can be checked")


def _registered(registry: Registry, plugins: Sequence[Plugin]) -> list[tuple[Spec, Plugin]]:
    found = [
        (entry.spec, entry.plugin)
        for catalogue in registry.catalogues
        for entry in catalogue.entries
        if entry.plugin in plugins and isinstance(entry.spec, Spec)
    ]
    if not found:
        names = ", ".join(plugin.name for plugin in plugins)
        raise PluginError(f"{names} registers nothing that could be checked")
    return found


def _together(found: Sequence[tuple[Spec, Plugin]], registry: Registry) -> Iterator[Subject]:
    """Specs of one plugin: an algorithm may ask an oracle that is registered beside it."""
    own = tuple(
        make_use(spec, plugin, {})
        for spec, plugin in found
        if isinstance(spec, OracleSpec) and not any(p.required for p in spec.parameters)
    )
    for spec, plugin in found:
        needed = [p.name for p in spec.parameters if p.required]
        use = None if needed else make_use(spec, plugin, {})
        yield _subject(spec, use, registry, own, *needed[:1])


def _subject(
    spec: Spec,
    use: Use[Any] | None,
    registry: Registry,
    own: tuple[Use[OracleSpec], ...],
    missing: str = "",
) -> Subject:
    others = tuple(
        make_use(entry.spec, entry.plugin, {})
        for entry in registry.oracles.entries
        if not any(p.required for p in entry.spec.parameters)
    )
    return Subject(spec, use, registry, own + others, missing)
