"""The files of a new plugin, as working code with names to be replaced.

`example_plugin` stands for the package, ``"EXAMPLE-ALGORITHM"`` and the like for registered names.
"""
