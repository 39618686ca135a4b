"""What the contents of an answer tag give: themselves, or what their sentence says."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.extraction.final import answer_in as answer_in_tag

TABLES = tables_beside(__file__)


@each_row("inside, answer", TABLES["a_sentence_is_heard"])
def test_a_sentence_is_read(inside: str, answer: str) -> None:
    assert answer_in_tag(inside) == answer


@each_row("words", TABLES["colons"])
def test_a_colon_behind_announcing_words_announces(words: str) -> None:
    for said, gold in [("7", "7"), (r"\frac{1}{2}", "1/2"), ("3:4", "3:4"), ("(1, 2)", "(1,2)"), ("x = 3", "3")]:
        assert gr.tagged_answer.score(f"<answer>{words} {said}</answer>", answer=gold) == 1, said
    assert gr.numeric_answer.score(f"<answer>{words} 7</answer>", answer=7) == 1
    assert gr.final_answer.score(f"<answer>{words} 7</answer>", answer=7) == 1
    assert gr.tagged_answer.score(f"<answer>{words} 8</answer>", answer="7") == 0
    assert gr.tagged_answer.score(f"<answer>{words} 7 or 8</answer>", answer="7") == 0
    assert gr.tagged_answer.score(f"<answer>{words} 3:4</answer>", answer="4") == 0


def test_announcing_words_in_a_box_are_no_ratio() -> None:
    assert gr.boxed_answer.score(r"\boxed{\text{Final answer: } 7}", answer="7") == 1
    assert gr.boxed_answer.score(r"\boxed{Final\ answer: 8}", answer="7") == 0


@each_row("inside", TABLES["what_is_a_value_or_says_none_stays_as_it_is"])
def test_what_is_a_value_or_says_none_stays_as_it_is(inside: str) -> None:
    assert answer_in_tag(f" {inside}\n") == inside


@pytest.mark.parametrize("reward", [gr.final_answer, gr.tagged_answer, gr.numeric_answer], ids=str)
def test_the_rewards_hear_it(reward: gr.Reward) -> None:
    assert reward.score("<answer>So she has 4 apples.</answer>", answer="4") == 1.0
    assert reward.score("<answer>So she has 4 apples, or 5.</answer>", answer="4") == 0.0
