"""Rewards that are coroutines: gathered, bounded, and one failure costs the rows of its call alone."""

import asyncio
import inspect
import json
import logging
import pickle
import threading

import pytest
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.integrations.verl import compute_score
from grpo_rewards.scoring import score_files

RUNNING = {"now": 0, "most": 0}


@gr.reward(reasons=("judged",), range=(0.0, 1.0))
async def waiting_judge(completion: str, delay: float = 0.0, *, points: float = 1.0) -> gr.Verdict:
    """Waits, fails on "fail", and counts how many of it run at once."""
    RUNNING["now"] += 1
    RUNNING["most"] = max(RUNNING["most"], RUNNING["now"])
    try:
        await asyncio.sleep(delay)
        if completion == "fail":
            raise ConnectionError("no route to the judge")
        return gr.Verdict(points, "judged")
    finally:
        RUNNING["now"] -= 1


def test_all_rows_wait_together_and_no_more_than_allowed():
    RUNNING["most"] = 0
    asyncio.run(waiting_judge.bind(concurrency=8)(completions=["a"] * 16, delay=[0.1] * 16))
    assert RUNNING["most"] == 8  # at once, in two rounds, and not one after the other


def test_a_failure_or_a_timeout_is_its_rows_alone(caplog):
    metrics, extras = {}, {}
    call = waiting_judge.bind(timeout=0.2)(
        completions=["a", "fail", "slow"],
        delay=[0.0, 0.0, 5.0],
        log_metric=metrics.__setitem__,
        log_extra=extras.__setitem__,
    )
    with caplog.at_level(logging.WARNING):
        assert asyncio.run(call) == [1.0, None, None]
    assert extras["waiting_judge/reason"] == ["judged", "failed", "timeout"]
    assert metrics["waiting_judge/failed"] == metrics["waiting_judge/timeout"] == pytest.approx(1 / 3)
    assert "reward 'waiting_judge': 2 of 3 completions have no reward" in caplog.text
    verdict = waiting_judge.explain("fail")
    assert verdict.details["why"] == "ConnectionError: no route to the judge"


