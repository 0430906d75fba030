"""hcbench: which algorithm builds the better hierarchy, from how many queries, and in what time.

An algorithm asks an oracle about a problem and returns a hierarchy. The packages below follow one
cell (an algorithm on a data set, with an oracle and a seed) from bottom to top; each imports only
those before it.

- `errors`: every error, one line each.
- `model`: what is clustered and what comes out: problems, comparisons, trees, partitions.
- `oracle`: answers to queries, and the ledger that counts them.
- `registry`: what plugins declare (algorithms, data sets, oracles, metrics, suites), by name.
- `plan`: the cross product of a suite as `Cell` objects, with their seeds and keys.
- `store`: results in SQLite or PostgreSQL.
- `run`: `run_plan` turns each `Cell` into a `Job`, a worker runs it and sends a `Report`, and its
  `Outcome` becomes a row of the store.
- `analysis`: outcomes as tables, statistics, verdicts on claims, and charts.
- `api` serves Python, and `cli` is the command line.

Everything public is imported from here, or from `hcbench.analysis`, `hcbench.asv`,
`hcbench.commands`, `hcbench.compiled`, `hcbench.datasets`, `hcbench.files`, `hcbench.hooks`,
`hcbench.plots`, `hcbench.results`, `hcbench.run`, `hcbench.sklearn`, `hcbench.store` and
`hcbench.testing`; modules are loaded when first used. A plugin is `hcbench.NAME`, too, after its
entry point. `hookimpl` marks the hooks of a plugin, whose version is `HOOK_VERSION`. `QUERY_KINDS`
maps the names of the kinds of queries to them. `REQUIRED` is the default of a `Parameter` that
must be given; `SIMILARITY_RULES` are the rules of `similarity_of_vectors`. `STATUSES` are the ways
in which a cell can end. An ordinal oracle answers `NONE` if no two of three items are closer, and
`UNSURE` if it does not know. `Vectors` are an (n, p) array or csr_array, `Params` a mapping of
names to values. `HINTS` are what an algorithm may receive without asking, a `Code` is the answer
to a question, and `Queries` are rows of items. `REGISTER_HOOKS` are the hooks that declare
something. A `Value` is that of a parameter, `Needs` are what data sets provide, an `Interval` has
the limits of a metric, and a `Result` is what an algorithm returns. `REPORTED` ends the names of
numbers that an algorithm reports.
"""

import importlib
import sys
from importlib.machinery import ModuleSpec, PathFinder

import lazy_loader

# The public names, and where they are defined, are written once, in __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

#: Public modules, and the packages in which they live.
_MODULES = {
    "hcbench.commands": "hcbench.cli.commands",
    "hcbench.compiled": "hcbench.oracle.compiled",
    "hcbench.hooks": "hcbench.registry.hookspecs",
}


def _home(name):
    """The module behind a public name; a plugin is named by its entry point."""
    if name in _MODULES or not name.startswith("hcbench."):
        return _MODULES.get(name)
    metadata = importlib.import_module("importlib.metadata")
    plugins = metadata.entry_points(group="hcbench", name=name.removeprefix("hcbench."))
    return next((plugin.value for plugin in plugins), None)


class _PublicModules:
    """Imports a public module under its public name: the same module object under both names."""

    def find_spec(self, fullname, path=None, target=None):
        # As a package, hcbench.asv has a __main__ that Python can run.
        return ModuleSpec(fullname, self, is_package=True) if _home(fullname) else None

    def create_module(self, spec):
        module = importlib.import_module(_home(spec.name))
        spec.loader_state = module.__spec__, module.__loader__, module.__package__
        return module

    def exec_module(self, module):
        # The import system has just set these to those of the public name.
        state = module.__spec__.loader_state
        module.__spec__, module.__loader__, module.__package__ = state


sys.meta_path.append(_PublicModules())


class _KernelCaches:
    """Extends numba's cache of compiled kernels as soon as numba is imported, by whomever."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != _COMPILING:
            return None
        spec = PathFinder.find_spec(fullname, path)
        load = spec.loader.exec_module

        def load_and_extend(module):
            load(module)
            _extend(module)

        spec.loader.exec_module = load_and_extend
        return spec


def _extend(dispatcher):
    importlib.import_module("hcbench.registry.kernel_cache").extend_cache(dispatcher)


_COMPILING = "numba.core.dispatcher"
if _COMPILING in sys.modules:
    _extend(sys.modules[_COMPILING])
else:
    sys.meta_path.insert(0, _KernelCaches())
