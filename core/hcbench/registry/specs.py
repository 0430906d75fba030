"""What a plugin declares: small frozen descriptions of algorithms, data sets and oracles.

Those of metrics are in `hcbench.registry.metric_specs`, of commands and executors in
`hcbench.registry.command_specs`, and their parameters in `hcbench.registry.parameters`.

A spec names its function lazily, as ``"package.module:function"``, so that listing and planning
import nothing heavy; a callable is accepted as well.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NewType, TypeAlias, get_args

from hcbench.errors import InvalidSpecError, ParameterError, PluginError
from hcbench.model.arguments import one_of, whole_number
from hcbench.model.extras import is_extra
from hcbench.model.text import mistake_of_names, suggestion
from hcbench.registry.parameters import Parameter, Params, Value
from hcbench.registry.references import Reference

#: Characters that have a meaning in ``NAME[param=value]`` and lists of such names.
_NO_NAME = re.compile(r"[\[\]=,:\s]")

#: Fields that are tuples of names; not each kind of spec has each of them.
_FIELDS_OF_NAMES = (
    "requires",
    "tags",
    "aliases",
    "files",
    "secrets",
    "accepts",
    "hints",
    "provides",
    "needs",
    "truths",
    "suffixes",
    "optional_files",
)

#: The name of a distribution, without a version.
_DISTRIBUTION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")

#: A function, or its name as ``"package.module:function"``.
Function: TypeAlias = str | Callable[..., Any]
#: What an algorithm returns.
Returns: TypeAlias = Literal["tree", "partition"]
#: The name of data that hcbench knows: what a data set provides, and others need.
DataName: TypeAlias = Literal[
    "vectors",
    "similarity",
    "graph",
    "comparisons",
    "held_out",
    "truth",
    "heights",
    "levels",
    "tree",
]
#: What `any_of` and `extra` return: a text, which is declared so that a misspelt `DataName` is an
#: error of a type checker.
Need = NewType("Need", str)
#: What a data set must provide, all of it. Plugins without types may write the texts themselves:
#: ``"similarity|vectors"`` is ``any_of("similarity", "vectors")``.
Needs: TypeAlias = tuple[DataName | Need, ...]

HINTS = {
    "truth": "the true hierarchy, a Tree",
    "clusters": "the finest true clusters, a Partition",
    "n_clusters": "the number of the finest true clusters",
    "vectors": "the vectors of the items",
    "similarity": "the matrix of similarities",
    "graph": "the graph of the items",
}
"""What an algorithm may declare as hints: parts of the truth, and data beside the answers."""

DATA = ("vectors", "similarity", "graph")
"""Hints that are data of the items; the others are parts of the truth."""


def is_data(hint: str) -> bool:
    """Whether a hint is data of the items, possibly of a plugin's own kind, and no truth."""
    return hint in DATA or is_extra(hint)


PROVIDED: tuple[DataName, ...] = get_args(DataName)
"""What a data set may provide, and an algorithm, an oracle or a metric need."""


def any_of(*names: DataName | Need) -> Need:
    """Declare that one of several kinds of data is enough, as in ``needs``.

    Examples
    --------
    >>> any_of("similarity", "vectors")
    'similarity|vectors'
    """
    return Need("|".join(names))


def extra(name: str) -> Need:
    """Declare data of a plugin's own kind, as in ``provides`` and ``needs``.

    Parameters
    ----------
    name : str
        As in `Problem.extras`, such as ``"my-package:strings"``.

    Raises
    ------
    InvalidSpecError
        If it has no package.

    Examples
    --------
    >>> need = extra("my-package:strings")
    >>> need
    'my-package:strings'
    >>> problem = hcbench.Problem(n=2, extras={need: ["ACGT", "ACCT"]})
    >>> sorted(problem.provides)
    ['my-package:strings']
    """
    if not is_extra(name):
        raise InvalidSpecError(f"{name!r} needs the name of your package: 'my-package:{name}'")
    return Need(name)


