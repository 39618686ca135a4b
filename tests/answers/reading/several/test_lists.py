"""Lists of answers, systems of equations and parts of a problem; what is another list, or leaves the answer open."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "systems": [
        (r"p=5,q=2;p=7,q=2", r"(5,2),(7,2)"),
        (r"p=7,q=2;p=5,q=2", r"(5,2),(7,2)"),
        (r"p=5,q=2 \text{ or } p=7,q=2", r"(5,2),(7,2)"),
        (r"(x_1,y_1)=(5,2), (x_2,y_2)=(7,2)", r"(5,2),(7,2)"),
        (r"x_1=1,y_1=2; x_2=3,y_2=4", r"(1,2),(3,4)"),
    ],
    "chains of names": [
        (r"x=y=z=1", r"(1,1,1)"),
        (r"x=y=z=1", r"x=1,y=1,z=1"),
        (r"z=x=y=1", r"x=y=z=1"),
        (r"y=k=506.25", r"506.25"),
    ],
    "parts": [
        (r"(a) 3, (b) 5", r"3, 5"),
        (r"(a) 3 \quad (b) 5", r"3, 5"),
    ],
    "one number in two forms": [
        (r"\frac34, 0.75", r"0.75"),
        (r"\frac34 \text{ or } 0.75", r"\frac34"),
    ],
    "signs of logic between conditions": [
        (r"x=1 \lor x=2", r"1,2"),
        (r"x>1 \land x<2", r"(1,2)"),
        (r"p \land q", r"p \wedge q"),
    ],
    "both signs": [
        (r"4x+3y=0 \text{ or } 4x-3y=0", r"4x\pm 3y=0"),
        (r"y=\frac{4x}{3}, y=-\frac{4x}{3}", r"y=\pm\frac43x"),
    ],
    "parts with labels alone between them": [
        (r"(1)3(2)5", r"3,5"),
        (r"(1) 3 (2) 5", r"(1) 3, (2) 5"),
        (r"(1)-3(2)5", r"(1) -3, (2) 5"),
        (r"(i) 3 (ii) 5 (iii) 7", r"(i) 3, (ii) 5, (iii) 7"),
    ],
    "letters and numbers in parentheses": [
        (r"(a)(b)", r"ab"),
        (r"(a)+(b)", r"a+b"),
        (r"(i)(2)", r"2i"),
        (r"(1)x+(2)y", r"x+2y"),
        (r"(1)x(x+1)", r"x(x+1)"),
    ],
    "cases in one line": [
        (r"1,n=1;2n-1,n\ge2", r"\begin{cases}1,&n=1\\2n-1,&n\ge2\end{cases}"),
        (r"当a<0时,x<1;当a>0时,x>1", r"当a>0时,x>1;当a<0时,x<1"),
    ],
}
DIFFERENT = {
    "parts with labels alone between them": [
        (r"(1)3(2)5", r"(1)5(2)3"),
        (r"(1)3(2)5", r"5,3"),
        (r"(i) 3 (ii) 5", r"(i) 5 (ii) 3"),
        (r"(a) 3 (b) 5", r"(a) 5 (b) 3"),
        (r"(1)(2)(3)", r"(2)(3)(1)(2)"),
    ],
    "cases in one line": [
        (r"1,n=1;2n-1,n\ge2", r"2n-1,n=1;1,n\ge2"),
        (r"1,x>0;0,x=0;-1,x<0", r"-1,x>0;0,x=0;1,x<0"),
        (r"当a>0时,x>1;当a<0时,x<1", r"当a>0时,x<1;当a<0时,x>1"),
    ],
    "systems": [
        (r"p=5,q=7;p=2,q=2", r"(5,2),(7,2)"),
        (r"p=5,q=2", r"(5,2),(7,2)"),
        (r"p=2,q=5;p=2,q=7", r"(5,2),(7,2)"),
        (r"x=1 \text{ or } y=2", r"1,2"),
    ],
    "chains of names": [
        (r"x=y=z=1", r"(1,1)"),
        (r"x=y=1", r"(1,1,1)"),
        (r"x=1", r"x=y=z=1"),
        (r"x=y=z=2", r"x=y=z=1"),
    ],
    "parts": [
        (r"(a) 5, (b) 3", r"(1,2)"),
        (r"(b) 3, (a) 5", r"(3,6)"),
    ],
    "one number twice": [
        (r"5, 5", r"5"),
        (r"0.5, 0.50", r"0.5"),
        (r"\frac34, 0.7", r"0.75"),
    ],
    "logic": [
        (r"p \land q", r"p \lor q"),
        (r"dy\wedge dx", r"dx\wedge dy"),
        (r"A \text{ or } C", r"A, C"),
        (r"p\vee\neg q", r"p\wedge\neg q"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
