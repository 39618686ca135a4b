"""Verdicts on answers: shared by equal rows, linear in the text, and what comes of a comparison that takes too long."""

from __future__ import annotations

from typing import Any

import pytest
from growth import assert_linear
from processes import heartbeat, processor_time

import grpo_rewards as gr
from grpo_rewards import RewardError
from grpo_rewards.answers.symbolic.client import compare_symbolically
from grpo_rewards.rewards.building_blocks import grading


def test_equal_rows_share_a_verdict_and_what_explain_returns_is_the_callers_own() -> None:
    first, second = (gr.boxed_answer.explain(rf"{words} \boxed{{5}}", answer="4") for words in ("so", "thus"))
    assert first == second
    first.details["step"] = "changed"  # type: ignore[index]  # a caller may
    assert gr.boxed_answer.explain(r"\boxed{5}", answer="4") == second


def test_verdicts_that_are_shared_are_few_and_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "SHARED_VERDICTS", 10)
    grading.forget()
    long = "x" * 10_000
    for number in range(35):
        assert gr.boxed_answer.score(rf"\boxed{{{number}}}", answer=str(number)) == 1.0
        gr.boxed_answer.score(rf"\boxed{{{long}}}", answer=str(number))
    (shared,) = grading._SHARED.values()
    assert 0 < len(shared) <= 10
    assert max(len(prediction) + len(gold) for prediction, _, gold in shared) < 1_000


def test_verdicts_are_shared_by_one_taste_only() -> None:
    lenient = gr.boxed_answer.bind(unevaluated=True)
    assert [one.score(r"\boxed{3+4}", answer="7") for one in (gr.boxed_answer, lenient, gr.boxed_answer)] == [0, 1, 0]


@pytest.mark.parametrize("answer", [["5"], {"a": 1}, 5, 5.0, True, None, "5" * 10_000])
def test_an_answer_of_any_type_is_compared_as_before(answer: Any) -> None:
    verdict = gr.boxed_answer.explain(r"\boxed{5}", answer=answer)
    assert (verdict.reward == 1.0) == (type(answer) in (int, float))  # the only ones of them that are 5


# A unit that is repeated, what stands before it, and the reason that a box with 5 before all of it earns against 5.
HOSTILE = {
    "open boxes": (r"\boxed{", "", "correct"),
    "closed boxes": (r"\boxed{5}", "", "correct"),
    "boxes without braces": (r"\boxed ", "", "too_large"),  # side by side, a list of the commands \boxed
    "braces": ("{", "", "correct"),
    "closing braces": ("}", "", "correct"),
    "braces in a box": ("{}", r"\boxed{", "correct"),
    "boxes in braces": (r"\boxed{5}}", "", "correct"),
    "backslashes": ("\\", r"\boxed{", "correct"),
    "less than": ("<", "", "correct"),
    "less than, far apart": ("<" + "x" * 512, "", "correct"),
    "half markers": ("<|", "", "correct"),
    "whole markers": ("<|im_end|>", "", "correct"),
    "opening tags": ("<think>", "", "unfinished_thinking"),
    "closing tags": ("</think>", "", "no_box"),
    "half tags": ("think>", "", "correct"),
}


@pytest.mark.parametrize("suffix", ["", "解"], ids=["ascii", "wide"])
@pytest.mark.parametrize(("unit", "before", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_costs_ten_times_what_a_tenth_costs(unit: str, before: str, reason: str, suffix: str) -> None:
    def explain(text: str) -> None:
        assert gr.boxed_answer.explain(text, answer="5").reason == reason

    assert_linear(explain, lambda size: r"\boxed{5} " + before + unit * (size // len(unit)) + suffix, 1_000_000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"boxed": "lst"}, "option 'boxed' of reward 'boxed_answer' must be one of 'last', 'only', 'first'"),
        ({"percent": 0.1}, "option 'percent' of reward 'boxed_answer' must be one of 'number', 'fraction'"),
        ({"rounding_digits": 0}, "rounding_digits must be at least 1, or None, not 0"),
        ({"on_timeout": -1.0}, "on_timeout must be 0.0"),
        ({"deadline": 0.0}, "deadline must be above 0 and at most 600 seconds, not 0.0"),
        ({"deadline": 1e10}, "deadline must be above 0 and at most 600 seconds"),
        ({"workers": -1}, "workers must be 0 or more"),
    ],
)
@pytest.mark.parametrize("reward", [gr.boxed_answer, gr.final_answer])
def test_a_bad_option_is_refused_when_it_is_bound(reward, options, message):
    if reward is gr.final_answer and "boxed" in options:
        message = "reward 'final_answer' has no option 'boxed'"
    with pytest.raises(RewardError, match=message.replace("boxed_answer", reward.name)):
        reward.bind(**options)


def test_without_workers_nothing_symbolic_is_compared():
    alone = gr.boxed_answer.bind(workers=0)
    assert alone.explain(r"\boxed{\frac{m(m+1)}{2}}", answer=r"\sum_{k=1}^{m} k").reason == "not_compared"
    assert alone.score(r"\boxed{2x}", answer="x+x") == 1.0


# What math-verify computes for minutes; nothing cheaper can tell.
BOMB, GOLD = r"\int_0^1 \frac{\sin(\tan x)-\tan(\sin x)}{x^{7}+%d}dx", r"\int_0^1 x^x dx"


def test_a_timeout_is_its_own_reason_and_may_be_none():
    bomb = rf"\boxed{{{BOMB % 1}}}"
    assert gr.boxed_answer.bind(deadline=0.3).explain(bomb, answer=GOLD).reason == "timeout"
    assert gr.boxed_answer.bind(deadline=0.3).score(bomb, answer=GOLD) == 0.0
    assert gr.boxed_answer.bind(deadline=0.3, on_timeout=None).score(bomb, answer=GOLD) is None


def test_four_bombs_among_sixty_four_delay_neither_the_call_nor_other_threads():
    completions = [rf"\boxed{{{BOMB % n}}}" if n % 16 == 0 else rf"\boxed{{{n}}}" for n in range(64)]
    golds = [GOLD if n % 16 == 0 else str(n) for n in range(64)]
    assert compare_symbolically([("x", "y")], workers=2) == ["different"]  # there is a broker
    before = processor_time()
    with heartbeat() as beats:
        rewards = gr.boxed_answer.bind(workers=2)(completions=completions, answer=golds)
    assert rewards == [float(n % 16 != 0) for n in range(64)]
    # a second of the processor for each bomb, minutes if they were left to end; none of it holds up this process
    assert processor_time() - before < 20
    assert len(beats) >= 10
