"""A reward in another range."""

from composed import ROWS, composed_value

import grpo_rewards as gr

FORMATLESS = r"\boxed{4}"


def test_clipped_and_scaled():
    assert gr.clipped(composed_value, low=1.5, high=2.5)(**ROWS) == [1.5, None, 2.0, 2.5]
    assert gr.scaled(composed_value, by=-2, offset=1)(**ROWS) == [-1.0, None, -3.0, -5.0]
    assert gr.scaled(gr.boxed_answer, by=-2, offset=1).range == (-1.0, 1.0)
    verdict = gr.scaled(gr.boxed_answer, by=2).explain(FORMATLESS, answer="4")
    assert (verdict.reward, verdict.reason, verdict.prediction) == (2.0, "correct", "4")
