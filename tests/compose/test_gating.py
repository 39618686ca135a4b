"""A reward that counts only where another one is earned."""

from composed import ROWS, composed_gate, composed_value

import grpo_rewards as gr


def test_a_gate_decides_row_by_row():
    one = gr.gated(composed_value, by=composed_gate, otherwise=-1.0)
    assert one(**ROWS) == [1.0, None, -1.0, None]
    reasons = [
        one.explain("", value=value, gate=gate).reason for value, gate in zip(ROWS["value"], ROWS["gate"], strict=True)
    ]
    assert reasons == ["", "", "stopped", "gate_not_scored"]
    assert gr.gated(composed_value, by=composed_gate, above=1.0)(**ROWS) == [0.0, 0.0, 0.0, None]
