"""What ``hcbench inspect`` notes about the columns of a table."""

from click.testing import CliRunner

from hcbench.cli import main


def test_a_table_without_rows_is_refused_without_a_warning_of_numpy(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("name,height\n")
    result = CliRunner().invoke(main, ["inspect", str(path)])
    assert result.exit_code != 0
    assert "there is no items" in result.output
    assert "warning" not in result.output
