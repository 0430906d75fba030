# The names of hcbench.figures. lazy_loader reads this file.

from .charts import (
    Axis as Axis,
    Chart as Chart,
    Mark as Mark,
    Panel as Panel,
    Series as Series,
    curve_chart as curve_chart,
    exponent_text as exponent_text,
    profile_chart as profile_chart,
)
from .dendrograms import (
    Orientation as Orientation,
    clades_of as clades_of,
    class_colours as class_colours,
    class_handles as class_handles,
    classes_of_nodes as classes_of_nodes,
    dendrogram as dendrogram,
    draw_tree as draw_tree,
    fitting_axes as fitting_axes,
)
from .palette import (
    DASHES as DASHES,
    GUIDE as GUIDE,
    PALETTE as PALETTE,
    PALETTE_DARK as PALETTE_DARK,
    REFERENCE as REFERENCE,
    REFERENCE_DARK as REFERENCE_DARK,
    SYMBOLS as SYMBOLS,
    Look as Look,
    looks_for as looks_for,
    looks_of as looks_of,
)
from .plots import (
    curves as curves,
    mark_places as mark_places,
    new_figure as new_figure,
    plain as plain,
    shortened as shortened,
    style as style,
)
from .suites import (
    FORMATS as FORMATS,
    Drawn as Drawn,
    draw_figure as draw_figure,
    draw_figures as draw_figures,
    make_folder as make_folder,
    write_figure as write_figure,
)
from .tradeoff_charts import tradeoff_chart as tradeoff_chart
from .tree_figures import (
    dendrogram_figure as dendrogram_figure,
    heat_map as heat_map,
    tanglegram_figure as tanglegram_figure,
)
from .view import FigureView as FigureView
