"""Where formulas are compared: on both sides of every constant, for all signs, at whole numbers where needed."""

from fractions import Fraction
from itertools import product

from tables import each_row, tables_beside

from grpo_rewards.answers.formulas.formula import Formula, Point, subformulas, total
from grpo_rewards.answers.formulas.identity import drawn_points, has_kink
from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.grammar import read_formula

TABLES = tables_beside(__file__)


def read(text: str) -> Formula:
    formula = read_formula(parse(text))
    assert formula is not None
    return formula


def points_for(one: str, other: str) -> list[Point]:
    both = read(one), read(other)
    return list(drawn_points(*both, kinked=any(map(has_kink, subformulas(total(both))))))


def numbers(one: str, other: str, name: str) -> list[Fraction]:
    return [point[name] for point in points_for(one, other)]


@each_row("one, other, regions", TABLES["both_sides_of_every_constant_are_seen"])
def test_both_sides_of_every_constant_are_seen(one: str, other: str, regions: list[tuple[int, int]]) -> None:
    found = numbers(one, other, "y" if one == "|y|" else "x")
    for low, high in regions:
        assert any(low < number < high for number in found), (low, high)


def test_symbols_are_independent_of_each_other_in_sign_and_in_size() -> None:
    points = points_for("|x+y|", "|x|+|y|")
    signs = {(point["x"] > 0, point["y"] > 0) for point in points}
    assert signs == set(product((True, False), repeat=2))
    larger = {(point["x"] > 0, point["y"] > 0, abs(point["x"]) > abs(point["y"])) for point in points}
    assert len(larger) == 8


def test_formulas_without_kinks_see_positive_points_and_all_patterns_of_signs() -> None:
    points = points_for("xy+z", "z+yx")
    assert all(value > 0 for point in points[:3] for value in point.values())
    assert len({tuple(value > 0 for value in point.values()) for point in points}) >= 7  # of eight


@each_row("one, other", [("n!", "n"), (r"(-1)^n", "1"), (r"\sum_{k=1}^{n} k", "n"), (r"\lfloor n/2\rfloor", "n")])
def test_what_must_be_whole_is_whole(one: str, other: str) -> None:
    assert all(number.denominator == 1 and number > 0 for number in numbers(one, other, "n"))


def test_only_what_must_be_whole_is_whole() -> None:
    points = points_for("n!|x|", "n!x")
    assert all(point["n"].denominator == 1 for point in points)
    assert any(point["x"].denominator != 1 for point in points)
    assert any(point["x"] < 0 for point in points)


def test_whole_numbers_go_beyond_the_constants_and_are_multiples_of_them_or_not() -> None:
    found = numbers(r"\lfloor n/100\rfloor", "0", "n")
    assert {number % 100 == 0 for number in found if number > 100} == {True, False}
    assert 99 in found
    assert 101 in found


def test_what_is_rounded_is_seen_at_whole_numbers_and_between_them() -> None:
    found = numbers(r"\lfloor y/4\rfloor", "y/4", "y")
    assert {number.denominator == 1 for number in found} == {True, False}
    assert any(number < 0 for number in found)


def test_the_points_depend_on_the_pair_and_on_nothing_else() -> None:
    first, again = (numbers("|x-7|", "7-x", "x") for _ in range(2))
    assert first == again == numbers("7-x", "|x-7|", "x")
    assert first != numbers("|x-7|", "8-x", "x")


def test_many_constants_do_not_make_many_points() -> None:
    many = "+".join(f"|x-{constant}|" for constant in range(100, 1000, 13))
    assert len(points_for(many, "x")) <= 72
