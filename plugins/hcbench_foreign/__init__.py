"""Command-line programs as algorithms, declared in TOML files: ``--plugin ./genie.toml``.

A file names its loader, ``loader = "hcbench_foreign:Program"``; `program` runs the program.
"""

from __future__ import annotations

import importlib.abc
from pathlib import Path
from types import ModuleType

from hcbench import AlgorithmSpec, Parameter, hookimpl


class Program(importlib.abc.Loader):
    """Makes a plugin module of a TOML file that declares a program.

    Parameters
    ----------
    file : Path
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def exec_module(self, module: ModuleType) -> None:
        """Read the file, and define ``run`` and the hook of algorithms.

        Raises
        ------
        DataError
            If a key is missing, unknown or has no meaning.
        """
        from hcbench_foreign.declaration import read_declaration
        from hcbench_foreign.program import ForeignProgram

        declared = read_declaration(self.file)
        parameters = []
        for name, default in declared.params.items():
            parameters.append(Parameter(name, default, "Passed on."))
        # It belongs to the key of a cell, as all parameters do.
        digest = Parameter("program", declared.digest, "The digest of the program's files.")
        parameters.append(digest)
        spec = AlgorithmSpec(
            name=declared.name,
            function=f"{module.__name__}:run",
            doc=declared.doc,
            accepts=declared.accepts,
            files=declared.files,
            secrets=declared.env,
            returns=declared.returns_kind,
            parameters=tuple(parameters),
        )

        @hookimpl
        def hcbench_algorithms() -> tuple[AlgorithmSpec, ...]:
            return (spec,)

        vars(module).update(run=ForeignProgram(declared), hcbench_algorithms=hcbench_algorithms)
