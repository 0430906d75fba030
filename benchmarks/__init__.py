"""asv benchmarks: time, memory and number of queries of everything registered, per commit."""
