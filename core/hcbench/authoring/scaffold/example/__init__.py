"""What a new plugin is made of; each file is real code, and what is to be replaced is named here.

`example_plugin` stands for the package, ``"EXAMPLE-ALGORITHM"`` and the like for registered names.
"""
