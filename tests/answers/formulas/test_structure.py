"""What formulas hold, and formulas rewritten."""

from tables import each_row, tables_beside

from grpo_rewards.answers.formulas.formula import (
    Formula,
    has_endless_sum,
    subformulas,
    substituted,
    symbols,
)
from grpo_rewards.answers.formulas.identity import (
    has_kink,
    is_piecewise,
    looks_arbitrary,
    renamed,
    rounded_symbols,
    whole_symbols,
)
from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.grammar import read_formula

TABLES = tables_beside(__file__)


def read(text: str) -> Formula:
    formula = read_formula(parse(text))
    assert formula is not None
    return formula


@each_row(
    "text, names",
    [
        ("ax+b", {"a", "b", "x"}),
        (r"\sum_{k=1}^n kx", {"n", "x"}),  # not its index
        (r"\sum_{k=1}^n\sum_{j=1}^k jk", {"n"}),
        (r"\sum_{i=1}^n i^2", {"n"}),
        ("2\\pi+e", set()),
    ],
)
def test_symbols(text: str, names: set[str]) -> None:
    assert symbols(read(text)) == names


@each_row(
    "text, names",
    [
        ("n!+x", {"n"}),
        (r"\binom{n}{k}p^k", {"n", "k"}),
        ("(-1)^{n}x^n", {"n"}),
        ("(-x)^n", set()),
        (r"\sum_{k=m}^n x^k", {"m", "n"}),
        (r"\lfloor y/4\rfloor", set()),
    ],
)
def test_symbols_that_must_be_whole(text: str, names: set[str]) -> None:
    assert whole_symbols(read(text)) == names


def test_symbols_that_are_rounded() -> None:
    assert rounded_symbols(read(r"\lfloor y/4\rfloor+\lceil z\rceil x")) == {"y", "z"}


@each_row("text, kinked, piecewise", TABLES["kinks"])
def test_kinks(text: str, kinked: bool, piecewise: bool) -> None:
    formula = read(text)
    assert (any(map(has_kink, subformulas(formula))), is_piecewise(formula)) == (kinked, piecewise)


def test_sums_to_infinity() -> None:
    assert has_endless_sum(read(r"2\sum_{k=1}^{\infty} \frac{1}{k^2}"))
    assert not has_endless_sum(read(r"\sum_{k=1}^n k"))


def test_names_of_constants() -> None:
    assert all(map(looks_arbitrary, ("C", "c", "K", "C_{1}", "c_{2}")))
    assert not any(map(looks_arbitrary, ("A", "x", "k", "C_{12}", "C_{n}", "C'", "Cx")))


def test_rewriting() -> None:
    assert substituted(read("x^2+y"), {read("x"): read("a+1")}) == read("(a+1)^2+y")
    assert substituted(read(r"\sum_{k=1}^n k"), {read("n"): read("5")}) == read(r"\sum_{k=1}^5 k")
    assert not symbols(renamed(read("xy+f(z)"))) & {"x", "y", "z"}
