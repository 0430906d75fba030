"""The size of each package in this environment; an error above the limits.

Run ``python .ci/sizes.py`` in a fresh environment into which hcbench was installed without extras.
"""

from __future__ import annotations

import sys
from importlib.metadata import distributions
from pathlib import Path

#: In MB (2**20 bytes on the disk) of the whole environment, and in packages.
LARGEST, MOST = 780, 44


def size(path: Path) -> int:
    """Bytes that a file takes on the disk."""
    return path.lstat().st_blocks * 512


def main() -> None:
    """Print the packages by size, and fail above a limit."""
    sizes = {
        installed.name: sum(
            size(path)
            for file in installed.files or ()
            if (path := Path(str(installed.locate_file(file)))).exists()
        )
        for installed in distributions(path=[p for p in sys.path if p.startswith(sys.prefix)])
    }
    total = sum(map(size, Path(sys.prefix).rglob("*")))
    for name, bytes_ in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{bytes_ / 2**20:6.1f} MB  {name}")
    print(f"{total / 2**20:6.1f} MB in {len(sizes)} packages (at most {LARGEST} MB in {MOST})")
    if total > LARGEST * 2**20 or len(sizes) > MOST:
        sys.exit("the installation is too large: see the dependencies in pyproject.toml")


if __name__ == "__main__":
    main()
