"""Whose fault it is that there is nothing to compare."""

import grpo_rewards as gr


def test_a_row_without_a_readable_gold_is_none_whatever_the_model_wrote():
    for completion in (r"\boxed{4}", "no box", "<think>unfinished"):
        assert gr.boxed_answer.explain(completion, answer="").reason == "bad_answer"
        assert gr.final_answer.score(completion, answer=None) is None
        assert gr.cosine_length.bind(max_tokens=9).score(completion, completion_ids=[1], answer="") is None
