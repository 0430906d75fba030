"""Every registered algorithm, oracle and metric, measured once per commit by hcbench itself."""

import hcbench.asv

globals().update(hcbench.asv.registered())
