"""Whose fault it is that there is nothing to compare."""

from hypothesis import example, given
from hypothesis import strategies as st
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.answers import find_box
from grpo_rewards.completion.reasoning.marks import THINK, USUAL_MARKS
from grpo_rewards.completion.sections import response

# Nothing of this opens a box; all of it may open reasoning, or end it.
BEGINNINGS = ["", "<think>", "[THINK]", "analysis", "<|channel|>analysis<|message|>", "It is "]
PIECES = [*"</think> <think> [/THINK] assistantfinal ` </s> box x | \\n".split(" "), " ", "\n"]


@example("analysis", ["x"], False, THINK)
@given(
    st.sampled_from(BEGINNINGS),
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.booleans(),
    st.sampled_from(USUAL_MARKS[:2]),
)
def test_without_a_box_it_is_the_reasoning_that_may_be_unfinished(beginning, pieces, opened, marks):
    text = "".join([beginning, *pieces])
    is_finished = response(text, opened, marks) is not None
    assert find_box(text, opened, marks=marks) == (None, "no_box" if is_finished else "unfinished_thinking")


def test_a_row_without_a_readable_gold_is_none_whatever_the_model_wrote():
    for completion in (r"\boxed{4}", "no box", "<think>unfinished"):
        assert gr.boxed_answer.explain(completion, answer="").reason == "bad_answer"
        assert gr.final_answer.score(completion, answer=None) is None
        assert gr.cosine_length.bind(max_tokens=9).score(completion, completion_ids=[1], answer="") is None


SENTENCES = [
    "We proceed by induction on the number of vertices of the graph.",
    "See the figure in the appendix.",
    "It depends on the value of the parameter k.",
]


@each_row("gold", SENTENCES)
def test_a_gold_that_is_not_understood_is_met_by_its_own_spelling_and_is_never_the_fault_of_the_model(gold):
    # a sentence that gives an answer is read as one: tests/extraction/test_golds.py
    for completion in (r"\boxed{180}", r"\boxed{yes}", r"\boxed{}", r"\boxed{x @ 3}", "no box", "<think>unfinished"):
        assert gr.boxed_answer.explain(completion, answer=gold)[:2] == (None, "bad_answer"), completion
    assert gr.boxed_answer.score(f"\\boxed{{{gold}}}", answer=gold) == 1.0
    assert gr.boxed_answer.explain(r"\boxed{180}", answer=[gold, "180"]).reason == "correct"
    assert gr.boxed_answer.explain(r"\boxed{181}", answer=[gold, "180"]).reason == "wrong"


@each_row(
    "gold, other",
    [
        *[("Evelyn", "Eve"), ("Quadrant II", "Quadrant IV"), ("Plan B", "Plan A"), ("Type I error", "Type II error")],
        *[
            ("no such integer exists", "every integer"),
            ("Mr. Lee", "Mr. Long"),
            ("O'Brien", "Brian"),
            ("World War II", "1939"),
        ],
        *[
            ("cannot be determined", "yes"),
            ("none of the above", "all of the above"),
            ("right-angled triangle", "square"),
        ],
        *[("Wednesday", "Monday"), ("Louis XIV", "Louis XV"), ("Team C", "Team D")],
    ],
)
def test_a_gold_that_is_a_few_words_is_compared(gold, other):
    for written in (gold, rf"\text{{{gold}}}", gold.upper() if len(gold) > 8 else gold):
        assert gr.boxed_answer.score(f"\\boxed{{{written}}}", answer=gold) == 1.0, written
    for wrong in (other, "2", "180", r"\frac12"):
        assert gr.boxed_answer.explain(f"\\boxed{{{wrong}}}", answer=gold)[:2] == (0.0, "wrong"), wrong
