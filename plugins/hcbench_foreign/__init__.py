"""Command-line programs as algorithms, declared in TOML files: ``--plugin ./genie.toml``.

A file names its loader, ``loader = "hcbench_foreign:Program"``. A package that ships the file
beside a module of its own makes a `Program` of it there. `program` runs the program.
"""

from __future__ import annotations

import importlib.abc
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hcbench import AlgorithmSpec, Parameter, hookimpl

if TYPE_CHECKING:
    import numpy as np

    from hcbench import Items, Oracle, Partition, Tree
    from hcbench_foreign.declaration import Declaration
    from hcbench_foreign.program import ForeignProgram

__all__ = ["Program"]


class Program(importlib.abc.Loader):
    """A program that a TOML file declares, as an algorithm.

    Parameters
    ----------
    file : Path
        The README describes its keys. In a package it lies in the folder of the package, such as
        ``Path(__file__).with_name("hclust.toml")``, and needs no ``loader``.

    Examples
    --------
    A module ``my_package/hclust.py`` that the package has as entry point::

        hclust = Program(Path(__file__).with_name("hclust.toml"))


        @hookimpl
        def hcbench_algorithms():
            return (hclust.spec("my_package.hclust:hclust"),)
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    @cached_property
    def declaration(self) -> Declaration:
        """What the file declares.

        Raises
        ------
        DataError
            If a key is missing, unknown or has no meaning.
        """
        from hcbench_foreign.declaration import read_declaration

        return read_declaration(self.file)

    def spec(self, function: str) -> AlgorithmSpec:
        """The algorithm that it is.

        Parameters
        ----------
        function : str
            Where workers find this program: ``"package.module:name"``.

        Raises
        ------
        DataError
            As for `declaration`.
        """
        declared = self.declaration
        parameters = []
        for name, default in declared.params.items():
            parameters.append(Parameter(name, default, "Passed on."))
        # It belongs to the key of a cell, as all parameters do.
        digest = Parameter("program", declared.digest, "The digest of the program's files.")
        parameters.append(digest)
        return AlgorithmSpec(
            name=declared.name,
            function=function,
            doc=declared.doc,
            accepts=declared.accepts,
            files=declared.files,
            secrets=declared.env,
            returns=declared.returns_kind,
            paper=declared.paper,
            licence=declared.licence,
            requires=declared.requires,
            parameters=tuple(parameters),
        )

    def __call__(
        self, oracle: Oracle, items: Items, rng: np.random.Generator, /, **params: Any
    ) -> Tree | Partition:
        """Run the program; see `hcbench_foreign.program.ForeignProgram`."""
        return self._runner(oracle, items, rng, **params)

    @cached_property
    def _runner(self) -> ForeignProgram:
        # Imported when it is run, as it needs numpy, without which plugins are listed.
        from hcbench_foreign.program import ForeignProgram

        return ForeignProgram(self.declaration)

    def exec_module(self, module: ModuleType) -> None:
        """Make a plugin of a module: define ``run`` and the hook of algorithms in it.

        Raises
        ------
        DataError
            As for `declaration`.
        """
        spec = self.spec(f"{module.__name__}:run")

        @hookimpl
        def hcbench_algorithms() -> tuple[AlgorithmSpec, ...]:
            return (spec,)

        vars(module).update(run=self, hcbench_algorithms=hcbench_algorithms)
