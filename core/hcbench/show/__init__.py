"""Results for people to look at: plots, and the figures of suites."""
