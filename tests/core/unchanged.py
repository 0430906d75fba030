"""Notes the state of this process, does what users of hcbench do, and tells what has changed.

It runs in a process of its own, ``python -m tests.core.unchanged FOLDER``, and writes a JSON object
with the parts of the state that each step has changed: what they were, and what they are.
Libraries are imported before, so that only hcbench's own effects are noted.
"""

import builtins
import gc
import importlib
import json
import locale
import logging
import multiprocessing
import os
import random
import resource
import signal
import socket
import sys
import tempfile
import threading
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Libraries that hcbench uses, with those of their modules that are imported when first needed.
LIBRARIES = (
    *("click", "click.testing", "cloudpickle", "hdbscan", "IPython", "jinja2", "lazy_loader"),
    *("matplotlib", "matplotlib.backends.backend_agg", "matplotlib.figure", "matplotlib.pyplot"),
    *("msgspec", "numba", "numba.core.caching", "numba.core.dispatcher", "numba.core.cpu"),
    *("numba.np.arraymath", "numba.np.linalg", "numba.typed", "numpy", "packaging.requirements"),
    *("packaging.specifiers", "pandas", "platformdirs", "plotly", "plotly.graph_objects"),
    *("plotly.io", "pluggy", "pooch", "psutil", "rich.console", "rich.live", "rich.table"),
    *("scipy.cluster.hierarchy", "scipy.optimize", "scipy.sparse", "scipy.sparse.csgraph"),
    *("scipy.spatial", "scipy.special", "scipy.stats", "sklearn.cluster", "sklearn.datasets"),
    *("sklearn.utils.validation", "sqlalchemy", "sqlalchemy.dialects.sqlite", "sqlite3"),
    *("threadpoolctl", "tomllib", "uuid"),
)

PLUGIN = """
import weights_beside
from hcbench import AlgorithmSpec, hookimpl


def halves(oracle, items, rng):
    "The items in two halves."
    from hcbench import Partition

    return Partition([item % weights_beside.K for item in range(items.n)])


@hookimpl
def hcbench_algorithms():
    return [
        AlgorithmSpec(
            name="Halves",
            function=halves,
            doc="Two halves.",
            accepts=("vectors",),
            returns="partition",
        )
    ]
"""


def import_libraries() -> None:
    """Import what is installed of `LIBRARIES`."""
    for name in LIBRARIES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # an extra that is not installed


# ---- The state of the process --------------------------------------------------------------------


class Same:
    """An object that is compared by identity, and kept so that its address is not used again."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.value!r:.200} at {id(self.value):#x}"


def callables_of(owner: Any) -> dict[str, Any]:
    """The functions, classes and properties of a module or class, by identity."""
    kinds = (type, property, classmethod, staticmethod)
    return {
        name: Same(value)
        for name, value in list(vars(owner).items())
        if callable(value) or isinstance(value, kinds)
    }


def functions_of_libraries() -> dict[str, Any]:
    """The functions of all modules that are imported, and the methods of their classes."""
    noted: dict[str, Any] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0].startswith(("hcbench", "tests", "__main__")):
            continue
        if not isinstance(module, types.ModuleType):
            continue
        for attribute, same in callables_of(module).items():
            noted[f"{name}.{attribute}"] = same
            own = isinstance(same.value, type) and same.value.__module__ == name
            if own:
                for method, function in callables_of(same.value).items():
                    noted[f"{name}.{attribute}.{method}"] = function
    return noted


def click_types() -> dict[str, Any]:
    """All attributes of click's types."""
    import click

    classes = [each for each in vars(click).values() if isinstance(each, type)]
    return {
        f"{cls.__name__}.{name}": Same(value)
        for cls in classes
        for name, value in vars(cls).items()
    }


def numba_state() -> dict[str, Any]:
    """The classes of numba that compile, store and call kernels, and its context of the CPU."""
    from numba.core import caching, cpu, dispatcher, registry

    noted: dict[str, Any] = {}
    for module in (caching, cpu, dispatcher):
        for cls in vars(module).values():
            if isinstance(cls, type) and cls.__module__ == module.__name__:
                for name, value in vars(cls).items():
                    noted[f"{module.__name__}.{cls.__name__}.{name}"] = Same(value)
    target = registry.cpu_target
    noted["target"] = Same(target)
    noted["context"] = Same(type(target.target_context))
    noted["own attributes of the context"] = sorted(vars(target.target_context))
    return noted


