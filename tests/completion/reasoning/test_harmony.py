"""The channels of gpt-oss, with their special tokens and without them."""

import re

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.completion.reasoning.harmony import is_harmony
from grpo_rewards.completion.sections import as_written

TABLES = tables_beside(__file__)

ANALYSIS = "<|channel|>analysis<|message|>"
FINAL = "<|channel|>final<|message|>"
CALL = "<|channel|>commentary to=functions.add <|constrain|>json<|message|>"
COMMENT = "<|channel|>commentary<|message|>"
MUSE = "to=self<|message|>", "<|eom|><|start|>assistant to=user<|message|>"
NEXT = "<|end|><|start|>assistant"


@each_row("text, written", TABLES["channels_are_read_as_reasoning_and_response"])
def test_channels_are_read_as_reasoning_and_response(text: str, written: str) -> None:
    assert as_written(text) == (written, False)


@each_row("text", TABLES["the_special_tokens_may_be_skipped"])
def test_the_special_tokens_may_be_skipped(text: str) -> None:
    assert as_written(re.sub(r"<\|\w+\|>", "", text)) == as_written(text)


@each_row("text", TABLES["other_texts_have_no_channels"])
def test_other_texts_have_no_channels(text: str) -> None:
    assert not is_harmony(text)


@each_row("sign", [*'1aW我\\$([*"`{“=#…&', "\n\nWe ", " \nWe", "- ", "# ", "...", "<b>", "---"])
def test_analysis_that_is_cut_off_is_reasoning_whatever_it_begins_with(sign: str) -> None:
    text = f"analysis{sign} try \\boxed{{4}}"
    assert gr.boxed_answer.explain(text, answer="4").reason == "unfinished_thinking"
    assert gr.boxed_answer.score(f"{text}assistantfinal\\boxed{{5}}", answer="5") == 1.0


def test_analysis_that_the_template_began_is_reasoning() -> None:
    text = f"so \\boxed{{4}}{NEXT}{FINAL}\\boxed{{5}}"
    assert gr.boxed_answer.score(text, answer="5") == 1.0
    assert as_written(text)[1]
    prompt = f"<|start|>user<|message|>2 + 2?{NEXT}{ANALYSIS}"
    assert gr.boxed_answer.explain("so \\boxed{4}", answer="4", prompt=prompt).reason == "unfinished_thinking"
    assert gr.boxed_answer.score("so \\boxed{4}", answer="4", prompt=f"<|start|>user<|message|>2 + 2?{NEXT}") == 1.0


@pytest.mark.parametrize("opened", [None, True])
def test_the_name_of_a_header_alone_earns_no_format(opened: bool | None) -> None:
    for text in ("x assistantfinal y", "x assistantfinal<answer>4</answer>", "x\nassistantfinal\ny"):
        assert gr.think_format.bind(think_opened=opened).score(text) == 0.0
        assert gr.think_answer_format.bind(think_opened=opened).score(text) == 0.0


@each_row("said, gold", [("Paris", "Paris"), ("42", "42"), ("**Paris**", "Paris"), ("巴黎", "巴黎")])
def test_a_final_channel_alone_answers(said: str, gold: str) -> None:
    for text in (f"{FINAL}{said}<|return|>", f"final{said}"):
        assert gr.exact_match.score(text, answer=gold) == 1.0
        assert gr.think_format.explain(text).reason == "no_thinking"


TOOL = "<|start|>functions.add to=assistant<|channel|>commentary<|message|>\\boxed{7}"


@each_row("bare", [False, True])
@each_row("second", ["", f"{NEXT}{ANALYSIS}b"])
def test_the_turn_goes_on_behind_the_message_of_a_tool(second: str, bare: bool) -> None:
    text = f"{ANALYSIS}a{NEXT}{CALL}{{}}<|call|>{TOOL}{second}{NEXT}{FINAL}It is \\boxed{{4}}.<|return|>"
    text = re.sub(r"<\|\w+\|>", "", text) if bare else text
    assert gr.boxed_answer.score(text, answer="4") == 1.0
    assert gr.think_format.score(text) == 1.0
    assert gr.boxed_answer.explain(text.partition(FINAL)[0] if not bare else "analysisa to=assistant5", answer="7")[
        :2
    ] in (
        (0.0, "no_box"),
        (0.0, "unfinished_thinking"),
    )


@each_row(
    "between",
    [
        "<|call|><|start|>assistant",  # nobody answered the call
        "<|call|><|start|>user<|message|>And?<|end|><|start|>assistant",
        f"<|return|>{TOOL}<|end|><|start|>assistant",
        "<|end|><|start|>system<|message|>x<|end|><|start|>assistant",
    ],
)
def test_what_stands_behind_the_end_of_the_turn_does_not_count(between: str) -> None:
    text = f"{ANALYSIS}a{NEXT}{CALL}{{}}{between}{FINAL}\\boxed{{4}}"
    assert gr.boxed_answer.explain(text, answer="4").reason == "no_box"


@pytest.mark.parametrize("bare", [False, True])
def test_of_two_final_messages_the_last_answers(bare: bool) -> None:
    text = f"{ANALYSIS}a{NEXT}{FINAL}3{NEXT}{COMMENT}hm{NEXT}{FINAL}4<|return|>"
    text = re.sub(r"<\|\w+\|>", "", text) if bare else text
    assert [gold for gold in ("3", "4", "34") if gr.exact_match.score(text, answer=gold)] == ["4"]
    assert gr.think_format.score(text) == 1.0
    marked = text.replace("3", "<reasoning>b</reasoning>3")
    assert gr.think_format.bind(reasoning="<reasoning>").explain(marked).reason == "no_thinking"


def test_the_format_is_rewarded_and_the_analysis_does_not_answer() -> None:
    text = f"{ANALYSIS}so \\boxed{{4}}{NEXT}{FINAL}It is \\boxed{{5}}.<|return|>"
    assert gr.think_format.score(text) == 1.0
    assert gr.boxed_answer.score(text, answer="4") == 0.0
    assert gr.boxed_answer.bind(box_in_reasoning=True, boxed="first").score(text, answer="4") == 1.0
    assert gr.think_format.explain(f"{FINAL}It is 5.").reason == "no_thinking"
    assert gr.think_format.explain(f"{ANALYSIS}so").reason == "unfinished_thinking"


def test_other_delimiters_are_looked_for_in_the_final_channel() -> None:
    one = gr.think_format.bind(reasoning="<reasoning>")
    assert one.score(f"{ANALYSIS}a{NEXT}{FINAL}<reasoning>b</reasoning>5") == 1.0
    assert one.explain(f"{ANALYSIS}a{NEXT}{FINAL}5").reason == "no_thinking"
    assert one.explain(f"{ANALYSIS}a").reason == "unfinished_thinking"
    told = gr.boxed_answer.bind(reasoning="<reasoning>")
    text = f"{ANALYSIS}{{}}{NEXT}{FINAL}<reasoning>\\boxed{{4}}</reasoning>\\boxed{{5}}".replace("{}", "\\boxed{3}")
    assert [told.score(text, answer=gold) for gold in "345"] == [0.0, 0.0, 1.0]
