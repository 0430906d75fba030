"""The documentation of all versions: ``python .ci/docs/versions.py SITE ARCHIVES URL``.

SITE has the folder ``latest``, that of the main branch. The archives of the releases, in ARCHIVES,
are unpacked beside it: ``0.2`` is that of the last release 0.2.x, and ``stable`` a copy of that of
the last release. ``versions.json`` lists them for the switcher of the theme, and ``index.html``
leads to the stable one, or to the latest before the first release.
"""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

from packaging.version import Version

#: The folder of the main branch.
LATEST = "latest"
#: The copy of the folder of the last release.
STABLE = "stable"
#: What the release workflow attaches to a release: an archive with the folder ``html``.
ARCHIVE = "documentation-{version}.tar.gz"

_HOME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>hcbench</title>
<link rel="icon" href="{folder}/_static/icon.svg">
<meta http-equiv="refresh" content="0; url={folder}/index.html">
</head>
<body><p><a href="{folder}/index.html">The documentation of hcbench</a></p></body>
</html>
"""


def folder_of(version: str) -> str:
    """The folder of a version: ``0.2`` of 0.2.1, ``latest`` of what is not released."""
    parsed = Version(version)
    if parsed.is_prerelease:
        return LATEST
    return f"{parsed.major}.{parsed.minor}"


def last_releases(archives: Path) -> dict[str, Path]:
    """By folder, the archive of its last release; the newest folder first."""
    prefix, _, suffix = ARCHIVE.partition("{version}")
    releases = []
    for path in archives.glob(f"{prefix}*{suffix}"):
        name = path.name.removeprefix(prefix).removesuffix(suffix)
        releases.append((Version(name), path))
    last: dict[str, Path] = {}
    for version, path in sorted(releases, reverse=True):
        folder = folder_of(str(version))
        if folder != LATEST:
            last.setdefault(folder, path)
    return last


def unpack(archive: Path, target: Path) -> None:
    """Unpack the folder ``html`` of an archive as another folder, in place of an older one."""
    unpacked = target.with_name(f"{target.name}.unpacked")
    with tarfile.open(archive) as file:
        file.extractall(unpacked, filter="data")
    shutil.rmtree(target, ignore_errors=True)
    (unpacked / "html").rename(target)
    unpacked.rmdir()


def entries_of(releases: Mapping[str, Path], url: str) -> list[dict[str, str | bool]]:
    """The entries of the switcher, as the theme reads them.

    Parameters
    ----------
    releases : mapping of str to Path
        What `last_releases` returns.
    url : str
        Where the folders are published, with a slash at the end.
    """
    entries: list[dict[str, str | bool]] = [
        {"name": LATEST, "version": LATEST, "url": f"{url}{LATEST}/"}
    ]
    for folder in releases:
        entries.append({"name": folder, "version": folder, "url": f"{url}{folder}/"})
    if releases:
        stable = entries[1]
        stable["name"] = f"{stable['name']} ({STABLE})"
        # Other versions have a warning that leads to this one.
        stable["preferred"] = True
    return entries


def main(site: Path, archives: Path, url: str) -> None:
    """Write the folders of all releases, the list of versions and the first page."""
    releases = last_releases(archives)
    for folder, archive in releases.items():
        unpack(archive, site / folder)
    home = LATEST
    if releases:
        home = STABLE
        shutil.rmtree(site / STABLE, ignore_errors=True)
        shutil.copytree(site / next(iter(releases)), site / STABLE)
    text = json.dumps(entries_of(releases, url), indent=1)
    (site / "versions.json").write_text(f"{text}\n", encoding="utf-8")
    (site / "index.html").write_text(_HOME.format(folder=home), encoding="utf-8")
    print(f"{site}: {', '.join([LATEST, *releases])}; the home page leads to {home}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3])
