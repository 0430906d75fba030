"""Answers of a crowd that are held out, by question or by annotator."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from hcbench import DataError, load_registry
from hcbench.cli import main
from hcbench.run import make_data

pytestmark = pytest.mark.filterwarnings("ignore:.*answered in both ways")

ANIMALS = ("ant", "bee", "cat", "dog", "elk")


def read(path, options, seed=0):
    (use,) = load_registry().use_datasets(f"{path}[comparisons=true,{options}]")
    return make_data(use, seed)


@pytest.fixture
def crowd(tmp_path):
    """Answers of six workers by names; each triplet is answered by two of them."""
    rng = np.random.default_rng(5)
    rows = ["worker,anchor,near,far"]
    for number in range(60):
        anchor, near, far = rng.choice(ANIMALS, 3, replace=False)
        for worker in rng.choice(6, 2, replace=False):
            rows.append(f"worker {worker},{anchor},{near},{far}")
        if number % 5 == 0:  # of another opinion
            rows.append(f"worker {number % 6},{anchor},{far},{near}")
    path = tmp_path / "crowd.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def answers(comparisons):
    rows = np.column_stack([comparisons.quadruplets(), comparisons.annotator])
    return sorted(map(tuple, rows.tolist()))


@pytest.mark.parametrize("split", ["comparisons", "annotators"])
def test_each_answer_is_in_one_part(crowd, split):
    (use,) = load_registry().use_datasets(f"{crowd}[comparisons=true]")
    whole = make_data(use, 0)
    problem = read(crowd, f"held_out=0.3,split={split}", seed=2)
    assert problem.names == ANIMALS
    assert sorted(answers(problem.comparisons) + answers(problem.held_out)) == answers(
        whole.comparisons
    )
    assert len(problem.held_out) > 0


def test_annotators_are_held_out_with_all_their_answers(crowd):
    problem = read(crowd, "held_out=0.3,split=annotators")
    used, held_out = set(problem.comparisons.annotator), set(problem.held_out.annotator)
    assert not used & held_out
    assert len(held_out) == 2  # 0.3 of 6


def test_both_answers_to_a_question_are_in_one_part(crowd):
    problem = read(crowd, "held_out=0.3")

    def questions(part):
        pairs = np.sort(np.column_stack([part.closer, part.farther]), axis=1)
        return set(map(tuple, pairs.tolist()))

    used, held_out = questions(problem.comparisons), questions(problem.held_out)
    assert not used & held_out
    assert len(held_out) == round(0.3 * (len(used) + len(held_out)))


def test_the_seed_selects_what_is_held_out(crowd):
    first, again, other = (read(crowd, "held_out=0.3", seed).held_out for seed in (1, 1, 2))
    assert first == again
    assert first != other
    (use,) = load_registry().use_datasets(f"{crowd}[comparisons=true,held_out=0.3]")
    assert use.spec.random_with(use.params)
    assert use.is_dependent


def test_what_cannot_be_held_out_is_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("anchor,near,far\na,b,c\nb,a,c\n")
    with pytest.raises(DataError, match=r"no column of annotators.*write split=comparisons"):
        read(path, "held_out=0.3,split=annotators")
    path.write_text("anchor,near,far\na,b,c\na,c,b\n")
    with pytest.raises(DataError, match="there is one question; at least 2"):
        read(path, "held_out=0.3")
    path.write_text("x,y\n1,2\n3,4\n")
    (use,) = load_registry().use_datasets(f"{path}[held_out=0.3]")
    with pytest.raises(DataError, match="held_out= is for comparisons"):
        make_data(use, 0)


@pytest.mark.slow
def test_algorithms_are_compared_without_a_truth_by_the_command_of_inspect(crowd, monkeypatch):
    monkeypatch.chdir(crowd.parent)
    monkeypatch.setenv("HCBENCH_STORE", str(crowd.parent / "store.sqlite"))
    shown = CliRunner().invoke(main, ["inspect", "crowd.csv"])
    assert "comparisons=true,held_out=0.2" in shown.stdout
    name = "./crowd.csv[comparisons=true,held_out=0.2]"
    words = ["compare", "--algos", "4-AL,tSTE-AL", "--datasets", name, "-r", "2"]
    ran = CliRunner().invoke(main, [*words, "--metrics", "held-out", "--format", "json"])
    assert ran.exit_code == 0, ran.stderr
    for cell in json.loads(ran.stdout)["cells"]:
        assert cell["status"] == "ok"
