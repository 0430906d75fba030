"""Outcomes as results: groups of repetitions, statistics, verdicts on claims, views, tables.

`results` has the public class. Numbers are computed here, and only displayed elsewhere.
"""
