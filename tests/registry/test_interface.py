"""What every reward hands over, to a trainer and by hand: floats and None, or an error that says what to return."""

from enum import StrEnum
from typing import Any

import contract_rewards
import pytest
from tables import each_row, refused

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, Verdict, reward


class NumberOfAnotherLibrary:
    """As a numpy or torch scalar: no subclass of float, but one can be made of it."""

    def __float__(self) -> float:
        return 0.25


def returning(value: Any) -> Reward:
    @reward
    def returns_a_value(completion: str) -> Any:
        return value

    return returns_a_value


@each_row(
    "value, number",
    [
        (0.5, 0.5),
        (1, 1.0),
        (True, 1.0),
        (False, 0.0),
        (NumberOfAnotherLibrary(), 0.25),
        (None, None),
        (Verdict(0.5, "half"), 0.5),
        (Verdict(1, "whole"), 1.0),
        (Verdict(None, "no_gold"), None),
    ],
)
def test_a_reward_hands_over_floats_and_none(value: Any, number: float | None) -> None:
    (handed_over,) = returning(value)(completions=["a"])
    assert handed_over == number
    assert type(handed_over) is type(number)


class Several:
    """Stands for an array of two numbers."""

    def __float__(self) -> float:
        raise TypeError("only length-1 arrays can be converted")


UNFIT = [
    (10**400, "returned 1000"),
    (-(10**5000), "returned int with an integer of thousands of digits for completion 0; return a finite number"),
    (Several(), "returned <"),
    (float("nan"), "returned nan for completion 0; return a finite number, a Verdict, or None where a row cannot be"),
    (float("inf"), "returned inf for completion 0"),
    ("1.0", "returned '1.0' for completion 0"),
    ([1.0], "returned [1.0] for completion 0"),
    ({"reward": 1.0}, "returned {'reward': 1.0} for completion 0"),
    (1j, "returned 1j for completion 0"),
    (Verdict(float("nan"), "x"), "returned nan for completion 0"),
    (Verdict("1.0", "x"), "returned '1.0' for completion 0"),  # type: ignore[arg-type]  # that is the mistake
]


@each_row("value, said", UNFIT)
def test_a_reward_that_returns_something_else_is_advised_what_to_return(value: Any, said: str) -> None:
    with refused(f"reward 'returns_a_value' {said}"):
        returning(value)(completions=["a"])


# By hand.


@pytest.mark.parametrize(
    "completion", ["a.", [{"role": "assistant", "content": "a."}], {"role": "assistant", "content": "a."}]
)
def test_score_takes_a_completion_in_any_form(completion: Any) -> None:
    assert contract_rewards.sample_ends_with.score(completion) == 1.0


def test_explain_all_says_of_many_what_explain_says_of_one() -> None:
    texts, prompts = [r"\boxed{4}", "4", [{"role": "assistant", "content": r"\boxed{5}"}]], ["?", "<think>", "?"]
    points = gr.weighted({gr.boxed_answer: 1.0, gr.max_length.bind(max_tokens=2): 0.5})
    for one in (gr.boxed_answer, gr.gated(points, by="boxed_format"), gr.cosine_length.bind(max_tokens=5)):
        given = {"prompts": prompts, "completion_ids": [[1], [1, 2], [1, 2, 3]], "answer": ["4", "4", ""]}
        alone = [
            one.explain(text, prompt=prompt, completion_ids=ids, answer=answer)
            for text, prompt, ids, answer in zip(texts, *given.values(), strict=True)
        ]
        assert one.explain_all(texts, **given) == alone
        assert one.explain_all(tuple(texts), **given) == alone
        assert one.explain_all([], answer=[]) == []


def test_a_verdict_that_explain_all_gave_can_be_changed_without_harm_to_the_next() -> None:
    verdicts = gr.boxed_answer.explain_all([r"\boxed{4}"] * 2, answer=["4"] * 2)
    verdicts[0].details["step"] = "mine"  # type: ignore[index]  # a dict, whatever Verdict promises
    assert verdicts[1].details["step"] == gr.boxed_answer.explain(r"\boxed{4}", answer="4").details["step"] != "mine"


def test_a_reason_can_be_written_to_every_file() -> None:
    class Code(StrEnum):
        GOOD = "good"

    @gr.reward
    def quotes(completion: str) -> gr.Verdict:
        return gr.Verdict(0.0, Code.GOOD if completion == "good" else f"said {completion}")

    reasons = [one.reason for one in quotes.explain_all(["good", "\ud800", "né", "不"])]
    assert reasons == ["good", "said ?", "said né", "said 不"]
    assert {type(one) for one in reasons} == {str}
    whatever = [returning(Verdict(0.0, reason)).explain("a").reason for reason in (None, 3, ["wrong"])]
    assert whatever == ["", "3", "['wrong']"]


def test_an_argument_with_the_name_that_it_has_elsewhere_is_not_ignored() -> None:
    for one in (gr.think_format, gr.weighted(think_format=1.0)):
        with pytest.raises(RewardError, match="explain_all takes 'prompts', not 'prompt'"):
            one.explain_all(["b"], prompt=["? <think>"])
    assert gr.think_format.score("a</think>b", prompts="? <think>") == 1.0  # of one completion either will do


def test_a_trainer_may_pass_a_column_of_that_name() -> None:
    assert gr.think_format(completions=["b"], prompts=["?"], prompt=["?"], completion=["c"]) == [0.0]
    assert gr.think_format.explain_all(["<think>a</think>b"], prompts=["?"])[0].reward == 1.0
