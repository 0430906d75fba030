"""The size of each package in this environment except installers; an error above the limits.

Run ``python .ci/sizes.py`` in a fresh environment into which hcbench was installed without extras.
"""

from __future__ import annotations

import sys
from importlib.metadata import distributions
from importlib.util import cache_from_source
from pathlib import Path

#: In MB (2**20 bytes on the disk) of all packages together, and in packages.
LARGEST, MOST = 740, 42
#: Packages that the environment has for installing others.
INSTALLERS = ("pip", "setuptools", "uv")


def size(path: Path) -> int:
    """Bytes that a file takes on the disk, with its bytecode, which uv does not record."""
    files = [path, Path(cache_from_source(path))] if path.suffix == ".py" else [path]
    return sum(file.lstat().st_blocks * 512 for file in files if file.exists())


def main() -> None:
    """Print the packages by size, and fail above a limit."""
    sizes = {
        installed.name: sum(
            size(Path(str(installed.locate_file(file))))
            for file in installed.files or ()
            if file.suffix != ".pyc"
        )
        for installed in distributions(path=[p for p in sys.path if p.startswith(sys.prefix)])
        if installed.name not in INSTALLERS
    }
    total = sum(sizes.values())
    for name, bytes_ in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{bytes_ / 2**20:6.1f} MB  {name}")
    print(f"{total / 2**20:6.1f} MB in {len(sizes)} packages (at most {LARGEST} MB in {MOST})")
    if total > LARGEST * 2**20 or len(sizes) > MOST:
        sys.exit("the installation is too large: see the dependencies in pyproject.toml")


if __name__ == "__main__":
    main()
