"""Verdicts on answers: shared by equal rows, linear in the text, and what comes of a comparison that takes too long."""

from collections.abc import Callable
from typing import Any

import pytest
from processes import heartbeat, processor_time
from symbolic_outcomes import compare_symbolically
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards import RewardError
from grpo_rewards.answers import GradingOptions
from grpo_rewards.answers.symbolic import pool, schedule
from grpo_rewards.checks import assert_linear
from grpo_rewards.rewards.correctness import mathematics

TABLES = tables_beside(__file__)


def test_equal_rows_share_a_verdict_and_what_explain_returns_is_the_callers_own() -> None:
    first, second = (gr.boxed_answer.explain(rf"{words} \boxed{{5}}", answer="4") for words in ("so", "thus"))
    assert first == second
    first.details["step"] = "changed"  # type: ignore[index]  # a caller may
    assert gr.boxed_answer.explain(r"\boxed{5}", answer="4") == second


def test_verdicts_that_are_shared_are_few_and_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mathematics, "SHARED_VERDICTS", 10)
    mathematics.forget()
    long = "x" * 10_000
    for number in range(35):
        assert gr.boxed_answer.score(rf"\boxed{{{number}}}", answer=str(number)) == 1.0
        gr.boxed_answer.score(rf"\boxed{{{long}}}", answer=str(number))
    shared = mathematics._shared_by(GradingOptions())
    assert 0 < len(shared) <= 10
    assert max(len(prediction) + len(gold) for prediction, _, gold in shared) < 1_000


def test_verdicts_are_shared_by_one_taste_only() -> None:
    lenient = gr.boxed_answer.bind(unevaluated=True)
    assert [one.score(r"\boxed{3+4}", answer="7") for one in (gr.boxed_answer, lenient, gr.boxed_answer)] == [0, 1, 0]


@each_row("answer", [["6"], {"a": 1}, 5, 5.0, True, None, "5" * 10_000])
def test_an_answer_of_any_type_is_compared_as_before(answer: Any) -> None:
    verdict = gr.boxed_answer.explain(r"\boxed{5}", answer=answer)
    assert (verdict.reward == 1.0) == (type(answer) in (int, float))  # the only ones of them that are 5


# A unit that is repeated, what stands before it, and the reason that a box with 5 before all of it earns against 5.
HOSTILE = TABLES["hostile"]


