from hcbench_sklearn import *
