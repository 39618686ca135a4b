"""Columns are called as the task calls them, and TRL gets those that rewards read."""

from dataclasses import replace

import pytest
from tables import each_row

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from datasets import Dataset
from gsm8k import TASK
from running.reading import as_prompts, without_unread
from running.reading.columns import as_named
from running.reward_setup import checked
from running.settings import TaskArguments, settings
from transformers import AutoTokenizer

import grpo_rewards as gr

DATA = Dataset.from_list([{"problem": f"{n} + 1?", "solution": str(n + 1), "level": "easy"} for n in range(3)])
BOTH = TaskArguments(prompt_column="problem", answer_column="solution")


def test_columns_get_the_tasks_names():
    named = as_named(DATA, TASK, BOTH)
    assert named.column_names == ["question", "answer", "level"]
    assert named["answer"][:] == ["1", "2", "3"]
    assert as_named(named, TASK, TaskArguments()).column_names == named.column_names
    same = TaskArguments(prompt_column="question", answer_column="answer")
    assert as_named(named, TASK, same).column_names == named.column_names


@each_row(
    "data, script, says",
    [
        (
            DATA,
            TaskArguments(),
            "no column 'question'. Columns: problem, solution, level. Name it with --prompt_column.",
        ),
        (
            DATA,
            TaskArguments(prompt_column="problem"),
            "no column 'answer'. Columns: question, solution, level. Name it",
        ),
        (DATA, TaskArguments(prompt_column="text"), "--prompt_column text: the problems have no such column. Columns:"),
        (
            DATA.add_column("answer", ["?"] * 3),
            BOTH,
            "--answer_column solution would be called 'answer', and the problems have a column of that name already.",
        ),
        (
            DATA.add_column("number", [1, 2, 3]),
            replace(BOTH, prompt_column="number"),
            "question of 3 of 3 problems is no",
        ),
    ],
)
def test_columns_that_do_not_fit_are_reported(data, script, says):
    with pytest.raises(SystemExit) as stopped:
        as_named(data, TASK, script)
    assert says in str(stopped.value)


def test_a_task_may_ask_with_several_columns():
    countdown = replace(TASK, columns=("numbers", "target", "limit"), ask=lambda row: f"{row['numbers']}")
    data = Dataset.from_list([{"numbers": [1, 2], "goal": 3, "limit": 2}])
    assert as_named(data, countdown, TaskArguments(answer_column="goal")).column_names == ["numbers", "target", "limit"]
    with pytest.raises(SystemExit, match=r"no column 'limit'\. Columns: numbers, target\.$"):
        as_named(data.remove_columns("limit"), countdown, TaskArguments(answer_column="goal"))


@gr.reward
def hinted(completion: str, hint: str, language: str = "en") -> float:
    """1, whatever is said."""
    return 1.0


def test_what_no_reward_reads_is_left_out():
    data = Dataset.from_list(
        [{"prompt": "?", "question": "?", "answer": "1", "hint": "a", "language": "de", "level": 3, "completions": "x"}]
    )
    assert without_unread(data, [gr.boxed_answer]).column_names == ["prompt", "answer"]
    assert without_unread(data, [gr.think_format, hinted]).column_names == ["prompt", "hint", "language"]
    sum_of_both = gr.weighted({gr.boxed_answer.bind(columns={"answer": "level"}): 1.0, hinted: 1.0})
    assert without_unread(data, [sum_of_both]).column_names == ["prompt", "hint", "language", "level"]
    assert without_unread(data, [hinted], also=["question"]).column_names == ["prompt", "question", "hint", "language"]


def prompted(data):
    script, training, model = settings(
        TASK, ["--per_device_train_batch_size", "8", "--eval_size", "0", "--thorough_check", "false"]
    )
    return as_prompts(TASK, data, None), script, training, AutoTokenizer.from_pretrained(model.model_name_or_path)


def test_a_column_that_would_clash_with_trl_does_not_if_nobody_reads_it():
    data = as_named(DATA, TASK, BOTH).add_column("completions", ["x"] * 3)  # TRL passes an argument of that name
    data, script, training, tokenizer = prompted(data)
    rewards, *both = checked([gr.boxed_answer], data, data, script, training, tokenizer)
    assert [reward.name for reward in rewards] == ["boxed_answer"]
    assert [one.column_names for one in both] == [["answer", "prompt"]] * 2


def test_a_reward_without_its_column_hears_of_all_columns_and_of_the_options():
    data, script, training, tokenizer = prompted(as_named(DATA, TASK, BOTH))
    with pytest.raises(SystemExit) as stopped:
        checked([hinted], data, data, script, training, tokenizer)
    said = str(stopped.value)
    assert "reads column 'hint', which the dataset does not have. Columns: question, answer, level, prompt." in said
    assert "--prompt_column and --answer_column name the data's columns" in said