def test_by_hand_in_a_thread_and_inside_a_running_loop():
    assert waiting_judge.score("a") == 1.0

    async def in_a_loop():
        return waiting_judge.score("a"), await waiting_judge(completions=["a"])

    assert asyncio.run(in_a_loop()) == (1.0, [1.0])
    found = []
    threads = [threading.Thread(target=lambda: found.append(waiting_judge.score("a"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert found == [1.0] * 4


def test_it_keeps_one_event_loop_so_that_a_connection_lives():
    loops = set()

    @gr.reward
    async def remembers(completion: str) -> float:
        loops.add(id(asyncio.get_running_loop()))
        return 1.0

    assert [remembers.score("a"), remembers.score("b")] == [1.0, 1.0]
    assert len(loops) == 1


@gr.reward
async def ends_everything(completion: str) -> float:
    raise {"exit": SystemExit(1), "cancel": asyncio.CancelledError(), "late": TimeoutError("of its own")}[completion]


def test_nothing_that_a_judge_raises_ends_more_than_its_row():
    found = asyncio.run(ends_everything(completions=["exit", "cancel", "late"]))
    assert found == [None] * 3
    whys = [ends_everything.explain(one).details["why"] for one in ("exit", "cancel", "late")]
    assert [why.partition(":")[0] for why in whys] == ["SystemExit", "CancelledError", "TimeoutError"]
    assert waiting_judge.score("a") == 1.0  # the event loop lives


def test_a_coroutine_that_waits_for_another_by_hand_is_advised_to_await_it():
    @gr.reward
    async def nested(completion: str) -> float | None:
        return waiting_judge.score(completion)

    with pytest.raises(gr.RewardError, match="await it"):
        nested.score("a")


@gr.reward
async def awaits_a_judge(completion: str) -> float:
    return sum(await waiting_judge(completions=[completion], delay=[0.05]))


@gr.reward
async def awaits_one_that_awaits(completion: str) -> float:
    return sum(await awaits_a_judge(completions=[completion]))


def test_many_that_await_others_do_not_wait_for_each_others_threads():
    rows = 40  # more than the threads that a loop has by itself, 32 at most
    judge = awaits_one_that_awaits.bind(concurrency=rows, timeout=20.0)
    assert asyncio.run(judge(completions=["a"] * rows)) == [1.0] * rows


def test_what_is_no_reward_is_a_failure_and_what_the_programmer_did_wrong_ends_the_call():
    @gr.reward
    async def returns_text(completion: str) -> float:
        return "much"  # type: ignore[return-value]

    verdict = returns_text.explain("a")
    assert (verdict.reward, verdict.reason) == (None, "failed")
    assert verdict.details["why"] == "it returned 'much', which is no reward"

    @gr.reward
    async def reads_more(completion: str, delay2: float) -> float:
        return 1.0

    with pytest.raises(gr.RewardError, match="reads column 'delay2'"):
        reads_more.score("a")


# Those that see the whole call.


@gr.batch_reward(reasons=("ranked",), range=(0.0, 1.0))
async def ranked_by_length(
    completions: list[str], delays: list[float] = 0.0, *, most: float = 1.0
) -> list[gr.Verdict | float | None]:
    """Waits, fails on "fail", returns too few on "few", and else gives the longest text the most."""
    await asyncio.sleep(max(delays))
    if "fail" in completions:
        raise ConnectionError("no route to the judge")
    if "few" in completions:
        return [0.0]
    if "verdict" in completions:
        return gr.Verdict(1.0, "ranked")  # type: ignore[return-value]
    longest = max(map(len, completions))
    given = [gr.Verdict(most * (len(one) == longest), "ranked") for one in completions]
    return [
        float("nan") if one == "nan" else None if one == "None" else this
        for one, this in zip(completions, given, strict=True)
    ]


def test_trl_awaits_a_coroutine():
    assert all(inspect.iscoroutinefunction(one.__call__) for one in (waiting_judge, ranked_by_length))  # as TRL asks
    assert asyncio.run(waiting_judge(completions=["a", "b"])) == [1.0, 1.0]
    assert asyncio.run(ranked_by_length(completions=["a", "bb", "cc"])) == [0.0, 1.0, 1.0]
    assert asyncio.run(ranked_by_length(completions=[])) == []
    assert list(ranked_by_length.options) == ["most", "timeout"]


def test_it_is_a_part_as_any_other_and_is_read_by_others():
    texts = [r"so \boxed{4}", "none, whatever it says", r"\boxed{5}"]
    for one, given in ((waiting_judge, [1.5, 0.0, 0.5]), (ranked_by_length, [1.0, 0.0, 0.0])):
        points = gr.gated(gr.weighted({one: 0.5, gr.boxed_answer: 1.0}), by=gr.boxed_format)
        assert points(completions=texts, answer=["4"] * 3) == given
    assert gr.weighted({waiting_judge: 1.0}).score("fail") is None

    @gr.reward(dependencies={"rank": "ranked_by_length"})
    async def doubled(completion: str, rank: gr.DependencyVerdict) -> float | None:
        return None if rank.verdict.reward is None else 2 * rank.verdict.reward

    assert asyncio.run(doubled(completions=["a", "bb"])) == [0.0, 2.0]


def test_what_fails_in_the_whole_call_costs_all_of_its_rows_and_no_other_call(caplog):
    for one, reason in (("fail", "failed"), ("a", "timeout")):
        extras = {}
        call = ranked_by_length.bind(timeout=0.1)(
            completions=[one, "bb"], delays=[0.0, 5.0 * (one == "a")], log_extra=extras.__setitem__
        )
        with caplog.at_level(logging.WARNING):
            assert asyncio.run(call) == [None, None]
        assert extras["ranked_by_length/reason"] == [reason, reason]
    assert "reward 'ranked_by_length': 2 of 2 completions have no reward" in caplog.text
    assert ranked_by_length.score("a") == 1.0


def test_one_value_of_the_whole_call_that_is_no_reward_costs_its_row():
    verdicts = ranked_by_length.explain_all(completions=["nan", "None", "four"])
    assert [(one.reward, one.reason) for one in verdicts] == [(None, "failed"), (None, ""), (1.0, "ranked")]


@pytest.mark.parametrize(
    "bound",
    [waiting_judge.bind(concurrency=2, timeout=3.0, points=0.5), ranked_by_length.bind(timeout=3.0, most=0.5)],
    ids=str,
)
def test_it_pickles_and_is_spelled(bound):
    back = pickle.loads(pickle.dumps(bound))
    assert back == bound == gr.get_reward(repr(bound))
    assert inspect.iscoroutinefunction(back.__call__)


@each_row(
    "one, options, said",
    [
        (
            waiting_judge,
            {"concurrency": 0},
            "option 'concurrency' .* must be a whole number above 0, not 0",
        ),
        (waiting_judge, {"timeout": 0}, "option 'timeout' .* must be a finite number above 0, not 0"),
        (waiting_judge, {"timeout": "1"}, "finite number"),
        (ranked_by_length, {"timeout": 0}, "timeout"),
        (ranked_by_length, {"concurrency": 4}, "concurrency"),  # there is only one at once
    ],
)
def test_bad_options_are_refused(one, options, said):
    with pytest.raises(gr.RewardError, match=said):
        one.bind(**options)


@pytest.mark.parametrize(("text", "got"), [("few", "1 values"), ("verdict", "Verdict")])
def test_not_one_value_for_each_completion_is_the_programmers_fault(text, got):
    with pytest.raises(gr.RewardError, match=rf"returned {got}.* for 2 completions"):
        asyncio.run(ranked_by_length(completions=[text, "a"]))
    with pytest.raises(gr.RewardError, match=rf"returned {got}.* for 2 completions"):
        ranked_by_length.explain_all([text, "a"])


def test_whoever_else_calls_a_reward_waits_for_one_that_sees_the_whole_call(tmp_path):
    rows = tmp_path / "rows.jsonl"
    texts = ["a", "bbb", "cc", "d", "ee"]
    rows.write_text("".join(json.dumps({"prompt": "?", "completion": text}) + "\n" for text in texts))
    for by_group in (False, True):
        tally = score_files([ranked_by_length], [str(rows)], by_group=by_group).tally
        assert tally.means() == {"ranked_by_length": 0.2}
    found = compute_score("rows", "aa", "4", reward=ranked_by_length)
    assert (found["score"], found["ranked_by_length/reason"]) == (1.0, "ranked")
    assert gr.probe(ranked_by_length).failures == {}


def test_a_reward_that_stops_the_event_loop_stops_no_reward():
    @gr.reward
    async def stops_the_loop(completion: str) -> float:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        return 1.0

    assert [stops_the_loop.score("a"), waiting_judge.score("a")] == [1.0, 1.0]
