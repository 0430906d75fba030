"""The publication that this plugin implements."""

from __future__ import annotations

from hcbench import Reference

GENTILE_2019 = Reference(
    "gentile2019",
    "inproceedings",
    {
        "author": "Gentile, Claudio and Vitale, Fabio and Rajagopalan, Anand",
        "title": "Flattening a Hierarchical Clustering through Active Learning",
        "booktitle": "Advances in Neural Information Processing Systems",
        "volume": "32",
        "year": "2019",
    },
)
