"""Numbers that are near enough, and what is no number."""

import pytest
from tables import each_row, tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


@each_row("text, gold, options, said", TABLES["numeric_answer"])
def test_numeric_answer(text, gold, options, said):
    assert reason(gr.numeric_answer.bind(**options), text, answer=gold) == said


@each_row("text, gold, options, points", TABLES["close_to_falls_in_a_straight_line"])
def test_close_to_falls_in_a_straight_line(text, gold, options, points):
    assert gr.close_to.bind(**options).score(text, answer=gold) == pytest.approx(points)


@each_row(
    "text, gold, said",
    [
        *TABLES["close_to_says_why"],
        (r"\boxed{100}", None, "bad_answer"),
    ],
)
def test_close_to_says_why(text, gold, said):
    assert reason(gr.close_to, text, answer=gold) == said


def test_a_tolerance_below_zero_is_the_programmers_fault():
    for name in ("rel_tol", "abs_tol"):
        with pytest.raises(gr.RewardError, match="0 or more"):
            gr.close_to.bind(**{name: -1.0})


@each_row("said, points", TABLES["an_approximation_in_a_tag_is_its_number"])
def test_an_approximation_in_a_tag_is_its_number(said, points):
    for reward in (gr.numeric_answer, gr.close_to):
        assert reward.score(f"<answer>{said}</answer>", answer=100) == points


def test_only_the_gold_itself_is_correct():
    wide = gr.close_to.bind(rel_tol=1e300)
    assert wide.explain("<answer>3</answer>", answer=4).reason == "close"
