"""What uses of parts have in their seeds and keys: files count by their content, wherever named."""

from __future__ import annotations

from pathlib import Path

import pytest

from hcbench import load_registry
from hcbench.registry.uses import Use

TABLE = "x,y,kind\n" + "".join(f"{i},{i * i % 7},{'ab'[i % 2]}\n" for i in range(12))

#: Data sets that name another one by a parameter; `{}` is where its name stands.
NAMED_PARTS = [
    "subsample[of='{}']",
    "half[of='{}']",
    "rows[of='{}']",
    "cut-of[data='{}',tree=UPGMA]",
    "half[of=\"subsample[of='{}']\"]",
]


def use_of(name: str) -> Use:
    (use,) = load_registry().use_datasets(name)
    return use


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with the same table."""
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "table.csv").write_text(TABLE)
    return tmp_path / "first", tmp_path / "second"


@pytest.mark.parametrize("named", NAMED_PARTS)
def test_a_file_in_another_folder_has_the_same_seeds_and_keys(
    named: str, folders: tuple[Path, Path]
) -> None:
    first, second = (use_of(named.format(f"{folder}/table.csv[labels=kind]")) for folder in folders)
    assert first.seed_name == second.seed_name
    assert first.identity == second.identity
    assert not second.has_files_of(first)
    assert first.has_files_of(first)


@pytest.mark.parametrize("named", NAMED_PARTS)
def test_other_contents_or_parameters_have_other_seeds_and_keys(
    named: str, folders: tuple[Path, Path]
) -> None:
    first, second = folders
    (second / "table.csv").write_text(TABLE.replace("3,2,b", "3,3,b"))
    uses = [
        use_of(named.format(f"{first}/table.csv[labels=kind]")),
        use_of(named.format(f"{first}/table.csv[labels=kind,standardise=true]")),
        use_of(named.format(f"{second}/table.csv[labels=kind]")),
    ]
    assert len({use.seed_name for use in uses}) == 3
    assert len({use.identity for use in uses}) == 3


def test_names_without_files_keep_their_seeds() -> None:
    # Stored results and paid answers are found by these.
    assert use_of("half[of=iris]").seed_name.startswith('["half", {"of": "iris"')


def test_an_entry_looks_up_parts_in_its_own_registry(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from hcbench import DatasetSpec, hookimpl\n"
        "def make(request): raise NotImplementedError\n"
        "@hookimpl\n"
        "def hcbench_datasets():\n"
        "    spec = {'provides': ('vectors', 'graph'), 'random': False}\n"
        "    return [DatasetSpec(name='mine', function=make, doc='Mine.', **spec)]\n"
    )
    use = load_registry([file]).datasets.find("subsample").use({"of": "mine"})
    (part,) = use.parts
    assert part.label == "mine"
    assert "graph" in use.provides
