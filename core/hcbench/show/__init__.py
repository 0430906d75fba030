"""Results for people to look at: plots, figures of suites, reports and sites."""
