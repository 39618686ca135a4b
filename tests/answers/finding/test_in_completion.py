"""Which boxes of a completion are its answer."""

import grpo_rewards as gr


def test_names_before_boxes_belong_to_their_list():
    both = r"$x=\boxed{5}$ and $y=\boxed{6}$"
    assert gr.boxed_answer.score(both, answer="(5,6)") == 1.0
    assert gr.boxed_answer.score(both, answer="(6,5)") == 0.0
    assert gr.boxed_answer.score(both, answer="6") == 0.0
