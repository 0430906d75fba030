"""What a release takes from other files agrees with them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {"python": project["requires-python"].replace(" ", "")}
    for line in project["dependencies"]:
        requirement = Requirement(line)
        wanted[canonicalize_name(requirement.name)] = str(requirement.specifier)
    recipe = (ROOT / ".github" / "conda" / "meta.yaml").read_text()
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    assert dict(re.findall(r"- (\S+) (\S+)", run)) == wanted
