"""Which answers boxed_answer and tagged_answer pay, and why the others are not paid."""

import grpo_rewards as gr


def test_tool_transcripts_are_read_at_the_last_assistant_message():
    transcript = [
        {"role": "assistant", "content": r"\boxed{5}", "tool_calls": []},
        {"role": "tool", "name": "calculator", "content": r"\boxed{5}"},
        {"role": "assistant", "content": [{"type": "text", "text": r"\boxed"}, {"type": "text", "text": "{4}"}]},
        {"role": "tool", "name": "calculator", "content": r"\boxed{5}"},
    ]
    assert gr.boxed_answer.score(transcript, answer="4") == 1.0


def test_tagged_answer_takes_another_tag():
    assert gr.tagged_answer.bind(tag="result").score("<answer>5</answer><result>4</result>", answer=4) == 1.0
