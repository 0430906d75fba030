"""Benchmarks of what this plugin registers: time, memory, queries and loss."""

import hcbench.asv

globals().update(hcbench.asv.registered("example_plugin"))
