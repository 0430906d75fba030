"""Where a stored run comes from, and rendering of pages with safely embedded data."""

from __future__ import annotations

import base64
import json
import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import jinja2
import numpy as np
from markupsafe import Markup

from hcbench.analysis.labels import labels_of
from hcbench.errors import HcbenchError
from hcbench.pages.report.contents import Contents
from hcbench.pages.report.figures import sentence
from hcbench.pages.report.tables import verdict_badge
from hcbench.results.overviews import describe_numbers

if TYPE_CHECKING:
    from hcbench.figures.view import FigureView
    from hcbench.registry import Registry
    from hcbench.registry.catalogue import Catalogue
    from hcbench.registry.references import Reference

# ---- Provenance ----------------------------------------------------------------------------------


def list_sources(contents: Contents, registry: Registry) -> dict[str, list[dict[str, Any]]]:
    """Where the algorithms and data sets of a run come from, if installed plugins have them.

    Each has a ``name``, the ``plugin``, what it ``wraps``: the libraries on which it depends, with
    the versions of the run, the ``paper``, and the ``licence`` and the ``digest`` of its data: the
    checksum of the first repetition.
    """
    results = contents.results
    algorithms = labels_of(results, "algorithm", results.algorithms)
    datasets = labels_of(results, "dataset", results.datasets)
    # Variants of an algorithm come from one place, but data sets differ in their digests.
    bases_of_algorithms = {}
    for label in algorithms.values():
        bases_of_algorithms[label.base] = label.base
    bases_of_datasets = {}
    for text, label in datasets.items():
        bases_of_datasets[text] = label.base
    return {
        "algorithms": _sources(contents, bases_of_algorithms, registry.algorithms),
        "data sets": _sources(contents, bases_of_datasets, registry.datasets),
    }


def _sources(
    contents: Contents, bases: Mapping[str, str], catalogue: Catalogue[Any]
) -> list[dict[str, Any]]:
    """Where names come from, by the names without parameters under which they are registered."""
    versions = contents.run.environment.get("versions", {})
    digests = _first_digests(contents)
    entries = {entry.spec.name: entry for entry in catalogue.entries}
    sources = []
    for name, base in bases.items():
        entry = entries.get(base)
        if entry is None:
            # Its plugin is not installed any more.
            continue
        libraries = []
        for library in entry.spec.requires:
            libraries.append(f"{library} {versions.get(library.lower(), '')}")
        sources.append(
            {
                "name": name,
                "plugin": entry.plugin.name,
                "wraps": libraries,
                # Algorithms have no licence of their own.
                "licence": getattr(entry.spec, "licence", ""),
                "digest": digests.get(name, ""),
                "paper": entry.spec.paper,
            }
        )
    return sources


def _first_digests(contents: Contents) -> dict[str, str]:
    """The checksum of each data set in its first repetition."""
    outcomes = contents.results.outcomes
    order = np.argsort(outcomes.column("repetition").astype(np.int64), kind="stable")
    ordered = outcomes.take(order)
    datasets = ordered.column("dataset")
    data_digests = ordered.column("data_digest")
    digests: dict[str, str] = {}
    for dataset, digest in zip(datasets, data_digests, strict=True):
        # Where making the data failed there is none.
        if digest:
            digests.setdefault(dataset, digest)
    return digests


def list_papers(contents: Contents, sources: Sources) -> list[Reference]:
    """The papers of the suite, its algorithms and its data sets, each once."""
    papers = [contents.results.suite.paper]
    for sources_of_kind in sources.values():
        for source in sources_of_kind:
            papers.append(source["paper"])
    papers_by_key = {}
    for paper in papers:
        if paper is not None:
            papers_by_key[paper.key] = paper
    return list(papers_by_key.values())


