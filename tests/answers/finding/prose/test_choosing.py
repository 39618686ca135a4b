"""Which number of a clause it gives, where another one only stands beside it. A row is (the gold, the text)."""

import pytest

import grpo_rewards as gr

GIVES = [
    (r"10\sqrt{3}", r"The height is $10\sqrt{3}$ m, about 17.3 m."),
    (r"25\pi", "The area is 25π, approximately 78.5."),
    ("2.65", "√7 = 2.6457..., which rounds to 2.65."),
    ("250", "Thus he paid $250 in total, $50 less than the list price of $300."),
    ("12", "So she runs 12 km, 3 km more than her brother who runs 9 km."),
    ("10:20 AM", "Answer: the bus arrives at 10:20 AM."),
    ("1969", "Apollo 11 landed on the Moon in 1969."),
    ("12", "Overall 12 pupils passed."),
    (r"\begin{pmatrix}1&0\\0&1\end{pmatrix}", r"The product is $\begin{pmatrix}1&0\\0&1\end{pmatrix}$."),
    ("2.5", "Also braucht man 2,5 Liter Milch."),
]
DOES_NOT_GIVE = [
    ("5", "It is 5, about 6."),
    ("50", "Thus he paid $250 in total, $50 less than the list price of $300."),
    ("300", "Thus he paid $250 in total, $50 less than the list price of $300."),
    ("20", "The answer is the temperature at 20 degrees."),
    ("11", "Apollo 11 landed on the Moon in 1969."),
]


@pytest.mark.parametrize(("gold", "text"), GIVES)
def test_the_number_that_a_clause_gives(gold, text):
    verdict = gr.final_answer.explain(text, answer=gold)
    assert verdict.reward == 1.0, verdict


@pytest.mark.parametrize(("gold", "text"), DOES_NOT_GIVE)
def test_a_number_beside_it_earns_nothing(gold, text):
    assert gr.final_answer.score(text, answer=gold) == 0.0
