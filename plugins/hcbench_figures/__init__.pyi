# The names of hcbench.plots. lazy_loader reads this file.

from .plots import (
    GUIDE as GUIDE,
    PALETTE as PALETTE,
    Orientation as Orientation,
    branch_lines as branch_lines,
    clades_of as clades_of,
    class_colours as class_colours,
    class_handles as class_handles,
    classes_of_nodes as classes_of_nodes,
    curves as curves,
    dendrogram as dendrogram,
    draw_tree as draw_tree,
    fitting_axes as fitting_axes,
    layout as layout,
    mark_places as mark_places,
    new_figure as new_figure,
    plain as plain,
    style as style,
)
