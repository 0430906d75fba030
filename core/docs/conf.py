"""Settings of Sphinx for the documentation; ``.ci/docs/make.py`` builds it.

The theme is that of numpy, scipy, pandas and scikit-learn. Nothing is loaded from the network,
neither by the build nor by a page.
"""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import TYPE_CHECKING, Any

from packaging.version import Version

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment

project = "hcbench"
author = "The hcbench developers"
copyright = f"{author}, BSD 3-Clause"  # noqa: A001  # the name of the setting
version = version_of("hcbench")
release = version

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]

# Pages
myst_heading_anchors = 4  # links such as statistics.md#verdicts
default_role = "py:obj"  # `Tree` in a docstring
copybutton_prompt_text = "$ "

# Words of types, as n in "(n,) int array", may be fields of several classes.
suppress_warnings = ["ref.python"]

# Docstrings
napoleon_google_docstring = False
napoleon_use_param = False  # as lists of names and types, in which no word becomes a link
napoleon_use_rtype = False
autodoc_typehints = "none"  # the docstrings have types
autodoc_member_order = "bysource"
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "hcbench"
html_favicon = "icon.svg"
html_context = {"default_mode": "auto"}  # light or dark, as the browser prefers
html_static_path = ["style.css", "offline.js"]
html_css_files = ["style.css"]
# After the settings of Sphinx and the theme, which it changes, and before the page is ready.
html_js_files = [("offline.js", {"priority": 900})]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": f"hcbench {version.partition('.dev')[0]}"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navigation_depth": 2,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars: dict[str, list[str]] = {"index": []}


def find_public_name(
    app: Sphinx, env: BuildEnvironment, node: Element, text: Element
) -> Element | None:
    """Link a name in a docstring that one public module has, such as `Tree`."""
    if node.get("refdomain") != "py" or node.get("reftype") != "obj":
        return None
    domain = env.domains.python_domain
    candidates = []
    for full_name in domain.objects:
        module, _, name = full_name.rpartition(".")
        if name == node["reftarget"] and module in domain.modules:
            candidates.append(full_name)
    if len(candidates) != 1:
        return None
    reference: Any = domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", candidates[0], node, text
    )
    return reference


def add_version_switcher(app: Sphinx, config: Config) -> None:
    """Add a choice of versions to a site that is published beside others.

    The list of versions is in the folder that has the folders of all versions, where
    ``.ci/docs/versions.py`` writes it.
    """
    if "published" not in app.tags:
        return
    parsed = Version(version)
    folder = f"{parsed.major}.{parsed.minor}"
    if parsed.is_prerelease:
        folder = "latest"
    config.html_theme_options |= {
        "logo": {"text": "hcbench"},  # the number is beside it
        "switcher": {"json_url": "../versions.json", "version_match": folder},
        "check_switcher": False,  # the list is written later
        "show_version_warning_banner": True,
        "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    }


def setup(app: Sphinx) -> None:
    """Connect to the events of Sphinx."""
    app.connect("config-inited", add_version_switcher)
    app.connect("missing-reference", find_public_name)
