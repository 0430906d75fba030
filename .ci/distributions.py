"""Check what the sdist and the wheel contain: ``python .ci/distributions.py FOLDER``.

FOLDER has one of each, as ``python -m build --outdir FOLDER`` writes them. A missing file, or one
that nobody should download, is an error.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

#: Of an archive, in MB (10**6 bytes): code and documentation, and no data.
LARGEST = 5
#: What an sdist has beside the code.
IN_SDIST = (
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "PKG-INFO",
    "README.md",
    "pyproject.toml",
    "core/hcbench/__init__.py",
    "tests/conftest.py",
)
#: What a wheel has; DIST-INFO is its folder of metadata.
IN_WHEEL = (
    "DIST-INFO/METADATA",
    "DIST-INFO/RECORD",
    "DIST-INFO/WHEEL",
    "DIST-INFO/entry_points.txt",
    "DIST-INFO/licenses/LICENSE",
    "hcbench/__init__.pyi",
    "hcbench/py.typed",
    "hcbench_standard/references.bib",
)
#: Caches, compiled files, results, and data except small ones of the tests.
_UNWANTED = re.compile(
    r"(^|/)(__pycache__|\.[a-z_]+_cache|\.venv|\.git|\.asv|\.hypothesis|build|dist)/"
    r"|\.(pyc|nbi|nbc|so)$"
    r"|^(?!tests/).*\.(sqlite|db|npy|npz|parquet|h5|h5ad|gz|zip|xz)$"
    r"|^benchmarks/results/standard-"
)


def faults_of(names: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """What is wrong with the names of the files of an archive."""
    present = set(names)
    faults = [f"no {name}" for name in wanted if name not in present]
    for name in sorted(present):
        if _UNWANTED.search(name):
            faults.append(f"{name} is no part of a release")
    return faults


def names_in_sdist(path: Path) -> list[str]:
    """The files of an sdist, without the folder that all are in."""
    with tarfile.open(path) as archive:
        files = [member.name for member in archive if not member.isdir()]
    return [str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in files]


def names_in_wheel(path: Path) -> list[str]:
    """The files of a wheel, with ``DIST-INFO`` for its folder of metadata."""
    with zipfile.ZipFile(path) as archive:
        files = [name for name in archive.namelist() if not name.endswith("/")]
    return [re.sub(r"^[^/]+\.dist-info/", "DIST-INFO/", name) for name in files]


def check(folder: Path) -> list[str]:
    """What is wrong with the two archives in a folder."""
    sdists = list(folder.glob("*.tar.gz"))
    wheels = list(folder.glob("*.whl"))
    if len(sdists) != 1 or len(wheels) != 1:
        return [f"{len(sdists)} sdists and {len(wheels)} wheels in {folder}, and not one of each"]
    names = names_in_sdist(sdists[0])
    faults = faults_of(names, IN_SDIST)
    print(f"{sdists[0].name}: {len(names)} files")
    names = names_in_wheel(wheels[0])
    faults += faults_of(names, IN_WHEEL)
    for name in names:
        package = name.partition("/")[0]
        if not package.startswith("hcbench") and package != "DIST-INFO":
            faults.append(f"the wheel has {name}, which would be installed beside the packages")
    print(f"{wheels[0].name}: {len(names)} files")
    for path in (sdists[0], wheels[0]):
        megabytes = path.stat().st_size / 1e6
        if megabytes > LARGEST:
            faults.append(f"{path.name} has {megabytes:.1f} MB, and at most {LARGEST} are allowed")
    return faults


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    for fault in found:
        print(fault)
    sys.exit(bool(found))
