# The names of hcbench.analysis that plugins may use, and where they are defined. lazy_loader reads
# this file.

from .axes import (
    axes_of as axes_of,
    find_metric as find_metric,
    is_wide as is_wide,
    labels_of as labels_of,
)
from .comparison import Comparison as Comparison
from .consensus import Consensus as Consensus, consensus_tree as consensus_tree
from .groups import (
    COSTS as COSTS,
    KINDS as KINDS,
    PLACE as PLACE,
    Group as Group,
    name_variants as name_variants,
)
from .intervals import (
    Estimate as Estimate,
    Limits as Limits,
    estimate_mean as estimate_mean,
    mean_and_std as mean_and_std,
)
from .item_distances import distances_of_problem as distances_of_problem
from .notes import (
    Note as Note,
    NoteKind as NoteKind,
    describe_notes as describe_notes,
)
from .ranks import (
    ALPHA as ALPHA,
    TESTS as TESTS,
    PairTest as PairTest,
    ProfileView as ProfileView,
    Ranking as Ranking,
    blocks_text as blocks_text,
    profile as profile,
    ranking as ranking,
    significance_lines as significance_lines,
    why_outside as why_outside,
)
from .replication import (
    Agreement as Agreement,
    Replication as Replication,
    compare_halves as compare_halves,
    measure_replication as measure_replication,
    normal_reference as normal_reference,
    numbers_of_clusters as numbers_of_clusters,
)
from .simultaneous import (
    limits_among as limits_among,
    limits_below_best as limits_below_best,
    paired_estimate as paired_estimate,
)
from .statistics import (
    Distance as Distance,
    Failed as Failed,
    Summary as Summary,
    holm_adjusted as holm_adjusted,
    paired_difference as paired_difference,
    signed_rank_test as signed_rank_test,
    summarise as summarise,
)
from .tables import (
    ARROWS as ARROWS,
    BEST_TRUTH as BEST_TRUTH,
    NOTHING as NOTHING,
    Block as Block,
    Notes as Notes,
    Reason as Reason,
    TableEntry as TableEntry,
    format_numbers as format_numbers,
    format_spread as format_spread,
    notes_of_block as notes_of_block,
    to_latex as to_latex,
    to_markdown as to_markdown,
)
from .views import (
    CurvePoint as CurvePoint,
    CurveView as CurveView,
    PowerLaw as PowerLaw,
    TradeoffPoint as TradeoffPoint,
    TradeoffView as TradeoffView,
    curves as curves,
    scaling as scaling,
    tradeoff as tradeoff,
)
