"""The files of a new plugin, as ``hcbench new plugin`` writes them.

`writing` copies the files of the folder ``example``, working code in which names are replaced.
"""
