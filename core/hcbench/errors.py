"""Every error that hcbench raises on purpose, one class for each mistake, and its warnings.

A message says what is wrong, gives the value, and says how to correct it. The command line prints
the message as one line and exits with the code of the class.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
from enum import IntEnum
from pathlib import Path
from typing import Literal, Self

__all__ = [
    "AmbiguousNameError",
    "BudgetExceededError",
    "DamagedRunError",
    "DataError",
    "DataNotAvailableError",
    "ExitCode",
    "HcbenchError",
    "InvalidAnswerError",
    "InvalidComparisonsError",
    "InvalidPartitionError",
    "InvalidProblemError",
    "InvalidQueryError",
    "InvalidSpecError",
    "InvalidTreeError",
    "ModelWarning",
    "NameSyntaxError",
    "NewickError",
    "NewickWarning",
    "NotApplicableError",
    "OracleError",
    "ParameterError",
    "PluginError",
    "RepeatedEntryWarning",
    "StoreError",
    "SuiteError",
    "UnansweredError",
    "UnknownNameError",
    "WorkerError",
]


class ExitCode(IntEnum):
    """Exit codes of ``hcbench``.

    Examples
    --------
    >>> ExitCode(3)
    <ExitCode.SUITE: 3>
    >>> hcbench.errors.SuiteError.exit_code == ExitCode.SUITE
    True
    """

    OK = 0
    CELLS_FAILED = 1
    USAGE = 2
    SUITE = 3
    PLUGIN = 4
    CLUSTER_LOST = 5
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143


class HcbenchError(Exception):
    """Base class of all errors that hcbench raises on purpose.

    Examples
    --------
    >>> try:
    ...     hcbench.fit("UPGNA", [[0.0], [1.0]])
    ... except HcbenchError as error:
    ...     print(type(error).__name__, error)
    UnknownNameError no algorithm is called 'UPGNA'; did you mean UPGMA or WPGMA?
    """

    exit_code = ExitCode.USAGE

    @classmethod
    def of_file(
        cls, doing: Literal["read", "write"], path: str | os.PathLike[str], error: Exception
    ) -> Self:
        """The error for a file that cannot be read or written, with a suggestion.

        Parameters
        ----------
        doing : {"read", "write"}
            What was tried.
        path : path-like
            The file, as the caller named it.
        error : Exception
            An OSError, or the error of a reader about the content.
        """
        text = _first_line_of(error)
        if doing == "read":
            suggestion = _if_unread(Path(path), error)
        else:
            suggestion = _if_unwritten(Path(path), error)
        return cls(f"cannot {doing} {os.fspath(path)}: {text}; {suggestion}")


def _first_line_of(error: Exception) -> str:
    """What an error says, without the file that it may quote."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _if_unread(path: Path, error: Exception) -> str:
    """What to do about a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return _if_missing(path)
    if isinstance(error, IsADirectoryError):
        return f"give a file in it{_example_of(sorted(_files_in(path)), ', such as ')}"
    if isinstance(error, PermissionError):
        return "its owner can give you read permission with chmod"
    return "is it complete, and does its suffix match its format? if not, get it or save it again"


def _if_missing(path: Path) -> str:
    """Suggest a similar file name, or say what the folder contains."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    names = _files_in(folder)
    near = _most_similar(path, names)
    if near:
        return f"did you mean {os.path.join(folder, near)}?"
    of_same_format = [name for name in names if Path(name).suffix == path.suffix]
    example = _example_of(sorted(of_same_format), ", which contains ")
    return f"it is not in {folder.resolve()}{example}"


def _most_similar(path: Path, names: list[str]) -> str:
    """The name of a file that is spelt like that of a path; "" if none is."""

    # A frequent mistake is another case of letters. Suffixes do not count, as two names with the
    # same one would be similar for that alone; of equal names, that with the nearest suffix leads.
    def unlikeness_of_suffix(name: str) -> float:
        suffixes = difflib.SequenceMatcher(None, Path(name).suffix, path.suffix)
        return 1.0 - suffixes.ratio()

    by_stem: dict[str, str] = {}
    for name in sorted(names, key=unlikeness_of_suffix):
        by_stem.setdefault(Path(name).stem.casefold(), name)
    near = difflib.get_close_matches(path.stem.casefold(), by_stem, n=1, cutoff=0.7)
    return by_stem[near[0]] if near else ""


