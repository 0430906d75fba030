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
    from hcbench.results.results import Results

#: Each on a light background, and on a dark one, with a contrast of at least 4.5 to it.
_COLOURS = (
    ("#0072B2", "#4DA6DB"),
    ("#D55E00", "#F0874A"),
    ("#009E73", "#2CC79B"),
    ("#CC79A7", "#E3A1C6"),
    ("#978849", "#E69F00"),
    ("#178BFF", "#8ACBF2"),
    ("#000000", "#F0F0F0"),
    ("#332288", "#8F5EFF"),
    ("#882255", "#D672A4"),
    ("#117733", "#5DB37A"),
    ("#999933", "#C2C25E"),
    ("#AA4499", "#D583CB"),
    ("#278DB9", "#6C83E0"),
    ("#CC6677", "#E08C9B"),
    ("#438B76", "#6CC9BC"),
    ("#9B7C34", "#DDCC77"),
)
#: On a light ground, and on a dark one.
PALETTE = tuple(light for light, _ in _COLOURS)
PALETTE_DARK = tuple(dark for _, dark in _COLOURS)
REFERENCE = "#767676"
REFERENCE_DARK = "#A6A6A6"
#: Of lines that only guide the eye.
GUIDE = "#bbbbbb"
#: Names of markers in matplotlib and in plotly.
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "star")
#: Of references, in plotly.
REFERENCE_SYMBOLS = ("star-open", "hexagon-open", "pentagon-open", "hourglass-open")
#: Names of dashes in plotly; those of matplotlib are in `_LINESTYLES`.
DASHES = ("solid", "dash", "dashdot", "dot")
_REFERENCE_DASHES = ("dash", "dot", "dashdot")
_LINESTYLES = {"solid": "-", "dash": "--", "dashdot": "-.", "dot": ":"}


@dataclass(frozen=True, slots=True)
class Look:
    """How an algorithm is drawn.

    Attributes
    ----------
    colour : str
    marker : str
        In matplotlib; "" for none.
    symbol : str
        The same in plotly.
    dash : str
        One of `DASHES`.

    Examples
    --------
    >>> look = hcbench.figures.looks_for(["UPGMA", "Ward"])["Ward"]
    >>> look.colour, look.marker, look.dash
    ('#D55E00', 's', 'solid')
    >>> look.style
    {'color': '#D55E00', 'linestyle': '-', 'marker': 's'}
    """

    colour: str
    marker: str
    symbol: str
    dash: str

    @property
    def style(self) -> dict[str, Any]:
        """Arguments of matplotlib's `plot`."""
        line = _LINESTYLES[self.dash]
        return {"color": self.colour, "linestyle": line, "marker": self.marker}


def looks_for(names: Sequence[str], references: Iterable[str] = ()) -> dict[str, Look]:
    """A look for each name, in order; reference lines are grey, and not solid.

    Looks repeat after 16 colours times 4 dashes, those of references after 3 dashes.

    Examples
    --------
    >>> looks = looks_for(["UPGMA", "Ward", "Random"], references=["Random"])
    >>> [(name, look.colour, look.dash) for name, look in looks.items()]
    [('UPGMA', '#0072B2', 'solid'), ('Ward', '#D55E00', 'solid'), ('Random', '#767676',
    'dash')]
    """
    looks: dict[str, Look] = {}
    grey_names = set(references)
    # The places of the next reference and of the next other name.
    n_references = 0
    n_coloured = 0
    for name in dict.fromkeys(names):
        if name in grey_names:
            looks[name] = _look_of_reference(n_references)
            n_references += 1
        else:
            looks[name] = _look_of_place(n_coloured)
            n_coloured += 1
    return looks


def _look_of_reference(place: int) -> Look:
    return Look(
        colour=REFERENCE,
        marker="",
        symbol=REFERENCE_SYMBOLS[place % len(REFERENCE_SYMBOLS)],
        dash=_REFERENCE_DASHES[place % len(_REFERENCE_DASHES)],
    )


def _look_of_place(place: int) -> Look:
    marker = place % len(MARKERS)
    # Colours that occur again come with another dash.
    n_rounds = place // len(PALETTE)
    return Look(
        colour=PALETTE[place % len(PALETTE)],
        marker=MARKERS[marker],
        symbol=SYMBOLS[marker],
        dash=DASHES[n_rounds % len(DASHES)],
    )


def looks_of(results: Results, names: Iterable[str] = ()) -> dict[str, Look]:
    """The look of each algorithm of a comparison by label, the same in all figures.

    Parameters
    ----------
    results : Results
    names : iterable of str, optional
        Names of variants such as "4-AL, budget 1,000" (see `groups.name_variants`). These have the
        colour of their algorithm, and their own marker and dash.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> looks = looks_of(results, ["Complete, budget 5", "Complete, budget 9"])
    >>> [(name, look.colour, look.marker) for name, look in looks.items()]
    [('Single', '#0072B2', 'o'), ('Complete', '#D55E00', 's'), ('Complete, budget 5',
    '#D55E00', 's'), ('Complete, budget 9', '#D55E00', 'D')]
    """
    looks = looks_for(results.algorithms, results.references)
    # How many variants of each algorithm have a look.
    variants: dict[str, int] = {}
    for name in names:
        # A variant of "4-AL, x" is not one of "4-AL".
        algorithms = []
        for label in looks:
            if name.startswith(f"{label}, "):
                algorithms.append(label)
        if name not in looks and algorithms:
            algorithm = max(algorithms, key=len)
            number = variants.get(algorithm, 0)
            looks[name] = _variant(looks[algorithm], number)
            variants[algorithm] = number + 1
    return looks


def _variant(look: Look, number: int) -> Look:
    """The look of a variant of an algorithm, the first of which looks as the algorithm."""
    if not number:
        return look
    # References have no marker.
    place = MARKERS.index(look.marker) if look.marker else 0
    marker = (place + number) % len(MARKERS)
    dash = DASHES[(DASHES.index(look.dash) + number) % len(DASHES)]
    return replace(look, marker=MARKERS[marker], symbol=SYMBOLS[marker], dash=dash)
