# The names of hcbench.commands and where they are defined. lazy_loader reads this file.

from .cli.compare import suite_named as suite_named
from .cli.draw import (
    write_blocks as write_blocks,
    write_results as write_results,
    write_text as write_text,
)
from .cli.options import (
    CELL_FILTERS as CELL_FILTERS,
    DATE as DATE,
    FILE as FILE,
    FOLDER as FOLDER,
    JOBS as JOBS,
    JSON_OR_TABLE as JSON_OR_TABLE,
    KINDS as KINDS,
    ONLY_METRICS as ONLY_METRICS,
    PATH as PATH,
    PLUGIN as PLUGIN,
    QUIET as QUIET,
    RESULTS_FORMAT as RESULTS_FORMAT,
    RUN as RUN,
    RUN_FILTERS as RUN_FILTERS,
    STORE as STORE,
    IntegerRange as IntegerRange,
    NumberRange as NumberRange,
    OneName as OneName,
    OutputFile as OutputFile,
    TolerantOption as TolerantOption,
    examples as examples,
    format_option as format_option,
    load_plugins as load_plugins,
    names_option as names_option,
    notes_on_kernels as notes_on_kernels,
    open_store as open_store,
    read_time as read_time,
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
