"""Countdown: the generated problems, the reward that the recipe registers itself, and what is said of damaged data."""

import pickle

import countdown
import pytest
from countdown import user_turn, uses_each_number
from embedded.countdown_numbers import count_problems, countdown_numbers, demonstration, right, solution
from stopped_recipe import stopped
from tables import each_row

import grpo_rewards as gr

ROW = {"nums": [5, 2, 3], "target": 17}


def every(split):
    return countdown_numbers(count_problems(split), 0, split)


def test_numbers_and_targets_are_small_and_every_problem_can_be_solved():
    for row in every("train") + every("test"):
        assert len(row["nums"]) == 3
        assert all(1 <= number <= 9 for number in row["nums"])
        assert 1 <= row["target"] <= 30
    rows = countdown_numbers(600, 3)
    found = [solution(**row) for row in rows]
    columns = {column: [row[column] for row in rows] for column in ("nums", "target")}
    told = [f"<answer>{one.expression}</answer>" for one in found]
    assert gr.expression_reaches(completions=told, **columns) == [1.0] * len(rows)
    for one in found:
        for step in one.steps:
            left, right = step.split(" = ")
            assert eval(left) == int(right)  # noqa: S307  # of our own making


def test_of_the_kinds_of_answer_one_works_it_out_and_earns():
    kinds = [demonstration(solution(**ROW), ROW["target"], share) for share in (0.1, 0.5, 0.9)]
    assert [gr.expression_reaches.score(one, **ROW) for one in kinds] == [1.0, 1.0, 0.0]
    assert [uses_each_number.score(one, nums=ROW["nums"]) for one in kinds] == [1.0, 1.0, 0.0]
    assert ["<think>" in one for one in kinds] == [True, False, False]


@each_row(
    "completion, reward",
    [
        ("<answer>5 * 3 + 2</answer>", 1.0),
        ("<answer>5 + 3 + 2</answer>", 1.0),  # all numbers, and not the target: a step on the way
        ("<think>17 - 2 = 15</think><answer>(2 + 3) * 5</answer> as asked", 1.0),
        ("<answer>5 * 3</answer>", 0.0),
        ("<answer>5 * 3 + 2 * 2</answer>", 0.0),
        ("<answer>53 + 2</answer>", 0.0),
        ("<answer>17</answer>", 0.0),
        ("<answer>5 * 3 + 2</answer><answer>17</answer>", 0.0),
        ("<answer>5 * 3 + 2", 0.0),
        ("5 * 3 + 2</answer>", 0.0),
        ("5 * 3 + 2", 0.0),
        ("", 0.0),
        ("<answer>" + "9" * 100_000 + "</answer>", 0.0),
        ("<answer>" * 100_000, 0.0),
    ],
)
def test_the_recipes_own_reward_wants_each_number_once(completion, reward):
    assert uses_each_number.score(completion, nums=[5, 2, 3]) == reward
    assert uses_each_number.score(completion, nums="[5, 2, 3]") == reward
    assert uses_each_number.score(completion, nums=None) is None


def test_a_number_that_is_given_twice_is_used_twice():
    assert uses_each_number.score("<answer>4 * 4 + 1</answer>", nums=[1, 4, 4]) == 1.0
    assert uses_each_number.score("<answer>4 * 1</answer>", nums=[1, 4, 4]) == 0.0


def test_the_recipes_own_reward_is_found_by_name_and_can_be_pickled():
    assert gr.get_reward("uses_each_number") is uses_each_number
    assert gr.get_reward("countdown.uses_each_number") is uses_each_number
    renamed = gr.get_reward("uses_each_number(name='each', columns={'nums': 'numbers'})")
    assert pickle.loads(pickle.dumps(renamed)).score("<answer>1</answer>", numbers=[1]) == 1.0


@pytest.mark.parametrize("nums", [[5, 2, 3], "[5, 2, 3]"])  # a CSV has it as text
def test_the_prompt_has_the_numbers_and_the_target(nums):
    said = user_turn({"nums": nums, "target": 17})
    assert said.startswith("Reach 17 with 5, 2, 3, each used once")
    assert gr.check_answers([gr.expression_reaches, uses_each_number], {"nums": [nums], "target": [17]}) == {}


def test_a_right_completion_is_found_for_numbers_of_any_data():
    rows = [*countdown_numbers(30, 3), {"nums": "[1, 5, 5, 5]", "target": "24"}, {"nums": [3, 3, 8, 8], "target": 24}]
    for row in rows:
        assert gr.expression_reaches.score(right(row), **row) == 1.0
    assert right({"nums": [1, 1], "target": 7}) == right({"nums": [1] * 7, "target": 7}) == ""


def test_a_reward_that_cannot_be_tried_is_reported(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(countdown, "right", None)
    assert stopped(countdown, [], monkeypatch, tmp_path) == "a model was loaded"
    (said,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("warning:", "note:"))]
    assert said.startswith("note: expression_reaches gave 0, its least")
