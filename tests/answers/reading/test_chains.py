"""Chains of equal things: the last part counts if every link holds, with its unit, and else it does not."""

import pytest
from answer_pairs import assert_different, assert_equal, rows

from grpo_rewards.answers.comparing.steps import compare, compare_here

HOLDS = {
    "units behind unknowns": [
        (r"F=ma=10\text{ N}", "10"),
        (r"F=ma=10\text{ N}", r"10\text{ N}"),
        (r"t=\frac{60}{20}=3\text{ s}", r"3\text{ s}"),
        (r"v=\sqrt{2gh}\approx9.9\text{ m/s}", "9.9"),
        (r"I=\frac{V}{R}=2\text{ A}", r"2\text{ A}"),
        (r"E=mc^2=9\times10^{16}\text{ J}", r"9\times10^{16}"),
        (r"v=\frac{d}{t}=\frac{100}{20}=5\text{ m/s}", "5"),
    ],
    "units behind a calculation": [
        (r"\frac{60}{20}=3\text{ s}", "3"),
        (r"2\times3=6\text{ m/s}", r"6\text{ m/s}"),
        (r"2(3)=6\text{ cm}^2", r"6\text{ cm}^2"),
        (r"20+25=45\text{ dollars}", "45"),
        (r"\text{Total}=\$20+\$25=\$45", "45"),
        (r"1\text{ hour}=60\text{ minutes}", "60"),
        (r"x=2\text{ m}=200\text{ cm}", r"200\text{ cm}"),
    ],
    "percent": [
        (r"\frac35=60\%", r"60\%"),
        (r"100\%-55\%=45\%", r"45\%"),
        (r"P=\frac35=0.6=60\%", r"60\%"),
        (r"P(A|B)=60\%", r"60\%"),
        (r"P(A \mid B) = \frac{P(A \cap B)}{P(B)} = \frac{3}{8}", r"\frac38"),
    ],
    "angles": [
        (r"\theta=\arctan\frac34\approx36.9^\circ", r"36.9^\circ"),
        (r"\theta=60^\circ=\frac{\pi}{3}", r"\frac{\pi}{3}"),
        (r"\theta=180^\circ-120^\circ=60^\circ", r"60^\circ"),
    ],
    "quantities": [
        (r"\sum_{i=1}^na_i=55", "55"),
        (r"\int_0^1 f(x)dx=5", "5"),
        (r"\lim_{x\to 2}f(x)=5", "5"),
        (r"\int x\,dx=\frac{x^2}{2}+C", r"\frac{x^2}{2}+C"),
        ("f(1)+f(2)=6", "6"),
        ("f(3)=7", "7"),
        (r"A=\{1,2\}\cup\{3\}=\{1,2,3\}", r"\{1,2,3\}"),
        (r"x=(1,2)=(1,2)", "(1,2)"),
    ],
}
FAILS = {
    "units": [
        (r"F=ma=11\text{ N}", r"10\text{ N}"),
        (r"t=\frac{60}{20}=4\text{ s}", "4"),
        (r"v=\frac{d}{t}=\frac{100}{20}=6\text{ m/s}", r"6\text{ m/s}"),
        (r"2(3)=7\text{ cm}^2", r"7\text{ cm}^2"),
        (r"\$20+\$25=\$46", "46"),
        (r"x=20\text{ m}=300\text{ m}", r"300\text{ m}"),
        (r"x=2\text{ m}=300\text{ cm}", r"300\text{ cm}"),
        (r"1\text{ hour}=50\text{ minutes}", "50"),
    ],
    "percent": [
        (r"\frac35=70\%", r"70\%"),
        (r"100\%-55\%=55\%", r"55\%"),
    ],
    "angles": [(r"\theta=60^\circ=\frac{\pi}{4}", r"\frac{\pi}{4}")],
    "to be solved": [("2f(3)+1=7", "7"), ("-f(3)=7", "7"), (r"\frac1{f(3)}=7", "7"), ("f(x+1)=2x", "2x")],
}
COMPUTED = [
    (r"\sum_{n=1}^\infty\frac1{2^n}=1", "1"),
    (r"\int_0^1x^2dx=\frac13", r"\frac13"),
    (r"A=\int_0^2x\,dx=\frac{4}{2}=2", "2"),
    (r"\lim_{x\to0}\frac{\sin x}{x}=1", "1"),
]
COMPUTED_WRONGLY = [
    (r"\sum_{n=1}^\infty\frac1{2^n}=2", "2"),
    (r"\int_0^1x^2dx=1", "1"),
    (r"A=\int_0^2x\,dx=3", "3"),
    (r"\lim_{n\to\infty}(1+\frac1n)^n=1", "1"),
]


@pytest.mark.parametrize(("prediction", "answer"), rows(HOLDS))
def test_a_chain_that_holds_is_its_last_part(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(FAILS))
def test_a_chain_that_does_not_hold_is_no_answer(prediction: str, answer: str) -> None:
    assert_different(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), COMPUTED)
def test_computer_algebra_confirms_a_link(prediction: str, answer: str) -> None:
    assert compare_here(prediction, answer).undecided_pairs
    assert compare(prediction, answer).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), COMPUTED_WRONGLY)
def test_computer_algebra_refutes_a_link(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "wrong"


@pytest.mark.parametrize(
    "prediction",
    ["c^2=a^2+b^2=25", r"\int_0^1x^2dx=[\frac{x^3}3]_0^1=25", r"25=25\%", r"x\%=25", r"T=5^\circ\text{C}=25\text{ K}"],
)
def test_a_link_that_nobody_decides_is_not_wrong(prediction: str) -> None:
    assert compare(prediction, "25").outcome == "not_compared"
