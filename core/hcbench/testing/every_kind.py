"""Checks of all kinds: what a spec says about its function, and the function's side effects."""

from __future__ import annotations

import ast
import functools
import inspect
import os
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np

from hcbench.model.cost import collect_notes
from hcbench.oracle.requests import takes_request
from hcbench.registry.parameters import REQUIRED
from hcbench.run.failures import describe
from hcbench.run.inputs import give, make_oracle
from hcbench.run.process_state import ProcessSettings, Surroundings
from hcbench.testing.datasets import make
from hcbench.testing.metric_values import usual_values
from hcbench.testing.oracles import all_answers, answers_of, problem_of
from hcbench.testing.planted import DATA_SEED
from hcbench.testing.running import SEED, sources_of, usual
from hcbench.testing.subjects import Subject, fail, require, skip

_ARGUMENTS = {"algorithm": 3, "metric": 1, "oracle": 1, "data set": 1}
"""The number of arguments before the parameters, such as oracle, items and rng."""
_EARLIER_ORACLE = 3
"""That of an oracle of the earlier form: problem, seed and budget."""


def check_signature(subject: Subject) -> None:
    """The declared parameters and their defaults are those of the function."""
    function = subject.spec.load()
    arguments = inspect.signature(function).parameters
    kinds = {argument.kind for argument in arguments.values()}
    takes_any = inspect.Parameter.VAR_KEYWORD in kinds
    for parameter in subject.spec.parameters:
        name = parameter.name
        if name not in arguments:
            require(takes_any, f"declares {name}, which its function does not take")
            continue
        default = arguments[name].default
        if default is inspect.Parameter.empty:
            continue  # the value always comes from the spec
        declared = repr(parameter.default)
        if parameter.default == REQUIRED:
            declared = "required"
        require(
            _is_same_default(default, parameter.default),
            f"declares {name}={declared}, and its function has {name}={default!r}",
        )
    _require_declared(subject, function, arguments)


def _is_same_default(default: Any, declared: Any) -> bool:
    if declared == REQUIRED:
        return False
    # True is equal to 1, and is not written like it.
    return bool(default == declared) and isinstance(default, bool) == isinstance(declared, bool)


def _require_declared(
    subject: Subject, function: Any, arguments: Mapping[str, inspect.Parameter]
) -> None:
    """Fail unless all arguments after the first ones are declared."""
    names = {parameter.name for parameter in subject.spec.parameters}
    if isinstance(function, functools.partial):
        names.update(function.keywords)  # which have their values
    n_first = _ARGUMENTS[subject.spec.noun]
    if subject.spec.noun == "oracle" and not takes_request(function):
        n_first = _EARLIER_ORACLE
    for name, argument in list(arguments.items())[n_first:]:
        if argument.kind in (argument.VAR_KEYWORD, argument.VAR_POSITIONAL):
            continue
        require(name in names, f"does not declare {name}, which its function takes")


def advise_documented(subject: Subject) -> None:
    """Spec, parameters and function are documented, the function with its own parameters."""
    require(bool(subject.spec.doc.strip()), "has no doc")
    for parameter in subject.spec.parameters:
        require(bool(parameter.doc.strip()), f"declares the parameter {parameter.name} without doc")
    function = subject.spec.load()
    if isinstance(function, functools.partial):
        function = function.func
    text = inspect.getdoc(function) or ""
    if text == inspect.getdoc(type(function)):
        # A callable object, whose class has the docstring of what makes it.
        text = inspect.getdoc(function.__call__) or ""
    require(bool(text), "has a function without a docstring")
    arguments = set(inspect.signature(function).parameters)
    for name in _documented_names(text):
        require(
            name.lstrip("*") in arguments,
            f"has a function whose docstring describes {name}, which is no parameter",
        )


