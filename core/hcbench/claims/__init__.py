"""Claims of suites, and what measured values say about them.

A `hcbench.Claim` is a line of a suite. `families` says about which algorithms and data sets it is,
`sides` finds their groups, `measuring` what was measured of a claim, and `looks` says at which
numbers of repetitions it is judged. `relations` are the numbers that a claim accepts, `decisions`
say whether an interval decides it, and `verdicts` judges it, also with its erratum; `descriptions`
are the texts for tables. `powers` says whether a claim can fail, and `false_verdicts` how many
verdicts are expected to be false by chance.
"""