def load_function(function: Function) -> Callable[..., Any]:
    """The callable behind a lazy name.

    Raises
    ------
    PluginError
        If its module cannot be imported or has no such function.
    """
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    try:
        loaded: Callable[..., Any] = getattr(importlib.import_module(module), name)
    # A module may do anything when it is imported, even end the process.
    except (Exception, SystemExit) as error:
        raise PluginError(f"cannot load {function}: {type(error).__name__}: {error}") from error
    return loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """The common part of specs of algorithms, data sets, oracles and metrics.

    Attributes
    ----------
    noun : str
        The kind in messages, such as "data set".
    name : str
        The name of the papers, matched without regard to case.
    function : str or callable
        The function itself, or ``"package.module:function"``, which is imported when first needed.
    doc : str
        What it is, in one sentence.
    parameters : tuple of Parameter
        The parameters that a name can set, ``NAME[param=value]``.
    paper : Reference, optional
        The paper that describes it.
    requires : tuple of str
        Distributions on which its result depends, by their names on PyPI and without versions,
        such as ``"scikit-learn"``: stored results of other versions are not reused. An algorithm is
        inapplicable while one of them is not installed.
    licence : str
        The licence of the library that it wraps, or of its data; "" if it is that of the plugin's
        own package.
    tags : tuple of str
        Words by which ``hcbench list --tag`` and ``--algos "@tag"`` find it, such as ``"linkage"``;
        ``"paper:KEY"`` is added for its paper.
    aliases : tuple of str
        Former or other names, such as that of the same algorithm in another library. They work,
        with a warning that tells ``name``, under which results are stored and shown.
    files : tuple of str
        Files and folders whose content decides its result and belongs to the key of a cell: the
        names of parameters whose values name them, and paths of data that the function itself
        reads, relative to the folder of the plugin's file or package.
    secrets : tuple of str
        Environment variables that its function reads and whose names are those of secrets, such as
        ``"MY_API_KEY"``; wildcards are possible. Workers get no other keys, tokens and passwords.
    edition : int, optional
        A number from 1, which its author raises when its results change: stored results of the same
        edition are reused whatever the version of its package and its code. Without it they are
        reused while the code of its package is the same.

    Examples
    --------
    >>> spec = hcbench.load_registry().algorithms.find("Ward").spec
    >>> isinstance(spec, Spec)
    True
    >>> spec.noun, spec.name
    ('algorithm', 'Ward')
    """

    noun: ClassVar[str] = "plugin"
    name: str
    function: Function
    doc: str
    parameters: tuple[Parameter, ...] = ()
    paper: Reference | None = None
    requires: tuple[str, ...] = ()
    licence: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    edition: int | None = None

    def __post_init__(self) -> None:
        mistake = mistake_of_names(self, _FIELDS_OF_NAMES)
        if mistake:
            raise InvalidSpecError(f"{self.name}: {mistake}")
        for field_name in ("requires", "tags", "aliases", "files", "accepts", "suffixes"):
            entries = getattr(self, field_name, ())
            if entries:
                object.__setattr__(self, field_name, tuple(dict.fromkeys(entries)))
        for name in (self.name, *self.aliases):
            if not name or _NO_NAME.search(name):
                raise InvalidSpecError(f"{name!r} cannot be a name: no spaces, brackets, = , :")
        parameter_names = {parameter.name for parameter in self.parameters}
        if len(parameter_names) < len(self.parameters):
            raise InvalidSpecError(f"{self.name}: a parameter is declared twice")
        for field_name in ("provides", "needs"):
            declared = getattr(self, field_name, ())
            # What depends on parameters is checked when these are known.
            if not callable(declared):
                self._check_provided(field_name, declared)
        self._check_requires()
        self._check_edition()

    def _check_requires(self) -> None:
        """Refuse a version, with which a distribution would never be found."""
        for name in self.requires:
            if not _DISTRIBUTION.fullmatch(name):
                raise InvalidSpecError(
                    f"{self.name}: requires has {name!r}; name a distribution without a version, "
                    "such as 'scikit-learn', and state versions in the package's pyproject.toml"
                )

    def check_choice(self, field_name: str, choices: tuple[str, ...]) -> None:
        """Refuse what is none of the choices for a field."""
        try:
            one_of(getattr(self, field_name), field_name, choices)
        except ParameterError as error:
            raise InvalidSpecError(f"{self.name}: {error}") from error

    def _check_edition(self) -> None:
        if self.edition is None:
            return
        if type(self.edition) is not int or self.edition < 1:
            raise InvalidSpecError(
                f"{self.name}: edition is an integer from 1, got {self.edition!r}"
            )

    def _check_provided(self, field_name: str, declared: tuple[str, ...]) -> None:
        """Refuse what no data set provides, such as a misspelt name."""
        for alternatives in declared:
            for word in alternatives.split("|"):
                if word not in PROVIDED and not is_extra(word):
                    raise InvalidSpecError(
                        f"{self.name}: {field_name} has {word!r}; it may have "
                        f"{', '.join(PROVIDED)}, or data of your own, such as 'my-package:strings'"
                    )

    def _parameters_like(self, name: str) -> str:
        """Which parameter a user may have meant: one spelt so, or one that is described so."""
        names = [parameter.name for parameter in self.parameters]
        close = suggestion(name, names)
        if close or len(name) < 4:
            return close
        described = []
        for parameter in self.parameters:
            if name.casefold() in parameter.doc.casefold():
                described.append(parameter)
        if len(described) != 1:
            return ""
        return f"did you mean {described[0].name}? {described[0].doc}"

    def resolve(self, params: Params) -> dict[str, Value]:
        """All parameters with their values, in the order of declaration.

        Parameters
        ----------
        params : mapping of str to value
            Values of some parameters; the others have their defaults.

        Returns
        -------
        dict of str to value

        Raises
        ------
        ParameterError
            If one is unknown, missing, of the wrong type or out of range.
        """
        names = [parameter.name for parameter in self.parameters]
        for name in params:
            if name not in names:
                hint = self._parameters_like(name) or f"it has {', '.join(names) or 'none'}"
                raise ParameterError(f"{self.name} has no parameter {name!r}; {hint}")
        for parameter in self.parameters:
            name = parameter.name
            if parameter.required and name not in params:
                raise ParameterError(f"{self.name} needs {name}: {self.name}[{name}=...]")
        values = {}
        for parameter in self.parameters:
            name = parameter.name
            if name in params:
                values[name] = parameter.check(params[name], self.name)
            else:
                values[name] = parameter.default
        return values

    @property
    def file_parameters(self) -> tuple[str, ...]:
        """The parameters that name files or folders."""
        names = {parameter.name for parameter in self.parameters}
        return tuple([name for name in self.files if name in names])

    @property
    def data_files(self) -> tuple[str, ...]:
        """The paths of data that the function itself reads."""
        return tuple(name for name in self.files if name not in self.file_parameters)

    def load(self) -> Callable[..., Any]:
        """The function itself."""
        return load_function(self.function)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmSpec(Spec):
    """An algorithm: ``function(oracle, items, rng, **params) -> Tree, linkage or Partition``.

    Attributes
    ----------
    accepts : tuple of str
        Kinds of oracle, the preferred first.
    hints : tuple of str, or callable from params to such a tuple
        What it receives without asking, as `Items.hints` (see `HINTS`).
    needs : tuple of str
        What else the data set must provide, such as ``"tree"``.
    returns : {"tree", "partition"}
        The kind of its results.
    anytime : bool
        Whether it records intermediate results, so that one run gives a learning curve.
    reference : bool
        Whether it is a reference line, which is shown with the others and never marked best nor
        ranked.
    takes_unsure : bool
        Whether `Oracle.ask` may return UNSURE; otherwise a query without an answer is made again,
        `Oracle.PATIENCE` times at most, and then ends the call with what was recorded.
    min_items : int
        The fewest items that it clusters; fewer are inapplicable.
    order_dependent : bool
        Whether another order of the items gives other clusters even where no distances tie.
    binary_only : bool
        Whether its trees are binary whatever the data; `hcbench.testing` checks it.
    random : bool, or callable from params to bool
        Whether its result depends on random numbers, or on pairs that it draws from the oracle; if
        not, the same answers give the same result.
    memory : str or callable, optional
        ``memory(n, **params) -> float``: the bytes that a call on n items takes, roughly;
        ``--dry-run`` tells where that is above the limit.
    queries : str or callable, optional
        ``queries(n, **params) -> (number, is_bound) or None``: the number of queries about n
        items, either an upper bound or an estimate; None if it is unknown. It is shown to persons
        who answer; where the bound is 0, `hcbench.fit` needs no oracle.

    Examples
    --------
    >>> def nearest(oracle, items, rng):
    ...     from scipy.cluster.hierarchy import linkage
    ...     return linkage(oracle.read(), "single")
    >>> spec = AlgorithmSpec(
    ...     name="my-single", function=nearest, doc="Single linkage of scipy.", accepts=("vectors",)
    ... )
    >>> hcbench.fit(spec, [[0.0], [1.0], [5.0]]).to_newick()
    '(2:2,(0:0.5,1:0.5):1.5);'
    """

    noun = "algorithm"
    accepts: tuple[str, ...]
    hints: tuple[str, ...] | Callable[[Params], tuple[str, ...]] = ()
    needs: Needs = ()
    returns: Returns = "tree"
    anytime: bool = False
    reference: bool = False
    takes_unsure: bool = False
    min_items: int = 1
    order_dependent: bool = False
    binary_only: bool = False
    random: bool | Callable[[Params], bool] = True
    memory: Function | None = None
    queries: Function | None = None

    def __post_init__(self) -> None:
        Spec.__post_init__(self)
        if not self.accepts:
            raise InvalidSpecError(f"{self.name}: accepts no kind of oracle")
        self.check_choice("returns", get_args(Returns))
        try:
            whole_number(self.min_items, "min_items", least=1)
        except ParameterError as error:
            raise InvalidSpecError(f"{self.name}: {error}") from error
        if callable(self.hints):  # they depend on parameters
            return
        for hint in self.hints:
            if hint not in HINTS and not is_extra(hint):
                raise InvalidSpecError(f"{self.name}: {unknown_hint(hint)}")

    def hints_of(self, params: Params) -> tuple[str, ...]:
        """The hints that it uses with these parameters."""
        if callable(self.hints):
            return self.hints(params)
        return self.hints

    def random_with(self, params: Params) -> bool:
        """Whether its result depends on random numbers with these parameters."""
        if callable(self.random):
            return self.random(params)
        return self.random

    def expected_queries(self, n: int, params: Params) -> tuple[float, bool] | None:
        """The number of queries about n items, and whether that is a bound; None if unknown."""
        if self.queries is None:
            return None
        expected: tuple[float, bool] | None = load_function(self.queries)(n, **params)
        return expected


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSpec(Spec):
    """A data set: ``function(request, **params) -> Problem``, with a `DataRequest`.

    Attributes
    ----------
    provides : tuple of str, or callable from params to such a tuple
        Of `PROVIDED`, such as vectors, graph, truth, levels; the plan is made from this alone.
        Heights are those of the truth if they are affinities; others are not provided.
    random : bool, or callable from params to bool
        Whether the data depend on the seed; if not, all repetitions share them.
    dependent : bool, or callable from params to bool
        Whether repetitions share some of their items, as samples of fixed items do: no test takes
        them for independent.
    family : str, or callable from params to str
        The source of the data: a file, a collection or a generator. Statistics over data sets
        count a family once. "" is the default of `hcbench.registry.families.family_of`: the name
        of the data set, for a data set made of another one the family of that, and for a file its
        content.
    truths : tuple of str, or callable from params to such a tuple
        Names of its true hierarchies, where there are several; the first is the default.
    suffixes : tuple of str
        File endings for which ``./name.suffix`` means this data set with ``path`` set.
    opening : str
        How the content of such a file begins, where other data sets read its ending too; "" if any
        content will do.
    optional_files : tuple of str
        Names of parameters whose values may name files, and then count as those of ``files``; what
        is no file is something else, such as a column.
    parts : callable, optional
        From params to the names of what it is made of, as in a suite: a mapping with ``datasets``,
        ``algorithms`` or both, such as ``{"datasets": [params["of"]]}``. They belong to the key of
        a cell. Callables of the other attributes then get ``(params, parts)``, with the `Use` of
        each name in this order.
    check : str or callable, optional
        ``check(request, **params)`` raises `DataError` if the files cannot be used. The main
        process calls it before anything runs, so that nothing is stored for a file with mistakes.
    recorded_oracle : str or callable, optional
        ``recorded_oracle(path) -> (name, params)``: for items with recorded answers, the oracle
        that replays these answers. ``--replay FILE`` uses both.

    Examples
    --------
    >>> def pairs(request):
    ...     X = [[0.0], [1.0], [8.0], [9.0]]
    ...     return hcbench.Problem(n=4, vectors=X, levels=[[0], [0], [1], [1]])
    >>> spec = DatasetSpec(
    ...     name="pairs", function=pairs, doc="Two pairs.", provides=("vectors", "levels", "truth")
    ... )
    >>> results = hcbench.compare(
    ...     ["UPGMA"], [spec], metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> results.rows[0]["metrics"]
    {'AARI': 1.0}
    """

    noun = "data set"
    provides: Needs | Callable[..., tuple[str, ...]]
    random: bool | Callable[..., bool] = True
    dependent: bool | Callable[..., bool] = False
    family: str | Callable[..., str] = ""
    truths: tuple[str, ...] | Callable[..., tuple[str, ...]] = ()
    suffixes: tuple[str, ...] = ()
    opening: str = ""
    optional_files: tuple[str, ...] = ()
    parts: Callable[[Params], Mapping[str, Iterable[str]]] | None = None
    check: Function | None = None
    recorded_oracle: Function | None = None

    def _declared(self, declared: Any, params: Params, parts: Sequence[Any]) -> Any:
        """What an attribute says, which may depend on the parameters and the parts."""
        if not callable(declared):
            return declared
        if self.parts is None:
            return declared(params)
        return declared(params, tuple(parts))

    def provides_with(self, params: Params, parts: Sequence[Any] = ()) -> frozenset[str]:
        """What it provides with these parameters, made of these uses."""
        declared = self._declared(self.provides, params, parts)
        self._check_provided("provides", declared)
        return frozenset(declared)

    def dependent_with(self, params: Params, parts: Sequence[Any] = ()) -> bool:
        """Whether repetitions share some of their items with these parameters."""
        return bool(self._declared(self.dependent, params, parts))

    def family_with(self, params: Params, parts: Sequence[Any] = ()) -> str:
        """The family that it declares with these parameters; "" if it declares none."""
        return str(self._declared(self.family, params, parts))

    def truths_with(self, params: Params, parts: Sequence[Any] = ()) -> tuple[str, ...]:
        """The names of its true hierarchies with these parameters, where there are several."""
        return tuple(self._declared(self.truths, params, parts))

    def random_with(self, params: Params, parts: Sequence[Any] = ()) -> bool:
        """Whether the data depend on the seed with these parameters."""
        return bool(self._declared(self.random, params, parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleSpec(Spec):
    """An oracle: ``function(request, **params) -> Answers``, with an `OracleRequest`.

    Attributes
    ----------
    kind : str
        What it answers: vectors, similarities, quadruplet-set, quadruplet-queries,
        triplet-set, ordinal-queries, pair-queries, or a new kind.
    needs : tuple of str
        What the data set must provide; ``any_of("similarity", "vectors")`` means either.
    countable : bool
        Whether its answers are counted; if not, budgets and checkpoints do not apply.
    informed : bool, or callable from params and what the data set provides to bool
        Whether its answers come from the truth with which metrics compare. Tables say so.
    currency : str
        In which its answers are paid, such as ``"USD"``; "" if they cost no money.
    price : str or callable, optional
        ``price(**params) -> float``: what an answer is expected to cost, in this currency; with it
        ``--dry-run`` estimates what a run costs.
    person : bool
        Whether a person answers.
    random : bool, or callable from params to bool
        Whether its answers depend on the seed, as noise and random samples do. Pairs that
        algorithms draw do not count, as these declare it.
    query_kind : str or callable, optional
        ``query_kind(**params) -> QueryKind``, for a kind that is not in `QUERY_KINDS`: the one that
        its answers have. ``hcbench ask`` asks people such questions.

    Examples
    --------
    >>> def nearby(request, radius):
    ...     x = request.problem.vectors[:, 0]
    ...     def answer(request):
    ...         i, j = request.queries.T
    ...         return (abs(x[i] - x[j]) <= radius).astype(np.int8)
    ...     return hcbench.Answers(kind="pair-queries", n=len(x), arity=2, answer=answer)
    >>> spec = OracleSpec(
    ...     name="nearby",
    ...     function=nearby,
    ...     doc="Whether two items are near each other.",
    ...     kind="pair-queries",
    ...     needs=("vectors",),
    ...     parameters=(hcbench.Parameter("radius", 1.0, "The largest distance."),),
    ... )
    >>> problem = hcbench.Problem(n=3, vectors=[[0], [2], [9]])
    >>> request = hcbench.OracleRequest(problem=problem, seed=0)
    >>> answers = spec.load()(request, **spec.resolve({"radius": 2}))
    >>> hcbench.Oracle(answers).ask([[0, 1], [0, 2]]).tolist()
    [1, 0]
    """

    noun = "oracle"
    kind: str
    needs: Needs
    countable: bool = True
    informed: bool | Callable[[Params, frozenset[str]], bool] = False
    currency: str = ""
    price: Function | None = None
    person: bool = False
    random: bool | Callable[[Params], bool] = True
    query_kind: Function | None = None

    @property
    def is_live(self) -> bool:
        """Whether an answer costs money or a person's time: algorithms never warm up with it."""
        return bool(self.currency) or self.person

    def random_with(self, params: Params) -> bool:
        """Whether its answers depend on the seed with these parameters."""
        if callable(self.random):
            return self.random(params)
        return self.random

    def informed_with(self, params: Params, provided: frozenset[str]) -> bool:
        """Whether its answers come from the truth, given what the data set provides."""
        if callable(self.informed):
            return self.informed(params, provided)
        return self.informed


def unknown_hint(name: str) -> str:
    """The message about a name that is no hint."""
    return f"there is no hint {name!r}; the hints are {', '.join(HINTS)}"


def unmet(needs: Iterable[str], provided: frozenset[str]) -> str | None:
    """The first need that is not met, in words; None if all are.

    Examples
    --------
    >>> unmet(["similarity|vectors", "truth"], frozenset({"vectors"}))
    'truth'
    >>> unmet(["similarity|vectors"], frozenset({"vectors"})) is None
    True
    """
    for need in needs:
        alternatives = need.split("|")
        if provided.isdisjoint(alternatives):
            return " or ".join(alternatives)
    return None
