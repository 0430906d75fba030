# The names of hcbench.model that plugins may use, and where they are defined. lazy_loader reads
# this file.

from .arrays import (
    as_numbers as as_numbers,
    largest_asymmetry as largest_asymmetry,
)
from .comparisons.arrays import (
    pair_index as pair_index,
    pair_items as pair_items,
)
from .cost import (
    Cost as Cost,
    collect_notes as collect_notes,
)
from .distances import (
    euclidean_distances as euclidean_distances,
    euclidean_of_rows as euclidean_of_rows,
    euclidean_pairs as euclidean_pairs,
    without_offsets as without_offsets,
)
from .labels import (
    check_levels as check_levels,
    class_texts as class_texts,
)
from .names import (
    names_of_index as names_of_index,
)
from .numbers import (
    are_codes as are_codes,
    number_text as number_text,
    read_number as read_number,
    read_numbers as read_numbers,
)
from .regular_files import (
    check_regular as check_regular,
    read_regular as read_regular,
)
from .similarity import (
    similarity_of_vectors as similarity_of_vectors,
    unit_rows as unit_rows,
)
from .squares import (
    check_square as check_square,
    kind_of_square as kind_of_square,
)
from .text import (
    printable as printable,
    shell_command as shell_command,
    spreadsheet_cell as spreadsheet_cell,
    suggestion as suggestion,
)
from .trees import (
    AnswerMatrix as AnswerMatrix,
    Cut as Cut,
    best_cut as best_cut,
    facing_orders as facing_orders,
    heaviest_cut as heaviest_cut,
    pair_weights as pair_weights,
)
from .views import (
    Vectors as Vectors,
)

SIMILARITY_RULES: tuple[str, ...]
