"""Tables 1 to 4 of Gray et al. 2023 as printed, misprints included.

A cell is a mean tau_b and, in brackets, its standard error over the points in thousandths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

TABLE_1 = """
           DotProduct | UPGMA[metric=cosine] | HDBSCAN       | UPGMA        | Ward
Newsgroups Y    0.26 (2.9) | 0.26 (2.9) | -0.010 (0.65)  | 0.23 (2.7)  | 0.18 (2.5)
Newsgroups zeta 0.24 (2.6) | 0.18 (1.9) | -0.016 (1.9)   | 0.038 (1.5) | 0.19 (2.7)
Zebrafish  Y    0.34 (3.4) | 0.25 (3.1) | 0.023 (2.9)    | 0.27 (3.2)  | 0.30 (3.8)
Zebrafish  zeta 0.34 (3.4) | 0.27 (3.2) | 0.11 (2.8)     | 0.16 (2.5)  | 0.29 (3.8)
Reviews    Y    0.15 (2.5) | 0.12 (1.9) | 0.014 (1.1)    | 0.070 (1.5) | 0.10 (1.8)
Reviews    zeta 0.14 (2.4) | 0.14 (2.4) | -0.0085 (0.78) | 0.14 (2.6)  | 0.12 (2.4)
Stocks     Y    0.34 (10)  | 0.34 (10)  | 0.14 (9.3)     | 0.34 (1)    | 0.35 (10)
Stocks     zeta 0.36 (9.4) | 0.42 (11)  | 0.33 (13)      | 0.39 (11)   | 0.39 (11)
Simulated  Y    0.86 (1)   | 0.81 (2)   | 0.52 (8)       | 0.52 (8)    | 0.52 (8)
Simulated  zeta 0.86 (1)   | 0.81 (2)   | 0.52 (8)       | 0.52 (8)    | 0.52 (8)
"""

TABLE_2 = """
                p=500        | p=1000      | p=5000     | p=7500     | p=12818
Newsgroups Y    0.026 (0.55) | 0.016 (1.0) | 0.13 (2.2) | 0.17 (2.5) | 0.26 (2.9)
Newsgroups zeta 0.017 (0.72) | 0.047 (1.2) | 0.12 (1.9) | 0.15 (2.5) | 0.24 (2.6)
"""

TABLE_3 = """
           DotProduct | Complete | Complete[metric=cosine] | Single | Single[metric=cosine]
Newsgroups Y    0.26 (2.9) | 0.022 (0.87) | -0.010 (0.88) | -0.0025 (0.62) | -0.0025 (0.62)
Newsgroups zeta 0.24 (2.6) | 0.0041 (1.2) | 0.036 (1.2)   | -0.016 (2.0)   | 0.067 (1.5)
Zebrafish  Y    0.34 (3.4) | 0.15 (2.2)   | 0.24 (3.2)    | 0.023 (3.0)    | 0.032 (2.9)
Zebrafish  zeta 0.34 (3.4) | 0.17 (2.0)   | 0.30 (3.4)    | 0.12 (2.8)     | 0.15 (3.2)
Reviews    Y    0.15 (2.5) | 0.019 (0.90) | 0.023 (1.0)   | 0.0013 (0.81)  | 0.0013 (0.81)
Reviews    zeta 0.14 (2.4) | 0.058 (1.5)  | 0.063 (1.8)   | 0.015 (1.2)    | 0.038 (1.0)
Stocks     Y    0.34 (10)  | 0.33 (10)    | 0.33 (10)     | 0.17 (10)      | 0.17 (10)
Stocks     zeta 0.36 (9.4) | 0.32 (10)    | 0.31 (10)     | 0.36 (13)      | 0.39 (12)
Simulated  Y    0.86 (1)   | 0.55 (8.7)   | 0.84 (2.0)    | 0.55 (8.7)     | 0.84 (2.0)
Simulated  zeta 0.86 (1)   | 0.55 (8.7)   | 0.84 (2.0)    | 0.55 (8.7)     | 0.84 (2.0)
"""

TABLE_4 = """
                UPGMA[metric=dot-product] | UPGMA[metric=manhattan]
Newsgroups Y    -0.0053 (0.24) | -0.0099 (1.3)
Newsgroups zeta 0.0029 (0.33)  | 0.052 (1.6)
Zebrafish  Y    0.0012 (0.13)  | 0.16 (2.4)
Zebrafish  zeta 0.00046 (0.12) | 0.050 (2.8)
Reviews    Y    -0.0005 (0.29) | 0.0018 (0.44)
Reviews    zeta -0.0015 (0.41) | 0.061 (1.3)
Stocks     Y    0.0026 (7.7)   | 0.37 (9.4)
Stocks     zeta 0.0028 (7.5)   | 0.39 (11)
Simulated  Y    -0.0026 (1.6)  | 0.55 (8.7)
Simulated  zeta -0.0023 (1.8)  | 0.84 (2)
"""

TABLES = {1: TABLE_1, 2: TABLE_2, 3: TABLE_3, 4: TABLE_4}


@dataclass(frozen=True, slots=True)
class Printed:
    """A cell of a table.

    Attributes
    ----------
    table : int
    data : str
    scores : bool
        Whether the input is principal component scores (zeta) rather than vectors (Y).
    column : str
        Heading of its column: an algorithm, or in Table 2 the number of terms.
    value : str
        As printed.
    printed_error : str
        The standard error, with the printed digits.
    """

    table: int
    data: str
    scores: bool
    column: str
    value: str
    printed_error: str

    @property
    def error(self) -> float:
        """The standard error as a number."""
        return float(self.printed_error)

    @property
    def place(self) -> str:
        """Table, row and column."""
        return f"Table {self.table}: {self.data} {'zeta' if self.scores else 'Y'}, {self.column}"


def columns_of(table: int) -> list[str]:
    """Headings of the columns of a table."""
    return [name.strip() for name in TABLES[table].strip().splitlines()[0].split("|")]


def cells_of(table: int) -> Iterator[Printed]:
    """The cells of a table, row by row."""
    columns = columns_of(table)
    for line in TABLES[table].strip().splitlines()[1:]:
        data, kind, rest = line.split(maxsplit=2)
        printed = re.findall(r"(\S+) +\((\S+)\)", rest)
        for column, (value, error) in zip(columns, printed, strict=True):
            thousandths = str(Decimal(error).scaleb(-3))
            yield Printed(table, data, kind == "zeta", column, value, thousandths)
