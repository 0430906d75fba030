from hcbench.oracle.compiled import *
