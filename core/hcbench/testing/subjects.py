"""What is checked, found by name, file, module or package; and the outcome of a check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NoReturn, TypeAlias

from hcbench.errors import HcbenchError, ParameterError, PluginError, UnknownNameError
from hcbench.registry import Registry, load_registry
from hcbench.registry.catalogue import Catalogue, Entry
from hcbench.registry.making import make_use
from hcbench.registry.names import parse_name
from hcbench.registry.plugins import REGISTER_HOOKS, Plugin
from hcbench.registry.resolving import default_uses
from hcbench.registry.specs import DatasetSpec, OracleSpec, Spec, unmet
from hcbench.registry.uses import Use
from hcbench.run.job import Call, call_of

#: How a check ended. Advice that is not followed does not fail; an exempt check has failed as
#: expected.
Status: TypeAlias = Literal["passed", "failed", "advice", "exempt", "not applicable"]


class CheckFailedError(AssertionError):
    """A plugin breaks a promise; the message says in one sentence which, and how.

    Examples
    --------
    >>> def no_tree(oracle, items, rng):
    ...     return None
    >>> spec = hcbench.AlgorithmSpec(
    ...     name="NoTree", function=no_tree, doc="Returns no tree.", accepts=("vectors",)
    ... )
    >>> for check in hcbench.testing.checks_of(spec):
    ...     if check.name == "valid_result":
    ...         check()
    Traceback (most recent call last):
        ...
    hcbench.testing.subjects.CheckFailedError: ...
    """


class NotCheckedError(Exception):
    """A check does not apply; the message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a check.

    Attributes
    ----------
    status : {"passed", "failed", "advice", "exempt", "not applicable"}
        "advice" if the check is one and not followed; "exempt" if the check fails, as is expected.
    reason : str
        In one line; "" if the check passed.

    Examples
    --------
    >>> finding = hcbench.testing.checks_of("UPGMA")[0].run()
    >>> finding
    Finding(status='passed', reason='')
    """

    status: Status
    reason: str = ""


def fail(sentence: str, cause: BaseException | None = None) -> NoReturn:
    """Report a broken promise; the sentence follows the name of the plugin."""
    raise CheckFailedError(" ".join(sentence.split())) from cause


def require(kept: bool, sentence: str) -> None:
    """Fail with a sentence unless a promise is kept."""
    if not kept:
        fail(sentence)


def skip(reason: str) -> NoReturn:
    """Report that a check does not apply."""
    raise NotCheckedError(" ".join(reason.split()))


_SESSION = Plugin("caller", "session", "0")
"""The plugin of what the caller defines."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A spec with its parameters, and the oracles that it may be combined with.

    Attributes
    ----------
    spec : Spec
    use : Use
        None where a required parameter has no value.
    registry : Registry
    oracles : tuple of Use
        Oracles without required parameters, those of the same plugin first.
    missing : str
        The required parameter without a value; "" if there is none.
    """

    spec: Any
    use: Use[Any] | None
    registry: Registry
    oracles: tuple[Use[OracleSpec], ...]
    missing: str = ""

    @property
    def label(self) -> str:
        """The name with the parameters that differ from the defaults."""
        if self.use is None:
            return str(self.spec.name)
        return self.use.label

    @property
    def params(self) -> dict[str, Any]:
        """All parameters, defaults included."""
        assert self.use is not None
        return dict(self.use.params)

    @property
    def call(self) -> Call:
        """The function with its parameters."""
        if self.use is None:
            return Call(self.spec.function, {})
        return call_of(self.use)

    @property
    def dataset(self) -> Use[DatasetSpec]:
        """A data set, as a plan uses it."""
        assert self.use is not None
        return self.use

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints that an algorithm declares with these parameters."""
        declared: tuple[str, ...] = self.spec.hints_of(self.params)
        return declared

    def oracle(self, kind: str, provided: frozenset[str]) -> Use[OracleSpec] | None:
        """An oracle of a kind, for data that provide so much."""
        first: Use[OracleSpec] | None = None
        for use in self.oracles:
            spec = use.spec
            # Answers of a live oracle cost money or a person's time.
            if spec.kind != kind or spec.is_live or unmet(spec.needs, provided) is not None:
                continue
            if spec.name == kind:
                return use  # the one after which the kind is called
            if first is None:
                first = use
        return first


