"""Columns are called as the task calls them, and TRL gets those that rewards read."""

import gsm8k
import pytest
from datasets import Dataset
from stopped_recipe import stopped
from training.arguments import ScriptArguments
from training.data import as_prompts, with_columns
from training.rewards import read_columns

import grpo_rewards as gr

DATA = Dataset.from_list([{"problem": f"{n} + 1?", "solution": str(n + 1), "level": "easy"} for n in range(3)])
BOTH = ScriptArguments(prompt_column="problem", answer_column="solution")


def as_named(data, script, columns=gsm8k.COLUMNS):
    return with_columns(data, columns, {}, script)


def test_columns_get_the_recipes_names():
    named = as_named(DATA, BOTH)
    assert named.column_names == ["question", "answer", "level"]
    assert named["answer"][:] == ["1", "2", "3"]
    assert as_named(named, ScriptArguments()).column_names == named.column_names
    same = ScriptArguments(prompt_column="question", answer_column="answer")
    assert as_named(named, same).column_names == named.column_names


def test_a_recipe_may_read_several_columns():
    columns = ("numbers", "target", "limit")
    data = Dataset.from_list([{"numbers": [1, 2], "goal": 3, "limit": 2}])
    named = as_named(data, ScriptArguments(answer_column="goal"), columns)
    assert named.column_names == ["numbers", "target", "limit"]
    with pytest.raises(SystemExit, match=r"no column 'limit'\. Columns: numbers, goal\.$"):
        as_named(data.remove_columns("limit"), ScriptArguments(answer_column="goal"), columns)


@gr.reward
def hinted(completion: str, hint: str, language: str = "en") -> float:
    """1, whatever is said."""
    return 1.0


def test_what_no_reward_reads_is_left_out():
    data = Dataset.from_list(
        [{"question": "?", "answer": "1", "hint": "a", "language": "de", "level": 3, "completions": "x"}]
    )

    def kept(*rewards):
        return as_prompts([data], lambda row: row["question"], None, read_columns(rewards))[0].column_names

    assert kept(gr.boxed_answer) == ["answer", "prompt"]
    assert kept(gr.think_format, hinted) == ["hint", "language", "prompt"]
    sum_of_both = gr.weighted({gr.boxed_answer.bind(columns={"answer": "level"}): 1.0, hinted: 1.0})
    assert kept(sum_of_both) == ["hint", "language", "level", "prompt"]
    assert kept() == [*data.column_names, "prompt"]


QUICK = ["--per_device_train_batch_size", "8", "--eval_size", "0", "--thorough_check", "false"]


def test_a_column_that_would_clash_with_trl_does_not_if_nobody_reads_it(tmp_path, monkeypatch):
    rows = Dataset.from_list([{"question": "?", "answer": "1", "completions": "x"}] * 3)  # TRL has such an argument
    rows.to_json(tmp_path / "data.jsonl")
    assert stopped(gsm8k, ["--dataset_path", "data.jsonl", *QUICK], monkeypatch, tmp_path) == "a model was loaded"
