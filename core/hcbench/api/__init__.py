"""What callers in Python use: `compare`, with all of the harness, and `direct`, with none.

`given_data` makes problems of what they have; `own` makes specs of what they bring to a comparison.
"""
