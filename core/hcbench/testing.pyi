from hcbench_testing import *
