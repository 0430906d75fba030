from hcbench.show.plots import *
