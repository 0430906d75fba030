# The names of hcbench.files. lazy_loader reads this file.

from .asv_results import (
    EXACT_UNITS as EXACT_UNITS,
    AsvResult as AsvResult,
    read_asv_results as read_asv_results,
)
from .columns import (
    comparison_columns as comparison_columns,
)
from .comparisons import (
    read_comparisons as read_comparisons,
    read_named_comparisons as read_named_comparisons,
    write_comparisons as write_comparisons,
)
from .encodings import (
    decode_text as decode_text,
    with_line_feeds as with_line_feeds,
)
from .limited import (
    read_limited as read_limited,
)
from .slow import (
    tell_if_slow as tell_if_slow,
)
from .tables import (
    DECIMAL_COMMA as DECIMAL_COMMA,
    HEADERS as HEADERS,
    MAX_DECOMPRESSED as MAX_DECOMPRESSED,
    Items as Items,
    is_number as is_number,
    read_arrays as read_arrays,
    read_items as read_items,
    read_npy as read_npy,
    read_rows as read_rows,
    table_rows as table_rows,
)
from .tree_objects import as_tree as as_tree, tree_as as tree_as
from .tree_output import write_tree as write_tree
from .trees import (
    TreeFile as TreeFile,
    read_tree as read_tree,
    read_trees as read_trees,
)
