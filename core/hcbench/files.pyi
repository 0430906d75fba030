from hcbench_files import *
