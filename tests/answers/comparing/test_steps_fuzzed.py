"""What must hold for every text: no exception, an answer is itself, spacing changes nothing, equality has no sides."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_rewards.answers.comparing.steps import compare_here as compare

OUTCOMES = ("correct", "wrong", "not_compared", "too_large", "bad_answer")

NUMBERS = st.one_of(
    st.integers(-999, 9999).map(str),
    st.decimals(-99, 99, places=2).map(str),
    st.fractions(-9, 9, max_denominator=12).map(lambda f: rf"\frac{{{f.numerator}}}{{{f.denominator}}}"),
)
LEAVES = st.one_of(
    NUMBERS,
    st.sampled_from(
        [r"\pi", r"\infty", "x", "n", "1{,}000", r"10\%", r"\text{cm}", r"\sqrt2", r"\$5", "½", "C", "3:4", "e", "i"]
    ),
)


def joined(pattern: str):
    """Two formulas in a pattern, ``<`` and ``>`` standing for them."""
    return lambda pair: pattern.replace("<", pair[0]).replace(">", pair[1])


def formulas(inner):
    two = st.tuples(inner, inner)
    patterns = [
        r"\frac{<}{>}",
        "< + >",
        "< - >",
        r"< \cdot >",
        "<^{>}",
        "<(>)",
        "(<, >)",
        r"\{<, >\}",
        "<, >",
        "(<, >]",
    ]
    patterns += [r"< \cup >", "< = >", r"< \le >", r"\begin{pmatrix}< & >\end{pmatrix}", r"\log_{<} >", r"< \pm >"]
    wrapped = [r"\sqrt{<}", r"\sin <", r"\ln\sin <", "|<|", "<=1", r"\max(<, 2)", r"e^{<}", r"\gcd(<, 6)", "<!"]
    wrapped += [r"\left(<\right)", "x = <", r"\lfloor < \rfloor"]
    return st.one_of(
        *[two.map(joined(pattern)) for pattern in patterns],
        *[inner.map(lambda one, pattern=pattern: pattern.replace("<", one)) for pattern in wrapped],
    )


LATEX = st.recursive(LEAVES, formulas, max_leaves=6)
# Formulas that are exact on both sides, so that neither may be a rounding or an unevaluated spelling of the other.
POLYNOMIALS = st.recursive(
    st.sampled_from(["x", "y", "2x", "3", r"\frac12"]),
    lambda inner: st.one_of(
        *[st.tuples(inner, inner).map(joined(pattern)) for pattern in ("(<)+(>)", "(<)(>)", "(<)-(>)")],
        inner.map(lambda one: f"({one})^2"),
    ),
    max_leaves=5,
).map(lambda formula: formula + "+z")


def holds(*drawn, often):
    """A test of what holds for all that is drawn: of 40 examples, and with ``-m full`` of as many as ``often``."""

    def decorate(check):
        @pytest.mark.parametrize("examples", [40, pytest.param(often, marks=pytest.mark.full)])
        def of_examples(examples):
            settings(max_examples=examples)(given(*drawn)(check))()

        of_examples.__name__ = check.__name__
        return of_examples

    return decorate


@holds(LATEX, often=400)
def test_every_answer_is_itself_however_it_is_spaced(formula):
    spaced = re.sub(r"(?<=[+,=])", r" \\, ", formula).replace("(", r"\left( ").replace(")", r"\right)\!")
    assert compare(spaced, formula).outcome in ("correct", "bad_answer")
    assert compare(formula, formula).outcome in ("correct", "bad_answer")


@holds(LATEX, LATEX, often=400)
def test_any_two_answers_can_be_compared(one, other):
    assert compare(one, other).outcome in OUTCOMES


@holds(POLYNOMIALS, POLYNOMIALS, often=300)
def test_equality_has_no_sides(one, other):
    assert compare(one, other).outcome == compare(other, one).outcome


@holds(POLYNOMIALS, POLYNOMIALS, often=300)
def test_polynomials_are_equal_exactly_if_they_are_at_many_points(one, other):
    def python(formula):
        text = formula.replace(r"\frac12", "0.5").replace("2x", "2*x").replace("^", "**").replace(")(", ")*(")
        return compile(text, "formula", "eval")

    points = [{"x": x, "y": y, "z": 0.25} for x in (-1.5, 0.5, 2.25, 3.0, 7.0) for y in (-2.0, 0.75, 5.5, 11.0)]
    codes = python(one), python(other)
    values = [[eval(code, {}, point) for code in codes] for point in points]  # noqa: S307  # our own formulas
    agree = all(abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1) for a, b in values)
    assert (compare(one, other).outcome == "correct") is agree


@holds(NUMBERS, NUMBERS, often=300)
def test_numbers_are_equal_both_ways(one, other):
    outcomes = {compare(one, other).outcome, compare(other, one).outcome}
    assert outcomes in ({"correct"}, {"wrong"})


@holds(st.text(max_size=60), st.text(max_size=20), often=500)
def test_no_text_raises(prediction, answer):
    assert compare(prediction, answer).outcome in OUTCOMES


PIECES = [*"\\{}[]()^_$&%#,.;:=+-/!|<> 0159abxXeiC√①٣€…"]
PIECES += (
    r"\frac \sqrt \text \left \over 10 \pm \sin \log_ \in \le \ne \cup \begin{pmatrix} \end{pmatrix} \\ \{ \}".split()
)


@holds(st.lists(st.sampled_from(PIECES), max_size=30), st.lists(st.sampled_from(PIECES), max_size=12), often=800)
def test_no_broken_latex_raises(pieces, others):
    text, other = "".join(pieces), "".join(others)
    for prediction, answer in ((text, "5"), ("5", text), (text, other)):
        assert compare(prediction, answer).outcome in OUTCOMES
