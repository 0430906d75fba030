"""For authors of plugins: conformance checks, a scaffold, asv benchmarks."""
