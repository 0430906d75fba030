# The public names of hcbench and where they are defined. lazy_loader reads this file.

from . import (
    analysis as analysis,
    commands as commands,
    compiled as compiled,
    figures as figures,
    files as files,
    run as run,
    store as store,
)
from .api.compare import compare as compare, run_suite as run_suite
from .api.direct import fit as fit, score as score
from .api.stability import agreement as agreement, common_items as common_items
from .claims.verdicts import Verdict as Verdict
from .errors import (
    BudgetExceededError as BudgetExceededError,
    DamagedRunError as DamagedRunError,
    DataError as DataError,
    DataNotAvailableError as DataNotAvailableError,
    ExitCode as ExitCode,
    HcbenchError as HcbenchError,
    InvalidComparisonsError as InvalidComparisonsError,
    InvalidPartitionError as InvalidPartitionError,
    InvalidProblemError as InvalidProblemError,
    InvalidQueryError as InvalidQueryError,
    InvalidSpecError as InvalidSpecError,
    InvalidTreeError as InvalidTreeError,
    ModelWarning as ModelWarning,
    NewickError as NewickError,
    NewickWarning as NewickWarning,
    NotApplicableError as NotApplicableError,
    OracleError as OracleError,
    ParameterError as ParameterError,
    PluginError as PluginError,
    UnansweredError as UnansweredError,
    UnknownNameError as UnknownNameError,
    WorkerError as WorkerError,
)
from .files import (
    read_comparisons as read_comparisons,
    read_tree as read_tree,
    write_comparisons as write_comparisons,
)
from .model import SIMILARITY_RULES as SIMILARITY_RULES
from .model.arrays import as_numbers as as_numbers
from .model.comparisons import (
    AllComparisons as AllComparisons,
    Comparisons as Comparisons,
    PreferenceBits as PreferenceBits,
)
from .model.comparisons.arrays import pair_index as pair_index, pair_items as pair_items
from .model.cost import Cost as Cost, collect_notes as collect_notes
from .model.distances import (
    euclidean_distances as euclidean_distances,
    euclidean_of_rows as euclidean_of_rows,
    euclidean_pairs as euclidean_pairs,
    without_offsets as without_offsets,
)
from .model.labels import class_texts as class_texts
from .model.names import (
    NamedItems as NamedItems,
    match_items as match_items,
    names_of_index as names_of_index,
)
from .model.numbers import (
    are_codes as are_codes,
    number_text as number_text,
    read_number as read_number,
    read_numbers as read_numbers,
    read_whole_number as read_whole_number,
    same_number_text as same_number_text,
)
from .model.problem import (
    Problem as Problem,
    Result as Result,
    Vectors as Vectors,
    check_levels as check_levels,
)
from .model.similarity import (
    similarity_matrix as similarity_matrix,
    similarity_of_vectors as similarity_of_vectors,
    unit_rows as unit_rows,
)
from .model.squares import (
    check_square as check_square,
    kind_of_square as kind_of_square,
    similarity_of_distances as similarity_of_distances,
)
from .model.text import printable as printable, slug as slug
from .model.trees import (
    AnswerMatrix as AnswerMatrix,
    Cut as Cut,
    HeightKind as HeightKind,
    Partition as Partition,
    Tree as Tree,
    best_cut as best_cut,
    facing_orders as facing_orders,
    heaviest_cut as heaviest_cut,
    pair_weights as pair_weights,
)
from .model.trees.tree import distances as distances
from .oracle import (
    NONE as NONE,
    QUERY_KINDS as QUERY_KINDS,
    UNSURE as UNSURE,
    Answers as Answers,
    Choice as Choice,
    Code as Code,
    Ledger as Ledger,
    Oracle as Oracle,
    Queries as Queries,
    QueryKind as QueryKind,
    Reply as Reply,
    ask_oracle as ask_oracle,
)
from .oracle.answers import Point as Point, Scored as Scored
from .plan.cell import Cell as Cell, data_seed as data_seed
from .plan.outcome import (
    REPORTED as REPORTED,
    STATUSES as STATUSES,
    Outcome as Outcome,
    ScoredPoint as ScoredPoint,
    budget_text as budget_text,
)
from .plan.plan import Plan as Plan, make_plan as make_plan
from .plan.presentation import (
    MetricInfo as MetricInfo,
    Presentation as Presentation,
    split_label as split_label,
)
from .plan.seeds import derive_seed as derive_seed
from .registry import (
    Catalogue as Catalogue,
    Entry as Entry,
    Registry as Registry,
    default_uses as default_uses,
    load_registry as load_registry,
    make_use as make_use,
)
from .registry.fingerprint import installation as installation
from .registry.hookspecs import HOOK_VERSION as HOOK_VERSION, hookimpl as hookimpl
from .registry.names import (
    format_value as format_value,
    parse_file as parse_file,
    parse_name as parse_name,
    split_parameter as split_parameter,
)
from .registry.plugins import REGISTER_HOOKS as REGISTER_HOOKS, Plugin as Plugin
from .registry.references import Reference as Reference, read_references as read_references
from .registry.specs import (
    HINTS as HINTS,
    REQUIRED as REQUIRED,
    AlgorithmSpec as AlgorithmSpec,
    CommandSpec as CommandSpec,
    DatasetSpec as DatasetSpec,
    ExecutorSpec as ExecutorSpec,
    Interval as Interval,
    MetricSpec as MetricSpec,
    Needs as Needs,
    OracleSpec as OracleSpec,
    Output as Output,
    Parameter as Parameter,
    Params as Params,
    Spec as Spec,
    Value as Value,
    unmet as unmet,
)
from .registry.suite import Claim as Claim, Figure as Figure, Suite as Suite
from .registry.uses import Use as Use
from .results.results import Results as Results
from .run.environment import check_machine as check_machine
from .run.executors import CellPool as CellPool, ThisMachine as ThisMachine
from .run.inputs import Given as Given, finest_partition as finest_partition
from .run.workers import Report as Report
