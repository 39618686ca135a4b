"""Whose fault it is that there is nothing to compare."""

from tables import each_row

import grpo_rewards as gr


def test_a_row_without_a_readable_gold_is_none_whatever_the_model_wrote():
    for completion in (r"\boxed{4}", "no box", "<think>unfinished"):
        assert gr.boxed_answer.explain(completion, answer="").reason == "bad_answer"
        assert gr.final_answer.score(completion, answer=None) is None
        assert gr.cosine_length.bind(max_tokens=9).score(completion, completion_ids=[1], answer="") is None


SENTENCES = [
    "Therefore, the answer is: 180.",
    "Thus we get 42 apples in total, as was to be shown.",
    "We add 3 and 4 to get 7. So there are 7 birds left on the tree.",
    "Let x = 5. Then 2x + 3 = 13, which completes the solution.",
    "Since 3 + 4 = 7, Tom has 7 apples.",
    "First we find the area, 12 cm^2; then we double it.",
    "The sum is always even because both of them are.",
]


@each_row("gold", SENTENCES)
def test_a_gold_that_is_not_understood_is_met_by_its_own_spelling_and_is_never_the_fault_of_the_model(gold):
    # reading golds that are sentences is another matter: what is not read must not be scored
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
