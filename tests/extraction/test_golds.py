"""Golds that are sentences or worked solutions are read as completions are; golds in words stay what they are."""

from tables import each_row

import grpo_rewards as gr
from grpo_rewards.extraction import stated_gold


@each_row(
    "gold, stated",
    [
        ("Therefore, the answer is: 180.", "180"),
        ("We add 3 and 4. So there are 7 apples.", "7"),
        ("The answer is Mount Everest.", "Mount Everest"),
        ("Quadrant II", "Quadrant II"),
        ("no such integer exists", "no such integer exists"),
        ("Angle 2 is larger than angle 1", "Angle 2 is larger than angle 1"),
        ("x = 3", "x = 3"),
        (7, 7),
        (None, None),
    ],
)
def test_a_gold_in_prose_states_its_answer(gold, stated):
    assert stated_gold(gold) == stated


def test_every_reward_of_correctness_reads_it():
    gold = "We add. Therefore, the answer is 180."
    for reward, text in (
        (gr.boxed_answer, r"\boxed{180}"),
        (gr.final_answer, "It is 180."),
        (gr.tagged_answer, "<answer>180</answer>"),
        (gr.numeric_answer, "It is 180."),
        (gr.close_to, "It is 180."),
    ):
        assert reward.score(text, answer=gold) == 1.0
        assert reward.score(text.replace("180", "90"), answer=gold) == 0.0
    assert gr.multiple_choice.score("B", answer="The correct option is (B).") == 1.0
    assert gr.multiple_choice.score("A", answer="The correct option is (B).") == 0.0
