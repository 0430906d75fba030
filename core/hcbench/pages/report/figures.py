"""Figures and tables of the report as plain values; the layout that plotly figures share.

A figure is given to the page as plain values: ``data``, the traces; ``layouts``, pairs of a
smallest width in pixels and a layout; ``caption``; ``table``, its data; and ``choices``, controls
whose options patch the layout and the traces. Colours are those on a light background; the page
replaces them by `DARK`.
"""

from __future__ import annotations

import html
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hcbench.figures.palette import PALETTE, PALETTE_DARK, REFERENCE, REFERENCE_DARK, Look

GROUND = "#ffffff"  # of the page
INK = "#1a2027"  # of texts
SOFT = "#525c67"  # of texts of less importance
LINE = "#d3dae1"
SUNKEN = "#e9edf1"
RAISED = "#f5f7f9"
ACCENT = "#0a58a8"
#: Colours on a dark background by those on a light one.
DARK = {
    **dict(zip(PALETTE, PALETTE_DARK, strict=True)),
    REFERENCE: REFERENCE_DARK,
    GROUND: "#10151a",
    INK: "#e7edf3",
    SOFT: "#a3b0bd",
    LINE: "#35414d",
    SUNKEN: "#232c35",
    RAISED: "#181f26",
    ACCENT: "#7cbcff",
}
#: Fonts of the systems of readers, as a page loads none.
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
#: What all figures share; the page merges it into each layout.
BASE: dict[str, Any] = {
    "paper_bgcolor": GROUND,
    "plot_bgcolor": GROUND,
    "font": {"family": _FONT, "size": 12.5, "color": INK},
    "hovermode": "closest",
    "hoverlabel": {
        "bgcolor": RAISED,
        "bordercolor": SOFT,
        "font": {"color": INK, "family": _FONT},
        "align": "left",
        "namelength": -1,
    },
    "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": SOFT, "activecolor": ACCENT},
}
#: The smallest width in pixels for which each layout is used.
WIDTHS = (0, 480, 700, 900)
#: The width in pixels in which the legend of each layout fits: no screen has less than 320.
DESIGNED = (320, 480, 700, 900)
_LETTER = 7  # pixels
_LONGEST = 60  # letters of a line of a legend

#: A text, a number, None, or [text, value to sort by, properties].
Cell = Any
#: The label of a column, or a mapping with the label and properties.
Column = str | dict[str, Any]


def make_table(
    noun: str, header: Iterable[Column], rows: Iterable[Sequence[Cell]]
) -> dict[str, Any]:
    """A table.

    Parameters
    ----------
    noun : str
        What a row is.
    header : iterable of str or dict
        The labels of columns; or mappings with a ``label`` and properties: ``best``, which values
        are better; ``filter``, whether rows are filtered by it; ``hidden``, whether it is only
        filtered and exported; ``control``, whether its filter is shown nevertheless; ``family``,
        by which columns are filtered; ``wide``, whether it has long texts.
    rows : iterable of sequence
        A cell is a text, a number, None, or a list of text, value and properties: ``href``,
        ``heat``, ``best``, ``note``, ``badge``, and ``parts``, the texts of which a filter
        selects one.

    Returns
    -------
    dict
        More may be added: ``names``, how many columns identify a row; ``page``, the rows of a
        page; ``kinds`` of rows; ``state``, the name under which choices are kept.
    """
    columns = []
    for column in header:
        if isinstance(column, str):
            columns.append({"label": column})
        else:
            columns.append(column)
    return {"noun": noun, "columns": columns, "rows": list(map(list, rows))}