def _files_in(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder) if entry.is_file()]
    except OSError:
        return []


def _example_of(names: list[str], words: str) -> str:
    """Words with the first of some names; "" if there is none."""
    return f"{words}{names[0]}" if names else ""


def _if_unwritten(path: Path, error: Exception) -> str:
    """What to do about a file that cannot be written."""
    if isinstance(error, FileNotFoundError):
        return f"create the folder {path.parent} first"
    if isinstance(error, IsADirectoryError):
        return "it is a folder: give a file in it"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some disk space, or give another path"
    return "give another path, with write permission"


class InvalidTreeError(HcbenchError, ValueError):
    """A tree has a cycle, a missing leaf, a unary node, a NaN height or a wrong shape.

    Examples
    --------
    Both rows merge item 0:

    >>> hcbench.Tree.from_linkage([[0, 1, 1.0, 2], [0, 2, 2.0, 3]])
    Traceback (most recent call last):
        ...
    hcbench.errors.InvalidTreeError: cluster 0 is merged 2 times, not once
    """


class NewickError(InvalidTreeError):
    """A text is not valid Newick.

    Examples
    --------
    >>> hcbench.Tree.from_newick("((a,b),c;")
    Traceback (most recent call last):
        ...
    hcbench.errors.NewickError: Newick, character 8, near '((a,b),c;': the text ends inside a
    parenthesis: add ')'
    """


class NewickWarning(UserWarning):
    """Branch lengths of a Newick text cannot be used as heights.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     tree = hcbench.Tree.from_newick("((a:1,b),c:2);")
    >>> print(caught[0].message)
    branch lengths are ignored: some are missing
    >>> tree.kind
    <HeightKind.NONE: 'none'>
    """


class InvalidPartitionError(HcbenchError, ValueError):
    """Labels or the nodes of a cut do not partition the items.

    Examples
    --------
    >>> tree = hcbench.Tree.from_linkage([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])
    >>> tree.cut(5)
    Traceback (most recent call last):
        ...
    hcbench.errors.InvalidPartitionError: a tree of 3 leaves has no cut into 5 clusters
    """


class InvalidComparisonsError(HcbenchError, ValueError):
    """Comparisons refer to items that do not exist, or compare a pair with itself.

    Examples
    --------
    >>> hcbench.Comparisons(n=3, closer=[0, 1], farther=[2, 1])
    Traceback (most recent call last):
        ...
    hcbench.errors.InvalidComparisonsError: row 1 compares pair 1 with itself; drop it
    """


class InvalidProblemError(HcbenchError, ValueError):
    """The data and the truth of a data set are inconsistent.

    Examples
    --------
    >>> hcbench.Problem(n=4, vectors=np.zeros((3, 2)))
    Traceback (most recent call last):
        ...
    hcbench.errors.InvalidProblemError: vectors has 3 rows for 4 items
    """


class InvalidSpecError(HcbenchError, ValueError):
    """A plugin declares an invalid spec.

    Examples
    --------
    >>> hcbench.Parameter("k", "The number of clusters.", 2, interval="1 to 5")
    Traceback (most recent call last):
        ...
    hcbench.errors.InvalidSpecError: '1 to 5' is not an interval; write for example '(0, 1]'
    """

    exit_code = ExitCode.PLUGIN


class InvalidQueryError(HcbenchError, ValueError):
    """A query refers to items that do not exist.

    Examples
    --------
    >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: i == j, n=3)
    >>> oracle.ask([[0, 7]])
    Traceback (most recent call last):
        ...
    hcbench.errors.InvalidQueryError: item 7 does not exist: there are 3, from 0
    """


class InvalidAnswerError(HcbenchError, ValueError):
    """An oracle gave an answer that is none of its kind.

    Examples
    --------
    >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: "maybe", n=3)
    >>> oracle.ask([[0, 1]])
    Traceback (most recent call last):
        ...
    hcbench.errors.InvalidAnswerError: pair-queries: [0, 1] was answered by 'maybe'; answer
    with -1 or 0 or 1, or UNSURE (-2)
    """


