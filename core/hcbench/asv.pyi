from hcbench.authoring.asv import *
