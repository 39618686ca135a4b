"""General solutions, congruences and domains behind an answer; families that hold other numbers."""

import pytest
from answer_pairs import assert_equal, rows

from grpo_rewards.answers import compare

EQUAL = {
    "congruences": [
        (r"n \equiv 7 \pmod 6", r"n\equiv 1\pmod{6}"),
        (r"n \equiv -5 \pmod 6", r"n\equiv 1\pmod{6}"),
        (r"n\equiv 1 \mod 6", r"n\equiv 1\pmod{6}"),
        (r"n \equiv 1 (\text{mod } 6)", r"n\equiv 1\pmod 6"),
        (r"n\equiv 1 (mod 6)", r"n\equiv 1\pmod 6"),
        (r"1 \pmod 6", r"n\equiv 1\pmod{6}"),
        (r"n=6k-5", r"n\equiv 1\pmod{6}"),
        (r"6m+1, m\in\mathbb{Z}", r"n\equiv 1\pmod{6}"),
        (r"n\equiv 1,4 \pmod 6", r"n\equiv 1 \pmod 3"),
    ],
    "angles": [
        (r"x=\pm\frac{\pi}{2}+2k\pi, k\in\mathbb{Z}", r"x=\frac{\pi}{2}+k\pi, k\in\mathbb{Z}"),
        (r"x=-\frac{\pi}{2}+n\pi, n\in\mathbb{Z}", r"x=\frac{\pi}{2}+k\pi, k\in\mathbb{Z}"),
        (r"90^\circ+180^\circ k, k \in \mathbb{Z}", r"\frac{\pi}{2}+k\pi, k\in\mathbb{Z}"),
        (
            r"x=\frac{\pi}{4}+k\pi \text{ or } x=\frac{3\pi}{4}+k\pi, k\in\mathbb{Z}",
            r"x=\frac{\pi}{4}+\frac{k\pi}{2}, k\in\mathbb{Z}",
        ),
    ],
    "domains": [
        (r"2n+1, n\in\mathbb{N}", r"2n+1"),
        (r"a_n=2n+1 \ (n\in\mathbb{N}^*)", r"a_n=2n+1"),
        (r"x^2 \text{ for all } x", r"x^2"),
        (r"f(x)=x \text{ for all } x\in\mathbb{R}", r"f(x)=x"),
        (r"x^2, x\in\mathbb{R}", r"x^2"),
        (r"2^n \quad \forall n", r"2^n"),
    ],
}
DIFFERENT = {
    "congruences": [
        (r"n\equiv 2\pmod 6", r"n\equiv 1\pmod 6"),
        (r"n\equiv 1\pmod 3", r"n\equiv 1\pmod 6"),
        (r"n\equiv 1\pmod{12}", r"n\equiv 1\pmod 6"),
        (r"n=3k", r"3"),
        (r"6k+2", r"n\equiv1\pmod 6"),
        (r"m\equiv 1\pmod 6", r"n\equiv 1\pmod 6"),
        (r"1", r"n\equiv 1\pmod 6"),
        (r"n\equiv 1\pmod 6", r"1"),
    ],
    "angles": [
        (r"x=\frac{\pi}{3}+n\pi, n\in\mathbb{Z}", r"x=\frac{\pi}{2}+k\pi, k\in\mathbb{Z}"),
        (r"x=\frac{\pi}{2}+2n\pi, n\in\mathbb{Z}", r"x=\frac{\pi}{2}+k\pi, k\in\mathbb{Z}"),
        (r"x=\frac{\pi}{2}", r"x=\frac{\pi}{2}+k\pi, k\in\mathbb{Z}"),
        (r"x=\frac{\pi}{2}+k\pi, k\in\mathbb{N}", r"x=\frac{\pi}{2}+k\pi, k\in\mathbb{Z}"),
    ],
    "domains": [
        (r"2n+1, n\in\mathbb{N}", r"2n-1"),
        (r"2k, k\in\mathbb{N}", r"2k, k\in\mathbb{N}^+"),
        (r"x^2 \text{ for all } x>0", r"x^2 \text{ for all } x<0"),
    ],
}


@pytest.mark.parametrize(("prediction", "answer"), rows(EQUAL))
def test_equal_answers(prediction: str, answer: str) -> None:
    assert_equal(prediction, answer)


@pytest.mark.parametrize(("prediction", "answer"), rows(DIFFERENT))
def test_different_answers(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
