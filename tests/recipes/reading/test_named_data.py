"""Data sets by name: a folder here stands for one on the hub, and the hub's errors are made by hand."""

import json

import pytest
from datasets.exceptions import DatasetNotFoundError
from gsm8k import problems
from huggingface_hub import constants
from training import data
from training.arguments import ScriptArguments


def rows(first, count):
    return "".join(json.dumps({"question": f"{n}?", "answer": str(n)}) + "\n" for n in range(first, first + count))


@pytest.fixture
def folder(tmp_path):
    """A data set with two splits, as a folder that load_dataset takes."""
    made = tmp_path / "sums"
    made.mkdir()
    (made / "train.jsonl").write_text(rows(0, 20))
    (made / "test.jsonl").write_text(rows(100, 10))
    return made


def asked(folder, **options):
    return problems(ScriptArguments(dataset_name=str(folder), eval_size=4, **options), 0)


def test_splits_of_a_folder_are_trained_and_evaluated_on(folder):
    train, held_out = asked(folder)
    assert train["answer"][:] == [str(n) for n in range(20)]
    assert len(held_out) == 4
    assert all(int(answer) >= 100 for answer in held_out["answer"])


def test_one_split_for_both_is_parted(folder):
    train, held_out = asked(folder, dataset_test_split="train")
    assert (len(train), len(held_out)) == (16, 4)
    assert sorted([*train["answer"], *held_out["answer"]], key=int) == [str(n) for n in range(20)]


def test_a_configuration_is_needed_where_there_are_several(folder):
    listed = "- config_name: {}\n  data_files: train.jsonl\n- config_name: hard\n  data_files: test.jsonl\n"
    front = f"---\nconfigs:\n{listed}---\n"
    (folder / "README.md").write_text(front.format("easy"))
    with pytest.raises(SystemExit, match=r"several configs: pass --dataset_config easy or hard\."):
        asked(folder)
    train, _ = asked(folder, dataset_config="hard", dataset_test_split="train")
    assert len(train) == 6
    with pytest.raises(SystemExit, match=r"BuilderConfig 'harder' not found\. Available: \['easy', 'hard'\]"):
        asked(folder, dataset_config="harder")
    (folder / "README.md").write_text(front.format("main"))  # as GSM8K has it
    assert len(asked(folder, dataset_test_split="train")[0]) == 16


def test_a_split_that_is_not_there_is_reported_with_those_that_are(folder):
    with pytest.raises(SystemExit, match=r"has no split 'dev'\. Splits: train, test\. Pass --dataset_test_split"):
        asked(folder, dataset_test_split="dev")


@pytest.mark.parametrize(
    ("error", "offline", "says"),
    [
        (
            DatasetNotFoundError("Dataset 'a/b' is a gated dataset on the Hub."),
            False,
            "for a gated or private one hf auth login",
        ),
        (DatasetNotFoundError("Dataset 'a/b' doesn't exist on the Hub"), False, "Check the name"),
        (ConnectionError("Couldn't reach 'a/b'"), True, "HF_HUB_OFFLINE forbids to fetch it"),
        (ConnectionError("Couldn't reach 'a/b'"), False, "--dataset_name a/b: Couldn't reach 'a/b'"),
        (ValueError("Bad split\nand more"), False, "--dataset_name a/b: Bad split"),
    ],
)
def test_what_the_hub_says_is_reported_with_what_to_do(error, offline, says, monkeypatch):
    def refuse(*_):
        raise error

    monkeypatch.setattr(data, "load_dataset", refuse)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
    with pytest.raises(SystemExit) as stopped:
        asked("a/b", dataset_config="main")
    assert says in str(stopped.value)
    assert "\n" not in str(stopped.value)