def environment_rows(environment: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The machine and software of a run, as names and values."""
    machine = environment.get("machine", {})
    n_bytes = machine.get("memory_bytes")
    memory = None
    if n_bytes:
        memory = f"{n_bytes / 2**30:.1f} GiB"
    rows = {
        "processor": machine.get("processor"),
        "BLAS": machine.get("blas"),
        "cores": machine.get("cores"),
        "memory": memory,
        "system": machine.get("system"),
        "Python": environment.get("python"),
        "commit of hcbench": environment.get("commit"),
    }
    for name, value in rows.items():
        # Not every machine tells all of them.
        if value:
            yield name, str(value)


#: By kind, what the algorithms, data sets, oracles and metrics of a run are, and their papers.
Sources: TypeAlias = "Mapping[str, Sequence[Mapping[str, Any]]]"
#: In the order in which they are loaded.
STYLES = ("base.css", "table.css", "report.css", "print.css")
SCRIPTS = ("elements.js", "state.js", "table.js", "figure.js", "report.js")


@cache  # which compiles each template once
def environment(*packages: str) -> jinja2.Environment:
    """The templates of subpackages of `hcbench.pages`; their arguments are escaped."""
    loaders = [jinja2.PackageLoader(f"hcbench.pages.{package}") for package in packages]
    templates = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"json_block": json_block, "packed": packed}
    templates.globals |= {"environment_rows": environment_rows, "verdict_badge": verdict_badge}
    return templates


def render_report(
    contents: Contents,
    data: Mapping[str, Any],
    *,
    figures: Sequence[Mapping[str, str]] = (),
    sources: Sources | None = None,
    papers: Sequence[Reference] = (),
    lead: Sequence[str | Sequence[Sequence[str]]] = (),
    assets: str = "",
) -> str:
    """A report as one page.

    Parameters
    ----------
    contents : Contents
    data : mapping
        Of `describe_page`.
    figures : sequence of mapping
        Of `embed_figures`.
    sources : mapping of str to sequence of mapping, optional
        The algorithms and data sets.
    papers : sequence of Reference
    lead : sequence of str or of rows
        A title, and below it paragraphs and tables. The first row of a table has the names of the
        columns.
    assets : str
        The folder of `shared_assets` relative to the page; by default all is in the page.
    """
    template = environment("report").get_template("report.html.j2")
    legend = list(describe_numbers(contents.results, "★"))
    legend.append("a stronger shade is better")
    return template.render(
        contents=contents,
        legend=sentence("; ".join(legend)),
        data=data,
        figures=figures,
        sources=sources or {},
        papers=papers,
        lead=lead,
        assets=assets,
        within=shared_assets(),
    )


def embed_figures(view: FigureView) -> list[dict[str, str]]:
    """The figures of the suite as images in the page: name, doc, and source or reason."""
    from hcbench.figures.suites import draw_figure

    embedded = []
    with tempfile.TemporaryDirectory() as folder:
        for figure in view.results.suite.figures:
            drawn = draw_figure(figure, view, Path(folder), "svg")
            source = ""
            if drawn.path is not None:
                code = base64.b64encode(drawn.path.read_bytes()).decode()
                # Scripts in images are not run.
                source = f"data:image/svg+xml;base64,{code}"
            embedded.append(
                {"name": figure.name, "doc": figure.doc, "source": source, "reason": drawn.reason}
            )
    return embedded


@lru_cache(1)
def shared_assets() -> dict[str, str]:
    """Files shared by all reports of a site, by name."""
    from plotly.offline import get_plotlyjs

    style = "\n".join(map(read_asset, STYLES))
    script = "\n".join(map(read_asset, SCRIPTS))
    # In a function, the names of our scripts do not meet those of plotly.
    return {
        "style.css": Markup(style),
        "theme.js": Markup(read_asset("theme.js")),
        "report.js": Markup('(async () => {\n"use strict";\n') + Markup(script) + Markup("\n})();"),
        "plotly.js": get_plotlyjs(),
    }


def read_asset(name: str, package: str = "report") -> str:
    """A style or script of a subpackage of `hcbench.pages`."""
    file = resources.files(f"hcbench.pages.{package}").joinpath("assets", name)
    return file.read_text(encoding="utf-8")


def json_block(value: Any) -> str:
    r"""Strict JSON for a script element, without ``<``."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Nothing in it can end the element, and old scripts take the last two as ends of lines.
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def packed(text: str) -> str:
    """Text for a script element, compressed, as plotly and the figures take megabytes."""
    return base64.b64encode(zlib.compress(text.encode())).decode()


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically.

    Raises
    ------
    HcbenchError
        If it cannot be written.
    """
    # A name of its own for each process: two may write the same page.
    draft = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error
