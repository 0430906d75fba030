"""The folder of a site: its own files are written and removed, other files are never touched."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from hcbench.errors import HcbenchError
from hcbench.show.report.page import write_whole

MARKER = ".hcbench-site.json"


@dataclass(slots=True)
class SiteFolder:
    """A folder that is being created or updated.

    Attributes
    ----------
    path : Path
    known : dict of file to stamp
        Files of the previous site.
    made : dict of file to stamp
        Files of the current site.
    """

    path: Path
    known: dict[str, str] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> SiteFolder:
        """A folder that is new, empty, or an earlier site.

        Raises
        ------
        HcbenchError
            If it is a file or has other contents.
        """
        if path.exists() and not path.is_dir():
            raise HcbenchError(f"{path} is a file; give a folder for the site")
        marker = path / MARKER
        if not marker.is_file():
            if path.is_dir() and any(path.iterdir()):
                raise HcbenchError(
                    f"{path} contains files and is not a site of hcbench; give an empty or new "
                    "folder"
                )
            return cls(path)
        try:
            entries = json.loads(marker.read_text(encoding="utf-8"))["files"]
            known = {str(name): str(stamp) for name, stamp in entries.items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise HcbenchError(
                f"{marker} cannot be read; remove it and the files of the site, or give another "
                "folder"
            ) from error
        return cls(path, known)

    def holds(self, name: str, stamp: str) -> bool:
        """Whether a file exists with this stamp; if so, it is kept."""
        if self.known.get(name) != stamp or not (self.path / name).is_file():
            return False
        self.made[name] = stamp
        return True

    def write(self, name: str, text: str, stamp: str = "") -> None:
        """Write a file, unless it exists with this text or this stamp.

        Raises
        ------
        HcbenchError
            If it cannot be written.
        """
        stamp = stamp or hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        if not self.holds(name, stamp):
            self.made[name] = stamp
            # Recorded before it is written, so that an interrupted build can be continued.
            self._note({**self.known, **self.made})
            write_whole(self.path / name, text)

    def finish(self) -> int:
        """Remove obsolete files; returns how many."""
        stale = [name for name in self.known if name not in self.made]
        for name in stale:
            target = self.path / name
            if _is_within(target, self.path):
                target.unlink(missing_ok=True)
                with suppress(OSError):  # the folder is not empty
                    target.parent.rmdir()
        self._note(self.made)
        return len(stale)

    def _note(self, files: dict[str, str]) -> None:
        write_whole(
            self.path / MARKER, json.dumps({"files": dict(sorted(files.items()))}, indent=1)
        )


def _is_within(target: Path, folder: Path) -> bool:
    """Whether a file is in the folder; the marker could have been edited."""
    return target.resolve().is_relative_to(folder.resolve()) and target.name != MARKER
