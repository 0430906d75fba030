"""Loading plugins for a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.registry.plugins import Plugins

KINDS = ("algorithms", "datasets", "oracles", "metrics", "suites")


def load_plugins(files: Sequence[Path] = (), *, quiet: bool = False) -> Registry:
    """Load all plugins; a broken one that is merely installed is only a warning."""
    from hcbench.cli.terminal import stdout_for_data
    from hcbench.registry import Registry
    from hcbench.registry.plugins import Plugins

    with stdout_for_data():
        registry = Registry(Plugins(files))
    if not quiet:
        warn_of_broken(registry.plugins)
    return registry


def warn_of_broken(plugins: Plugins) -> None:
    """Name the plugins that are not used, if there are any."""
    from hcbench.cli.terminal import tell

    if plugins.broken:
        names = ", ".join(broken.plugin.name for broken in plugins.broken)
        tell(f"warning: broken plugins are not used: {names} (see hcbench plugins)")
