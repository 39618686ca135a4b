"""Formulas that are the same, and formulas that only look like it. The verdicts are a mathematics teacher's."""

import pytest
from answer_pairs import assert_different_by_value, assert_equal, rows

EQUAL = {
    "sums and products": [
        ("x+1", "1+x"),
        ("-x+1", "1-x"),
        ("2(x+1)", "2x+2"),
        ("(a+b)(a-b)", "a^2-b^2"),
        ("bca", "abc"),
        ("(67 \\pi)/3", r"\frac{67 \pi}{3}"),
        (r"\frac{1}{3}(67 \pi)", r"\frac{67 \pi}{3}"),
        ("0.25x", r"\frac{x}{4}"),
        (r"\frac{x^2-1}{x-1}", "x+1"),
        ("x^{-1}", r"\frac1x"),
        (r"1+2\sqrt{3}", r"2\sqrt{3}+1"),
        (r"2 \cdot 2^{1008}", "2^{1009}"),
        (r"\left(x^{2}+1\right)^{101} / 202+C", r"C+\frac{(x^2+1)^{101}}{202}"),
    ],
    "roots and powers": [
        (r"\sqrt{452}", r"2\sqrt{113}"),
        ("6^{1/2}", r"\sqrt{6}"),
        (r"\sqrt[3]{4}", "4^{1/3}"),
        (r"\frac{1}{3\sqrt[3]{x}^2}", r"\frac{1}{3x^{2/3}}"),
        (r"x^{15/4}y^{17/4}", r"x^{\frac{15}{4}} y^{\frac{17}{4}}"),
        (r"3^{5/6}x\cdot x^{1/12}y^{11/12}z^{5/6}", r"x \sqrt[12]{59049 x y^{11} z^{10}}"),
        (r"\sqrt{x}\sqrt{y}", r"\sqrt{xy}"),
        (r"\frac{2}{\sqrt2}", r"\sqrt2"),
        ("1", r"\sqrt[3]{2+\sqrt{5}} + \sqrt[3]{2-\sqrt{5}}"),
        (r"2^{n+1}", r"2\cdot2^n"),
        ("x^10", "x^{10}"),
    ],
    "functions": [
        (r"\tan^{-1}(3)", r"\arctan 3"),
        (r"\operatorname{arctan}(3)", r"\arctan 3"),
        (r"\sin^2 x", r"1-\cos^2x"),
        (r"\sin 45^\circ", r"\frac{\sqrt2}{2}"),
        (r"3-\log x", r"\log\frac{1000}{x}"),
        (r"\ln x", r"\log x"),
        (r"\frac{\ln3}{\ln2}", r"\log_2 3"),
        (r"2\ln x", r"\ln(x^2)"),
        (r"|1-x|", "|x-1|"),
        (r"\lfloor n/2\rfloor", r"\left\lfloor\frac{n}{2}\right\rfloor"),
        (r"\frac{n(n-1)}{2}", r"\binom{n}{2}"),
        ("n!/(n-1)!", "n"),
        ("(-1)^{n+1}", "-(-1)^n"),
        ("1+f(x)", "f(x)+1"),
        (r"\frac{1}{\cosh x}", r"\operatorname{sech}x"),
        (r"\arctan 2", r"\operatorname{atan}(2)"),
        (r"\tan x", r"\tg x"),
        (r"1+i\sqrt3", r"2\operatorname{cis}60^\circ"),
        (r"{n \choose k}", r"\binom nk"),
        (r"\lfloor\frac{n+1}{2}\rfloor", r"\lceil\frac{n}{2}\rceil"),
        (r"\sqrt{(x-y)^2}", "|x-y|"),
        (
            r"e^{x}(c_{1} \cos (\sqrt{2} x)+c_2 \sin(\sqrt2 x))",
            r"e^{x}\left(c_{1} \cos \sqrt{2} x+c_{2} \sin \sqrt{2} x\right)",
        ),
    ],
    "complex numbers": [("274i+1", "1+274i"), (r"1+i\sqrt{3}", r"1+\sqrt{3}i"), (r"e^{i\pi}+x", "x-1")],
}
DIFFERENT = {
    "values": [
        ("x+2", "x+1"),
        ("5x", "5"),
        ("5m", "5"),
        ("5", "5abc"),
        (r"\sqrt{x^2}", "x"),
        (r"\frac{1}{2^{98}}", r"\frac{1}{2^{99}}"),
        (r"\pi+10^{-300}", r"\pi"),
        ("(x+1)^{199}", "(x+1)^{200}"),
        ("-i", "i"),
        ("f(y)", "f(x)"),
        (r"5+\frac{0}{0}", "5"),
        ("x-y", "y-x"),
        (r"|x|", "x"),
        (r"A\sqrt{B}", r"\sqrt{A^2B}"),
        ("ab", "|ab|"),
        ("ab", r"\sqrt{a^2b^2}"),
        (r"\max(a,b)", "a"),
        (r"a \bmod b", "a"),
        (r"\operatorname{lcm}(a,b)", "ab"),
        (r"\lfloor x\rfloor", "x"),
        (r"\lceil\log_2 n\rceil", r"\lfloor\log_2 n\rfloor+1"),
        (r"\cosh(200)", r"\sinh(200)"),
        (r"e^{e^6}+1", r"e^{e^6}"),
        (r"x=2k\pi, k\in\mathbb{Z}", r"x = k\pi, k \in \mathbb{Z}"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
