"""Average linkage of a matrix of distances: ``python3 average.py INPUT.csv OUTPUT.csv``."""

import sys


def average_linkage(distances):
    """Merge the two clusters of least mean distance; rows of scipy's linkage matrix."""
    n = len(distances)
    members = {item: [item] for item in range(n)}
    merges = []
    for new in range(n, 2 * n - 1):
        pairs = []
        for a in members:
            for b in members:
                if a < b:
                    total = sum(distances[i][j] for i in members[a] for j in members[b])
                    pairs.append((total / (len(members[a]) * len(members[b])), a, b))
        mean, a, b = min(pairs)
        members[new] = members.pop(a) + members.pop(b)
        merges.append((a, b, mean, len(members[new])))
    return merges


with open(sys.argv[1]) as file:
    table = [[float(cell) for cell in line.split(",")] for line in file]
with open(sys.argv[2], "w") as file:
    for merge in average_linkage(table):
        file.write(",".join(map(repr, merge)) + "\n")
