"""The packages have tests of their own, which run where they are installed."""

collect_ignore_glob = ["*/tests/*"]
