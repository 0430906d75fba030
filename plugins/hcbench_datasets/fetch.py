"""Files of public data: from the user's folder, else the cache, else a download with a checksum.

The environment variable HCBENCH_DATA names the folder; platformdirs determines the cache. A file
that is not available raises a `DataNotAvailableError` of one line, and a run skips its cells.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, DataNotAvailableError
from hcbench.files import decode_text

FOLDER = "HCBENCH_DATA"
PATIENCE = 5.0  # seconds without a response from the server
_LONG = 100  # characters of a message
#: How pooch and scikit-learn say that a checksum is not the known one.
_OTHER_CHECKSUM = re.compile(r"does not match the known hash|checksum|SHA256", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Remote:
    """A file to download.

    Attributes
    ----------
    url : str
    checksum : str
        Of the download: SHA-256, or ``md5:...`` where nothing else is published.
    member : str
        If the download is an archive, the end of the name of the member to extract.

    Examples
    --------
    >>> checksum = "md5:9e107d9d372bb6826bd81d3542a419d6"
    >>> remote = Remote("https://example.org/flowers.zip", checksum, member="flowers.csv")
    >>> remote.member
    'flowers.csv'
    """

    url: str
    checksum: str
    member: str = ""


def user_folder() -> Path | None:
    """The folder that HCBENCH_DATA names, if it is set."""
    folder = os.environ.get(FOLDER, "").strip()
    if not folder:
        return None
    return Path(folder).expanduser()


def cache_folder() -> Path:
    """The folder of downloads and of the results of long preparations."""
    from platformdirs import user_cache_path

    return user_cache_path("hcbench", appauthor=False) / "data"


def data_file(name: str, dataset: str, advice: str, remote: Remote | None = None) -> Path:
    """The path of a data file, which is downloaded if necessary and possible.

    Parameters
    ----------
    name : str
        Relative to the user's folder and to the cache; a file whose name ends with .gz may also
        be there decompressed.
    dataset : str
        Name of the data set, for messages.
    advice : str
        Description of the file and where to get it, for messages.
    remote : Remote, optional
        Without it, nothing is downloaded.

    Raises
    ------
    DataNotAvailableError
        With a one-line message that says which file to put where.

    Examples
    --------
    >>> data_file("my-flowers.csv", "my-flowers", "a table of 150 flowers, from its authors")
    Traceback (most recent call last):
        ...
    hcbench.errors.DataNotAvailableError: my-flowers...a table of 150 flowers, from its authors...
    """
    cache = cache_folder()
    for folder in (user_folder(), cache):
        # Browsers decompress some files when they save them.
        for candidate in (name, name.removesuffix(".gz")):
            if folder is not None and (folder / candidate).is_file():
                return folder / candidate
    reason = ""
    if remote is not None:
        try:
            return _download(remote, cache / name)
        except (OSError, ValueError, zipfile.BadZipFile, tarfile.TarError) as error:
            reason = f", and downloading it failed ({in_short(error)})"
    raise not_available(dataset, name, reason, advice)


def not_available(dataset: str, name: str, reason: str, advice: str) -> DataNotAvailableError:
    """The error, with a one-line message, for data that are not available."""
    folder = user_folder()
    if folder is None:
        where = f"{FOLDER}, which is not set"
        remedy = f"set {FOLDER} to the folder that holds {name}"
    else:
        where = f"{FOLDER}={folder}"
        remedy = f"put it at {folder / name}"
    return DataNotAvailableError(f"{dataset}: no {name} in {where}{reason}; {remedy}: {advice}")


def in_short(error: BaseException) -> str:
    """An error's message, or of a long one the name of its class.

    That a file has another checksum is said in our words: libraries do so in several sentences.
    """
    text = " ".join(str(error).split())
    if _OTHER_CHECKSUM.search(text):
        return "its checksum is not the known one: the file has changed there, or is damaged"
    if len(text) > _LONG or not text:
        return type(error).__name__
    return text


def _download(remote: Remote, target: Path) -> Path:
    """Download with pooch, which verifies the checksum and moves the complete file into place."""
    import pooch

    target.parent.mkdir(parents=True, exist_ok=True)
    name = target.name
    if remote.member:
        # The archive is kept, as other members may be needed.
        name = remote.url.rsplit("/", 1)[-1]
    checksum = remote.checksum
    # pooch wants the algorithm in front.
    if ":" not in checksum:
        checksum = f"sha256:{checksum}"
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("ERROR")  # it tells of each download
    try:
        file = pooch.retrieve(
            remote.url,
            known_hash=checksum,
            fname=name,
            path=target.parent,
            downloader=pooch.HTTPDownloader(timeout=PATIENCE, progressbar=False),
        )
    finally:
        logger.setLevel(level)
    if remote.member:
        _extract(Path(file), remote.member, target)
    return target


def _extract(archive: Path, member: str, target: Path) -> None:
    """Write the member of a zip file or a tar file whose name ends so; the first if several do."""
    if zipfile.is_zipfile(archive):
        content = _member_of_zip(archive, member)
    else:
        content = _member_of_tar(archive, member)
    if content is None:
        raise ValueError(f"{archive.name} has no {member}")
    write_whole(target, content)


def _member_of_zip(archive: Path, member: str) -> bytes | None:
    with zipfile.ZipFile(archive) as packed:
        for name in packed.namelist():
            if name.endswith(member):
                return packed.read(name)
    return None


def _member_of_tar(archive: Path, member: str) -> bytes | None:
    with tarfile.open(archive) as packed:
        for entry in packed:
            if not entry.isfile() or not entry.name.endswith(member):
                continue
            file = packed.extractfile(entry)
            assert file is not None  # only what is no file has none
            return file.read()
    return None


def write_whole(target: Path, content: bytes) -> None:
    """Write a file atomically."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # Another process may read or write the same file.
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(target)


def read_bytes(path: Path) -> bytes:
    """The content of a file, decompressed if its name ends with .gz.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        return content
    except (OSError, EOFError) as error:
        raise DataError.of_file("read", path, error) from error


def open_text(path: Path) -> io.StringIO:
    """The text of a file, decompressed if its name ends with .gz; see `hcbench.files.decode_text`.

    Raises
    ------
    DataError
        If it cannot be read, or is no text.
    """
    text, _ = decode_text(path, read_bytes(path))
    return io.StringIO(text, newline="")


def csv_rows(path: Path) -> list[list[str]]:
    """The rows of a CSV file, of ours or of a publication, but for empty lines."""
    return list(filter(None, csv.reader(open_text(path))))


def sampled_rows(n: int | None, available: int, seed: int, dataset: str) -> NDArray[np.int64]:
    """Indices (n,) of a random sample of items in ascending order, or of all items.

    Raises
    ------
    DataError
        If there are fewer than n items.
    """
    if n is None:
        return np.arange(available)
    if n > available:
        raise DataError(
            f"{dataset}: n={n} exceeds the {available} items; take n={available} for all"
        )
    return np.sort(np.random.default_rng(seed).choice(available, n, replace=False))
