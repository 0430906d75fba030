"""The packages have their own tests, which run where they are installed."""

collect_ignore_glob = ["*/tests/*"]
