"""Numbers that are near enough, and what is no number."""

import pytest

import grpo_rewards as gr


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


@pytest.mark.parametrize(
    ("text", "gold", "options", "said"),
    [
        (r"\boxed{3.14}", r"\pi", {}, "correct"),  # 0.05 % off
        (r"\boxed{3.1}", r"\pi", {}, "wrong"),  # 1.3 % off
        (r"\boxed{3.1}", r"\pi", {"rel_tol": 0.02}, "correct"),
        (r"\boxed{99}", 100, {}, "correct"),  # 1 % off exactly, which counts
        (r"\boxed{98.99}", 100, {}, "wrong"),
        (r"\boxed{-100}", 100, {}, "wrong"),
        (r"\boxed{0.001}", 0, {}, "wrong"),  # no share of 0 is more than 0
        (r"\boxed{0.001}", 0, {"abs_tol": 0.01}, "correct"),
        (r"\boxed{10^{400}}", 1, {}, "wrong"),
        ("It weighs $1{,}000$ kg.", r"1000\text{ g}", {}, "correct"),  # units are not looked at
        (r"\boxed{\frac{2}{3}}", "0.6667", {}, "correct"),
        (r"\boxed{4 \pm 1}", 4, {}, "not_a_number"),
        (r"\boxed{3, 4}", 4, {}, "not_a_number"),
        (r"\boxed{71-73}", 72, {}, "not_a_number"),
        (r"\boxed{\approx 72}", 72, {}, "correct"),
        (r"\boxed{72}", "70-75", {}, "bad_answer"),
        (r"\boxed{x}", 4, {}, "not_a_number"),
        (r"\boxed{9^{9^{9}}}", 4, {}, "not_a_number"),
        ("", 4, {}, "no_answer"),
        (r"\boxed{4}", "four things", {}, "bad_answer"),
    ],
)
def test_numeric_answer(text, gold, options, said):
    assert reason(gr.numeric_answer.bind(**options), text, answer=gold) == said
