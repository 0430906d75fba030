"""Rendering of pages: templates, scripts, styles, and safely embedded data."""

from __future__ import annotations

import json
import os
import tempfile
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from hcbench.analysis.tables import ARROWS
from hcbench.analysis.views import significance_lines
from hcbench.errors import HcbenchError
from hcbench.show.report.contents import environment_rows

if TYPE_CHECKING:
    from hcbench.show.report.contents import Contents

#: In the order in which they are loaded.
STYLES = ("base.css", "table.css", "report.css", "print.css")
SCRIPTS = (
    "numbers.js",
    "data.js",
    "elements.js",
    "download.js",
    "table.js",
    "leaderboard.js",
    "claims.js",
    "palette.js",
    "figures.js",
    "lines.js",
    "tradeoff.js",
    "curves.js",
    "growth.js",
    "ranks.js",
    "trees.js",
    "report.js",
)


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
    made.globals |= {
        "arrows": ARROWS,
        "environment_rows": environment_rows,
        "podium": lambda ranking: list(zip(ranking.competitors, ranking.ranks, strict=True))[:3],
        "verdict_lines": lambda ranking: significance_lines(ranking)[1:],
    }
    return made


def render_report(contents: Contents, assets: str = "") -> str:
    """A report as one page.

    Parameters
    ----------
    contents : Contents
    assets : str
        The folder of `shared_assets` relative to the page; by default all is in the page.
    """
    template = environment("report").get_template("report.html.j2")
    within = {} if assets else _within()
    return template.render(contents=contents, assets=assets, **within)


def _within() -> dict[str, str]:
    return {
        "style": join_assets(STYLES),
        "theme_script": read_asset("theme.js"),
        "script": _closed(join_assets(SCRIPTS)),
        "plotly": plotly_script(),
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
