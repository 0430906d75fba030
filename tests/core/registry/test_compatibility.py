"""A plugin for another version of hcbench is refused, with a way out."""

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from hcbench.registry.compatibility import unmet_requirement
from hcbench.registry.fingerprint import installed_version
from hcbench.registry.plugins import Plugins

PLUGIN = """
    from hcbench import hookimpl

    {stated}

    @hookimpl
    def hcbench_algorithms():
        return []
"""
HERE = installed_version("hcbench")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for module in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]


def install(site: Path, name: str, *requires: str, stated: str = "") -> None:
    """Write an installed package that fails if it is imported."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
    lines += [f"Requires-Dist: {text}" for text in requires]
    (info / "METADATA").write_text("\n".join(lines))
    (info / "entry_points.txt").write_text(f"[hcbench]\nmain = {name}_main\n")
    (site / f"{name}_main.py").write_text(dedent(PLUGIN).format(stated=stated))


def reasons(plugins: Plugins) -> dict[str, str]:
    return {b.plugin.distribution: b.reason for b in plugins.broken}


def test_what_a_plugin_requires_is_read_from_its_distribution(site: Path) -> None:
    install(site, "fitting", "numpy", "HCBench >=0.1,<9")
    install(site, "silent", "numpy>=2", "hcbench-extras>=7")
    install(site, "optional", "hcbench>=99; extra == 'future'", "hcbench>=99; python_version<'3'")
    plugins = Plugins()
    requires = {p.distribution: p.requires for p in plugins.loaded}
    assert set(requires["fitting"].split(",")) == {">=0.1", "<9"}
    assert requires["silent"] == requires["optional"] == ""
    assert requires["hcbench"] == ""
    assert not plugins.broken


def test_a_plugin_for_another_release_is_not_even_imported(site: Path) -> None:
    install(site, "future", "hcbench>=99", stated="raise SystemExit(3)")
    assert reasons(Plugins())["future"] == (
        f"requires hcbench>=99, and {HERE} is installed: pip install --upgrade future hcbench"
    )
    assert "future_main" not in sys.modules


def test_a_prerelease_of_hcbench_fits_what_requires_the_release_before() -> None:
    assert unmet_requirement("fitting", ">=0.1", "0.2.dev1") is None
    assert unmet_requirement("waiting", ">=0.2", "0.2.dev1") is not None


def test_an_invalid_requirement_is_ignored(site: Path) -> None:
    install(site, "odd", "hcbench ???")
    plugins = Plugins()
    assert "odd" in {p.distribution for p in plugins.loaded}


@pytest.mark.parametrize("stated", [1, 2, "'1'"])
def test_a_plugin_that_states_a_version_of_hooks_is_loaded(site: Path, stated: object) -> None:
    """Plugins did so before their requirement decided."""
    install(site, "mine", "hcbench>=0.1", stated=f"HCBENCH_HOOKS = {stated}")
    assert "mine" in {p.distribution for p in Plugins().loaded}