def short(value: float | None) -> float | None:
    """A number with seven digits for strict JSON; None if it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.7g}")
    # Above 2**53 not every integer is a number of a script.
    if rounded.is_integer() and abs(rounded) < 2**53:
        return int(rounded)
    return rounded


def plain(text: str) -> str:
    """Text for plotly, which interprets markup in labels; lines are separated by line breaks."""
    return html.escape(text, quote=False).replace("\n", "<br>")


def legend_entry(name: str) -> str:
    """A name in a legend, on lines that fit into a narrow figure."""
    return plain("\n".join(_folded(name)))


def _folded(name: str) -> list[str]:
    """The lines of a name in a legend."""
    return textwrap.wrap(name, _LONGEST, break_on_hyphens=False) or [""]


def sentence(text: str) -> str:
    """A text with a capital and a full stop."""
    stop = "."
    if text.endswith("."):
        stop = ""
    # Only the first letter: `capitalize` makes the others small.
    return text[:1].upper() + text[1:] + stop


def clear(colour: str, opacity: float) -> str:
    """A colour that is partly transparent."""
    return f"{colour}{round(opacity * 255):02x}"


def axis(title: str = "", **properties: Any) -> dict[str, Any]:
    """The style of an axis."""
    return {
        "title": {"text": plain(title), "standoff": 8},
        "gridcolor": SUNKEN,
        "zerolinecolor": LINE,
        "linecolor": LINE,
        "showline": True,
        "ticks": "outside",
        "tickcolor": LINE,
        "automargin": True,
        "exponentformat": "SI",
        **properties,
    }


def line_style(look: Look, width: float = 2.0) -> dict[str, Any]:
    """The lines and markers of a trace."""
    return {
        "line": {"color": look.colour, "dash": look.dash, "width": width},
        "marker": {"color": look.colour, "symbol": look.symbol, "size": 8},
    }


def make_figure(
    traces: Iterable[Mapping[str, Any]],
    layouts: Sequence[Mapping[str, Any]],
    caption: str,
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    choices: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A figure as plain values.

    Parameters
    ----------
    traces : iterable of mapping
    layouts : sequence of mapping
        One for all widths, or one for each of `WIDTHS`.
    caption : str
    header, rows
        The data of the figure.
    choices : mapping, optional
        For each control its options, each with patches of the ``layout`` and of ``traces``.
    """
    return {
        "data": list(traces),
        "layouts": list(zip(WIDTHS, layouts, strict=False)),
        "caption": caption,
        "table": make_table("row", header, rows),
        "choices": choices or {},
    }


def make_panels(
    titles: Sequence[str], names: Sequence[str], axes: Sequence[tuple[Any, Any]]
) -> list[dict[str, Any]]:
    """The layout of panels for each of `WIDTHS`, with the legend below.

    Parameters
    ----------
    titles : sequence of str
        Of the panels; a single one may be empty.
    names : sequence of str
        The entries of the legend.
    axes : sequence of (dict, dict)
        The axes of each panel; titles are shown at the edges of the figure only.
    """
    return [_arrange(titles, names, axes, width) for width in DESIGNED]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """Where the panels of a figure are.

    Attributes
    ----------
    count, columns : int
        The number of panels, and how many are beside each other.
    width, height : float
        Of a panel, as a part of all panels.
    gap_x, gap_y : float
        Between panels, likewise.
    """

    count: int
    columns: int
    width: float
    height: float
    gap_x: float
    gap_y: float

    def domain(self, place: int) -> tuple[list[float], list[float]]:
        """The left and right, and the lower and upper end of a panel."""
        row, column = divmod(place, self.columns)
        left = column * (self.width + self.gap_x)
        upper = 1 - row * (self.height + self.gap_y)
        # Rounding must not lead out of the figure.
        return [left, min(1.0, left + self.width)], [max(0.0, upper - self.height), upper]

    def is_left(self, place: int) -> bool:
        """Whether a panel shows the title of its vertical axis."""
        return place % self.columns == 0

    def is_lowest(self, place: int) -> bool:
        """Whether a panel, below which there is none, shows the title of its horizontal axis."""
        return place + self.columns >= self.count


_BELOW = 56  # pixels of the ticks and the title of a horizontal axis


