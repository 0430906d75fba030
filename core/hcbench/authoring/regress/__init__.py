"""What became worse from one commit to another, by asv's results.

`commits` finds and installs commits, `interleaving` measures two of them in turns, `asv_files`
writes and reads asv's results, `verdicts` compares them and `overview` makes the tables.
"""
