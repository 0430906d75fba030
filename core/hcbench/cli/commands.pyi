# The names of hcbench.commands and where they are defined. lazy_loader reads this file.

from .draw import write_blocks as write_blocks
from .options import (
    FILE as FILE,
    FOLDER as FOLDER,
    PATH as PATH,
    PLUGIN as PLUGIN,
    QUIET as QUIET,
    STORE as STORE,
    examples as examples,
    format_option as format_option,
)
from .terminal import tell as tell, write_json as write_json
