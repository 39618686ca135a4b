"""Formulas that a naive evaluation would spend hours or gigabytes on are refused or decided, at once."""

import time

import pytest

from grpo_rewards.answers import compare

HEAVY = [
    r"e^{e^{e^{e^{10}}}}+1",
    r"10^{\left(5^{5^{5}} \cdot \log_{10}(5)\right)}",
    r"\sin(10^{900})",
    "x^{x^{x^{x^x}}}",
    "((((x^{900})^{900})^{900})^{900})^{900}",
    r"\sqrt{x}^{10000000000}",
    "(1+i)^{99999999999}",
    "x" + "/x" * 2000,
    "x" + r"^\circ" * 500,
    "+".join(rf"\sin({k}x)" for k in range(400)),
    "+".join(f"1/(x+{k})" for k in range(400)),
    "+".join(rf"\sin({'7' * 200}x)" for _ in range(20)),
    ",".join(rf"\sqrt{{{k}}}" for k in range(400)),
    ",".join(rf"\sin({k}x)" for k in range(300)),
    "=".join(f"x+{k}-{k}" for k in range(300)),
    r"\pm 1" * 800,
    "<".join("x" * 1000),
    "f(" * 50 + "x" + ")" * 50,
    r"\frac{1}{1+" * 50 + "x" + "}" * 50,
    "+".join(f"(n+{k})!" for k in range(300)),
    r"\begin{pmatrix}" + "&".join(["x^{900}"] * 300) + r"\end{pmatrix}",
    r"\gcd(e^{e^{15}},2)=1",
    r"\ln(1+ie^{-e^{30}})=1",
    r"(1+ie^{-e^{22}})^{0.3}=1",
    r"\arctan(2i+e^{-e^{22}})=1",
    r"\operatorname{arctanh}(ie^{-e^{22}})=1",
    r"\cos(2^{1500}i)=1",
    "x^{1^{" + "9" * 300 + "}!}",
    "z=" + "=".join(["|x|+" + "+".join(f"x^{{{570 - k}}}" for k in range(90))] * 6),
    "+".join(rf"\operatorname{{arccot}}(ix+{k})" for k in range(100)) + "=1",
    r"e^{e^{22}}\bmod 7",
    r"(\gcd(e^{e^{15}},2),5)\cup(1,2)",
    "+".join([r"\sin1"] * 100) + r"-100\sin1" + "=0" * 10,
    r"\cap ".join([r"\{" + ",".join(f"(0,{k})" for k in range(10, 60)) + r"\}"] * 4),
    r"\sin" * 195 + " x=1",
    "ln" * 240 + "2",
    "€" * 1200 + "x",
    "√①",
    "x^{" + "9" * 300 + r"\cdot 0!}",
    r"2^{\frac{" + "9" * 400 + "}{1}}=1",
    "".join(rf"\frac{{{'9' * 150}}}{{" for _ in range(30)) + "7" + "}" * 30 + "=1",
    r"\operatorname{floor}(1,2)=1",
    r"\exp(0,7)=1",
    r"\lfloor i\rfloor=1",
    r"\binom{10^{50}}{2}=1",
    r"\arccos(" * 35 + "2" + ")" * 35 + "=1",
]


@pytest.mark.parametrize("heavy", HEAVY, ids=[heavy[:30] for heavy in HEAVY])
@pytest.mark.parametrize("other", ["5", "y", r"\sin(x)+\sqrt{y}", "1,2"])
def test_heavy_formulas_are_decided_or_refused(heavy, other):
    start = time.process_time()
    assert compare(heavy, other).outcome in ("wrong", "too_large", "not_compared")
    assert compare(other, heavy).outcome in ("wrong", "too_large", "not_compared", "bad_answer")
    assert time.process_time() - start < 20  # hours, if anything evaluated them


SLOW = (
    "z=|x|+"
    + "+".join(rf"\arccos(x+{k})" for k in range(2, 62))
    + "=|x|+"
    + "+".join(rf"\arccos(x+{k})" for k in range(61, 1, -1))
)


@pytest.mark.parametrize(
    ("prediction", "answer"),
    [
        (r"\frac{\sqrt2}{2}", r"y=\frac{1}{\sqrt2}=\frac{\sqrt2}{2}"),
        ("7", "x=3+4=7"),
        (r"[2,\sqrt7]", r"[1,\sqrt7]\cap[2,\pi)"),
    ],
)
def test_what_a_gold_says_does_not_depend_on_what_was_compared_before(prediction, answer):
    assert compare(SLOW, answer).outcome == "too_large"
    assert compare(prediction, answer).outcome == "correct"
