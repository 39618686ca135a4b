"""Is the reasoning marked, with an answer behind it? Also where the chat template opened the tag."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

THINK = "<think>\nI add 2 and 3.\n</think>\n"


@each_row("response", TABLES["what_has_no_content_is_no_response_no_answer_and_no_reasoning"])
def test_what_has_no_content_is_no_response_no_answer_and_no_reasoning(response):
    assert gr.think_format.explain(THINK + response).reason == "blank_response"
    assert gr.think_format.explain(f"<think>{response.replace('answer', 'b')}</think>5").reason == "blank_reasoning"
    inside = response.replace("answer", "b")
    assert gr.think_answer_format.explain(f"{THINK}<answer>{inside}</answer>").reason == "blank_answer"
    assert gr.boxed_format.explain(THINK + r"\boxed{\text{}}").reason == "blank_box"
    assert gr.xml_format.bind(tags=["a"]).explain(f"<a>{inside}</a>").reason == "blank_section"


PREFILLED = {
    "text": "Question?\n<think>\n",
    "messages": [{"role": "user", "content": "Question?"}, {"role": "assistant", "content": "<think>\n"}],
}


@pytest.mark.parametrize("prompt", PREFILLED.values(), ids=list(PREFILLED))
def test_a_template_that_opened_think_is_seen_in_the_prompt(prompt):
    assert gr.think_format.score("I add.\n</think>\nIt is 5.", prompt=prompt) == 1.0
    assert gr.think_format.explain(THINK + "It is 5.", prompt=prompt).reason == "repeated_tags"
    assert gr.think_format.explain("</think>It is 5.", prompt=prompt).reason == "blank_reasoning"
    assert gr.think_answer_format.score("I add.</think><answer>5</answer>", prompt=prompt) == 1.0
    assert gr.boxed_answer.explain(r"I add, \boxed{5}", prompt=prompt, answer="5").reason == "unfinished_thinking"


def test_the_option_overrides_the_prompt():
    opened, closed = gr.think_format.bind(think_opened=True), gr.think_format.bind(think_opened=False)
    assert opened.score("I add.</think>It is 5.") == 1.0
    assert closed.score("I add.</think>It is 5.", prompt="<think>") == 0.0


def test_a_prompt_that_only_speaks_of_the_tag_did_not_open_it():
    prompt = "Begin with <think>.\nQ: 2 + 2?\nA:"
    assert gr.boxed_answer.score(r"\boxed{4}", prompt=prompt, answer="4") == 1.0


def test_a_prompt_that_closed_its_think_again_did_not_open_it():
    assert gr.think_format.score(THINK + "It is 5.", prompt="<think>\n\n</think>\n\n") == 1.0


def test_reasoning_that_a_parser_moved_out_of_the_text_still_counts():
    message = [{"role": "assistant", "reasoning_content": "I add.", "content": "It is 4."}]
    assert gr.think_format.score(message) == 1.0
