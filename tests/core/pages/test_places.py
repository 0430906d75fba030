"""No page names a folder of the machine that has made it."""

import pytest
from click.testing import CliRunner

from hcbench.cli import main
from hcbench.pages.report.places import labels_without_folders, without_paths


def test_files_are_named_without_their_folders():
    labels = ["/home/ann/a b/x.csv[labels=[k]]", "./y.csv", "iris", "planted[N0=4]", "my data"]
    assert labels_without_folders(labels) == {labels[0]: "x.csv[labels=[k]]"}


def test_files_of_one_name_in_several_folders_stay_apart():
    labels = ["/home/ann/x.csv", "/home/ann/old/x.csv", "x.csv", "/home/ann/x.csv[n=3]"]
    shown = labels_without_folders(labels)
    assert list(shown) == ["/home/ann/x.csv", "/home/ann/old/x.csv", "/home/ann/x.csv[n=3]"]
    assert len({*shown.values(), "x.csv"}) == 4
    assert not any("ann" in label or "old" in label for label in shown.values())


def test_paths_in_texts_end_with_the_name_of_the_file():
    assert without_paths("cannot read /home/ann/x.csv: no") == "cannot read …/x.csv: no"
    assert without_paths("see https://example.org/a/b") == "see https://example.org/a/b"


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_report_and_a_site_have_no_folder_of_the_data(tmp_path, monkeypatch):
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    folder = tmp_path / "ann private" / "secret"
    folder.mkdir(parents=True)
    good, bad = folder / "good.csv", folder / "bad.csv"
    good.write_text("kind,x\nu,1\nu,2\nv,5\nv,7\n")
    bad.write_text("x\n1\nword\n")
    names = f"{good}[labels=kind],{bad}"
    words = ["compare", "--algos", "UPGMA,Single", "--datasets", names, "-r", "1"]
    CliRunner().invoke(main, words)
    names = f"{good}[labels=kind],{good}[labels=kind,scale=columns]"
    words = ["compare", "--algos", "UPGMA,Single", "--datasets", names, "-r", "1"]
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, ran.stderr
    for command in (["report", "-o", str(tmp_path / "r.html")], ["site", str(tmp_path / "site")]):
        made = CliRunner().invoke(main, command)
        assert made.exit_code == 0, made.stderr
    pages = [tmp_path / "r.html"]
    pages += [path for path in (tmp_path / "site").rglob("*") if path.suffix in (".html", ".js")]
    for page in pages:
        if page.name == "plotly.js":
            continue
        text = page.read_text()
        assert "ann private" not in text, page
        assert "secret" not in text, page
        assert "secret" not in page.name
    text = (tmp_path / "r.html").read_text()
    assert "good.csv" in text
