"""Stretches of few words are poor, whatever their order and numbers, and what people write has more words."""

import random

import pytest
from tables import each_row

from grpo_rewards.completion.padding.informative_tokens import poor_share

CHOICE = random.Random(0)
WORDS = "we see that the value can be what it was and so now it is said".split()
FILLERS = ["let me see.", "right.", "so it goes.", "hold on.", "one moment.", "as i said."]
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ONES = "one two three four five six seven eight nine".split()
POOR = {
    "in any order": " ".join(CHOICE.choices(WORDS, k=300)),
    "numbers at random": "".join(f"entry {CHOICE.randrange(9999)} was looked at and is fine. " for _ in range(40)),
    "short lines": "\n".join(f"case {CHOICE.randrange(999)} is done" for _ in range(80)),
    "fillers": " ".join(CHOICE.choices(FILLERS, k=120)),
    "numbers in words": " ".join(f"{ten} {one}" for ten in TENS for one in ONES),
    "Chinese numbers": "、".join(f"一百{ten}十{one}" for ten in "二三四五六七八九" for one in "一二三四五六七八九"),
    "each word twice": " ".join(f"{one} {one}" for one in (f"{a}{b}ord" for a in "bcdfgh" for b in "aeiouy")),
    "two words twice": " ".join(f"{one} is {one} is" for one in (f"{a}{b}ord" for a in "bcdfgh" for b in "aeiouy")),
}


@each_row("text", POOR.values())
def test_few_words_say_little(text):
    assert poor_share(text) > 0.8


RICH = {
    "prose": "the harbour was quiet when the boats came back, and nobody asked why the nets were empty or where "
    "the lights had gone. my aunt kept a list of the names on the kitchen door, and each spring she painted over "
    "those who had left for the city. the year i turned nine there were four names on it, and one was mine.",
    "calculation": "".join(
        f"{a} * {b} = {a * b}, and {a} + {b} = {a + b}.\n" for a in range(12, 20) for b in (3, 7, 9)
    ),
    "expression": "\\[ (2 \\cdot 3) \\cdot (4 \\cdot 5 + 1) = 6 \\cdot (20 + 1) = 6 \\cdot 21 = 126. \\]\n" * 5,
    "table": "".join(f"| {name} | {CHOICE.randrange(999)} |\n" for name in "oslo porto ghent graz turku lyon".split()),
    "names": "".join(f'"m{a}{b}.{b}xlarge",\n' for a in "abcdefgh" for b in (2, 4, 8, 16)),
    "key": "\n".join("".join(CHOICE.choices("abcdefghijklmnopqrstuvwxyz0123456789+/", k=64)) for _ in range(20)),
    "short": "yes, yes. it is four.",
    "empty": "",
}


@each_row("text", RICH.values())
def test_what_people_write_has_words_enough(text):
    assert poor_share(text) == 0


def test_of_a_long_text_samples_are_looked_at():
    text = RICH["names"] * 40 + POOR["in any order"] * 40
    expected = len(POOR["in any order"]) * 40 / len(text)
    assert poor_share(text) == pytest.approx(expected, abs=0.15)
