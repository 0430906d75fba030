# The public names of hcbench and where they are defined. lazy_loader reads this file.

from . import (
    analysis as analysis,
    commands as commands,
    compiled as compiled,
    errors as errors,
    figures as figures,
    files as files,
    model as model,
    oracle as oracle,
    plan as plan,
    registry as registry,
    run as run,
    store as store,
)
from .api.compare import compare as compare, run_suite as run_suite
from .api.direct import fit as fit, score as score
from .api.stability import agreement as agreement, common_items as common_items
from .claims.verdicts import Verdict as Verdict
from .errors import (
    BudgetExceededError as BudgetExceededError,
    DataError as DataError,
    DataNotAvailableError as DataNotAvailableError,
    HcbenchError as HcbenchError,
    ModelWarning as ModelWarning,
    NotApplicableError as NotApplicableError,
    OracleError as OracleError,
    ParameterError as ParameterError,
)
from .files import (
    read_comparisons as read_comparisons,
    read_tree as read_tree,
    write_comparisons as write_comparisons,
    write_tree as write_tree,
)
from .model import SIMILARITY_RULES as SIMILARITY_RULES
from .model.comparisons import (
    AllComparisons as AllComparisons,
    Comparisons as Comparisons,
)
from .model.problem import (
    Problem as Problem,
    Result as Result,
)
from .model.similarity import (
    similarity_matrix as similarity_matrix,
)
from .model.squares import (
    similarity_of_distances as similarity_of_distances,
)
from .model.trees import (
    HeightKind as HeightKind,
    Partition as Partition,
    Tree as Tree,
)
from .model.trees.tree import (
    distances as distances,
)
from .oracle import (
    NONE as NONE,
    QUERY_KINDS as QUERY_KINDS,
    UNSURE as UNSURE,
    AnswerRequest as AnswerRequest,
    Answers as Answers,
    Oracle as Oracle,
    OracleRequest as OracleRequest,
    QueryKind as QueryKind,
    Reply as Reply,
    ask_oracle as ask_oracle,
)
from .oracle.answers import Scored as Scored
from .registry import (
    load_registry as load_registry,
)
from .registry.command_specs import CommandSpec as CommandSpec, ExecutorSpec as ExecutorSpec
from .registry.figure import Figure as Figure
from .registry.hookspecs import hookimpl as hookimpl
from .registry.metric_specs import MetricSpec as MetricSpec, Output as Output
from .registry.parameters import (
    REQUIRED as REQUIRED,
    Parameter as Parameter,
    Params as Params,
    Value as Value,
)
from .registry.references import Reference as Reference, read_references as read_references
from .registry.specs import (
    AlgorithmSpec as AlgorithmSpec,
    DatasetSpec as DatasetSpec,
    Needs as Needs,
    OracleSpec as OracleSpec,
    any_of as any_of,
    extra as extra,
)
from .registry.suite import Claim as Claim, Suite as Suite
from .results.results import Results as Results
from .run.inputs import Items as Items, finest_partition as finest_partition
from .run.requests import DataRequest as DataRequest
