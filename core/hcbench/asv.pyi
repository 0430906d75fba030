from hcbench_asv import *
