from hcbench.registry.hookspecs import *
