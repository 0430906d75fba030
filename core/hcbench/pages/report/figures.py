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
from typing import Any

from hcbench.figures.palette import PALETTE, PALETTE_DARK, REFERENCE, REFERENCE_DARK, Look

GROUND, INK, SOFT, LINE, SUNKEN, RAISED, ACCENT = (
    "#ffffff",
    "#1a2027",
    "#525c67",
    "#d3dae1",
    "#e9edf1",
    "#f5f7f9",
    "#0a58a8",
)
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
#: The smallest width in pixels for which each layout is used, and that in which its legend fits.
WIDTHS = (0, 480, 700, 900)
DESIGNED = (320, 480, 700, 900)
_LETTER = 7  # pixels
_LONGEST = 60  # letters of a line of a legend


Cell = Any  # a text, a number, None, or [text, value to sort by, properties]


def make_table(
    noun: str, header: Iterable[str | dict[str, Any]], rows: Iterable[Sequence[Cell]]
) -> dict[str, Any]:
    """A table.

    Parameters
    ----------
    noun : str
        What a row is.
    header : iterable of str or dict
        The labels of columns; or mappings with a ``label`` and properties: ``best``, which values
        are better; ``filter``, whether rows are filtered by it; ``hidden``, whether it is only
        filtered and exported; ``wide``, whether it has long texts.
    rows : iterable of sequence
        A cell is a text, a number, None, or a list of text, value and properties: ``href``,
        ``heat``, ``best``, ``note``, ``badge``.

    Returns
    -------
    dict
        Others may be added: ``names``, how many columns identify a row; ``page``, the rows of a
        page; ``kinds`` of rows; ``state``, the name under which choices are kept.
    """
    columns = [{"label": about} if isinstance(about, str) else about for about in header]
    return {"noun": noun, "columns": columns, "rows": [list(row) for row in rows]}


def short(value: float | None) -> float | None:
    """A number with seven digits for strict JSON; None if it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.7g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def plain(text: str) -> str:
    """Text for plotly, which interprets markup in labels; lines are separated by line breaks."""
    return html.escape(text, quote=False).replace("\n", "<br>")


def legend_entry(name: str) -> str:
    """A name in a legend, on lines that fit into a narrow figure."""
    return plain("\n".join(_folded(name)))


def _folded(name: str) -> list[str]:
    return textwrap.wrap(name, _LONGEST, break_on_hyphens=False) or [""]


def sentence(text: str) -> str:
    """A text with a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def clear(colour: str, opacity: float) -> str:
    """A colour that is partly transparent."""
    return f"{colour}{round(opacity * 255):02x}"


def axis(title: str = "", **more: Any) -> dict[str, Any]:
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
        **more,
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


def _arrange(
    titles: Sequence[str], names: Sequence[str], axes: Sequence[tuple[Any, Any]], width: int
) -> dict[str, Any]:
    count = len(titles)
    columns = min(count, 2 if count == 4 else 3, max(1, width // 240))
    rows = math.ceil(count / columns)
    legend, below = make_legend(names, width)
    most = int((width / columns - 78) / (_LETTER + 1))  # bold, between the margins
    headings = [_wrapped(title, most) for title in titles]
    top = 14 + 16 * max(map(len, headings))
    height = rows * (260 + top) + top + below
    inner = height - top - below - 56
    gap_x, gap_y = (0.1 if columns > 1 else 0.0), ((56 + top) / inner if rows > 1 else 0.0)
    wide, tall = (1 - gap_x * (columns - 1)) / columns, (1 - gap_y * (rows - 1)) / rows
    layout: dict[str, Any] = {
        "height": height,
        "margin": {"l": 62, "r": 16, "t": top, "b": 56 + below},
        "legend": legend,
        "showlegend": len(names) > 1,
        "annotations": [],
    }
    for place, title in enumerate(titles):
        row, column = divmod(place, columns)
        left, upper = column * (wide + gap_x), 1 - row * (tall + gap_y)
        x, y = axes[place]
        number = panel_ids(place)["xaxis"][1:]
        hide = {"title": {"text": ""}}
        layout[f"xaxis{number}"] = {
            **x,
            "domain": [left, min(1.0, left + wide)],
            "anchor": f"y{number}",
            **({} if place + columns >= count else hide),
        }
        layout[f"yaxis{number}"] = {
            **y,
            "domain": [max(0.0, upper - tall), upper],
            "anchor": f"x{number}",
            **({} if column == 0 else hide),
        }
        if title:
            text = "\n".join(headings[place])
            layout["annotations"].append(
                heading(text, left, upper, xanchor="left", align="left", hovertext=plain(title))
            )
    return layout


def _wrapped(title: str, most: int) -> list[str]:
    """A title broken into at most three lines, after commas and, if it is long, brackets."""
    words = " ".join(title.replace(",", ", ").split())
    if len(words) > most:
        words = words.replace("[", "[ ")
    return textwrap.wrap(words, most, max_lines=3, placeholder=" …", break_on_hyphens=False)


def panel_ids(place: int) -> dict[str, str]:
    """The axes of the traces of a panel."""
    number = str(place + 1) if place else ""
    return {"xaxis": f"x{number}", "yaxis": f"y{number}"}


def make_legend(names: Sequence[str], width: int) -> tuple[dict[str, Any], int]:
    """A legend below a figure of this width, and its height in pixels, which the page corrects."""
    if len(names) < 2:
        return {}, 0
    below, room = 14, 0
    for name in names:  # as plotly fills its rows
        lines = _folded(name)
        wide = 60 + _LETTER * max(map(len, lines))
        if wide > room:
            below, room = below + 21 + 15 * (len(lines) - 1), width - 40
        room -= wide
    style = {
        "font": {"size": 12},
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "bottom",
        "yref": "container",
        "itemsizing": "constant",
        "tracegroupgap": 2,
    }
    return {**style, "maxheight": 2 * below}, below


def heading(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
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
        **more,
    }


def cut(text: str, most: int) -> str:
    """A text of at most this length."""
    return text if len(text) <= most else f"{text[: max(most, 2) - 1]}…"
