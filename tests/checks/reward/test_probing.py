"""Which hacks a reward rewards: sound ones are not accused, loose ones are, and none of it ends in a traceback."""

import asyncio
import math
import time
from collections.abc import Callable
from typing import Any

import pytest
from contract_cases import LISTED, case_of
from quick_probes import with_quick_probes  # noqa: F401  # a fixture
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import RewardError, probe
from grpo_rewards.checks.reward import problems
from grpo_rewards.checks.reward.problems import GIANT, HACKS

pytestmark = pytest.mark.usefixtures("with_quick_probes")

NUMBERS = [{"prompt": f"What is {n} + {n}?", "answer": str(2 * n)} for n in range(3, 9)]


def rewarded(reward: Any, rows: Any = None, **how: Any) -> set[str]:
    return {one.hack for one in probe(reward, rows, **how).rewarded}


# By docs/rewards.md: what each pays to texts that are not right. Partial credit is paid to hedges.
SOUND = """boxed_answer final_answer tagged_answer numeric_answer close_to expression_reaches multiple_choice
exact_match tool_calls relative_length target_length""".split()


@pytest.fixture
def whole_giant(with_quick_probes: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """The giant text is as long as a probe's."""
    monkeypatch.setattr(problems, "GIANT", GIANT)


@pytest.mark.usefixtures("whole_giant")
@pytest.mark.parametrize("name", LISTED)
def test_a_reward_of_the_package_is_called_about_every_hack_and_fails_at_none(name: str) -> None:
    found = probe(case_of(name)[0])
    assert found.failures == {}
    assert len(found.earned) + len(found.left_out) == len(HACKS)
    assert len(found.earned) > 30
    assert any(one.reward is not None for one in found.earned)
    if name in SOUND:
        assert found.rewarded == []
        assert found.is_sound
        assert found.messages[-1] == f"{name} rewards none of {len(found.earned)} hacks."


def test_a_gate_makes_what_it_holds_back_sound() -> None:
    assert not probe(gr.think_format).is_sound
    assert probe("gated(think_format, by=boxed_answer)").is_sound
    assert probe(gr.gated(gr.max_length.bind(max_tokens=500), by=gr.boxed_answer)).is_sound


def test_what_a_sum_rewards_for_form_alone_is_found() -> None:
    found = probe(gr.weighted({gr.boxed_answer: 1.0, gr.think_answer_format: 0.5}))
    assert (found.best, found.right, found.wrong) == (1.5, 1.5, 0.5)
    assert found.separates_right_from_wrong
    assert found.is_sound  # a wrong answer in the format earns 0.5, and no hack more than that


def test_a_reward_that_looks_for_the_gold_anywhere_rewards_hedges() -> None:
    @gr.reward
    def contains(completion: str, answer: str) -> float:
        return float(answer in completion)

    found = rewarded(contains)
    assert {"every number", "many boxes", "the gold or another", "the gold, then taken back"} <= found
    assert not {"nothing", "a refusal", "empty tags", "random words"} & found


def test_length_and_form_are_stated_to_reward_alone_and_to_belong_behind_a_gate() -> None:
    found = probe(gr.max_length.bind(max_tokens=1024))
    assert {"nothing", "a refusal", "the prompt copied"} <= {one.hack for one in found.rewarded}
    assert not found.separates_right_from_wrong
    assert found.messages[-1].startswith("max_length does not separate right from wrong: alone, it rewards ")
    assert "gated(max_length, by=…)" in found.messages[-1]


def test_a_penalty_is_stated_to_take_away_only() -> None:
    (said,) = probe(gr.soft_overlong.bind(max_tokens=1024, buffer=256)).messages
    assert said.startswith("soft_overlong only takes away: ")


def test_the_words_that_an_option_asks_for_are_stated_back() -> None:
    assert rewarded(gr.keywords.bind(include=["zebra", "quagga"])) == {"the reward's own words"}
    found = probe(gr.pattern.bind(regex=r"^Final: [A-F]{2}\d+$"))  # for which no text is made up
    assert (found.rewards_nothing, found.rewarded) == (True, [])


@pytest.mark.usefixtures("whole_giant")
def test_a_long_text_is_as_long_as_an_option_says() -> None:
    @gr.reward
    def at_least(completion: str, completion_ids: list[int], *, target: int = 900) -> float:
        return float(len(completion_ids) >= target)

    assert {"one word, again and again", "a giant text"} <= rewarded(at_least)


# Rewards of users, of every kind.


def of_messages(completions: list[Any], answer: list[str], **kwargs: Any) -> list[float]:
    """As most are written for TRL."""
    return [float(gold in one[0]["content"]) for one, gold in zip(completions, answer, strict=True)]


def of_texts(completions: list[str], solution: list[str], **kwargs: Any) -> list[float]:
    return [float(one.strip().endswith(gold)) for one, gold in zip(completions, solution, strict=True)]


async def waiting(completions: list[Any], answer: list[str], **kwargs: Any) -> list[float]:
    await asyncio.sleep(0)
    return of_messages(completions, answer)


class Judge:
    def __call__(self, completions: list[Any], **kwargs: Any) -> list[float]:
        return [1.0 for _ in completions]


@each_row("reward, hedges", [(of_messages, True), (waiting, True), (of_texts, False)])
def test_plain_functions_are_called_as_trl_asks_them(reward: Any, hedges: bool) -> None:
    found = probe(reward)
    assert (found.right, found.wrong, found.failures) == (1.0, 0.0, {})
    assert ("the gold or another" in {one.hack for one in found.rewarded}) == hedges


@each_row(
    "reward, prompt, error",
    [(of_messages, "2 + 2?", "TypeError"), (of_texts, [{"role": "user", "content": "2 + 2?"}], "AttributeError")],
)
def test_the_prompts_of_a_data_set_say_whether_completions_are_messages(reward: Any, prompt: Any, error: str) -> None:
    found = probe(reward, [{"prompt": prompt, "answer": gold, "solution": gold} for gold in "45"])
    assert found.always_fails
    assert error in found.messages[0]


def test_a_constant_is_an_object_that_rewards_nothing_apart() -> None:
    found = probe(Judge())
    assert (found.name, found.is_constant, found.is_sound) == ("Judge", True, False)
    assert "it is constant" in found.messages[-1]


def test_a_reward_in_a_notebook_may_be_async() -> None:
    @gr.reward
    async def judged(completion: str, answer: str) -> float:
        return float(completion.endswith(answer + "}."))

    async def cell() -> Any:
        return probe(judged)

    assert asyncio.run(cell()).is_sound


FAULTS: list[tuple[Callable[[str], Any], str]] = [
    (lambda text: 1 / len(text.split()), "ZeroDivisionError"),
    (lambda text: math.nan if not text else 0.0, "nan"),
    (lambda text: "much" if not text else 0.0, "much"),
]


@each_row("function, said", FAULTS)
def test_what_a_reward_does_in_place_of_a_number_is_reported(function: Callable[[str], Any], said: str) -> None:
    @gr.reward
    def faulty(completion: str):  # type: ignore[no-untyped-def]  # what it returns is what is tried
        return function(completion)

    found = probe(faulty)
    (why,) = found.failures
    assert said in why
    assert "nothing" in found.failures[why]
    assert not found.is_sound
    assert any("stop or stall a training" in one for one in found.messages)


# A probe does not take an alarm that is another's, as that of pytest-timeout would be.
@pytest.mark.timeout(120, method="thread")
def test_a_reward_that_never_ends_is_reported_and_left() -> None:
    @gr.reward
    def slow(completion: str) -> float:
        while len(completion) > 1_000:
            time.sleep(0.01)
        return 0.0

    found = probe(slow, seconds=1.0)
    (why,) = found.failures
    assert why.startswith("it took longer than 1 s")
    assert "a giant text" in found.failures[why]
    assert "nothing" not in found.failures[why]


def test_columns_that_are_not_known_are_requested() -> None:
    @gr.reward
    def of_tests(completion: str, unit_tests: list[str]) -> float:
        return 0.0

    with pytest.raises(RewardError, match=r"reads unit_tests, .* rows=\[\{'prompt': …, 'unit_tests': …\}, …\]"):
        probe(of_tests)
    assert probe(of_tests, [{"prompt": "?", "unit_tests": ["a"]}]).failures == {}


def test_a_column_of_another_name_is_read() -> None:
    assert probe(gr.boxed_answer.bind(columns={"answer": "my_gold"})).right == 1.0


@each_row("thing", [3, int, gr.soft_overlong, "soft_overlon"])
def test_what_is_no_reward_is_refused(thing: Any) -> None:
    with pytest.raises(RewardError):
        probe(thing)


def test_rows_are_needed_and_time_is() -> None:
    with pytest.raises(RewardError, match="there are no rows"):
        probe(gr.boxed_answer, [])
    (why,) = probe(gr.boxed_answer, seconds=0).failures
    assert why.startswith("it took longer than 0 s")


def test_golds_that_cannot_be_read_are_stated_to_be() -> None:
    (said,) = probe(gr.numeric_answer, [{"prompt": "?", "answer": "none of them"}]).messages
    assert said.startswith("numeric_answer gave None to everything")


@each_row(
    "golds",
    [["2", ""], ["2", None, "2"], ["1/2", "0.5", "50%"], ["7", "7.0"], ["A", "a"], ["\\frac{1}{", "2", " "]],
)
def test_what_is_taken_for_a_wrong_answer_is_wrong(golds: list[Any]) -> None:
    found = probe(gr.boxed_answer, [{"prompt": "?", "answer": gold} for gold in golds])
    assert (found.right, found.wrong) == (1.0, 0.0)
    assert found.is_sound, found.rewarded


@each_row("over", [1, 100, 5_000, 0.5, 1.0])
@each_row("start, end", [(1.0, 0.0), (0.0, 1.0)])
def test_a_schedule_is_probed_in_its_middle(over: float, start: float, end: float) -> None:
    one = gr.scheduled("boxed_answer", start=start, end=end, over=over)
    for reward in (one, gr.weighted({one: 1.0, gr.think_format.bind(name="form"): 0.0})):
        found = probe(reward, NUMBERS[:2])
        assert not found.is_constant
        assert found.failures == {}


def test_a_reward_that_compares_completions_is_probed_outside_of_a_training():
    assert probe(gr.relative_length).best == 0.5