def _documented_names(text: str) -> list[str]:
    """Names below ``Parameters`` in a docstring of numpydoc."""
    section = re.search(r"^Parameters\n-{3,}\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", text, re.S | re.M)
    if section is None:
        return []
    names = []
    # Lines that are not indented: ``one, another : type``.
    for line in re.findall(r"^([*\w][^\n:]*?)\s*(?::.*)?$", section[1], re.M):
        for name in line.split(","):
            names.append(name.strip())
    return names


def check_key(subject: Subject) -> None:
    """Modules and files that its source names are in the key of its results."""
    assert subject.use is not None
    plugin = subject.use.plugin
    if plugin.source is None:
        skip("it is the caller's own, whose results are not reused")
    sources = plugin.code
    if plugin.file is None:
        # In a package, other modules may belong to other registrations.
        sources = [_source_of(subject.spec.load())]
    declared = {(plugin.folder / name).resolve() for name in subject.spec.data_files}
    for source in sources:
        if source.suffix == ".py" and source.is_file():
            _check_names_in(source, plugin.folder, declared)


def _source_of(function: Any) -> Path:
    """The file that a function, or the class of a callable object, is written in."""
    function = inspect.unwrap(function)
    if isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function) and not inspect.isclass(function):
        # numba keeps the function that it compiles.
        function = getattr(function, "py_func", type(function))
    return Path(inspect.getsourcefile(function) or "")


def _check_names_in(source: Path, folder: Path, declared: set[Path]) -> None:
    """Fail if a source imports or reads what is neither in its text nor declared."""
    for node in ast.walk(ast.parse(source.read_bytes())):
        where = f"{source.name}, line {getattr(node, 'lineno', 0)}"
        require(
            not _computes_import(node),
            f"imports a module whose name is computed ({where}), so results are reused when it "
            "changes; import it by its name, or declare its file: files=(...)",
        )
        file = _named_file(node, source.parent)
        # The file itself is declared, or a folder that it is in.
        if file is None or not declared.isdisjoint([file, *file.parents]):
            continue
        fail(
            f"names a file that is not declared ({where}), so results are reused when it "
            f"changes; declare it: files=({os.path.relpath(file, folder)!r},)"
        )


def _computes_import(node: ast.AST) -> bool:
    """Whether a module is imported by a name that is not written in the source."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    function = node.func
    name = getattr(function, "id", "")
    if isinstance(function, ast.Attribute):
        name = function.attr
    is_import = name in ("import_module", "__import__", "spec_from_file_location", "run_path")
    return is_import and not isinstance(node.args[0], ast.Constant)


def _named_file(node: ast.AST, folder: Path) -> Path | None:
    """The file beside a module that a constant names, unless it is a module; None for none."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    # Texts such as messages and docstrings are no names of files. Modules are part of the code,
    # whose digest is in the key.
    if not re.fullmatch(r"[\w./ -]{1,200}", node.value) or node.value.endswith(".py"):
        return None
    path = folder / node.value
    if not path.is_file():
        return None
    return path.resolve()


def check_picklable(subject: Subject) -> None:
    """The function and its parameters can be sent to another process."""
    import cloudpickle

    try:
        again = cloudpickle.loads(cloudpickle.dumps(subject.call))
    except Exception as error:
        fail(f"cannot be sent to another process: {describe(error)}", error)
    require(again.params == subject.call.params, "has other parameters after pickling")


def check_global_random_state(subject: Subject) -> None:
    """The global generators of random and numpy are neither used nor changed."""
    _perform(subject)  # numbers that an import or a compilation draws are not the plugin's
    # Two states: what draws from them and puts them back is noticed by its outcome.
    outcomes = []
    for seed in (0, 1):
        with _seeded(seed):
            before = _state()
            outcomes.append(_perform(subject))
            require(
                _state() == before,
                "uses a global generator of random numbers; use the seed or rng that it is given",
            )
    require(outcomes[0] == outcomes[1], "depends on a global generator of random numbers")


