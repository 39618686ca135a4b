"""Which answers boxed_answer and tagged_answer pay, and why the others are not paid."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


@each_row("completion, reward, reason", TABLES["boxed_answer"])
def test_boxed_answer(completion, reward, reason):
    verdict = gr.boxed_answer.explain(completion, answer="4")
    assert (verdict.reward, verdict.reason) == (reward, reason)


def test_tool_transcripts_are_read_at_the_last_assistant_message():
    transcript = [
        {"role": "assistant", "content": r"\boxed{5}", "tool_calls": []},
        {"role": "tool", "name": "calculator", "content": r"\boxed{5}"},
        {"role": "assistant", "content": [{"type": "text", "text": r"\boxed"}, {"type": "text", "text": "{4}"}]},
        {"role": "tool", "name": "calculator", "content": r"\boxed{5}"},
    ]
    assert gr.boxed_answer.score(transcript, answer="4") == 1.0


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


@each_row("text, said", TABLES["tagged_answer"])
def test_tagged_answer(text, said):
    assert reason(gr.tagged_answer, text, answer="4") == said


def test_tagged_answer_takes_another_tag():
    assert gr.tagged_answer.bind(tag="result").score("<answer>5</answer><result>4</result>", answer=4) == 1.0
    with pytest.raises(gr.RewardError, match="tag must be a tag's name"):
        gr.tagged_answer.bind(tag="<a>")


def test_bad_options_are_refused_when_they_are_bound():
    with pytest.raises(gr.RewardError, match="True or False or None"):
        gr.boxed_answer.bind(think_opened="yes")
