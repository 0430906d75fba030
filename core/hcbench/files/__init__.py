"""Trees, comparisons, items and tables from files, with errors of one line that name the file.

What users and other programs write is read here, so that commands and data sets of other packages
read files in the same way::

    from hcbench import read_comparisons, read_tree
    from hcbench.files import read_items

    tree = read_tree("taxonomy.nwk")
    comparisons = read_comparisons("answers.csv")
    words = read_items("words.txt").texts

- `read_tree` and `TreeFile` read Newick or Nexus (.nwk, .newick, .tree, .tre, .treefile, .nex,
  .nexus, .trees, .t), one of several trees by its number; from .csv, .tsv or .npy scipy's linkage
  matrix, the ``merge`` of R's ``hclust`` and scikit-learn's ``children_``.
- `write_tree` writes Newick, Nexus, scipy's linkage matrix or JSON, by the suffix of the file.
- `read_comparisons` and `write_comparisons` use .csv with items i, j, k (and l), .npz as cblearn
  writes, and .npy as ComparisonHC.
- `hcbench.Tree.from_newick` and `hcbench.Tree.to_newick` use Newick or Nexus text; what is written
  is read with the same names and heights.
- `read_items` reads different texts: a line each of a .txt file, or a column of a table.
- `read_rows` and `table_rows` read the cells of a .csv or .tsv file, with the numbers of the lines.
- `read_limited` reads a file in a process of its own, with a limit of memory and of time.
- `read_asv_results` reads the results folder of asv, a list of `AsvResult`.
- `read_arrays` and `read_npy` read .npz and .npy files, without Python objects, which could run
  code.

Of Nexus, the blocks TAXA and TREES are read, in any case and over any lines; translations and
labels in single or double quotes, with apostrophes inside words; ``tree`` and ``utree``; nested
comments; numbers of taxa. Underscores are kept. Branch lengths are half of merge distances by
default.

Text may be UTF-8, UTF-16 with a byte order mark, or else is read as Windows-1252, with a note
(`decode_text`); in tables a line may end as on old Macs (`with_line_feeds`). A file that cannot be
read, or has other contents, is a `DataError` of one line with the name of the file, the line in it,
and what to change. All functions take O(size of the file) time and memory; comparisons are written
in parts. Data sets in files are in ``hcbench_datasets``.

`EXACT_UNITS` are those of benchmarks that are reproducible from the same seeds.
`MAX_DECOMPRESSED` is the number of bytes that a compressed file may become, `DECIMAL_COMMA` matches
a number with a decimal comma, and `HEADERS` are words of which a header has one.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
