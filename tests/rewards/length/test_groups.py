"""Which completions belong together, in one process and in several."""

import re
from typing import Any

import pytest
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.command_line.describing import reads_of
from grpo_rewards.registry.call import Texts
from grpo_rewards.rewards.length import in_groups

pytest.importorskip("torch", reason="torch is not installed")

from together import together

A, B = "2 + 2?", "3 + 3?"
IMAGE = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": A}]}]


def alone(prompts: list[Any], sizes: list[int] | None = None, in_training: bool = False) -> list[Any]:
    """The groups of completions 0, 1, … in a call of one process."""
    texts = Texts([""] * len(prompts))
    found = in_groups(range(len(prompts)), texts, prompts, sizes or [], in_training)
    return [None if one is None else list(one) for one in found]


@each_row(
    "prompts, sizes, groups",
    [
        ([A, A, B, B], [2], [[0, 1]] * 2 + [[2, 3]] * 2),
        ([A, A, A, A], [2], [[0, 1]] * 2 + [[2, 3]] * 2),  # two rows of a data set with one prompt stay two groups
        ([A, A, A, A], [4], [[0, 1, 2, 3]] * 4),
        ([A, A, B, B], [4, 2], [[0, 1]] * 2 + [[2, 3]] * 2),  # not as in a training, so as in an evaluation
        ([A, A, B, B], [4], [None] * 4),
        ([A, B, A, B], [2], [None] * 4),
        ([A, B, A, B], [4], [None] * 4),
        ([A, A, A], [2], [None] * 3),  # no whole groups
        ([A, A, B, B], [], [[0, 1]] * 2 + [[2, 3]] * 2),
        ([A, B, A, B], [], [[0, 2], [1, 3], [0, 2], [1, 3]]),
        ([A, A, A, A, B, B], [], [None] * 6),  # four of A, or twice two
        ([None, None], [], [[0, 1]] * 2),
        ([IMAGE, IMAGE], [], [None] * 2),  # of two images, perhaps
        ([IMAGE, IMAGE], [2], [[0, 1]] * 2),
        ([[{"role": "user", "content": A}]] * 2, [], [[0, 1]] * 2),
        ([], [4], []),
        ([], [], []),
    ],
)
def test_groups_are_what_a_trainer_guarantees_and_never_guessed(prompts, sizes, groups):
    assert alone(prompts, sizes) == groups


def test_under_a_trainer_equal_prompts_are_no_group_without_the_number() -> None:
    with pytest.raises(gr.RewardError, match=r"Bind num_generations=…, as check_rewards") as told:
        alone([A] * 4, in_training=True)
    (spelled,) = re.findall(r'trl grpo --reward_funcs "grpo_rewards\.([^"]+)"', str(told.value))
    assert gr.get_reward(spelled) == gr.relative_length.bind(num_generations=8)
    assert alone([A] * 4, [2], in_training=True) == [[0, 1]] * 2 + [[2, 3]] * 2


def test_a_trainer_is_known_by_its_state() -> None:
    given = {"completions": ["a"] * 4, "completion_ids": [[1]] * 4, "prompts": [A] * 4, "answer": ["4"] * 4}
    state = {"trainer_state": {"global_step": 1}}
    assert gr.relative_length(**given) == gr.relative_length.bind(num_generations=2)(**given, **state) == [0.0] * 4
    for one in (gr.relative_length, gr.gated(gr.relative_length, by=gr.boxed_format)):
        assert "trainer_state" in reads_of(one).given  # so that `grpo-rewards list --json` has it
        with pytest.raises(gr.RewardError, match="Bind num_generations"):
            one(**given, **state)


LENGTHS = [10, 40, 20, 30, 70, 50, 80, 60]
SPREAD = """
import grpo_rewards as gr
join()
def call(one, rows, **more):
    lengths, prompts = LENGTHS[rows], PROMPTS[rows]
    texts = [r"\\boxed{4}" if at % 3 else r"\\boxed{5}" for at in range(8)][rows]
    given = {"completions": texts, "completion_ids": [list(range(n)) for n in lengths], "prompts": prompts}
    given |= {"answer": ["4"] * len(texts), "trainer_state": {"global_step": 1}, **more}
    try:
        return one(**given)
    except gr.RewardError as error:
        return str(error)
"""


def expected(prompts: list[str]) -> list[float]:
    texts = [r"\boxed{4}" if at % 3 else r"\boxed{5}" for at in range(8)]
    ids = [list(range(n)) for n in LENGTHS]
    one = gr.relative_length.bind(num_generations=4)
    return one(completions=texts, completion_ids=ids, prompts=prompts, answer=["4"] * 8)


