"""Constants of integration by any letter, and letters that are no such constants."""

from __future__ import annotations

import pytest
from answer_pairs import assert_different, assert_equal, rows

# prediction, gold
EQUAL = {
    "one, that is added": [
        ("x^2+K", "x^2+C"),
        ("x^2+c", "x^2+C"),
        ("x^2+2C", "x^2+C"),
        ("-\\cos x+c_1", "-\\cos x+C"),
        (r"\ln x+K", r"\ln|x|+C"),
        (r"\frac{1}{2a}\ln\frac{x-a}{x+a}+K", r"\frac{1}{2a}\ln\frac{x-a}{x+a}+C"),
    ],
    "one, and a number that it takes up": [
        (r"-\cos^2x+C", r"\sin^2x+C"),
        (r"\frac{x^2}{2}+x+C", r"\frac{(x+1)^2}{2}+C"),
        (r"\frac{1}{2}\sin^2x+K", r"-\frac14\cos 2x+C"),
    ],
    "one, in another place": [
        ("Ae^{kt}", "Ce^{kt}"),
        (r"\frac{1}{K-x}", r"\frac{1}{C-x}"),
        (r"\tan(x+c)", r"\tan(x+C)"),
    ],
    "several": [
        ("c_1 e^x + c_2 e^{-x}", "C_1 e^x + C_2 e^{-x}"),
        ("Ae^x+Be^{-x}", "C_1 e^x + C_2 e^{-x}"),
        ("C_1e^{-x}+C_2e^x", "C_1 e^x + C_2 e^{-x}"),
        ("y=Ae^x+Be^{-x}", "y=C_1 e^x + C_2 e^{-x}"),
        (r"e^{-x}(A\sin x+B\cos x)", r"e^{-x}(C_1\cos x+C_2\sin x)"),
        ("C_0e^x+C_1e^{-x}", "C_1 e^x + C_2 e^{-x}"),
        ("ax^2+bx+c", "C_1+C_2x+C_3x^2"),
        (r"A\cos\omega t+B\sin\omega t", r"C_1\cos\omega t+C_2\sin\omega t"),
    ],
    "of a functional equation": [("f(x)=kx", "f(x)=cx")],
}
DIFFERENT = {
    "none, or one too many": [("x^2", "x^2+C"), ("x^2+C", "x^2"), ("x^2+5", "x^2+C"), ("x^2+C_1+C_2x", "x^2+C")],
    "another function": [
        (r"\frac{(x+1)^2}{2}+C", r"\frac{x^2}{2}+C"),
        ("x^3+K", "x^2+C"),
        (r"\cos^2x+C", r"\sin^2x+C"),
        (r"\ln x^2+C", r"\ln|x|+C"),
        ("C_1e^x+C_1e^{-x}", "C_1 e^x + C_2 e^{-x}"),
        ("(C_1+C_2)e^x", "C_1 e^x + C_2 e^{-x}"),
        ("C_1C_2e^x", "C_1 e^x + C_2 e^{-x}"),
        ("C_1 e^x - e^{-x}", "C_1 e^x + C_2 e^{-x}"),
        ("c_1e^{2x}+c_2e^{-x}+4", "C_1e^{2x}+C_2e^{-x}+3"),
        ("C_5 e^x + C_2 e^{-x}", "C_1 e^x + C_2 e^{-x}"),  # nobody counts like this: a number was changed
        ("C_1 e^x + C_3 e^{-x}", "C_1 e^x + C_2 e^{-x}"),
        ("Ax^2", r"\frac{C}{x}"),
        ("Kx^2", r"\frac12 C x^2"),  # most often a lost factor
        ("x^2-C", "x^2+C"),  # most often a changed sign
    ],
    "letters with a meaning": [
        ("a+d", "a+c"),
        ("3d", "2c"),
        ("KV", "CV"),
        ("A+B+D", "A+B+C"),
        ("mk^2", "mc^2"),
        (r"\sqrt{a^2+b^2}", r"\sqrt{a^2+c^2}"),
        ("x^2+y", "x^2+C"),
        ("x^2+n", "x^2+C"),
        ("kt", "ct"),
        ("C", "x+C"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_constants_by_any_letter(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_what_is_not_the_same_up_to_constants(prediction: str, answer: str) -> None:
    assert_different(prediction, answer)
