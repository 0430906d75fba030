"""Daily returns of S&P 500 stocks (Kaggle), with their GICS sectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, DataRequest, Problem
from hcbench_datasets.content import check_names, places, table_of_labels
from hcbench_datasets.fetch import csv_rows, data_file

FILE = "sp500_returns.csv.gz"
ADVICE = (
    "a CSV file with the columns symbol, sector, sub_industry and one column of returns per day, "
    "made from https://www.kaggle.com/datasets/camnugent/sandp500"
)
_HEAD = ["symbol", "sector", "sub_industry"]


def sp500(_request: DataRequest, *, standardise: bool) -> Problem:
    """Returns (close - open) / open of each stock (Gray et al. 2023, section 4 and D.5).

    The file determines the stocks and days. With ``standardise`` each stock has mean 0 and
    standard deviation 1 over the days, so that all rows have the same norm: the dot product and
    the cosine then give the same ranking, as they do in the paper's table. Levels and truth:
    sector and sub-industry.

    Raises
    ------
    DataNotAvailableError
        If the file is missing.
    DataError
        If the file has another format, or a stock with constant returns is to be standardised.
    """
    table = read_returns(data_file(FILE, "sp500", ADVICE))
    vectors = table.returns
    if standardise:
        vectors = _standardised(vectors, table.symbols)
    return Problem(
        n=len(vectors),
        names=table.symbols,
        vectors=vectors,
        levels=table_of_labels([table.sectors, table.sub_industries]),
    )


@dataclass(frozen=True, slots=True)
class Returns:
    """The content of the file, with a row of returns (n, days) for each stock."""

    symbols: tuple[str, ...]
    sectors: list[str]
    sub_industries: list[str]
    returns: NDArray[np.float64]


def read_returns(path: Path) -> Returns:
    """Read symbols, sectors, sub-industries and returns."""
    rows = csv_rows(path)
    # The header, and two stocks to compare.
    if len(rows) < 3 or rows[0][:3] != _HEAD:
        raise DataError(f"{path} must have the columns {', '.join(_HEAD)} and at least 2 stocks")
    width = len(rows[0])
    for line, row in enumerate(rows, start=1):
        if len(row) != width:
            raise DataError(f"{path}, line {line}: {len(row)} cells where the header has {width}")
    symbols = []
    sectors = []
    sub_industries = []
    returns = []
    # Below the header.
    for symbol, sector, sub_industry, *returns_of_days in rows[1:]:
        symbols.append(symbol)
        sectors.append(sector)
        sub_industries.append(sub_industry)
        returns.append(returns_of_days)
    try:
        numbers = np.array(returns, dtype=np.float64)
    except ValueError as error:
        raise DataError(f"{path}: {error}; returns must be numbers") from error
    names = check_names(symbols, places("line", 2, len(symbols)), str(path))
    return Returns(names, sectors, sub_industries, numbers)


def _standardised(returns: NDArray[np.float64], symbols: tuple[str, ...]) -> NDArray[np.float64]:
    # They would be divided by 0.
    still = np.flatnonzero((returns == returns[:, :1]).all(axis=1))
    if still.size:
        raise DataError(
            f"sp500: the returns of {symbols[still[0]]} are constant; standardise=false keeps them"
        )
    centred = returns - returns.mean(axis=1, keepdims=True)
    scaled: NDArray[np.float64] = centred / centred.std(axis=1, keepdims=True)
    return scaled
