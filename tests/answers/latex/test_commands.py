"""The tables of commands agree with one another, and what they say of a command is what becomes of it."""

import itertools

import pytest
from tables import each_row

from grpo_rewards.answers.latex.tree import (
    ACCENTS,
    ALIASES,
    ARITY,
    BARE_NAMES,
    DROPPED,
    FACES,
    FUNCTIONS,
    GREEK,
    INVERSE,
    KEPT_SPELLINGS,
    NEEDS_PARENTHESIS,
    SILENT,
    SPACING,
    parse,
    render,
)

ROLES = {"dropped": DROPPED, "silent": SILENT, "face": FACES, "accent": ACCENTS, "spacing": SPACING, "letter": GREEK}
ROLES["other spelling"] = frozenset(KEPT_SPELLINGS)


@each_row("one, other", list(itertools.combinations(ROLES, 2)))
def test_a_command_has_one_role(one: str, other: str) -> None:
    # what is in two tables is treated by whichever happens to be asked first
    assert ROLES[one] & ROLES[other] == set()


@each_row("other, kept", KEPT_SPELLINGS.items())
def test_another_spelling_is_read_as_the_one_that_is_kept(other: str, kept: str) -> None:
    assert kept not in KEPT_SPELLINGS  # or it would have to be replaced again
    arguments = "{1}" * ARITY.get(kept, 0)
    assert render(parse(f"{other}{arguments} x")) == render(parse(f"{kept}{arguments} x"))


@pytest.mark.parametrize(
    ("commands", "left"),
    [(DROPPED, "5x"), (SILENT, "x"), (FACES, "5x")],
    ids=["dropped without its argument", "dropped with it", "a typeface"],
)
def test_what_is_left_of_a_command_with_an_argument(commands: frozenset[str], left: str) -> None:
    assert {command: render(parse(f"{command}{{5}}x")) for command in commands} == dict.fromkeys(commands, left)


@each_row("accent", sorted(ACCENTS))
def test_an_accent_belongs_to_the_name(accent: str) -> None:
    assert render(parse(rf"{accent} v")) == rf"{accent}{{v}}" != "v"


def test_names_of_functions() -> None:
    assert set(ALIASES.values()) <= set(INVERSE) | set(INVERSE.values())  # another name of a function, not of a name
    # the first that fits is taken: a longer name must not come after its own beginning
    assert not [(short, long) for short, long in itertools.combinations(BARE_NAMES, 2) if long.startswith(short)]
    assert set(BARE_NAMES) >= FUNCTIONS >= NEEDS_PARENTHESIS
    # by the books: asin, arsinh and tg are the arcsine, the inverse of sinh and the tangent
    assert (ALIASES["asin"], ALIASES["arsinh"], ALIASES["tg"]) == ("arcsin", "arcsinh", "tan")