class UnknownNameError(HcbenchError, LookupError):
    """No plugin registers this name.

    Examples
    --------
    >>> hcbench.load_registry().algorithms.find("UPGAM")
    Traceback (most recent call last):
        ...
    hcbench.errors.UnknownNameError: no algorithm is called 'UPGAM'; did you mean UPGMA or
    WPGMA?
    """


class AmbiguousNameError(HcbenchError, LookupError):
    """Two packages register the same name; ``distribution:NAME`` selects one.

    Examples
    --------
    >>> from pathlib import Path
    >>> code = '''
    ... import hcbench
    ...
    ... @hcbench.hookimpl
    ... def hcbench_metrics():
    ...     return [hcbench.MetricSpec(name="depth", function=len, doc="Depth.", direction="lower")]
    ... '''
    >>> for file in ("first.py", "second.py"):
    ...     _ = Path(file).write_text(code)
    >>> registry = hcbench.load_registry(["first.py", "second.py"])
    >>> registry.metrics.find("depth")
    Traceback (most recent call last):
        ...
    hcbench.errors.AmbiguousNameError: two packages register depth; write first:depth or
    second:depth
    """


class NameSyntaxError(HcbenchError, ValueError):
    """A text is not a valid ``NAME[param=value]``.

    Examples
    --------
    >>> hcbench.registry.parse_name("UPGMA[k=2")
    Traceback (most recent call last):
        ...
    hcbench.errors.NameSyntaxError: 'UPGMA[k=2': a bracket is not closed; write
    NAME[param=value], in quotes for the shell
    """


class ParameterError(HcbenchError, ValueError):
    """A parameter is unknown, missing, of the wrong type or out of range.

    Examples
    --------
    >>> hcbench.fit("UPGMA", [[0.0], [1.0]], metrik="cosine")
    Traceback (most recent call last):
        ...
    hcbench.errors.ParameterError: UPGMA has no parameter 'metrik'; did you mean metric?
    """


class DataError(HcbenchError, ValueError):
    """The user's data are invalid.

    Examples
    --------
    >>> hcbench.fit("UPGMA", [[0.0], [np.nan], [1.0]])
    Traceback (most recent call last):
        ...
    hcbench.errors.DataError: the data holds NaN or infinite values; drop or impute them first
    """


class DataNotAvailableError(HcbenchError, FileNotFoundError):
    """A data set's files are not on this machine and cannot be downloaded.

    Examples
    --------
    >>> def mail(request):
    ...     raise DataNotAvailableError("mail.zip is missing: download it from example.org")
    >>> spec = hcbench.DatasetSpec(
    ...     name="mail", function=mail, doc="My mail.", provides=("vectors", "truth")
    ... )
    >>> results = hcbench.compare(
    ...     ["UPGMA"], [spec], metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> print(results.rows[0]["reason"])
    mail.zip is missing: download it from example.org
    """


class NotApplicableError(HcbenchError):
    """A metric is not defined for this result; its value is skipped with this reason.

    Examples
    --------
    >>> partition = hcbench.Partition([0, 0, 1])
    >>> hcbench.score("AARI", partition, [0, 0, 1])
    Traceback (most recent call last):
        ...
    hcbench.errors.NotApplicableError: the result is a partition, not a hierarchy
    """


class BudgetExceededError(HcbenchError):
    """A query costs more than the remaining budget.

    Examples
    --------
    >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: i == j, n=3, budget=2)
    >>> oracle.ask([[0, 1], [0, 2]]).tolist()
    [0, 0]
    >>> oracle.ask([[1, 2]])
    Traceback (most recent call last):
        ...
    hcbench.errors.BudgetExceededError: 1 more pair-queries exceed the budget of 2: 0 left
    """


class OracleError(HcbenchError):
    """An oracle cannot answer now, as a server that is away; the next run tries the cell again.

    Examples
    --------
    >>> def answer(i, j, k, l):
    ...     raise OracleError("the server does not answer")
    >>> hcbench.fit("CL", n=3, quadruplet=answer)
    Traceback (most recent call last):
        ...
    hcbench.errors.OracleError: the server does not answer
    """


class UnansweredError(HcbenchError):
    """A query has no answer, however often it is made.

    Examples
    --------
    >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: hcbench.UNSURE, n=3)
    >>> oracle.ask([[0, 1]])
    Traceback (most recent call last):
        ...
    hcbench.errors.UnansweredError: no answer to [0, 1], asked 5 times
    """


