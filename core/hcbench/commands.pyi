# The names of hcbench.commands and where they are defined. lazy_loader reads this file.

from .cli.compare import suite_named as suite_named
from .cli.draw import (
    write_blocks as write_blocks,
    write_results as write_results,
    write_text as write_text,
)
from .cli.loading import (
    load_plugins as load_plugins,
    notes_on_kernels as notes_on_kernels,
    open_store as open_store,
)
from .cli.option_types import (
    DATE as DATE,
    FILE as FILE,
    FOLDER as FOLDER,
    KINDS as KINDS,
    PATH as PATH,
    IntegerRange as IntegerRange,
    NumberRange as NumberRange,
    OneName as OneName,
    OutputFile as OutputFile,
    TolerantOption as TolerantOption,
    read_time as read_time,
)
from .cli.options import (
    CELL_FILTERS as CELL_FILTERS,
    JOBS as JOBS,
    JSON_OR_TABLE as JSON_OR_TABLE,
    ONLY_METRICS as ONLY_METRICS,
    PLUGIN as PLUGIN,
    QUIET as QUIET,
    RESULTS_FORMAT as RESULTS_FORMAT,
    RUN as RUN,
    RUN_FILTERS as RUN_FILTERS,
    STORE as STORE,
    examples as examples,
    format_option as format_option,
    names_option as names_option,
    with_options as with_options,
)
from .cli.progress import display as display, follow as follow
from .cli.runs import read_run as read_run
from .cli.terminal import (
    console as console,
    stdout_for_data as stdout_for_data,
    tell as tell,
    write_json as write_json,
    write_table as write_table,
)
