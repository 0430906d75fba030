"""For authors of plugins: conformance checks and asv benchmarks."""
