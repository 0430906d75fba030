from hcbench.cli.commands import *
