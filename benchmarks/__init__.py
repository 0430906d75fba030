"""asv's benchmarks: time, memory and query counts of whatever is registered, commit by commit."""
