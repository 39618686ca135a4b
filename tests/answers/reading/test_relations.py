"""Equations, inequalities and chains of them: what they say, and what they say that is something else."""

import pytest
from answer_pairs import assert_different, assert_different_by_value, assert_equal, assert_equal_both_ways, rows

NAMED = [
    ("x = 5", "5"),
    ("5", "x=5"),
    (r"\theta = 30^\circ", "30"),
    (r"x \in (1, 2]", "(1,2]"),
]
OTHER_NAMES = [
    ("y=5", "x=5"),
    ("x=5,y=6", "5"),
]
EQUAL = {
    "chains that hold": [
        ("x=3+2=5", "5"),
        ("2+3=5", "5"),
        (r"\frac13\approx0.33", r"\frac13"),
        ("-1", r"i^{6}=i^{4} \cdot i^{2}=1 \cdot(-1)=-1"),
        ("3464.1", r"200\left(\cos \left(\frac{\pi}{6}\right)\right) 20=3464.1"),
    ],
    "equations": [
        ("2x+3=y", "y = 2x + 3"),
        ("y=3+2x", "y = 2x + 3"),
        ("-x^2-18x-86=0", "x^{2}+18 x+86=0"),
        ("x^2+y^2=1", "y^2+x^2-1=0"),
        (r"2\cos x-1=0", r"\cos x=\frac12"),
        ("n=N", "N=n"),
        ("5=x", "5"),
        ("x^2", "f(x)=x^2"),
        (r"\angle ABC=30^\circ", "30"),
        ("AB=5", "5"),
        ("(x,y)=(1,2)", "(1,2)"),
        ("7:32", "S_{MBCN}:S=7:32"),
        ("y'=2x", r"y^{\prime}=2x"),
        ("b=2, a=1", "a=1, b=2"),
        ("x=1, y=2", "(1,2)"),
        ("1,2", "x=1, y=2"),
        ("3,2", "x_1=2, x_2=3"),
        (r"x=1,y=2 \text{ or } x=2,y=1", "(1,2),(2,1)"),
        (r"(r,\theta) = (3, \frac{\pi}{2})", r"(3,\frac{\pi}{2})"),
        ("3=f(2)", "f(2)=3"),
        ("y=2, x=1", "(1,2)"),
        ("(y,x)=(2,1)", "(1,2)"),
        (r"\cos A=\frac12", r"\frac12"),
        (r"\begin{aligned}x&=2+3\\&=5\end{aligned}", "5"),
        ("m+n = 2+4 = 6", "6"),
        ("|A|=6", "6"),
        (r"\begin{cases} y=2\\x=1\end{cases}", r"\left\{\begin{array}{l}x=1\\y=2\end{array}\right."),
        ("x &= 4", "4"),
        (r"x=n\pi \ (n \in \mathbb{Z})", r"x = k\pi, k \in \mathbb{Z}"),
        (r"x=k\pi", r"x = k\pi, k \in \mathbb{Z}"),
        (r"x=n\pi \text{ for } n \in \Z", r"x = k\pi, k \in \mathbb{Z}"),
        (r"y=2x \text{ for } x > 0", "y=2x, x>0"),
    ],
    "inequalities": [
        ("0<x", "x>0"),
        (r"(2,\infty)", "x > 2"),
        (r"a\in(-\infty,1]", r"a \le 1"),
        ("5>x>2", "(2,5)"),
        ("(0,1)", "0<f(x)<1"),
        (r"\{x \mid x\ge 3\}", r"[3,\infty)"),
        ("6>3y+2x", "2x+3y<6"),
        (r"\mathbb{R}", r"(-\infty,\infty)"),
        (r"x > 2 \text{ and } x < 5", "(2,5)"),
        ("x>2, x<5", "(2,5)"),
        (r"x\ne\pm1", r"x\ne1, x\ne-1"),
        (r"x<-1 \vee x>3", r"x<-1 \text{ or } x>3"),
        ("|x|<5", "(-5,5)"),
        (r"y = x^2 (x \ge 0)", r"y = x^2, x \ge 0"),
    ],
}
DIFFERENT = {
    "chains that do not hold": [
        ("3=5", "5"),
        ("5=7", "5"),
        (r"\frac13\approx1.3", r"\frac13"),
        (r"4.96\approx5.0", "5"),
        ("x=2=5", "5"),
    ],
    "equations that say something else": [
        ("x=x", "x"),
        ("1=2", "x^2+1=0"),
        ("0=0", "y=2x+1"),
        ("2x=10", "x=5"),
        ("11a+c", "7=11a+c"),
        ("0", "a^2+b=0"),
        ("3x+4y+14=0", "3x-y+13=0"),
        ("x = -2y", "y = -2x"),
        ("x+1=2", "1"),
        (r"\frac{y}{x}=x", r"\frac{d y}{d x}=x"),
        (r"\pi=72", "72"),
        ("2,1", "x=1, y=2"),
        ("x=1, y=2", "(2,1)"),
        ("6", "a+b=6"),
        ("f(5)=100", "f(2)=3"),
        (r"\pi<5", r"\pi<4"),
        ("6", r"\log_2 x=6"),
        ("x!=6", "6"),
        ("y=1, x=2", "(1,2)"),
        (r"x=1 \text{ or } y=2", "(1,2)"),
        ("x=1, y=2", r"\{1,2\}"),
        (r"2k, k\in\mathbb{N}", r"2k, k\in\mathbb{Z}"),
        ("a+b=7", "6"),
        ("x:y=5", "5"),
    ],
    "inequalities": [
        (r"x\ge 0", "x>0"),
        ("x<3", "x>3"),
        ("5", "x>5"),
        ("x>4", "5"),
        (r"x\in\mathbb{R}", "x>0"),
        ("x=1", r"x\ne 1"),
        (r"(2,\infty)", r"x\ge 2"),
        ("2x+3y>6", "2x+3y<6"),
        ("2>1", "x>1"),
        ("3<4", "1<2"),
        (r"x<1 \text{ and } x>2", r"x<1 \text{ or } x>2"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), NAMED)
def test_equal_answers_are_equal_both_ways(prediction, answer):
    assert_equal_both_ways(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), OTHER_NAMES)
def test_different_answers(prediction, answer):
    assert_different(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction, answer):
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers_are_decided_to_be_different(prediction, answer):
    assert_different_by_value(prediction, answer)
