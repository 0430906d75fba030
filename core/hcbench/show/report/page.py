"""Rendering of pages: templates, scripts, styles, and safely embedded data."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from hcbench.analysis.overviews import describe_numbers
from hcbench.errors import HcbenchError
from hcbench.show.report.contents import environment_rows
from hcbench.show.report.figures import sentence
from hcbench.show.report.tables import verdict_badge

if TYPE_CHECKING:
    from hcbench.registry.specs import Reference
    from hcbench.show.figures import FigureView
    from hcbench.show.report.contents import Contents, Source

#: In the order in which they are loaded.
STYLES = ("base.css", "table.css", "report.css", "print.css")
SCRIPTS = ("elements.js", "state.js", "table.js", "figure.js", "report.js")


def environment(*packages: str) -> jinja2.Environment:
    """The templates of subpackages of `hcbench.show`; their arguments are escaped."""
    loaders = [jinja2.PackageLoader(f"hcbench.show.{package}") for package in packages]
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["json_block"] = json_block
    made.globals |= {"environment_rows": environment_rows, "verdict_badge": verdict_badge}
    return made


def render_report(
    contents: Contents,
    data: Mapping[str, Any],
    *,
    figures: Sequence[Mapping[str, str]] = (),
    sources: Mapping[str, Sequence[Source]] | None = None,
    papers: Sequence[Reference] = (),
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
    sources : mapping of str to sequence of Source, optional
        The algorithms and data sets.
    papers : sequence of Reference
    assets : str
        The folder of `shared_assets` relative to the page; by default all is in the page.
    """
    template = environment("report").get_template("report.html.j2")
    within = {} if assets else _within(plotly=bool(data["figures"]))
    return template.render(
        contents=contents,
        legend=sentence(
            "; ".join([*describe_numbers(contents.results, "★"), "a stronger shade is better"])
        ),
        data=data,
        figures=figures,
        sources=sources or {},
        papers=papers,
        assets=assets,
        **within,
    )


def embed_figures(view: FigureView) -> list[dict[str, str]]:
    """The figures of the suite as images in the page: name, doc, and source or reason."""
    from hcbench.show.figures import draw_figure

    embedded = []
    with tempfile.TemporaryDirectory() as folder:
        for figure in view.results.suite.figures:
            drawn = draw_figure(figure, view, Path(folder), "svg")
            source = ""
            if drawn.path is not None:
                code = base64.b64encode(drawn.path.read_bytes()).decode()
                source = f"data:image/svg+xml;base64,{code}"  # scripts in images are not run
            embedded.append(
                {"name": figure.name, "doc": figure.doc, "source": source, "reason": drawn.reason}
            )
    return embedded


def _within(*, plotly: bool) -> dict[str, str]:
    return {
        "style": join_assets(STYLES),
        "theme_script": read_asset("theme.js"),
        "script": _closed(join_assets(SCRIPTS)),
        "plotly": plotly_script() if plotly else "",
    }


def shared_assets() -> dict[str, str]:
    """Files shared by all reports of a site, by name."""
    return {
        "style.css": join_assets(STYLES),
        "theme.js": read_asset("theme.js"),
        "report.js": _closed(join_assets(SCRIPTS)),
        "plotly.js": plotly_script(),
    }


def _closed(script: str) -> str:
    """A script with its own scope."""
    return Markup('(() => {\n"use strict";\n') + script + Markup("\n})();")


def json_block(value: Any) -> str:
    r"""Strict JSON for a script element, without ``<``."""
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(written)


def join_assets(names: tuple[str, ...]) -> str:
    """Files of the package as one text."""
    return Markup("\n".join(read_asset(name) for name in names))


@lru_cache
def read_asset(name: str) -> str:
    """A style or script of the package."""
    text = (
        resources.files("hcbench.show.report").joinpath("assets", name).read_text(encoding="utf-8")
    )
    return Markup(text)


@lru_cache(1)
def plotly_script() -> str:
    """The JavaScript of the plotly package."""
    from plotly.offline import get_plotlyjs

    script = get_plotlyjs().replace("</script", "<\\/script")
    return Markup(script)


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically.

    Raises
    ------
    HcbenchError
        If it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as stream:
            stream.write(text)
        try:
            os.chmod(stream.name, 0o666 & ~_umask())
            os.replace(stream.name, path)
        except OSError:
            os.unlink(stream.name)
            raise
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
