from hcbench.api.sklearn import *
