"""HTML pages that need no network: the report of one run, and the site of all runs of a store.

`report` makes one page, and `site` a folder of pages. Every number comes from `hcbench.results`;
the scripts of a page sort, filter and switch.
"""

#: The number of trees in a report, unless another is chosen: their data are generated again.
MOST_TREES = 60
