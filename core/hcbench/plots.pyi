from hcbench_figures import *
