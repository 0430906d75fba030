"""Colours, markers and dashes of algorithms, the same in all figures.

Colour-blind readers can distinguish the colours: those of Okabe and Ito, then those of Tol's muted
scheme, of which the light ones are darkened until their contrast to white is 3, as WCAG 2.2
requires of lines. Each colour comes with a marker and a dash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench.analysis.results import Results

PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#978849",
    "#178BFF",
    "#000000",
    "#332288",
    "#882255",
    "#117733",
    "#999933",
    "#AA4499",
    "#278DB9",
    "#CC6677",
    "#438B76",
    "#9B7C34",
)
#: The same for a dark background, with a contrast of at least 4.5 to it.
PALETTE_DARK = (
    "#4DA6DB",
    "#F0874A",
    "#2CC79B",
    "#E3A1C6",
    "#E69F00",
    "#8ACBF2",
    "#F0F0F0",
    "#8F5EFF",
    "#D672A4",
    "#5DB37A",
    "#C2C25E",
    "#D583CB",
    "#6C83E0",
    "#E08C9B",
    "#6CC9BC",
    "#DDCC77",
)
REFERENCE = "#767676"
REFERENCE_DARK = "#A6A6A6"
#: Names of markers in matplotlib and in plotly.
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "triangle-down",
    "cross",
    "x",
    "star",
)
#: Of references, in plotly.
REFERENCE_SYMBOLS = ("star-open", "hexagon-open", "pentagon-open", "hourglass-open")
DASHES = ("solid", "dash", "dashdot", "dot")
_LINESTYLES = {"solid": "-", "dash": "--", "dashdot": "-.", "dot": ":"}


@dataclass(frozen=True, slots=True)
class Look:
    """How an algorithm is drawn.

    Attributes
    ----------
    colour, dark : str
        On a light and on a dark background.
    marker : str
        In matplotlib; "" for none.
    symbol : str
        The same in plotly.
    dash : str
        One of `DASHES`.
    """

    colour: str
    dark: str
    marker: str
    symbol: str
    dash: str

    @property
    def style(self) -> dict[str, Any]:
        """Arguments of matplotlib's `plot`."""
        return {
            "color": self.colour,
            "linestyle": _LINESTYLES[self.dash],
            "marker": self.marker,
        }


def look_number(place: int) -> Look:
    """The k-th look; they repeat after 16 colours times 4 dashes."""
    return Look(
        PALETTE[place % len(PALETTE)],
        PALETTE_DARK[place % len(PALETTE)],
        MARKERS[place % len(MARKERS)],
        SYMBOLS[place % len(SYMBOLS)],
        DASHES[place // len(PALETTE) % len(DASHES)],
    )


def looks_for(names: Sequence[str], references: Iterable[str] = ()) -> dict[str, Look]:
    """A look for each name, in order; reference lines are grey and dashed."""
    plain = set(references)
    looks: dict[str, Look] = {}
    shown = 0
    for name in dict.fromkeys(names):
        if name in plain:
            symbol = REFERENCE_SYMBOLS[(len(looks) - shown) % len(REFERENCE_SYMBOLS)]
            looks[name] = Look(REFERENCE, REFERENCE_DARK, "", symbol, "dash")
        else:
            looks[name] = look_number(shown)
            shown += 1
    return looks


def looks_of(results: Results, names: Iterable[str] = ()) -> dict[str, Look]:
    """The look of each algorithm of a comparison by label, the same in all figures.

    Parameters
    ----------
    results : Results
    names : iterable of str, optional
        Names of variants such as "4-AL, budget 1,000" (see `groups.name_variants`). These have the
        colour of their algorithm, and their own marker and dash.
    """
    looks = looks_for(results.algorithms, results.references)
    variants: dict[str, int] = {}
    for name in names:
        algorithm = max((a for a in looks if name.startswith(f"{a}, ")), key=len, default=None)
        if name not in looks and algorithm is not None:
            looks[name] = _variant(looks[algorithm], variants.setdefault(algorithm, 0))
            variants[algorithm] += 1
    return looks


def _variant(look: Look, number: int) -> Look:
    if not number:
        return look
    place = MARKERS.index(look.marker) if look.marker else 0
    marker = (place + number) % len(MARKERS)
    dash = DASHES[(DASHES.index(look.dash) + number) % len(DASHES)]
    return replace(look, marker=MARKERS[marker], symbol=SYMBOLS[marker], dash=dash)
