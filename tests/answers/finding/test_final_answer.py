"""Which part of a response is its final answer, and that a hedge is none."""

import pytest

import grpo_rewards as gr


@pytest.mark.parametrize(
    ("completion", "source", "prediction"),
    [
        (r"the answer is 5, so \boxed{4}", "box", "4"),
        ("the answer is 5 <answer> 4 </answer>", "answer_tag", "4"),
        ("the answer is 5\n#### 4", "hashes", "4"),
        ("#### 5 and then\n#### 4\nbye", "hashes", "4"),
        ("The answer is 4.", "phrase", "4"),
        ("**Answer:** $4$", "phrase", "4"),
        (r"The final answer is \(\frac{8}{2}\).", "phrase", r"\frac{8}{2}"),
        ("so 2 + 2\nA: 4", "phrase", "4"),
        ("The answer is $4 for each child.", "phrase", "$4"),
        ("The answer is 4 because 2 + 2 = 4.", "phrase", "4"),
        ("The answer is 1,004 apples", "phrase", "1,004"),
        ("2 + 2 makes 4!", "last_number", "4"),
        ("It fell by -4", "last_number", "-4"),
        ("It fell by −4", "last_number", "−4"),
        ("It is 1 1/2", "last_number", "1 1/2"),
        ("so 1 000 dollars", "last_number", r"1 000\text{ dollars}"),
        ("some 3 million.", "last_number", "3 million"),
        ("so 2^{10}", "last_number", "2^{10}"),
        ("#### **4**", "hashes", "4"),
        ("The answer is 4 apples that she has left.", "phrase", "4"),
        ("The answer is 4 thousand", "phrase", "4 thousand"),
        ("16-3-9=4", "last_number", "4"),
        ("It costs $1,234.50.", "last_number", "$1,234.50"),
    ],
)
def test_final_answer_says_where_it_found_the_answer(completion, source, prediction):
    verdict = gr.final_answer.explain(completion, answer="4")
    assert (verdict.details["source"], verdict.prediction) == (source, prediction)


HEDGES = (
    r"""
4 or 5;4, 5;4/5;4^2;4 × 6;4 · 6;4 times 6;4 − 6;4²;4½;4 1/2;4√2;4π;4 squared;4!!;4 < 6;4 thousand;$4 million;4 dozen
4 5 6;4, and 5;4 & 5;4 | 5;4 but could be 5;$4$ or $5$;$4$, $5$;\(4\) \(5\);4 apples or 5 apples
""".strip()
    .replace("\n", ";")
    .split(";")
)


@pytest.mark.parametrize("ending", ["", "."])
@pytest.mark.parametrize("hedge", HEDGES)
def test_final_answer_does_not_pay_for_a_hedge_or_for_half_an_answer(hedge, ending):
    assert gr.final_answer.score(f"The answer is {hedge}{ending}", answer="4") == 0.0


def test_final_answer_without_any_number():
    assert gr.final_answer.explain("I do not know", answer="4").reason == "no_answer"