@pytest.mark.parametrize("size", [200_000, pytest.param(1_000_000, marks=pytest.mark.full)])
@each_row("suffix", ["", "解"])
@each_row("unit, before, reason", HOSTILE.values())
def test_a_text_costs_ten_times_what_a_tenth_costs(unit: str, before: str, reason: str, suffix: str, size: int) -> None:
    def explain(text: str) -> None:
        assert gr.boxed_answer.explain(text, answer="5").reason == reason

    assert_linear(explain, lambda size: r"\boxed{5} " + before + unit * (size // len(unit)) + suffix, size)


@each_row("options, message", TABLES["a_bad_option_is_refused_when_it_is_bound"])
@each_row("reward", [gr.boxed_answer, gr.final_answer])
def test_a_bad_option_is_refused_when_it_is_bound(reward, options, message):
    if reward is gr.final_answer and "boxed" in options:
        message = "reward 'final_answer' has no option 'boxed'"
    with pytest.raises(RewardError, match=message.replace("boxed_answer", reward.name)):
        reward.bind(**options)


def test_without_workers_nothing_symbolic_is_compared():
    alone = gr.boxed_answer.bind(workers=0)
    assert alone.explain(r"\boxed{\frac{m^2}{2}}", answer=r"\int_0^m x\,dx").reason == "not_compared"
    assert alone.score(r"\boxed{2x}", answer="x+x") == 1.0


# What math-verify computes for minutes; nothing cheaper can tell. Between bounds their numbers would decide.
BOMB, GOLD = r"\int \frac{\sin(\tan x)-\tan(\sin x)}{x^{7}+%d}dx", r"\int x^x dx"


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
        rewards = gr.boxed_answer.bind(workers=2, deadline=0.3)(completions=completions, answer=golds)
    assert rewards == [float(n % 16 != 0) for n in range(64)]
    # 0.3 s of the processor for each bomb, minutes if they were left to end; none of it holds up this process
    assert processor_time() - before < 6
    assert len(beats) >= 10


def set_of_bombs(number: int) -> str:
    """Four integrals, none of which is decided by its deadline, with none of another ``number``."""
    return r"\left\{" + ",".join(BOMB % (10 * number + one) for one in range(1, 5)) + r"\right\}"


SET = r"\left\{" + ",".join(rf"\int_0^{{{one}}} x^x dx" for one in range(1, 5)) + r"\right\}"


def test_a_set_of_bombs_costs_one_deadline_not_one_for_each_of_its_pairs() -> None:
    assert compare_symbolically([("x", "y")], workers=2) == ["different"]  # there is a broker
    before = processor_time()
    completions = [rf"\boxed{{{set_of_bombs(number)}}}" for number in range(4)]
    log: dict[str, float] = {}
    hasty = gr.boxed_answer.bind(workers=2, deadline=0.3)
    rewards = hasty(completions=completions, answer=[SET] * 4, log_metric=log.__setitem__)
    assert rewards == [0.0] * 4
    assert log["boxed_answer/timeout"] == 1.0
    assert log["boxed_answer/symbolic_seconds"] >= 0.6  # two deadlines of each of two workers
    assert processor_time() - before < 6  # 1.2 for the deadlines, some for slices; 19 for all sixteen pairs of each


def test_a_call_ends_in_time_and_what_was_not_decided_blames_nobody() -> None:
    hasty = gr.boxed_answer.bind(workers=2, deadline=0.3, call_deadline=1.0)
    completions = [rf"\boxed{{{BOMB % (1000 + n)}}}" for n in range(40)] + [r"\boxed{\frac{m(m+1)}{2}}", r"\boxed{5}"]
    golds = [GOLD] * 40 + [r"\sum_{k=1}^{m} k", "5"]
    log: dict[str, list[Any]] = {}
    rewards = hasty(completions=completions, answer=golds, log_extra=log.__setitem__)
    reasons = log["boxed_answer/reason"]
    assert set(reasons[:40]) <= {"timeout", "call_timeout"}
    assert rewards[:40] == [0.0 if reason == "timeout" else None for reason in reasons[:40]]
    assert reasons.count("call_timeout") > 20
    assert rewards[41:] == [1.0]
    # and once there is time, they are judged as alone
    assert gr.boxed_answer.score(completions[40], answer=golds[40]) == 1.0
    later = gr.boxed_answer.bind(deadline=0.3).explain(completions[reasons.index("call_timeout")], answer=GOLD)
    assert later.reason == "timeout"


@pytest.mark.parametrize(
    ("outcome", "points", "points_none"),
    [("timeout", 0.0, None), ("crashed", 0.0, None), ("worker_killed", None, None), ("call_timeout", None, None)],
)
def test_only_what_a_pair_did_itself_is_the_models_fault(
    outcome: str, points: float | None, points_none: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "start", lambda: None)
    monkeypatch.setattr(pool, "compare_in_time", lambda pairs, **_: [pool.Found(outcome)] * len(pairs))
    schedule.forget()
    verdict = gr.boxed_answer.explain(r"\boxed{\int_0^1 y dy}", answer=r"\int_0^1 x dx")
    assert (verdict.reward, verdict.reason) == (points, outcome)
    schedule.forget()
    assert gr.boxed_answer.bind(on_timeout=None).score(r"\boxed{\int_0^1 y dy}", answer=r"\int_0^1 x dx") is points_none
    schedule.forget()
    long, relative = gr.cosine_length.bind(max_tokens=10), gr.relative_length
    for reward, wrong in ((long, -1.0), (relative, 0.0)):
        found = reward.score(r"\boxed{\int_0^1 y dy}", completion_ids=[], answer=r"\int_0^1 x dx")
        assert found == (None if points is None else wrong)
    schedule.forget()


SCORE = rf"""
import os, signal, threading, time, warnings
import psutil
import grpo_rewards as gr
from grpo_rewards.answers.symbolic import pool
BOMB, GOLD = r"{BOMB}", r"{GOLD}"
def score(number):  # one right, one wrong, and one that uses up its deadline
    said = [r"\frac{{m(m+1)}}{{2}}", r"\frac{{m(m-1)}}{{2}}", BOMB % number]
    golds = [r"\sum_{{k=1}}^{{m}} k"] * 2 + [GOLD]
    reward = gr.boxed_answer.bind(deadline=0.3, workers=2)
    return reward(completions=[rf"\boxed{{{{{{one}}}}}}" for one in said], answer=golds)
"""
SCORED = "[1.0, 0.0, 0.0]"
AMID_A_CALL = TABLES["amid_a_call"]


def test_rewards_score_amid_a_call(run_python: Callable[..., str]) -> None:
    scripts = [f"print('-- {name}', flush=True)\n{script}" for name, (script, _) in AMID_A_CALL.items()]
    printed = run_python("-X", "dev", "-c", "\n".join([SCORE, *scripts]))
    found = dict(one.split("\n", 1) for one in printed.split("-- ")[1:])
    assert found == {name: f"{wanted}\n" for name, (_, wanted) in AMID_A_CALL.items()}


@pytest.mark.parametrize("order", [1, pytest.param(-1, marks=pytest.mark.full)], ids=["forwards", "backwards"])
def test_a_verdict_does_not_depend_on_what_else_is_in_the_call(order: int) -> None:
    rows = [
        (r"\boxed{\frac{m(m+1)}{2}}", r"\sum_{k=1}^{m} k", "correct"),
        (r"\boxed{\frac{m(m-1)}{2}}", r"\sum_{k=1}^{m} k", "wrong"),
        (rf"\boxed{{{set_of_bombs(7)}}}", SET, "timeout"),
        (r"\boxed{\{\int_0^1 t^2 dt, \sum_{j=1}^{9} j\}}", r"\{\sum_{k=1}^{9} k, \int_0^1 x^2 dx\}", "correct"),
        (rf"\boxed{{{BOMB % 77}}}", GOLD, "timeout"),
        (r"\boxed{5}", "5", "correct"),
    ]
    hasty = gr.boxed_answer.bind(workers=2, call_deadline=60.0)
    for one, some in ((gr.boxed_answer.bind(workers=1), rows[::order]), (hasty, rows[::-order])):
        schedule.forget()
        log: dict[str, Any] = {}
        one(completions=[row[0] for row in some], answer=[row[1] for row in some], log_extra=log.__setitem__)
        assert log["boxed_answer/reason"] == [row[2] for row in some]
    schedule.forget()
    assert [hasty.explain(said, answer=gold).reason for said, gold, _ in rows] == [row[2] for row in rows]
    schedule.forget()
