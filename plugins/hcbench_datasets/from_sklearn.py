"""Data sets that scikit-learn downloads, which it does in a process of its own here.

scikit-learn opens URLs without a limit of time. A limit can only be given to all sockets of a
process, which must not be that of the caller. The program of this module sets it in its own::

    python -m hcbench_datasets.from_sklearn fetch_openml '{"data_id": 61, "data_home": "/tmp/x"}'
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hcbench_datasets.fetch import PATIENCE, in_short, not_available, user_folder

T = TypeVar("T")


class DownloadError(OSError):
    """A download failed; the message says why."""


def from_scikit_learn(fetch: Callable[..., T], dataset: str, name: str, advice: str) -> T:
    """Call a fetcher of scikit-learn: for the user's folder, for its own, then with a download.

    Parameters
    ----------
    fetch : callable
        A function of `sklearn.datasets`, or a `functools.partial` of one.
    dataset : str
        Name of the data set, for messages.
    name : str
        The path within HCBENCH_DATA of the file that scikit-learn keeps in its data_home.
    advice : str
        Description of the file, for messages.

    Raises
    ------
    DataNotAvailableError
        If the file is in no folder and cannot be downloaded.
    """
    folder = user_folder()
    data_homes: list[str | None] = []
    # The user's files come before those of earlier downloads.
    if folder is not None:
        data_homes.append(str((folder / name).parent))
    # Last, scikit-learn's own.
    data_homes.append(None)
    for data_home in data_homes:
        try:
            return fetch(data_home=data_home, download_if_missing=False)
        except OSError:
            continue
    function = fetch
    if isinstance(fetch, partial):
        function = fetch.func
    try:
        download(function.__name__, {})
        return fetch(data_home=None, download_if_missing=False)
    except (OSError, ValueError) as error:
        reason = f", and downloading it failed ({in_short(error)})"
    raise not_available(dataset, name, reason, advice)


def from_openml(number: int, data_home: Path, **options: Any) -> Any:
    """A data set of OpenML, as scikit-learn's ``fetch_openml`` returns it.

    Parameters
    ----------
    number : int
        OpenML's number of the data set.
    data_home : Path
        The folder that scikit-learn uses or fills.
    **options
        Further arguments of ``fetch_openml``.

    Raises
    ------
    OSError, ValueError
        If it is not in the folder and cannot be downloaded, or has another checksum.
    """
    from sklearn.datasets import fetch_openml

    arguments = {"data_id": number, **options}
    # Where the description of the data is stored, the data are, too. Otherwise a process that may
    # limit the time to wait fills the folder; this process then opens no connection.
    if not any((data_home / "openml").rglob(f"{number}.gz")):
        download("fetch_openml", {"data_home": str(data_home), **arguments})
    return fetch_openml(data_home=str(data_home), **arguments)


def download(fetcher: str, options: dict[str, Any]) -> None:
    """Have a function of `sklearn.datasets` fill its folder, in another process.

    Parameters
    ----------
    fetcher : str
        Name of the function.
    options : dict
        Its arguments, as JSON can write them.

    Raises
    ------
    DownloadError
        If the server cannot be reached, is silent for `PATIENCE` seconds, or sends other data.
    """
    from hcbench.run import child_environment

    # -P: the folder of the caller may have a file with the name of a module.
    words = [sys.executable, "-P", "-m", "hcbench_datasets.from_sklearn"]
    words += [fetcher, json.dumps(options)]
    done = subprocess.run(
        words,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=child_environment(),
        text=True,
        errors="replace",
    )
    if done.returncode:
        last_line = done.stderr.strip().rpartition("\n")[2]
        raise DownloadError(last_line or f"its process ended with {done.returncode}")


def call_fetcher(fetcher: str, options: dict[str, Any]) -> None:
    """Call the function in this process.

    Raises
    ------
    DownloadError
        See `download`.
    """
    import sklearn.datasets

    fetch = getattr(sklearn.datasets, fetcher)
    try:
        with warnings.catch_warnings():
            # scikit-learn warns before it tries again.
            warnings.simplefilter("ignore")
            fetch(n_retries=1, delay=0.1, **options)
    # ValueError: another checksum, or no data set of that number.
    except (OSError, ValueError) as error:
        raise DownloadError(in_short(error)) from error


if __name__ == "__main__":
    socket.setdefaulttimeout(PATIENCE)
    try:
        call_fetcher(sys.argv[1], json.loads(sys.argv[2]))
    except DownloadError as error:
        sys.exit(str(error))
