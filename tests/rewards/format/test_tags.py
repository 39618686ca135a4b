"""Which tags count, in which order, around what."""

import grpo_rewards as gr


def test_a_tag_that_the_template_opened_counts():
    assert gr.tag_count.score("a</think><answer>b</answer>", prompt="2 + 2? <think>\n") == 1.0
    assert gr.tag_count.bind(opened=True).score("<think>a</think><answer>b</answer>") == 0.75


def test_xml_format_starts_inside_a_tag_that_the_template_opened():
    assert gr.xml_format.bind(tags=["plan", "code"]).score("a</plan><code>b</code>", prompt="<plan>") == 1.0


def test_tags_and_pairs_may_be_mixed_and_spelled_in_a_spec():
    one = gr.get_reward("xml_format(tags=[('[PLAN]', '[/PLAN]'), 'code'])")
    assert one.score("[PLAN]Loop.[/PLAN]<code>1</code>") == 1.0
    assert one.bind(opened=True).score("Loop.[/PLAN]<code>1</code>") == 1.0
    assert one.score("Loop.[/PLAN]<code>1</code>", prompt="Go. [PLAN]\n") == 1.0


PARSED = [{"role": "assistant", "reasoning_content": "I add.", "content": "<answer>4</answer>"}]


def test_reasoning_that_a_parser_took_out_is_the_first_section_if_that_is_about_reasoning():
    tags = gr.xml_format.bind(tags=["think", "answer"])
    assert tags.score(PARSED) == tags.bind(opened=True).score(PARSED) == 1.0
    assert gr.xml_format.bind(tags=["reasoning", "answer"]).score(PARSED) == 1.0
    assert gr.xml_format.bind(tags=["plan", "answer"]).score(PARSED) == 0.0
    assert gr.tag_count.bind(opened=True).score(PARSED) == 1.0
