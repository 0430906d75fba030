"""Colours, markers and dashes by which algorithms are told apart, in every figure the same.

The colours are told apart by colour-blind people too: Okabe and Ito's, then those of Tol's muted
scheme, of which the light ones are darkened until their contrast to white is 3, as WCAG 2.2 asks of
lines. Nothing is told by colour alone: a marker and a dash go with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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
#: The same on a dark ground, with a contrast of 4.5 to it: what would vanish there is lightened.
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
#: As matplotlib writes them, and as plotly does.
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
DASHES = ("solid", "dash", "dashdot", "dot")
_LINESTYLES = {"solid": "-", "dash": "--", "dashdot": "-.", "dot": ":"}


@dataclass(frozen=True, slots=True)
class Look:
    """How one algorithm is drawn.

    Attributes
    ----------
    colour, dark : str
        On a light and on a dark ground.
    marker : str
        As matplotlib writes it; "" for none.
    symbol : str
        The same, as plotly writes it.
    dash : str
        One of `DASHES`.
    """

    colour: str
    dark: str
    marker: str
    symbol: str
    dash: str

    @property
    def linestyle(self) -> str:
        """The dash as matplotlib writes it."""
        return _LINESTYLES[self.dash]


def look_number(place: int) -> Look:
    """The look of the so-manieth; 16 colours times 4 dashes come before any comes again."""
    return Look(
        PALETTE[place % len(PALETTE)],
        PALETTE_DARK[place % len(PALETTE)],
        MARKERS[place % len(MARKERS)],
        SYMBOLS[place % len(SYMBOLS)],
        DASHES[place // len(PALETTE) % len(DASHES)],
    )


def looks_for(names: Sequence[str], references: Iterable[str] = ()) -> dict[str, Look]:
    """A look for each name, in their order; reference lines are grey and dashed."""
    plain = set(references)
    looks: dict[str, Look] = {}
    shown = 0
    for name in dict.fromkeys(names):
        if name in plain:
            looks[name] = Look(REFERENCE, REFERENCE_DARK, "", "circle-open", "dash")
        else:
            looks[name] = look_number(shown)
            shown += 1
    return looks


def looks_of(results: Results, names: Iterable[str] = ()) -> dict[str, Look]:
    """The look of each algorithm of a comparison, by its label; the same in every figure.

    Parameters
    ----------
    results : Results
    names : iterable of str, optional
        Of what competes several times, as "4-AL, budget 1,000" (see `groups.name_variants`): these
        have the colour of their algorithm, and a marker and a dash of their own.
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
