"""One option singled out, and remarks behind a choice."""

from tables import each_row

import grpo_rewards as gr

CHOOSES_B = [
    "Only B meets both conditions.",
    "Only option B fits the description.",
    "A is inland. C is inland. Only B lies on the coast.",
    "B is the only row that survives.",
    "B is the only one with a positive slope.",
    "B for sure.",
    "It's B, mate",
    "B, hands down",
    "The answer is B, I'd say.",
]
DOES_NOT_CHOOSE_B = [
    "Only B fails.",
    "Only B is wrong.",
    "Not only B fits.",
    "Only B and C fit.",
    "Only B or C fits the description.",
    "If only B fits, we are done.",
    "B is the only one that is wrong.",
    "B is the only option that contradicts the text.",
    "Only B might fit.",
]


@each_row("text", CHOOSES_B)
def test_b_is_chosen(text):
    assert [gr.multiple_choice.score(text, answer=gold) for gold in "BA"] == [1.0, 0.0]


@each_row("text", DOES_NOT_CHOOSE_B)
def test_b_is_not_chosen(text):
    assert gr.multiple_choice.score(text, answer="B") == 0.0
