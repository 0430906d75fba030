"""hcbench: which algorithm builds the better hierarchy, from how many questions, in what time.

An algorithm asks an oracle about a problem and returns a hierarchy; hcbench builds the cross
product, runs it honestly, and tells who is better, at what cost in questions and time.

The flow of one cell is the order in which to read:

- what is wanted: `suite`, `claims`, `names`; what there is: `specs`, `hookspecs`, `plugins`,
  `registry`;
- the cross product: `plan`, with a column for each of several `truths`, or one of its `shards`;
  what of it is stored already: `reuse`;
- `run` hands cells (`dispatch`, as a `job`) to the isolated processes of `workers`, here or on the
  machines of a cluster (`executors`, `dask_pool`);
- there `cell` builds the `problem`, wraps the `oracle` (`compiled` inside numba loops), times the
  algorithm, which has what is `given`, and computes the metrics of what is `scored`;
- the `outcome` goes to the `store`, from which `rescore` judges it anew;
- `groups` of repetitions become `results`, which are told by `statistics`, `verdicts` on claims,
  `tables`, `views` (drawn by `drawing`) and `figures` (drawn with `plots`), in Python (`api`), by
  `cli`, on one page (`report`) or many (`site`); `asv` measures all that is registered, and
  `regress` judges two commits.

`trees`, `comparisons` and `similarity` are the field's own objects, `answer_matrix` what an oracle
would answer of all pairs. `api` also serves those who want no harness; `scoring` judges trees made
elsewhere.

A person answers in a session of `asking`; as oracles these are the person and, once they are there,
the answers themselves.

Plugins are written with `scaffold`, checked by `testing`, and refused where `compatibility` finds
that they are for another hcbench. `sklearn` puts algorithms into pipelines.

Everything public is imported from here, `hcbench.testing`, `hcbench.sklearn` and `hcbench.asv`;
names are loaded when first used. `hookimpl` marks a plugin's hooks; of a `Parameter` that must be
given the default is `REQUIRED`; `SIMILARITY_RULES` are those of `similarity_of_vectors`. Of three
items of which no two are closer an oracle says `NONE`, and `UNSURE` where it does not know.
`Vectors` are an (n, p) array or csr_array, `Params` a mapping of names to values.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench import compiled, plots
    from hcbench.answer_matrix import AnswerMatrix
    from hcbench.api.compare import compare
    from hcbench.api.direct import fit, score
    from hcbench.asking.person import person_answers
    from hcbench.asking.recorded import RecordedAnswers
    from hcbench.claims import Claim
    from hcbench.comparisons import AllComparisons, Comparisons, PreferenceBits
    from hcbench.comparisons.pairs import pair_index, pair_items
    from hcbench.errors import (
        BudgetExceededError,
        DataError,
        DataNotAvailableError,
        HcbenchDeprecationWarning,
        HcbenchError,
        ModelWarning,
        NotApplicableError,
        ParameterError,
    )
    from hcbench.figures import Drawn, FigureView, draw_figures
    from hcbench.given import Given, finest_partition
    from hcbench.hookspecs import hookimpl
    from hcbench.oracle import NONE, UNSURE, Answers, Ledger, Oracle, ask_oracle
    from hcbench.outcome import Outcome
    from hcbench.problem import Problem, Vectors
    from hcbench.registry import load_registry
    from hcbench.results import Results
    from hcbench.scored import Cost, Point, Scored
    from hcbench.seeds import derive_seed
    from hcbench.similarity import similarity_matrix, similarity_of_vectors, unit_rows
    from hcbench.specs import (
        REQUIRED,
        SIMILARITY_RULES,
        AlgorithmSpec,
        DatasetSpec,
        MetricSpec,
        OracleSpec,
        Parameter,
        Params,
        Reference,
    )
    from hcbench.suite import Figure, Suite
    from hcbench.trees import (
        Cut,
        HeightKind,
        NewickWarning,
        Partition,
        Tree,
        best_cut,
        facing_orders,
        heaviest_cut,
        pair_weights,
    )
    from hcbench.trees.files import read_tree

_HOME = {
    "answer_matrix": ("AnswerMatrix",),
    "api.compare": ("compare",),
    "api.direct": ("fit", "score"),
    "asking.person": ("person_answers",),
    "asking.recorded": ("RecordedAnswers",),
    "claims": ("Claim",),
    "comparisons": ("AllComparisons", "Comparisons", "PreferenceBits"),
    "comparisons.pairs": ("pair_index", "pair_items"),
    "errors": (
        "BudgetExceededError",
        "DataError",
        "DataNotAvailableError",
        "HcbenchDeprecationWarning",
        "HcbenchError",
        "ModelWarning",
        "NotApplicableError",
        "ParameterError",
    ),
    "figures": ("Drawn", "FigureView", "draw_figures"),
    "given": ("Given", "finest_partition"),
    "hookspecs": ("hookimpl",),
    "oracle": ("NONE", "UNSURE", "Answers", "Ledger", "Oracle", "ask_oracle"),
    "outcome": ("Outcome",),
    "problem": ("Problem", "Vectors"),
    "registry": ("load_registry",),
    "results": ("Results",),
    "scored": ("Cost", "Point", "Scored"),
    "seeds": ("derive_seed",),
    "similarity": ("similarity_matrix", "similarity_of_vectors", "unit_rows"),
    "specs": (
        "REQUIRED",
        "SIMILARITY_RULES",
        "AlgorithmSpec",
        "DatasetSpec",
        "MetricSpec",
        "OracleSpec",
        "Parameter",
        "Params",
        "Reference",
    ),
    "suite": ("Figure", "Suite"),
    "trees": (
        "Cut",
        "HeightKind",
        "NewickWarning",
        "Partition",
        "Tree",
        "best_cut",
        "facing_orders",
        "heaviest_cut",
        "pair_weights",
    ),
    "trees.files": ("read_tree",),
}
_MODULES = ("compiled", "plots")
#: Names of the release before: what each is called now, and since which release.
_RENAMED: dict[str, tuple[str, str]] = {}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "NONE",
    "REQUIRED",
    "SIMILARITY_RULES",
    "UNSURE",
    "AlgorithmSpec",
    "AllComparisons",
    "AnswerMatrix",
    "Answers",
    "BudgetExceededError",
    "Claim",
    "Comparisons",
    "Cost",
    "Cut",
    "DataError",
    "DataNotAvailableError",
    "DatasetSpec",
    "Drawn",
    "Figure",
    "FigureView",
    "Given",
    "HcbenchDeprecationWarning",
    "HcbenchError",
    "HeightKind",
    "Ledger",
    "MetricSpec",
    "ModelWarning",
    "NewickWarning",
    "NotApplicableError",
    "Oracle",
    "OracleSpec",
    "Outcome",
    "Parameter",
    "ParameterError",
    "Params",
    "Partition",
    "Point",
    "PreferenceBits",
    "Problem",
    "RecordedAnswers",
    "Reference",
    "Results",
    "Scored",
    "Suite",
    "Tree",
    "Vectors",
    "ask_oracle",
    "best_cut",
    "compare",
    "compiled",
    "derive_seed",
    "draw_figures",
    "facing_orders",
    "finest_partition",
    "fit",
    "heaviest_cut",
    "hookimpl",
    "load_registry",
    "pair_index",
    "pair_items",
    "pair_weights",
    "person_answers",
    "plots",
    "read_tree",
    "score",
    "similarity_matrix",
    "similarity_of_vectors",
    "unit_rows",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"hcbench.{name}")
    if name in _RENAMED:
        return _renamed(name)
    if name not in _MODULE:
        raise AttributeError(f"module 'hcbench' has no attribute {name!r}")
    return getattr(importlib.import_module(f"hcbench.{_MODULE[name]}"), name)


def _renamed(name: str) -> Any:
    """What an old name means; whoever uses it is warned."""
    import warnings

    from hcbench.errors import HcbenchDeprecationWarning

    new, since = _RENAMED[name]
    warnings.warn(
        f"hcbench.{name} is called hcbench.{new} since {since}; the old name goes with the next "
        "release",
        HcbenchDeprecationWarning,
        stacklevel=3,
    )
    return __getattr__(new)


def __dir__() -> list[str]:
    return __all__
