"""The command, run as people run it."""

from pathlib import Path

from click.testing import CliRunner

from example_plugin.command import command


def test_the_size_and_the_depth_of_a_tree(tmp_path: Path) -> None:
    """Two joined items, and a third."""
    file = tmp_path / "tree.nwk"
    file.write_text("((a,b),c);")
    assert CliRunner().invoke(command, [str(file)]).output == "3 leaves, depth 2\n"
