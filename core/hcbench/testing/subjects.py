"""What is checked, found by name, file, module or package; and the outcome of a check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NoReturn, TypeAlias

from hcbench.errors import HcbenchError, ParameterError, PluginError, UnknownNameError
from hcbench.registry import Catalogue, Entry, Registry, Use, default_uses, load_registry, make_use
from hcbench.registry.names import parse_name
from hcbench.registry.plugins import REGISTER_HOOKS, Plugin
from hcbench.registry.specs import OracleSpec, Spec, unmet
from hcbench.run.job import Call

Status: TypeAlias = Literal["passed", "failed", "exempt", "not applicable"]


class CheckFailedError(AssertionError):
    """A plugin breaks a promise; the message says in one sentence which, and how."""


class NotCheckedError(Exception):
    """A check does not apply; the message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a check.

    Attributes
    ----------
    status : {"passed", "failed", "exempt", "not applicable"}
    reason : str
        In one line; "" if the check passed.
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


def exemption(exempt: Mapping[str, str], check: str, params: Mapping[str, Any]) -> str:
    """Why a spec is exempt from a check with some parameters; "" if it is not.

    Parameters
    ----------
    exempt : mapping of str to str
        As a spec declares it: from ``"CHECK"``, or ``"CHECK[param=value]"`` for some values of its
        parameters, to a reason.
    check : str
    params : mapping
    """
    for key, reason in exempt.items():
        named = parse_name(key)
        if named.base != check:
            continue
        if all(name in params and params[name] == value for name, value in named.params.items()):
            return reason
    return ""


_SESSION = Plugin("caller", "session", "0")


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
        return self.use.label if self.use else str(self.spec.name)

    @property
    def params(self) -> dict[str, Any]:
        """All parameters, defaults included."""
        assert self.use is not None
        return dict(self.use.params)

    @property
    def call(self) -> Call:
        """The function with its parameters."""
        return Call(self.spec.function, self.params)

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints that an algorithm declares with these parameters."""
        declared: tuple[str, ...] = self.spec.hints_of(self.params)
        return declared

    def oracle(self, kind: str, provided: frozenset[str]) -> Use[OracleSpec] | None:
        """An oracle of a kind, for data that provide so much."""
        fitting = [
            use
            for use in self.oracles
            if use.spec.kind == kind
            and not use.spec.is_live
            and unmet(use.spec.needs, provided) is None
        ]
        return min(fitting, key=lambda use: use.spec.name != kind, default=None)


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
    is_one = isinstance(what, str | Path | Spec | ModuleType) or not isinstance(what, Iterable)
    named = [what] if is_one else what
    return [subject for one in named for subject in _subjects_of_one(one, plugins)]


def _subjects_of_one(what: Any, plugins: Sequence[str | Path]) -> list[Subject]:
    is_file = isinstance(what, str | Path) and str(what).endswith(".py")
    registry = load_registry([*plugins, what] if is_file else plugins)
    loaded = registry.plugins.loaded
    if isinstance(what, Spec):
        return [_subject(make_use(what, _SESSION, {}), registry)]
    if isinstance(what, ModuleType):
        hooks = [getattr(what, name) for name in REGISTER_HOOKS if hasattr(what, name)]
        registered = [(spec, _SESSION) for hook in hooks for spec in hook()]
        return _of_one_plugin(registered, what.__name__, registry)
    if is_file:
        chosen = [plugin for plugin in loaded if plugin.file == Path(what).resolve()]
    elif isinstance(what, str | Path):
        uses = _named(registry, str(what))
        if uses:
            return [_subject(use, registry) for use in uses]
        chosen = [plugin for plugin in loaded if str(what) in (plugin.distribution, plugin.name)]
        if not chosen:
            raise _unknown(registry, str(what))
    else:
        raise ParameterError(
            f"{what!r} cannot be checked; give a registered name, a spec or a plugin module"
        )
    entries = [entry for catalogue in registry.catalogues for entry in catalogue.entries]
    registered = [(entry.spec, entry.plugin) for entry in entries if entry.plugin in chosen]
    return _of_one_plugin(registered, ", ".join(plugin.name for plugin in chosen), registry)


def _named(registry: Registry, text: str) -> list[Use[Any]]:
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
            continue
        except HcbenchError as error:
            errors.append(error)
    if errors and not uses:
        raise errors[0]
    return uses


def _unknown(registry: Registry, text: str) -> HcbenchError:
    for broken in registry.plugins.broken:
        if text in (broken.plugin.distribution, broken.plugin.name):
            return PluginError(f"{broken.plugin.name} is broken: {broken.reason}")
    try:
        registry.find(parse_name(text).base)
    except HcbenchError as error:
        return UnknownNameError(
            f"{error} (a distribution or a file, such as ./{text}.py, can be checked too)"
        )
    return ParameterError(f"{text} is a suite; check what it names")


def _of_one_plugin(
    registered: Sequence[tuple[Any, Plugin]], name: str, registry: Registry
) -> list[Subject]:
    """Specs that are registered together: their algorithms may query their oracles."""
    found = [(spec, plugin) for spec, plugin in registered if isinstance(spec, Spec)]
    if not found:
        raise PluginError(f"{name} registers nothing that could be checked")
    oracles = [Entry(spec, plugin) for spec, plugin in found if isinstance(spec, OracleSpec)]
    own = default_uses(Catalogue("oracle", oracles))
    subjects = []
    for spec, plugin in found:
        missing = next((p.name for p in spec.parameters if p.required), "")
        if missing:
            subjects.append(Subject(spec, None, registry, (), missing))
        else:
            subjects.append(_subject(make_use(spec, plugin, {}), registry, own))
    return subjects


def _subject(use: Use[Any], registry: Registry, own: Sequence[Use[OracleSpec]] = ()) -> Subject:
    return Subject(use.spec, use, registry, (*own, *default_uses(registry.oracles)))
