"""Outcomes as results: groups of repetitions, statistics, verdicts on claims, views, tables."""
