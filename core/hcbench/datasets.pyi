from hcbench_datasets import *