def _arrange(
    titles: Sequence[str], names: Sequence[str], axes: Sequence[tuple[Any, Any]], width: int
) -> dict[str, Any]:
    """The layout of panels for a width in pixels."""
    columns = _count_columns(len(titles), width)
    rows = math.ceil(len(titles) / columns)
    legend, below = make_legend(names, width)
    # Titles are bold, and between the margins.
    most_letters = int((width / columns - 78) / (_LETTER + 1))
    headings = [_wrapped(title, most_letters) for title in titles]
    # All rows have the height of the longest title, so that panels are equally large.
    most_lines = max(map(len, headings))
    top = 14 + 16 * most_lines
    height = rows * (260 + top) + top + below
    inner_height = height - top - below - _BELOW
    # Shares of the figure between its panels.
    gap_x = 0.0
    if columns > 1:
        gap_x = 0.1
    gap_y = 0.0
    if rows > 1:
        gap_y = (_BELOW + top) / inner_height
    grid = _Grid(
        count=len(titles),
        columns=columns,
        width=(1 - gap_x * (columns - 1)) / columns,
        height=(1 - gap_y * (rows - 1)) / rows,
        gap_x=gap_x,
        gap_y=gap_y,
    )
    layout: dict[str, Any] = {
        "height": height,
        "margin": {"l": 62, "r": 16, "t": top, "b": _BELOW + below},
        "legend": legend,
        "showlegend": len(names) > 1,
        "annotations": [],
    }
    for place, title in enumerate(titles):
        layout |= _placed_axes(grid, place, axes[place])
        if title:
            text = "\n".join(headings[place])
            layout["annotations"].append(_panel_heading(grid, place, text, title))
    return layout


def _count_columns(count: int, width: int) -> int:
    """How many panels are beside each other: up to three, of at least 240 pixels."""
    most = 3
    # Two and two, rather than three and one.
    if count == 4:
        most = 2
    return min(count, most, max(1, width // 240))


def _placed_axes(grid: _Grid, place: int, axes: tuple[Any, Any]) -> dict[str, Any]:
    """The axes of a panel in their places, with titles at the edges of the figure only."""
    x_domain, y_domain = grid.domain(place)
    number = _panel_number(place)
    x = {**axes[0], "domain": x_domain, "anchor": f"y{number}"}
    y = {**axes[1], "domain": y_domain, "anchor": f"x{number}"}
    if not grid.is_lowest(place):
        x["title"] = {"text": ""}
    if not grid.is_left(place):
        y["title"] = {"text": ""}
    return {f"xaxis{number}": x, f"yaxis{number}": y}


def _panel_heading(grid: _Grid, place: int, text: str, title: str) -> dict[str, Any]:
    """The title above a panel, which is whole where one points at it."""
    x_domain, y_domain = grid.domain(place)
    return heading(
        text,
        x_domain[0],
        y_domain[1],
        xanchor="left",
        align="left",
        hovertext=plain(title),
    )


def _wrapped(title: str, most: int) -> list[str]:
    """A title broken into at most three lines, after commas and, if it is long, brackets."""
    words = " ".join(title.replace(",", ", ").split())
    if len(words) > most:
        words = words.replace("[", "[ ")
    return textwrap.wrap(words, most, max_lines=3, placeholder=" …", break_on_hyphens=False)


def panel_ids(place: int) -> dict[str, str]:
    """The axes of the traces of a panel."""
    number = _panel_number(place)
    return {"xaxis": f"x{number}", "yaxis": f"y{number}"}


def _panel_number(place: int) -> str:
    """The number of a panel in the names of its axes: plotly writes none for the first."""
    if place == 0:
        return ""
    return str(place + 1)


def make_legend(names: Sequence[str], width: int) -> tuple[dict[str, Any], int]:
    """A legend below a figure of this width, and its height in pixels, which the page corrects."""
    if len(names) < 2:
        return {}, 0
    below = 14
    # Pixels in the row; entries fill rows as in plotly.
    room = 0
    for name in names:
        lines = _folded(name)
        longest = max(map(len, lines))
        width_of_entry = 60 + _LETTER * longest
        if width_of_entry > room:
            # A new row.
            below += 21 + 15 * (len(lines) - 1)
            room = width - 40
        room -= width_of_entry
    legend = {
        "font": {"size": 12},
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "bottom",
        "yref": "container",
        "itemsizing": "constant",
        "tracegroupgap": 2,
        "maxheight": 2 * below,
    }
    return legend, below


def heading(text: str, x: float, y: float, **properties: Any) -> dict[str, Any]:
    """A title above a panel."""
    return {
        "text": f"<b>{plain(text)}</b>",
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12.5},
        **properties,
    }


def cut(text: str, most: int) -> str:
    """A text of at most this length."""
    if len(text) <= most:
        return text
    # At least one letter stays.
    return f"{text[: max(most, 2) - 1]}…"
