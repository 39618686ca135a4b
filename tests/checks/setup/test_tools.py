"""Tools and environments: what the check reports is what GRPOTrainer refuses when it is made, or in its first step."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from places import TINY
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import check_rewards
from grpo_rewards.checks.findings import Report

pytest.importorskip("trl", reason="trl is not installed")

from transformers import AutoTokenizer, PreTrainedTokenizerBase
from trl import chat_template_utils as templates

ROWS = {"prompt": [[{"role": "user", "content": "1 + 1?"}]] * 4, "answer": ["2"] * 4}
TEXTS = {"prompt": ["1 + 1?"] * 4, "answer": ["2"] * 4}
# Renders calls of tools and their results, and the last turn in another way than those before it.
UNSTEADY = (
    "{% for m in messages %}{{ m.role }}:{{ 'last ' if loop.last }}{{ m.content }}{% for c in m.tool_calls or [] %}"
    "{{ c.function | tojson }}{% endfor %};{% endfor %}"
)
STEADY = UNSTEADY.replace("{{ 'last ' if loop.last }}", "")
CANNOT_CALL = "the chat template cannot render a conversation with calls of tools"
# TRL's own words
NO_PARSER = "Unrecognized chat template, failed to add response schema"
UNSTEADY_TURNS = "missing prefix-preservation"


def add(a: int, b: int) -> int:
    """
    Adds two numbers.

    Args:
        a: the first.
        b: the second.
    """
    return a + b


async def fetch(url: str) -> str:
    """
    Fetches a page.

    Args:
        url: where it is.
    """
    return url


def without_types(a, b):  # type: ignore[no-untyped-def]
    """
    Adds.

    Args:
        a: the first.
        b: the second.
    """
    return a + b


def without_docstring(a: int) -> int:
    return a


def without_arguments_described(a: int) -> int:
    """Doubles."""
    return 2 * a


class Room:
    """An environment with one tool."""

    def reset(self, **row: Any) -> None:
        """Begins anew."""

    def look(self, where: str) -> str:
        """
        Looks.

        Args:
            where: a place.
        """
        return where


class Scored(Room):
    def get_reward(self) -> float:
        """Returns what was earned."""
        return 1.0


class Empty:
    def reset(self, **row: Any) -> None:
        """Begins anew."""


class WithoutReset:
    look = Room.look


def fails() -> None:
    raise ConnectionError("no server")


class Undescribed(Room):
    def jump(self, height):  # type: ignore[no-untyped-def]
        return height


def tokenizer_with(template: str | None, **parsing: Any) -> PreTrainedTokenizerBase:
    """The tiny model's tokenizer with a template: one of TRL's by its name, or the text of another."""
    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(TINY)
    tokenizer.chat_template = getattr(templates, f"{template}_chat_template", template)
    for name, value in parsing.items():
        setattr(tokenizer, name, value)
    return tokenizer


def of_tools(report: Report, severity: str = "error") -> list[str]:
    return [str(one) for one in report if (one.check, one.severity) == ("tools", severity)]


PARSED = {"response_template": templates.qwen3_template}
TEMPLATES = [
    ("qwen3", {}, None),
    ("llama3_1", {}, None),
    ("llama3", {}, CANNOT_CALL),
    ("gemma3", {}, CANNOT_CALL),
    ("deepseekv3", {}, NO_PARSER),
    (STEADY, {}, NO_PARSER),
    (STEADY, PARSED, None),
    (UNSTEADY, PARSED, UNSTEADY_TURNS),
]


@each_row("template, parsing, said", TEMPLATES)
def test_a_template_that_trl_refuses_for_tools_is_an_error(
    template: str, parsing: dict[str, Any], said: str | None
) -> None:
    tokenizer = tokenizer_with(template, **parsing)
    before = tokenizer.response_template
    report = check_rewards([gr.boxed_answer], ROWS, tokenizer=tokenizer, tools=[add])
    assert [said in one for one in of_tools(report)] == [True] if said else not report.errors
    assert tokenizer.response_template == before  # nothing is set on the user's own
    assert not of_tools(check_rewards([gr.boxed_answer], ROWS, tokenizer=tokenizer))  # without tools all are fine


@pytest.mark.full  # it makes a trainer for each
@each_row("template, parsing, said", TEMPLATES)
def test_that_is_what_the_trainer_refuses(
    template: str, parsing: dict[str, Any], said: str | None, tmp_path: Path
) -> None:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    args = GRPOConfig(str(tmp_path), report_to="none", use_cpu=True, bf16=False, gradient_checkpointing=False)
    tokenizer = tokenizer_with(template, **parsing)
    given = {"args": args, "train_dataset": Dataset.from_dict(ROWS), "processing_class": tokenizer, "tools": [add]}
    with pytest.raises(ValueError, match="chat template") if said else nullcontext():
        GRPOTrainer(str(TINY), [gr.boxed_answer], **given)


@each_row(
    "tool, said",
    [
        (add, None),
        (fetch, None),
        (Room().look, None),
        (without_types, "the tool without_types cannot be described to the model: "),
        (without_docstring, "because it has no docstring"),
        (without_arguments_described, "the docstring has no description for the argument 'a'"),
        (3, "the tool 3 cannot be described to the model"),
    ],
)
def test_a_tool_is_described_by_its_types_and_its_docstring(tool: Any, said: str | None) -> None:
    found = of_tools(check_rewards([gr.boxed_answer], ROWS, tools=[tool]))
    assert (len(found), all(said in one for one in found)) == (1, True) if said else not found
    assert all("a type for each argument, and a docstring with an Args section" in one for one in found)


@each_row(
    "factory, data, said",
    [
        (Room, ROWS, None),
        (lambda: Room(), ROWS, None),
        (Empty, ROWS, None),
        ({"a": Room, "b": Empty}, {**ROWS, "environment": ["a", "b", "a", "a"]}, None),
        (WithoutReset, ROWS, "WithoutReset has no method reset"),
        ({"a": Room, "b": WithoutReset}, {**ROWS, "environment": ["a", "b"] * 2}, "WithoutReset has no method reset"),
        (fails, ROWS, "environment_factory makes no environment: ConnectionError: 'no server'. It is called without"),
        ({"x": fails}, {**ROWS, "environment": ["x"] * 4}, "environment_factory['x'] makes no environment"),
        (Room(), ROWS, "environment_factory makes no environment: TypeError"),
        (Undescribed, ROWS, "the tool jump cannot be described to the model"),
        (Room, TEXTS, "4 prompts are texts: rows 0, 1, 2, 3. Tools and environments need messages."),
    ],
)
def test_an_environment_is_what_the_trainer_takes(factory: Any, data: dict[str, Any], said: str | None) -> None:
    found = of_tools(check_rewards([gr.boxed_answer], data, environment_factory=factory))
    assert any(said in one for one in found) if said else not found, found


def test_an_environment_that_cannot_be_made_leaves_the_other_findings() -> None:
    rows = {"prompt": ROWS["prompt"], "solution": ["2"] * 4}
    report = check_rewards([gr.boxed_answer], rows, environment_factory=fails)
    assert [one.check for one in report.errors] == ["tools", "columns"]
    assert [one.check for one in check_rewards(["boxed_anser"], rows, environment_factory=fails).errors] == [
        "rewards",
        "tools",
    ]
    assert [one.check for one in check_rewards(None, rows, environment_factory=fails).errors] == ["tools"]


def test_an_environment_may_give_the_reward_and_the_prompt() -> None:
    assert not check_rewards(None, ROWS, environment_factory=Scored).errors
    assert not check_rewards([], {"level": [1, 2]}, environment_factory=Scored, thorough=True).errors
    for own in (None, Room):
        (error,) = check_rewards(None, ROWS, environment_factory=own).errors
        assert error.message == "there are no rewards."


def test_rewards_that_count_tokens_are_warned_where_there_are_tools_and_no_tokenizer() -> None:
    report = check_rewards([gr.max_length.bind(max_tokens=9)], ROWS, tools=[add])
    assert [one.check for one in report.warnings] == ["tokens"]


# What rewards make of a tool's result.


def last_message(completions: list[Any], answer: list[str], **_: Any) -> list[float]:
    return [float(one[-1]["content"] == gold) for one, gold in zip(completions, answer, strict=True)]


def all_messages(completions: list[Any], answer: list[str], **_: Any) -> list[float]:
    texts = [" ".join(message["content"] for message in one) for one in completions]
    return [float(gold in text) for text, gold in zip(texts, answer, strict=True)]


def models_last_message(completions: list[Any], answer: list[str], **_: Any) -> list[float]:
    said = [[message["content"] for message in one if message["role"] == "assistant"][-1] for one in completions]
    return [float(gold in text) for text, gold in zip(said, answer, strict=True)]


def a_box_in_each_message(completions: list[Any], answer: list[str], **_: Any) -> list[float]:
    return [float(all(message["content"].index("{") for message in one)) for one in completions]


def in_the_environment(completions: list[Any], answer: list[str], environments: list[Any], **_: Any) -> list[float]:
    return [float(one.seen == gold) for one, gold in zip(environments, answer, strict=True)]


@gr.reward
def anywhere(messages: list[dict[str, Any]], answer: str) -> float:
    return float(any(answer in message["content"] for message in messages))


READS = "reads a tool's result as the answer: 1 where a tool returned '2' and the model gave no answer, 0 where"


@each_row(
    "reward, said",
    [
        (last_message, READS),
        (all_messages, READS),
        (anywhere, READS),
        (gr.weighted({gr.boxed_answer: 1.0, anywhere: 1.0}), READS),
        (a_box_in_each_message, "fails on a completion with a tool call and the tool's result: it raised ValueError"),
        (models_last_message, None),
        (in_the_environment, None),
        (gr.boxed_answer, None),
        (gr.final_answer, None),
        (gr.numeric_answer, None),
        (gr.tool_calls.bind(columns={"answer": "calls"}), None),
        (gr.think_format, None),
    ],
)
def test_a_reward_that_takes_what_a_tool_returned_for_the_answer_is_a_warning(reward: Any, said: str | None) -> None:
    data = {**ROWS, "calls": ['[{"name": "add", "arguments": {"a": 1, "b": 1}}]'] * 4}
    found = of_tools(check_rewards([reward], data, tools=[add]), "warning")
    assert len(found) == bool(said)
    assert all(said in one and "whose role is 'assistant'" in one for one in found)
    assert not of_tools(check_rewards([reward], data), "warning")  # a run without tools has no such transcripts


# What the trainer refuses without tools.


@each_row(
    "template, prompts, said",
    [
        (None, ROWS["prompt"], "the prompts are messages, and the tokenizer has no chat template"),
        (None, TEXTS["prompt"], None),
        ("gemma", ROWS["prompt"], None),
        (
            "gemma",
            [*ROWS["prompt"], [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "?"}]],
            "the chat template fails on the prompt of row 4 (roles: system, user): TemplateError: 'System role n",
        ),
        ("qwen3", [[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "?"}]], None),
    ],
)
def test_prompts_that_the_template_cannot_render_are_an_error(
    template: str | None, prompts: list[Any], said: str | None
) -> None:
    data = {"prompt": prompts, "answer": ["2"] * len(prompts)}
    errors = [str(one) for one in check_rewards([gr.boxed_answer], data, tokenizer=tokenizer_with(template)).errors]
    assert (len(errors), said in errors[0]) == (1, True) if said else not errors, errors
