"""Equations that say the same in other forms, and those that only share some of their solutions."""

from __future__ import annotations

import pytest
from answer_pairs import assert_different, assert_equal_both_ways, rows

EQUAL = {
    "a multiple": [("2x+3y=6", "4x+6y=12"), ("x-y=0", "y-x=0"), (r"x^2+y^2=4", r"\frac{x^2}{4}+\frac{y^2}{4}=1")],
    "a denominator with a symbol": [
        ("y=\\frac{2}{x}", "xy=2"),
        (r"y=\frac{1}{x^2}", "x^2y=1"),
        (r"y=\frac{2x+1}{x-3}", "xy-3y-2x-1=0"),
        (r"\frac{x}{y}=2", "x=2y"),
        (r"\frac1x+\frac1y=1", "x+y=xy"),
        (r"\frac{y-1}{x-2}=3", "y=3x-5"),
        (r"y=\frac{1}{x-1}+\frac{1}{x+1}", "y(x^2-1)=2x"),
        (r"\frac{1}{R}=\frac{1}{a}+\frac{1}{b}", r"R=\frac{ab}{a+b}"),
    ],
    "a denominator with a function": [
        (r"\rho = \frac{2\sqrt{2}}{\cos \theta + \sin \theta}", r"\rho(\cos\theta+\sin\theta)=2\sqrt2"),
        (r"r=\frac{1}{1+\cos\theta}", r"r+r\cos\theta=1"),
        ("y=e^{-x}", "ye^x=1"),
        (r"y=\frac{x}{e^x}", "ye^x=x"),
    ],
    "inequalities": [("2x<2y", "x<y"), ("x-y>0", "y<x")],
}
DIFFERENT = {
    "a root more": [
        ("x^2=4y^2", "x=2y"),
        ("x(y-1)=0", "y-1=0"),
        ("xy=2y", "x=2"),
        ("y^2=x", r"y=\sqrt{x}"),
        ("x^2y=x", r"y=\frac{1}{x}"),
        ("xy=x^2-x", "y=\\frac{x^2-x}{x}"),
        (r"\frac{xy}{x}=2x", "xy=2x^2"),
        ("y(x-1)=0", r"y=\frac{1}{x-1}+\frac{1}{1-x}"),
        ("(2x+3y-6)(x-y)=0", "2x+3y-6=0"),
    ],
    "another equation": [
        ("xy=3", "y=\\frac{2}{x}"),
        ("xy=2", "y=\\frac{x}{2}"),
        ("y(x-3)=2x-1", r"y=\frac{2x+1}{x-3}"),
        (r"\rho(\cos\theta-\sin\theta)=2\sqrt2", r"\rho = \frac{2\sqrt{2}}{\cos \theta + \sin \theta}"),
        ("ye^x=-1", "y=e^{-x}"),
    ],
    "inequalities keep their denominators": [("1<xy", r"\frac{1}{x}<y"), ("-x<-y", "x<y")],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equations_in_another_form(prediction: str, answer: str) -> None:
    assert_equal_both_ways(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_equations_with_other_solutions(prediction: str, answer: str) -> None:
    assert_different(prediction, answer)
    assert_different(answer, prediction)