def numba_config() -> dict[str, Any]:
    """numba's settings."""
    from numba.core import config

    return {name: repr(value) for name, value in vars(config).items() if name.isupper()}


def pandas_options(options: Any = None, prefix: str = "") -> dict[str, str]:
    """pandas' options by their full names."""
    import pandas as pd

    options = pd.options if options is None else options
    noted: dict[str, str] = {}
    for name in dir(options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an option is deprecated
            value = getattr(options, name)
        if type(value) is type(pd.options):
            noted |= pandas_options(value, f"{prefix}{name}.")
        else:
            noted[f"{prefix}{name}"] = repr(value)
    return noted


def logging_state() -> dict[str, Any]:
    """Settings of logging, and those of each logger."""
    noted: dict[str, Any] = {
        "level": logging.root.level,
        "handlers": list(map(repr, logging.root.handlers)),
        "disabled below": logging.root.manager.disable,
        "class": logging.getLoggerClass().__name__,
    }
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        handlers = [repr(handler) for handler in logger.handlers]
        noted[name] = (logger.level, logger.disabled, logger.propagate, handlers)
    return noted


def signal_handlers() -> dict[str, str]:
    """The handler of each signal."""
    return {str(number): repr(signal.getsignal(number)) for number in signal.valid_signals()}


def limits() -> dict[str, Any]:
    """The limits of resources."""
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return {name: resource.getrlimit(getattr(resource, name)) for name in names}


def interpreter() -> dict[str, Any]:
    """Settings of the interpreter."""
    return {
        "argv": list(sys.argv),
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "writes no bytecode": sys.dont_write_bytecode,
        "trace": Same(sys.gettrace()),
        "profile": Same(sys.getprofile()),
        "excepthook": Same(sys.excepthook),
        "displayhook": Same(sys.displayhook),
        "unraisablehook": Same(sys.unraisablehook),
        "excepthook of threads": Same(threading.excepthook),
        "stdin": Same(sys.stdin),
        "stdout": Same(sys.stdout),
        "stderr": Same(sys.stderr),
        "start method": multiprocessing.get_start_method(allow_none=True),
        "socket timeout": socket.getdefaulttimeout(),
        "temporary folder": tempfile.gettempdir(),
        "builtins": callables_of(builtins),
    }


def collector() -> dict[str, Any]:
    """Settings of the garbage collector."""
    return {
        "threshold": gc.get_threshold(),
        "enabled": gc.isenabled(),
        "debug": gc.get_debug(),
        "callbacks": len(gc.callbacks),
        "frozen": gc.get_freeze_count(),
    }


def random_states() -> dict[str, str]:
    """The states of the global generators of random numbers."""
    import numpy as np

    return {
        "random": repr(random.getstate()),
        "numpy": repr(np.random.get_state()[1].tolist()),  # noqa: NPY002
    }


def numpy_state() -> dict[str, Any]:
    """How numpy prints and treats errors."""
    import numpy as np

    return {"print": repr(np.get_printoptions()), "errors": np.geterr()}


def matplotlib_state() -> dict[str, str]:
    """matplotlib's settings, its backend and its open figures."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    settings = {name: repr(value) for name, value in mpl.rcParams.items()}
    return {**settings, "open figures": repr(plt.get_fignums())}


def plotly_state() -> dict[str, str]:
    """plotly's default template and renderer, and its templates."""
    import plotly.io as pio

    return {
        "template": pio.templates.default,
        "templates": repr(sorted(pio.templates)),
        "renderer": pio.renderers.default,
    }


def threads_of_blas() -> dict[str, int]:
    """The threads of each library of BLAS and OpenMP."""
    from threadpoolctl import threadpool_info

    return {entry["filepath"]: entry["num_threads"] for entry in threadpool_info()}


PARTS: dict[str, Callable[[], Any]] = {
    "sys.meta_path": lambda: list(map(Same, sys.meta_path)),
    "sys.path": lambda: list(sys.path),
    "sys.path_hooks": lambda: list(map(Same, sys.path_hooks)),
    "interpreter": interpreter,
    "functions of libraries": functions_of_libraries,
    "click": click_types,
    "numba": numba_state,
    "numba.config": numba_config,
    "gc": collector,
    "warnings.filters": lambda: list(warnings.filters),
    "warnings": lambda: callables_of(warnings),
    "logging": logging_state,
    "os.environ": lambda: {**os.environ, "itself": Same(os.environ)},
    "folder": os.getcwd,
    "numpy": numpy_state,
    "random states": random_states,
    "signals": signal_handlers,
    "limits": limits,
    "locale": lambda: locale.setlocale(locale.LC_ALL),
    "matplotlib": matplotlib_state,
    "pandas": pandas_options,
    "plotly": plotly_state,
    "threads": lambda: sorted(thread.name for thread in threading.enumerate()),
    "threads of BLAS": threads_of_blas,
}


def state() -> dict[str, Any]:
    """Each of `PARTS`, as it is now."""
    return {part: note() for part, note in PARTS.items()}


def differences(before: Any, after: Any) -> list[str]:
    """What has changed of one part; entries of a mapping that are new do not count."""
    if not isinstance(before, dict):
        return [] if before == after else [f"{before!r:.500} -> {after!r:.500}"]
    changed = []
    for name, value in before.items():
        if name not in after:
            changed.append(f"{name} is gone")
        elif after[name] != value:
            changed.append(f"{name}: {value!r:.300} -> {after[name]!r:.300}")
    return changed


# ---- What users do -------------------------------------------------------------------------------


def import_hcbench(_: Path) -> None:
    """Import the package, and what it imports when names are first used."""
    import hcbench

    for name in hcbench.__all__:
        getattr(hcbench, name)


def call_command_line(folder: Path) -> None:
    """Run a command in this process, as tests of programs do."""
    from click.testing import CliRunner

    from hcbench.cli import main

    words = ["compare", "--algos=UPGMA,Random", "--datasets=iris[n=20]", "-r1", "-j1"]
    words += ["--metrics=AARI", f"--store={folder / 'cli.db'}"]
    for arguments, code in ((words, 0), (["list"], 0), (["compare", "--executor=unknown"], 2)):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == code, result.output


def compare(folder: Path) -> Any:
    """Compare two algorithms in workers."""
    import hcbench

    results = hcbench.compare(
        ["UPGMA", "Random"],
        ["iris[n=20]"],
        metrics=["AARI"],
        repetitions=2,
        n_jobs=1,
        store=folder / "api.db",
    )
    assert all(row["status"] == "ok" for row in results.rows)
    return results


def fit(_: Path) -> None:
    """Run algorithms in this process."""
    import numpy as np

    import hcbench

    X = np.random.default_rng(0).normal(size=(12, 2))
    for name in ("UPGMA", "HDBSCAN"):
        hcbench.fit(name, X)
    hcbench.fit("4K-AL", X, oracle="quadruplet-set[p=1]")


def score(_: Path) -> None:
    """Compute a metric in this process."""
    import numpy as np

    import hcbench

    X = np.random.default_rng(0).normal(size=(12, 2))
    hcbench.score("AARI", hcbench.fit("UPGMA", X), np.arange(12) % 3)


def draw(folder: Path) -> None:
    """Draw a figure, and write the report."""
    results = compare(folder)
    results.plot("dendrogram", algorithm="UPGMA").savefig(folder / "tree.svg")
    results.report(folder / "report.html")


def use_plugin_file(folder: Path) -> None:
    """Load a plugin file with a module beside it, and run its algorithm."""
    import hcbench

    (folder / "weights_beside.py").write_text("K = 2\n", encoding="utf-8")
    file = folder / "halves_for_test.py"
    file.write_text(PLUGIN, encoding="utf-8")
    results = hcbench.compare(
        ["Halves"],
        ["iris[n=20]"],
        metrics=["n-clusters"],
        repetitions=1,
        n_jobs=1,
        plugins=[file],
        store=folder / "plugin.db",
    )
    assert [row["metrics"]["n-clusters"] for row in results.rows] == [2]


STEPS: dict[str, Callable[[Path], Any]] = {
    "import": import_hcbench,
    "command line": call_command_line,
    "compare": compare,
    "fit": fit,
    "score": score,
    "figure and report": draw,
    "plugin file": use_plugin_file,
}


def main() -> None:
    """Take each step, and write what it has changed."""
    folder = Path(sys.argv[1])
    import_libraries()
    state()  # libraries prepare themselves when their settings are first read
    changes: dict[str, dict[str, list[str]]] = {}
    for step, take in STEPS.items():
        before = state()
        take(folder)
        after = state()
        changes[step] = {part: differences(before[part], after[part]) for part in PARTS}
    (folder / "changes.json").write_text(json.dumps(changes), encoding="utf-8")


if __name__ == "__main__":
    main()