def subjects_of(what: Any, plugins: Sequence[str | Path] = ()) -> list[Subject]:
    """All subjects that are named.

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
    # A text is an iterable of letters.
    if isinstance(what, str | Path | Spec | ModuleType) or not isinstance(what, Iterable):
        return _subjects_of_one(what, plugins)
    subjects: list[Subject] = []
    for one in what:
        subjects += _subjects_of_one(one, plugins)
    return subjects


def _subjects_of_one(what: Any, plugins: Sequence[str | Path]) -> list[Subject]:
    if isinstance(what, Spec):
        # It need not be registered anywhere.
        registry = load_registry(plugins)
        return [_subject(make_use(what, _SESSION, {}, registry), registry)]
    if isinstance(what, ModuleType):
        return _subjects_of_module(what, load_registry(plugins))
    if not isinstance(what, str | Path):
        raise ParameterError(
            f"{what!r} cannot be checked; give a registered name, a spec or a plugin module"
        )
    if str(what).endswith((".py", ".toml")):
        file = Path(what).resolve()
        registry = load_registry(list(plugins) + [what])
        return _subjects_of_plugins(_plugins_of_file(registry, file), registry)
    name = str(what)
    registry = load_registry(plugins)
    uses = _uses_named(registry, name)
    if uses:
        return [_subject(use, registry) for use in uses]
    plugins_of_name = []
    for plugin in registry.plugins.loaded:
        if plugin.is_called(name):
            plugins_of_name.append(plugin)
    if not plugins_of_name:
        raise _unknown(registry, name)
    return _subjects_of_plugins(plugins_of_name, registry)


def _plugins_of_file(registry: Registry, file: Path) -> list[Plugin]:
    """The plugins that a file has been loaded as."""
    plugins = []
    for plugin in registry.plugins.loaded:
        if plugin.file == file:
            plugins.append(plugin)
    return plugins


def _subjects_of_module(module: ModuleType, registry: Registry) -> list[Subject]:
    """All that the hooks of a module register."""
    registered: list[tuple[Any, Plugin]] = []
    for hook_name in REGISTER_HOOKS:
        hook = getattr(module, hook_name, None)
        if hook is not None:
            for spec in hook():
                registered.append((spec, _SESSION))
    return _subjects_together(registered, module.__name__, registry)


def _subjects_of_plugins(plugins: Sequence[Plugin], registry: Registry) -> list[Subject]:
    """All that some loaded plugins register."""
    registered: list[tuple[Any, Plugin]] = []
    for catalogue in registry.catalogues:
        for entry in catalogue.entries:
            if entry.plugin in plugins:
                registered.append((entry.spec, entry.plugin))
    names = [plugin.name for plugin in plugins]
    return _subjects_together(registered, ", ".join(names), registry)


def _uses_named(registry: Registry, text: str) -> list[Use[Any]]:
    """Uses of any kind; a name with parameters is of the kind that has these parameters."""
    resolvers = (
        registry.use_algorithms,
        registry.use_metrics,
        registry.use_oracles,
        registry.use_datasets,
    )
    uses: list[Use[Any]] = []
    errors: list[HcbenchError] = []
    for resolve in resolvers:
        try:
            uses += resolve(text)
        except UnknownNameError:
            # A name of another kind.
            continue
        except HcbenchError as error:
            errors.append(error)
    if errors and not uses:
        # The name is known, and its parameters are wrong.
        raise errors[0]
    return uses


def _unknown(registry: Registry, text: str) -> HcbenchError:
    # A broken plugin registers nothing, so that its name is unknown for another reason.
    for broken in registry.plugins.broken:
        if broken.plugin.is_called(text):
            return PluginError(f"{broken.plugin.name} is broken: {broken.reason}")
    try:
        registry.find(parse_name(text).base)
    except HcbenchError as error:
        # With suggestions of similar names.
        return UnknownNameError(
            f"{error} (a distribution or a file, such as ./mine.py, can be checked too)"
        )
    return ParameterError(f"{text} is a suite; check what it names")


def _subjects_together(
    registered: Sequence[tuple[Any, Plugin]], name: str, registry: Registry
) -> list[Subject]:
    """Specs that are registered together: their algorithms may query their oracles."""
    specs = []
    oracles = []
    for spec, plugin in registered:
        # What is no spec, such as a suite, has no checks.
        if isinstance(spec, Spec):
            specs.append((spec, plugin))
        if isinstance(spec, OracleSpec):
            oracles.append(Entry(spec, plugin))
    if not specs:
        raise PluginError(f"{name} registers nothing that could be checked")
    oracle_uses = default_uses(Catalogue("oracle", oracles))
    subjects = []
    for spec, plugin in specs:
        # The first required parameter: without a value the spec cannot be called.
        missing = ""
        for parameter in spec.parameters:
            if parameter.required:
                missing = parameter.name
                break
        if missing:
            subject = Subject(spec=spec, use=None, registry=registry, oracles=(), missing=missing)
        else:
            subject = _subject(make_use(spec, plugin, {}, registry), registry, oracle_uses)
        subjects.append(subject)
    return subjects


def _subject(use: Use[Any], registry: Registry, oracles: Sequence[Use[OracleSpec]] = ()) -> Subject:
    """A subject that may query some oracles, and all that are registered."""
    return Subject(
        spec=use.spec,
        use=use,
        registry=registry,
        oracles=tuple(oracles) + tuple(default_uses(registry.oracles)),
    )