ONE_OF_EACH, ONE_PROMPT, UNEVEN = [A] * 4 + [B] * 4, [A] * 8, [A] * 3 + [B] * 5
SCRIPT = f"""
LENGTHS, PROMPTS = {LENGTHS}, {ONE_OF_EACH}
{SPREAD}
one = gr.relative_length.bind(num_generations=4)
half, rows = slice(2 * RANK, 2 * RANK + 2), slice(4 * RANK, 4 * RANK + 4)
routed = gr.routed({{"a": one, "b": gr.boxed_answer}}, by="task")
halves = [call(one, slice(start + 2 * RANK, start + 2 * RANK + 2)) for start in (0, 4)]
found = {{"groups": {{"whole": call(one, rows), "halves": halves}}}}
PROMPTS = {ONE_PROMPT}
found["neighbours"] = call(one, rows)
PROMPTS = {UNEVEN}
found["refused"] = {{
    "size unknown": call(gr.relative_length, half),
    "some rows": call(routed, half, task=["a", "b"]),
    "all or none": call(routed, half, task=["ab"[RANK]] * 2),
    "whole groups": call(routed, rows, task=["ab"[RANK]] * 4),
    "by hand": call(one, slice(0, 4), trainer_state=None) if RANK else "not asked",
    "other prompts": call(gr.relative_length.bind(num_generations=2), rows),
    "gated": call(gr.gated(one, by=gr.boxed_format), half),
    "evaluated in larger groups": call(
        gr.routed({{"a": gr.relative_length.bind(num_generations=2, num_generations_eval=8)}}, by="task"),
        rows, task=["a"] * 4),
}}
say(found)
"""


@pytest.fixture(scope="module")
def over_two_processes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What each of two processes that train together found; they are started once, for they import torch."""
    return together(tmp_path_factory.mktemp("together"), SCRIPT)


def test_a_group_over_several_processes_earns_what_it_does_in_one(over_two_processes: list[dict[str, Any]]) -> None:
    first, second = (one["groups"] for one in over_two_processes)
    by_hand = expected(ONE_OF_EACH)
    # wrong ones earn 0 at best; 0.5 - (tokens - 10) / 30 and 0.5 - (tokens - 50) / 30
    assert by_hand == pytest.approx([0.0, -0.5, 0.5 - 1 / 3, -1 / 6, 0.5 - 2 / 3, 0.5, -0.5, 0.5 - 1 / 3])
    assert first["whole"] + second["whole"] == by_hand
    assert [*first["halves"][0], *second["halves"][0], *first["halves"][1], *second["halves"][1]] == by_hand


def test_neighbouring_groups_of_one_prompt_do_not_merge_over_processes(
    over_two_processes: list[dict[str, Any]],
) -> None:
    first, second = (one["neighbours"] for one in over_two_processes)
    assert (
        first + second
        == expected(ONE_PROMPT)
        != gr.relative_length(
            completions=[r"\boxed{4}" if at % 3 else r"\boxed{5}" for at in range(8)],
            completion_ids=[list(range(n)) for n in LENGTHS],
            prompts=ONE_PROMPT,
            answer=["4"] * 8,
        )
    )


def test_what_cannot_be_known_over_processes_is_refused_by_all_of_them(
    over_two_processes: list[dict[str, Any]],
) -> None:
    first, second = (one["refused"] for one in over_two_processes)
    assert first["evaluated in larger groups"] == [None] * 4  # three of A and one of B
    assert second["evaluated in larger groups"] == second["other prompts"]
    for said in (first, second):
        assert "Bind num_generations=…, as check_rewards(rewards, args=args) does" in said["size unknown"]
        assert "is given chosen rows, as inside 'routed'" in said["some rows"]
        assert said["gated"] == [None, None]  # three of A and one of B are no group
    # all rows of one process, and none of the other one, which would not come to the meeting
    assert "is given chosen rows, as inside 'routed'" in first["all or none"]
    assert second["all or none"] == [1.0, 0.0]
    assert first["whole groups"] == [None] * 4
    assert second["whole groups"] == [1.0, 1.0, 0.0, 1.0]  # the other reward; nobody waits for the first
    assert second["by hand"] == [None] * 4  # one process alone scores by hand: no other one is asked
    assert first["other prompts"] == [None] * 4
    assert second["other prompts"] == [-0.5, 0.5, -0.5, 0.5]
