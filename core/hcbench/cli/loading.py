"""What several commands load: plugins, the store, and compiled kernels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hcbench.analysis.notes import Note
    from hcbench.registry import Registry
    from hcbench.registry.plugins import Plugins
    from hcbench.store import Store

#: The entry of `click.Context.meta` that says whether the process is that of the program.
IS_PROGRAM = "hcbench.is_program"


def load_plugins(files: Sequence[Path] = (), *, quiet: bool = False) -> Registry:
    """Load all plugins; a broken one that is merely installed is only a warning.

    Modules beside plugin files can be imported until the command ends.

    Examples
    --------
    >>> registry = load_plugins(quiet=True)
    >>> registry.algorithms.find("UPGMA").spec.doc
    'Average linkage: merge the two clusters of smallest mean distance.'
    """
    from hcbench.cli.terminal import stdout_for_data
    from hcbench.registry import Registry
    from hcbench.registry.plugins import Plugins

    with stdout_for_data():
        registry = Registry(Plugins(files))
    # None where a function is called outside of a command.
    context = click.get_current_context(silent=True)
    if context is not None:
        context.with_resource(registry.plugins.importable())
    if not quiet:
        warn_of_broken(registry.plugins)
    return registry


def open_store(location: str | None, *, read_only: bool = False) -> Store:
    """The store of an option; its libraries are imported when a command needs them.

    Examples
    --------
    >>> with open_store(":memory:") as store:
    ...     print(store.runs())
    []
    """
    from hcbench.store import Store

    return Store(location, read_only=read_only)


def warn_of_broken(plugins: Plugins) -> None:
    """Name the plugins that are not used, if there are any."""
    from hcbench.cli.terminal import tell

    if plugins.broken:
        names = [broken.plugin.name for broken in plugins.broken]
        tell(f"warning: broken plugins are not used: {', '.join(names)} (see hcbench plugins)")


def store_kernels(context: click.Context, plugin_files: Sequence[Path] = ()) -> None:
    """Have the program store kernels where those of the present code are.

    It must be called before numba is imported. The process of a caller is left as it is.
    """
    if context.meta.get(IS_PROGRAM):
        from hcbench.registry.kernel_cache import kernel_environment

        os.environ.update(kernel_environment(plugin_files))


def notes_on_kernels(store: Store, run: int | None = None) -> tuple[Note, ...]:
    """Whether cells of a run, by default the last, were measured with different BLAS kernels.

    Examples
    --------
    A run of one machine has no such note.

    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     "Single", X, store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> from hcbench.commands import open_store
    >>> with open_store("results.sqlite") as store:
    ...     notes_on_kernels(store)
    ()
    """
    from hcbench.analysis.notes import Note

    # A BLAS chooses its kernels by the processor: other machines round differently.
    kernels = sorted(store.blas_kernels(run))
    if len(kernels) < 2:
        return ()
    names = "; ".join(kernels)
    text = (
        f"cells of this run were measured with different BLAS kernels ({names}): their last digits "
        "may differ; --fresh measures all again"
    )
    return (Note(kind="kernels", text=text),)
