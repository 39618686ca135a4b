"""Units by their names and plurals, and which words say what is counted."""

from __future__ import annotations

import pytest

from grpo_rewards.answers.reading.units import counted, is_counted, known_unit


@pytest.mark.parametrize(
    ("word", "unit"),
    [
        ("cm", "centimeter"),
        ("metres", "meter"),
        ("inches", "inch"),
        ("feet", "foot"),
        ("hrs", "hour"),
        ("%", "percent"),
        (r"\$", "dollar"),
        ("ms", None),  # milliseconds, which are not in the table, and not several meters
        ("apple", None),
        ("s", "second"),  # not the plural of nothing
    ],
)
def test_a_unit_by_any_spelling_in_the_singular_and_plural(word: str, unit: str | None) -> None:
    assert known_unit(word) == unit


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("eggs", "egg"),
        ("Egg.", "egg"),
        ("degrees Celsius", "degreeC"),
        ("glass", "glass"),  # no plural
        ("bus", "bus"),  # too short to tell
        ("kilometres", "kilometer"),
    ],
)
def test_what_is_counted_by_its_canonical_name(spelled: str, name: str) -> None:
    assert counted(spelled) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ways", True),
        ("fresh eggs", True),
        ("kg", True),
        ("or six", False),
        ("increased", False),  # what was done to the number
        ("red", True),  # three letters: a colour, nothing that was done
        ("bcd", False),  # no vowel: a product of variables in upright type
        ("ab", False),
        ("large brown chicken eggs", True),
        ("large fresh brown chicken eggs", False),  # five words
        ("", False),
    ],
)
def test_which_words_say_what_is_counted(text: str, expected: bool) -> None:
    assert is_counted(text) is expected
