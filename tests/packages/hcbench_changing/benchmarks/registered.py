"""Benchmarks of what this plugin registers."""

import hcbench.asv

globals().update(hcbench.asv.registered("hcbench_changing"))
