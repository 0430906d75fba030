# The public names of hcbench and where they are defined. lazy_loader reads this file.

from . import compiled as compiled
from . import plots as plots
from .analysis.results import (
    Results as Results,
)
from .api.compare import (
    compare as compare,
)
from .api.direct import (
    fit as fit,
)
from .api.direct import (
    score as score,
)
from .asking.person import (
    person_answers as person_answers,
)
from .asking.recorded import (
    RecordedAnswers as RecordedAnswers,
)
from .errors import (
    BudgetExceededError as BudgetExceededError,
)
from .errors import (
    DataError as DataError,
)
from .errors import (
    DataNotAvailableError as DataNotAvailableError,
)
from .errors import (
    HcbenchDeprecationWarning as HcbenchDeprecationWarning,
)
from .errors import (
    HcbenchError as HcbenchError,
)
from .errors import (
    ModelWarning as ModelWarning,
)
from .errors import (
    NotApplicableError as NotApplicableError,
)
from .errors import (
    ParameterError as ParameterError,
)
from .model import SIMILARITY_RULES as SIMILARITY_RULES
from .model.answer_matrix import (
    AnswerMatrix as AnswerMatrix,
)
from .model.comparisons import (
    AllComparisons as AllComparisons,
)
from .model.comparisons import (
    Comparisons as Comparisons,
)
from .model.comparisons import (
    PreferenceBits as PreferenceBits,
)
from .model.comparisons.pairs import (
    pair_index as pair_index,
)
from .model.comparisons.pairs import (
    pair_items as pair_items,
)
from .model.problem import (
    Problem as Problem,
)
from .model.problem import (
    Vectors as Vectors,
)
from .model.similarity import (
    similarity_matrix as similarity_matrix,
)
from .model.similarity import (
    similarity_of_vectors as similarity_of_vectors,
)
from .model.similarity import (
    unit_rows as unit_rows,
)
from .model.trees import (
    Cut as Cut,
)
from .model.trees import (
    HeightKind as HeightKind,
)
from .model.trees import (
    NewickWarning as NewickWarning,
)
from .model.trees import (
    Partition as Partition,
)
from .model.trees import (
    Tree as Tree,
)
from .model.trees import (
    best_cut as best_cut,
)
from .model.trees import (
    facing_orders as facing_orders,
)
from .model.trees import (
    heaviest_cut as heaviest_cut,
)
from .model.trees import (
    pair_weights as pair_weights,
)
from .model.trees.files import (
    read_tree as read_tree,
)
from .oracle import (
    NONE as NONE,
)
from .oracle import (
    UNSURE as UNSURE,
)
from .oracle import (
    Answers as Answers,
)
from .oracle import (
    Ledger as Ledger,
)
from .oracle import (
    Oracle as Oracle,
)
from .oracle import (
    ask_oracle as ask_oracle,
)
from .oracle.scored import (
    Cost as Cost,
)
from .oracle.scored import (
    Point as Point,
)
from .oracle.scored import (
    Scored as Scored,
)
from .plan.outcome import (
    Outcome as Outcome,
)
from .plan.seeds import (
    derive_seed as derive_seed,
)
from .registry import (
    load_registry as load_registry,
)
from .registry.claims import (
    Claim as Claim,
)
from .registry.hookspecs import (
    hookimpl as hookimpl,
)
from .registry.specs import (
    REQUIRED as REQUIRED,
)
from .registry.specs import (
    AlgorithmSpec as AlgorithmSpec,
)
from .registry.specs import (
    DatasetSpec as DatasetSpec,
)
from .registry.specs import (
    MetricSpec as MetricSpec,
)
from .registry.specs import (
    OracleSpec as OracleSpec,
)
from .registry.specs import (
    Parameter as Parameter,
)
from .registry.specs import (
    Params as Params,
)
from .registry.specs import (
    Reference as Reference,
)
from .registry.suite import (
    Figure as Figure,
)
from .registry.suite import (
    Suite as Suite,
)
from .run.given import (
    Given as Given,
)
from .run.given import (
    finest_partition as finest_partition,
)
from .show.figures import (
    Drawn as Drawn,
)
from .show.figures import (
    FigureView as FigureView,
)
from .show.figures import (
    draw_figures as draw_figures,
)
