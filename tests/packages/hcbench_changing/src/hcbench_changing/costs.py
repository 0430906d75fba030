"""What a commit may raise."""

QUERIES_PER_ITEM = 10
MEGABYTES = 8
