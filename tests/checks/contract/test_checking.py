"""What ``check_reward`` takes, and what it says."""

import time
from typing import Any

import pytest
from planted_rewards import above_its_range, blames_the_model, reads_conversations_alone, takes_no_others
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import RewardError
from grpo_rewards.checks import BrokenContract, check_reward, find_breaches
from grpo_rewards.checks.contract import USUAL, case_of
from grpo_rewards.checks.reward.calling import TookTooLong, limited

ROW = {"completion": "so 4", "answer": "4"}
SOON = ("linear", "spawned")  # the latter is a former clause, which tests may still leave out


def test_all_broken_clauses_are_reported_at_once_with_what_was_seen_and_what_to_do() -> None:
    @gr.reward(range=(0.0, 1.0))
    def twice_wrong(completion: str, answer: str | None) -> float:
        return float(len(completion))

    with pytest.raises(BrokenContract) as caught:
        check_reward(twice_wrong, [ROW], without=[*SOON, "pickled"])
    assert [breach.clause for breach in caught.value.breaches] == ["stated_range", "unscorable"]
    said = str(caught.value)
    assert said.startswith("reward 'twice_wrong' breaks 2 clauses of the contract.\nstated_range: Every reward is in")
    assert "seen: 'so 4' earned 4.0; it states (0.0, 1.0)" in said
    assert "do:   State the range that it has" in said


def test_rows_are_made_of_the_example_where_none_are_given() -> None:
    assert case_of("expression_reaches").rows[0] == {"completion": USUAL[0], **gr.expression_reaches.example}
    renamed = gr.boxed_answer.bind(columns={"answer": "solution"})
    assert case_of(renamed).rows[0] == {"completion": USUAL[0], "solution": "4"}


def test_a_group_is_what_the_reward_compares() -> None:
    assert case_of("relative_length(num_generations=4)", [ROW]).group == 4
    assert len(case_of(above_its_range, group=4).rows) % 4 == 0


@gr.reward
def of_a_level(completion: str, level: int) -> float:
    """1 for each text."""
    return float(isinstance(completion, str))


@each_row(
    "reward, more, said",
    [
        (of_a_level, {}, r"reads level: show a row or two, rows=\[\{'completion': '…', 'level': …\}\]"),
        (of_a_level, {"rows": [ROW]}, "row 0 has no level; it has completion, answer"),
        (of_a_level, {"rows": []}, "rows is empty"),
        (gr.max_length, {}, "reward 'max_length' needs max_tokens"),
        ("boxed_anser", {}, "did you mean 'boxed_answer'"),
        (gr.Reward, {}, "is neither a reward nor its spec, nor a function that a trainer calls"),
        (above_its_range, {"without": ["stated_rang"]}, "did you mean 'stated_range'"),
        (above_its_range, {"without": "linear"}, "must be a list of clauses"),
    ],
)
def test_what_cannot_be_checked_is_advised_what_to_do(reward: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(RewardError, match=said):
        check_reward(reward, **more)


@gr.reward
async def waits(completion: str) -> float:
    """1 if there is a four."""
    return float("4" in completion)


@each_row(
    "reward, without, seen",
    [
        (waits, "", None),  # a coroutine is awaited
        (blames_the_model, "unscorable", None),
        (takes_no_others, "keywords", None),
        (reads_conversations_alone, "", "for texts it raised AttributeError"),
    ],
)
def test_each_clause_is_looked_at_that_is_not_left_out(reward: Any, without: str, seen: str | None) -> None:
    row = {"completion": [{"role": "assistant", "content": "so 4"}], "answer": "4"}
    breaches = find_breaches(reward, [row], without=[*SOON, *without.split()])
    assert [breach.seen.startswith(str(seen)) for breach in breaches] == ([] if seen is None else [True])


def spin(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_what_uses_up_its_time_is_stopped() -> None:
    with pytest.raises(TookTooLong, match=r"after 0\.1 s of processor time"), limited(0.1):
        spin(60)
    with limited(0.1):
        pass
    spin(0.2)  # nothing is left behind that would stop it
