"""What a format reward says, once, if the chat template opens the reasoning and nobody told it."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.rewards.format.tags import warned

TABLES = tables_beside(__file__)

CHAT = [{"role": "user", "content": "2 + 2?"}]
PREFILLED = "I add.</think>It is 4."
WHOLE = f"<think>{PREFILLED}"


Said = Callable[..., list[str]]


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Iterator[Said]:
    """What a call as a trainer makes it warns of; nothing was said yet."""

    def messages(one: gr.Reward, texts: list[str], prompt: Any = CHAT) -> list[str]:
        caplog.clear()
        one(completions=[[{"role": "assistant", "content": text}] for text in texts], prompts=[prompt] * len(texts))
        return list(caplog.messages)

    warned.clear()
    yield messages
    warned.clear()


FORMATS = [gr.think_format, gr.think_answer_format, gr.tag_count, gr.xml_format.bind(tags=["think", "answer"])]
FORMATS += [gr.tag_count.bind(tags=["think", "work"]), gr.think_format.bind(reasoning=("<cot>", "</think>"))]


@each_row("one", FORMATS)
def test_a_format_reward_says_once_that_the_template_seems_to_open_it(one: gr.Reward, said: Said) -> None:
    warned.clear()  # of the reward before
    before = pickle.dumps(one)
    (message,) = said(one, [PREFILLED, PREFILLED, "cut off"])
    option = "opened" if "opened" in one.option_names else "think_opened"
    assert f"'{one.name}': 2 of the 3 completions" in message
    assert f"{option}=True" in message
    assert said(one, [PREFILLED]) == []
    assert pickle.dumps(one) == before


@each_row("texts, prompt", TABLES["it_says_nothing_where_there_is_nothing_to_say"])
def test_it_says_nothing_where_there_is_nothing_to_say(texts: list[str], prompt: Any, said: Said) -> None:
    warned.clear()
    assert said(gr.think_format, texts, prompt) == []


@pytest.mark.parametrize("opened", [True, False])
def test_who_bound_it_is_reported_nothing(opened: bool, said: Said) -> None:
    assert said(gr.think_format.bind(think_opened=opened), [PREFILLED]) == []
    assert said(gr.tag_count.bind(opened=opened), [PREFILLED]) == []


def test_a_call_that_tells_nothing_does_not_silence_it(said: Said) -> None:
    for texts in (["cut off"], [WHOLE], ["What is a <think> tag?", PREFILLED], [f"It is <think>. {PREFILLED}"]):
        said(gr.think_format, texts)
    assert len(said(gr.think_format, [PREFILLED, PREFILLED, "What is a <think> tag?"])) <= 1
    warned.clear()
    assert said(gr.think_format, [WHOLE, PREFILLED]) == []
    assert len(said(gr.think_format, [PREFILLED] * 3)) == 1
    assert said(gr.think_format, [PREFILLED] * 3) == []


def test_few_that_close_are_slips_of_the_model(said: Said) -> None:
    assert said(gr.think_format, [PREFILLED] + ["plain text"] * 63) == []
    assert said(gr.think_format, [PREFILLED] * 32 + ["plain text"] * 32) == []
    (message,) = said(gr.think_format, [PREFILLED] * 33 + ["plain text"] * 31)
    assert "33 of the 64" in message


def test_each_reward_and_each_delimiter_is_reported(said: Said) -> None:
    assert len(said(gr.think_format, [PREFILLED])) == 1
    (message,) = said(gr.think_format.bind(reasoning="[THINK]"), ["a[/THINK]b"])
    assert "[/THINK] and none has [THINK] before it" in message
    assert len(said(gr.think_answer_format, [PREFILLED])) == 1
    assert said(gr.think_format.bind(name="again"), [PREFILLED]) == []
