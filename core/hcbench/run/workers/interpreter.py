"""How the Python processes of a run are started: their modules, and their environment variables.

Every process starts with ``-P``, so that Python does not put the current folder in front of its
own modules: a file ``json.py`` that lies there must neither run nor replace the standard library.
Its ``sys.path`` is that of the process that starts it, as its jobs import what that one imports.

Secrets are removed from the environment by their names. A list of the variables that are allowed
would be safer, but libraries read an open set of them (``CUDA_*``, ``SLURM_*``, ``R_LIBS``,
``LD_LIBRARY_PATH``), and a missing one changes results or fails far from its cause. An algorithm
that is not trusted runs with the executor ``strict``, whose processes have a list of what is
allowed. A spec names the secrets that its function reads (`Spec.secrets`): only the workers of its
cells get them.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping

from hcbench.registry.plugin_files import lasting_path

# The modules are imported before the path is set, from where Python has its own.
_BOOT = (
    "import importlib, json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "importlib.import_module(sys.argv.pop(1)).main()"
)
#: The end of one of the words that a name consists of: ``OPENAI_API_KEY``, ``PGPASSWORD``.
_SECRET_NAME = re.compile(
    r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD|CREDENTIALS?|AUTH|COOKIE)S?(_|$)",
    re.IGNORECASE,
)
#: Names that end so and are no secrets: folders, and the file of the display.
_NO_SECRETS = ("PWD", "OLDPWD")
#: A URL with a password, such as that of a database. Of a proxy, libraries need it.
_PASSWORD = re.compile(r"://[^/\s@]*:[^/\s@]+@")
_PROXY = re.compile(r"_PROXY$", re.IGNORECASE)
#: The store is written by the main process alone.
_STORE = "HCBENCH_STORE"


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that calls ``main`` of a module in a Python process of ours.

    Parameters
    ----------
    module : str
        Its full name. It finds its arguments in ``sys.argv[1:]``.
    *arguments : str

    Examples
    --------
    >>> import subprocess
    >>> command = python_command("json.tool", "--compact")
    >>> done = subprocess.run(command, input='{"items": 150}', capture_output=True, text=True)
    >>> print(done.stdout)
    {"items":150}
    """
    # "" is the current folder of this process, which may be another one by then.
    current_folder = os.getcwd()
    path = [folder or current_folder for folder in lasting_path()]
    return [sys.executable, "-P", "-c", _BOOT, json.dumps(path), module, *arguments]


def is_secret(name: str, value: str) -> bool:
    """Whether an environment variable holds a secret, judging by its name, or a URL's password."""
    if name in _NO_SECRETS:
        return False
    if _SECRET_NAME.search(name):
        return True
    return bool(_PASSWORD.search(value)) and not _PROXY.search(name)


def named_secrets(patterns: Iterable[str]) -> dict[str, str]:
    """The environment variables whose names match one of some patterns, with wildcards.

    Examples
    --------
    >>> import os
    >>> from unittest import mock
    >>> with mock.patch.dict(os.environ, {"PLANTS_API_KEY": "123"}):
    ...     named_secrets(["PLANTS_*"])
    {'PLANTS_API_KEY': '123'}
    """
    secrets = {}
    for pattern in patterns:
        for name in fnmatch.filter(os.environ, pattern):
            secrets[name] = os.environ[name]
    return secrets


def child_environment() -> dict[str, str]:
    """The environment variables of this process for its children, without secrets and the store.

    Examples
    --------
    >>> import os
    >>> from unittest import mock
    >>> with mock.patch.dict(os.environ, {"PLANTS_API_KEY": "123", "PLANTS_FOLDER": "data"}):
    ...     environment = child_environment()
    >>> "PLANTS_API_KEY" in environment, environment["PLANTS_FOLDER"]
    (False, 'data')
    """
    environment = {}
    for name, value in os.environ.items():
        if name != _STORE and not is_secret(name, value):
            environment[name] = value
    return environment


def worker_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment variables of a fork server, and so of its workers.

    Parameters
    ----------
    variables : mapping
        Further variables, which may be secrets.
    """
    environment = child_environment()
    environment.update(variables)
    # The order of a set of strings must not differ from run to run.
    environment.setdefault("PYTHONHASHSEED", "0")
    # macOS forbids what the server does, forking after its frameworks are loaded, unless asked.
    environment.setdefault("OBJC_DISABLE_INITIALIZE_FORK_SAFETY", "YES")
    return environment
