"""The publications that this plugin names, from `references.bib`."""

from __future__ import annotations

from pathlib import Path

from hcbench import read_references

PAPERS = read_references(Path(__file__).with_name("references.bib"))