class SuiteError(HcbenchError, ValueError):
    """A suite file cannot be read, or its content is invalid.

    Examples
    --------
    >>> hcbench.Suite(name="mine", algorithms=("UPGMA",), datasets=("iris",), repetitions=0)
    Traceback (most recent call last):
        ...
    hcbench.errors.SuiteError: repetitions must be a whole number from 1, got 0
    """

    exit_code = ExitCode.SUITE


class StoreError(HcbenchError):
    """The store of results cannot be opened, read or written.

    Examples
    --------
    >>> store = hcbench.store.Store("results.sqlite")
    >>> store.run(3)
    Traceback (most recent call last):
        ...
    hcbench.errors.StoreError: .../results.sqlite has no run 3; there are none yet
    >>> store.close()
    """

    exit_code = ExitCode.SUITE


class DamagedRunError(StoreError):
    """A stored run has values that hcbench cannot have written.

    Examples
    --------
    >>> import sqlite3
    >>> results = hcbench.compare(["UPGMA"], {"four": np.eye(4)}, repetitions=1, progress=False)
    >>> store = hcbench.store.Store()
    >>> database = sqlite3.connect(store.location)
    >>> with database:
    ...     _ = database.execute("UPDATE runs SET started = 'yesterday'")
    >>> database.close()
    >>> store.run(1)
    Traceback (most recent call last):
        ...
    hcbench.errors.DamagedRunError: run 1 of .../results.sqlite is damaged: started is
    'yesterday'; remove it with: hcbench results rm 1
    >>> store.close()
    """


class PluginError(HcbenchError):
    """A plugin cannot be loaded.

    Examples
    --------
    >>> hcbench.load_registry(["my_plugin.py"])
    Traceback (most recent call last):
        ...
    hcbench.errors.PluginError: there is no file .../my_plugin.py; give the path of a .py or
    .toml file
    """

    exit_code = ExitCode.PLUGIN


class WorkerError(HcbenchError):
    """The worker processes cannot be started.

    Examples
    --------
    A machine of a cluster must have the code of the main process:

    >>> hcbench.run.check_machine({"my-plugin": "1.0+5a1c"})
    Traceback (most recent call last):
        ...
    hcbench.errors.WorkerError: of my-plugin it has none, the main process 1.0+5a1c; install
    the same there
    """


class ModelWarning(UserWarning):
    """An assumption of a model or theorem does not hold for this result.

    The warning of an algorithm, data set or oracle is not a failure. In a comparison the text is
    stored with the cell as a note and shown below the table; in `hcbench.fit` it is an ordinary
    warning.

    Examples
    --------
    >>> import warnings
    >>> def guess(oracle, items, rng):
    ...     warnings.warn("no two items differ", ModelWarning)
    ...     return hcbench.Tree.from_levels(np.zeros((items.n, 1), int))
    >>> spec = hcbench.AlgorithmSpec(
    ...     name="guess", function=guess, doc="A star.", accepts=("vectors",)
    ... )
    >>> results = hcbench.compare(
    ...     [spec], [[0.0], [0.0], [0.0]], metrics=["leaf-depth"], repetitions=1, progress=False
    ... )
    >>> results.rows[0]["notes"]
    ['no two items differ']
    """


class RepeatedEntryWarning(UserWarning):
    """A list, such as the budgets of a suite, has an entry more than once; it counts once.

    Examples
    --------
    >>> import warnings
    >>> suite = hcbench.Suite(name="mine", algorithms=("UPGMA", "UPGMA"), datasets=("iris",))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     plan = hcbench.plan.make_plan(suite, hcbench.load_registry())
    >>> print(caught[0].message)
    listed more than once, and used once: algorithms UPGMA
    """


def hide_passwords(text: str) -> str:
    """A URL, or a word of a command with one in it, without its passwords; it may be malformed."""
    # As in postgresql://user:password@host, or with a single slash.
    begin = r"((?:://|\bpostgres[\w+]*:?/+)[^:/?@]*)"
    hidden = re.sub(begin + ":.*@", r"\1:***@", text, flags=re.DOTALL)
    # As in ?password=... and ?sslpassword=...
    return re.sub(r"\b((?:ssl)?password)=[^&]*", r"\1=***", hidden)
