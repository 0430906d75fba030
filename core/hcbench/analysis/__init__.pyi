# The names of hcbench.analysis that plugins may use, and where they are defined. lazy_loader reads
# this file.

from .axes import axes_of as axes_of, find_metric as find_metric, is_wide as is_wide
from .block_ranks import Failed as Failed
from .blocks import why_outside as why_outside
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
from .labels import labels_of as labels_of
from .notes import (
    Note as Note,
    NoteKind as NoteKind,
    describe_notes as describe_notes,
)
from .performance_profiles import Distance as Distance
from .ranking_texts import (
    TESTS as TESTS,
    blocks_text as blocks_text,
    significance_lines as significance_lines,
)
from .ranks import (
    ALPHA as ALPHA,
    PairTest as PairTest,
    ProfileView as ProfileView,
    Ranking as Ranking,
    profile as profile,
    ranking as ranking,
)
from .replication import (
    Agreement as Agreement,
    Replication as Replication,
    compare_halves as compare_halves,
    measure_replication as measure_replication,
    normal_reference as normal_reference,
    numbers_of_clusters as numbers_of_clusters,
)
from .signed_ranks import holm_adjusted as holm_adjusted, signed_rank_test as signed_rank_test
from .simultaneous import (
    limits_among as limits_among,
    limits_below_best as limits_below_best,
    paired_estimate as paired_estimate,
)
from .statistics import (
    Summary as Summary,
    paired_difference as paired_difference,
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
from .tradeoffs import (
    TradeoffPoint as TradeoffPoint,
    TradeoffView as TradeoffView,
    tradeoff as tradeoff,
)
from .views import (
    CurvePoint as CurvePoint,
    CurveView as CurveView,
    PowerLaw as PowerLaw,
    curves as curves,
    scaling as scaling,
)
