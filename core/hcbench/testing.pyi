from hcbench.authoring.testing import *
