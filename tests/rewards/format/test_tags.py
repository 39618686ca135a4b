"""Which tags count, in which order, around what."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


@each_row("text, share", TABLES["tag_count_pays_each_tag_that_is_right"])
def test_tag_count_rewards_each_tag_that_is_right(text, share):
    assert gr.tag_count.score(text) == share


def test_a_tag_that_the_template_opened_counts():
    assert gr.tag_count.score("a</think><answer>b</answer>", prompt="2 + 2? <think>\n") == 1.0
    assert gr.tag_count.bind(opened=True).score("<think>a</think><answer>b</answer>") == 0.75


@each_row("text, said", TABLES["xml_format"])
def test_xml_format(text, said):
    assert reason(gr.xml_format.bind(tags=["plan", "code"]), text) == said


def test_xml_format_starts_inside_a_tag_that_the_template_opened():
    assert gr.xml_format.bind(tags=["plan", "code"]).score("a</plan><code>b</code>", prompt="<plan>") == 1.0
    for tags in ([], ["a", "a"], ["a b"], ["<a>"]):
        with pytest.raises(gr.RewardError, match="tags must be different names"):
            gr.xml_format.bind(tags=tags)


@each_row("text, share", TABLES["sections_neither_overlap_nor_change_places"])
def test_sections_neither_overlap_nor_change_places(text, share):
    assert gr.tag_count.score(text) == share


SOLUTION = [("<start_working_out>", "<end_working_out>"), ("<SOLUTION>", "</SOLUTION>")]


@each_row("text, reason, share", TABLES["sections_may_have_delimiters_that_are_no_tags"])
def test_sections_may_have_delimiters_that_are_no_tags(text, reason, share):
    assert gr.xml_format.bind(tags=SOLUTION).explain(text).reason == reason
    assert gr.tag_count.bind(tags=SOLUTION).score(text) == share


def test_tags_and_pairs_may_be_mixed_and_spelled_in_a_spec():
    one = gr.get_reward("xml_format(tags=[('[PLAN]', '[/PLAN]'), 'code'])")
    assert one.score("[PLAN]Loop.[/PLAN]<code>1</code>") == 1.0
    assert one.bind(opened=True).score("Loop.[/PLAN]<code>1</code>") == 1.0
    assert one.score("Loop.[/PLAN]<code>1</code>", prompt="Go. [PLAN]\n") == 1.0


@each_row("tags", [[("[A]",)], [("[A]", "[A]")], [("<a>", "</a>"), "a"], [3], [("", "[/A]")]])
def test_what_cannot_delimit_a_section_is_refused(tags):
    with pytest.raises(gr.RewardError, match="tags"):
        gr.xml_format.bind(tags=tags)


PARSED = [{"role": "assistant", "reasoning_content": "I add.", "content": "<answer>4</answer>"}]


def test_reasoning_that_a_parser_took_out_is_the_first_section_if_that_is_about_reasoning():
    tags = gr.xml_format.bind(tags=["think", "answer"])
    assert tags.score(PARSED) == tags.bind(opened=True).score(PARSED) == 1.0
    assert gr.xml_format.bind(tags=["reasoning", "answer"]).score(PARSED) == 1.0
    assert gr.xml_format.bind(tags=["plan", "answer"]).score(PARSED) == 0.0
    assert gr.tag_count.bind(opened=True).score(PARSED) == 1.0
