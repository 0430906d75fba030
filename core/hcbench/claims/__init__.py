"""Claims of suites, and what measured values say about them.

A `hcbench.Claim` is a line of a suite. `families` says about which
algorithms and data sets it is, `measuring` finds what was measured of a claim, `looks` says
at which numbers of repetitions it is judged, and `verdicts` judges it. `powers` says what a claim
accepts, and whether it can fail.
"""
