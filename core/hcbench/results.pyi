from hcbench_results import *
