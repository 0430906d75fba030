"""Trees made elsewhere and what metrics say of them: ``hcbench score``.

`matching` brings trees, truths and data from files into one order of the items, `scores` judges.
"""
