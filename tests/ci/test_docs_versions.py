"""The documentation of all versions beside each other, and the choice of them in a browser."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.browser import NEEDS_BROWSER, open_browser

ROOT = Path(__file__).parents[2]
URL = "https://e.org/docs/"


@pytest.fixture(scope="module")
def versions() -> Iterator[ModuleType]:
    """The script."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / ".ci" / "docs")
        yield importlib.import_module("versions")
    del sys.modules["versions"]


def archive(archives: Path, version: str, html: Path) -> None:
    """Pack a site as the release workflow does."""
    archives.mkdir(exist_ok=True)
    with tarfile.open(archives / f"documentation-{version}.tar.gz", "w:gz") as file:
        file.add(html, "html")


def site_of(folder: Path, text: str) -> Path:
    """A site of one page."""
    folder.mkdir(parents=True)
    (folder / "index.html").write_text(text)
    return folder


def test_each_release_has_a_folder_and_the_last_is_the_stable_one(
    versions: ModuleType, tmp_path: Path
) -> None:
    site, archives = tmp_path / "site", tmp_path / "archives"
    site_of(site / "latest", "latest")
    # 0.10 is later than 0.9, of 0.9.1 and 0.9.0 the later counts, and 1.0rc1 is not released.
    for version in ("0.9.0", "0.9.1", "0.10.0", "1.0.0rc1"):
        archive(archives, version, site_of(tmp_path / version, version))
    versions.main(site, archives, URL)
    assert {
        path.name: (path / "index.html").read_text() for path in site.iterdir() if path.is_dir()
    } == {
        "latest": "latest",
        "0.9": "0.9.1",
        "0.10": "0.10.0",
        "stable": "0.10.0",
    }
    assert json.loads((site / "versions.json").read_text()) == [
        {"name": "latest", "version": "latest", "url": f"{URL}latest/"},
        {"name": "0.10 (stable)", "version": "0.10", "url": f"{URL}0.10/", "preferred": True},
        {"name": "0.9", "version": "0.9", "url": f"{URL}0.9/"},
    ]
    assert "url=stable/index.html" in (site / "index.html").read_text()
    # A second time, with a later release.
    archive(archives, "0.10.1", site_of(tmp_path / "0.10.1", "0.10.1"))
    versions.main(site, archives, URL)
    assert (site / "stable" / "index.html").read_text() == "0.10.1"


def test_before_the_first_release_there_is_only_the_latest(
    versions: ModuleType, tmp_path: Path
) -> None:
    site_of(tmp_path / "site" / "latest", "latest")
    (tmp_path / "archives").mkdir()
    versions.main(tmp_path / "site", tmp_path / "archives", URL)
    (entry,) = json.loads((tmp_path / "site" / "versions.json").read_text())
    assert entry == {"name": "latest", "version": "latest", "url": f"{URL}latest/"}
    assert "url=latest/index.html" in (tmp_path / "site" / "index.html").read_text()
    assert not (tmp_path / "site" / "stable").exists()


def test_the_workflows_name_the_archives_as_the_script_does(versions: ModuleType) -> None:
    workflows = ROOT / ".github" / "workflows"
    name = versions.ARCHIVE.format(version="${GITHUB_REF_NAME#v}")
    assert name in (workflows / "release.yml").read_text()
    pattern = versions.ARCHIVE.format(version="*")
    assert pattern in (workflows / "benchmarks.yml").read_text()


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, without messages."""

    def log_message(self, *arguments: object) -> None:
        pass


def build(folder: Path, *, is_published: bool) -> Path:
    """Two pages with the settings of the documentation."""
    source = folder / "source"
    (source / "guide").mkdir(parents=True)
    (source / "index.md").write_text("# Home\n\n```{toctree}\nguide/page\n```\n")
    (source / "guide" / "page.md").write_text("# A page\n\nText.\n")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet"]
    if is_published:
        command += ["--tag", "published"]
    html = folder / "html"
    settings = ["-c", str(ROOT / "core" / "docs"), str(source), str(html)]
    subprocess.run([*command, *settings], check=True)
    return html


@pytest.fixture(scope="module")
def served(versions: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A folder with the sites of the latest version and of a release, and its address."""
    folder = tmp_path_factory.mktemp("versions")
    built = build(folder / "built", is_published=True)
    site = folder / "docs"
    site.mkdir()
    built.rename(site / "latest")
    archive(folder / "archives", "0.1.0", site / "latest")
    handler = partial(Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}/docs/"
        versions.main(site, folder / "archives", url)
        yield site, url
        server.shutdown()
        thread.join()


def errors_of(browser: Any) -> list[str]:
    return [str(entry) for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def buttons(browser: Any) -> list[Any]:
    """The buttons of the choice of versions that are visible."""
    from selenium.webdriver.common.by import By

    found = browser.find_elements(By.CSS_SELECTOR, ".version-switcher__button")
    return [button for button in found if button.is_displayed()]


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_reader_chooses_a_version_of_the_page_that_she_reads(served: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.wait import WebDriverWait

    site, url = served
    with open_browser(tmp_path) as browser:
        wait = WebDriverWait(browser, 10)
        browser.get(f"{url}latest/guide/page.html")
        (button,) = wait.until(buttons)
        assert button.text == "latest"
        button.click()
        choices = browser.find_elements(By.CSS_SELECTOR, ".version-switcher__menu a")
        shown = [choice for choice in choices if choice.is_displayed()]
        assert [choice.text for choice in shown] == ["latest", "0.1 (stable)"]
        shown[1].click()
        wait.until(lambda _: browser.current_url == f"{url}0.1/guide/page.html")
        assert errors_of(browser) == []
        # From the first page, too; a folder of its own has no list, and nothing to choose.
        browser.get(url)
        wait.until(lambda _: browser.current_url == f"{url}stable/index.html")
        assert wait.until(buttons)
        browser.get((site / "latest" / "guide" / "page.html").as_uri())
        time.sleep(0.5)
        assert not buttons(browser)
        assert errors_of(browser) == []
        # What a search has found is listed there, too.
        browser.get(f"{(site / 'latest' / 'search.html').as_uri()}?q=page")
        found = wait.until(lambda _: browser.find_elements(By.CSS_SELECTOR, "ul.search a"))
        assert "A page" in [link.text for link in found]
        time.sleep(0.5)
        assert errors_of(browser) == []


@pytest.mark.slow
def test_a_site_that_is_built_alone_has_no_choice_of_versions(tmp_path: Path) -> None:
    html = build(tmp_path, is_published=False)
    assert "version-switcher" not in (html / "index.html").read_text()