def check_process_unchanged(subject: Subject) -> None:
    """Settings of the process, and functions of modules, are as before: later cells share it."""
    _perform(subject)  # what an import or a compilation changes is not the plugin's
    surroundings = Surroundings.now()
    settings = ProcessSettings.now()
    functions = _functions_of_modules()
    try:
        _perform(subject)
    finally:
        # As after a cell: the working directory, the environment, numpy's errors.
        surroundings.restore()
    require(
        ProcessSettings.now() == settings,
        "changes a setting of the process, such as a limit, a signal, the priority, the recursion "
        "limit or the garbage collection",
    )
    for (module_name, name), function in functions.items():
        module = sys.modules.get(module_name)
        if module is not None and vars(module).get(name) is not function:
            # Back to what it was, for the checks that follow.
            setattr(module, name, function)
            fail(f"replaces {module_name}.{name}, which later cells call, too")


def _functions_of_modules() -> dict[tuple[str, str], Any]:
    """The functions and classes of all modules, by the names of the module and their own."""
    functions = {}
    for module_name, module in list(sys.modules.items()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if inspect.isroutine(value) or inspect.isclass(value):
                functions[module_name, name] = value
    return functions


def advise_nothing_printed(subject: Subject) -> None:
    """Nothing is written to stdout or stderr."""
    _perform(subject)  # text that an import or a compilation prints is not the plugin's
    with tempfile.TemporaryFile() as file:
        with _redirected(file.fileno()):
            _perform(subject)
        file.seek(0)
        text = file.read().decode(errors="replace").strip()
    first = text.partition("\n")[0]
    require(not text, f"prints {first!r}; an algorithm warns by ModelWarning")


def _perform(subject: Subject) -> Any:
    """Call the function of a spec once, with fixed seeds; return something comparable."""
    if subject.spec.noun == "algorithm":
        return _call(subject)
    if subject.spec.noun == "metric":
        return repr(usual_values(subject))  # NaN is equal to itself
    if subject.spec.noun == "oracle":
        return all_answers(answers_of(subject, problem_of(subject)))
    return make(subject, DATA_SEED).digest()


def _call(subject: Subject) -> Any:
    """Call an algorithm, without the seeds that a cell gives the global generators."""
    source = sources_of(subject)[0]
    usual(subject, source)
    problem = source.problem()
    oracle = make_oracle(source.answers(problem), None)
    items = give(problem, subject.hints)
    rng = np.random.default_rng(SEED)
    with collect_notes():
        returned = subject.call(oracle, items, rng)
    if isinstance(returned, np.ndarray):
        return returned.tolist()
    return returned


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed the global generators, and restore their state afterwards."""
    state_of_random = random.getstate()
    state_of_numpy = np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(state_of_random)
        np.random.set_state(state_of_numpy)  # noqa: NPY002


def _state() -> tuple[Any, ...]:
    """The state of the global generators, to be compared."""
    state = np.random.get_state(legacy=False)  # noqa: NPY002
    return random.getstate(), repr(state), state["state"]["key"].tobytes()


@contextmanager
def _redirected(descriptor: int) -> Iterator[None]:
    """Send what is written to stdout and stderr, also by other languages, to a descriptor."""
    try:
        # Of the descriptors of stdout and stderr, to restore them.
        copies = [(number, os.dup(number)) for number in (1, 2)]
    except OSError:
        skip("this process has no stdout or stderr")
    _flush()  # what was written before belongs where it was to go
    with open(os.dup(descriptor), "w", buffering=1) as file:
        for number, _ in copies:
            os.dup2(descriptor, number)
        try:
            # sys.stdout may be another object than that of the descriptor 1, as in pytest.
            with redirect_stdout(file), redirect_stderr(file):
                yield
        finally:
            _flush()
            for number, copy in copies:
                os.dup2(copy, number)
                os.close(copy)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):
            stream.flush()
