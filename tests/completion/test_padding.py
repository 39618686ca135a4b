"""Padding pays nothing, and hides no repetition: what says nothing new does not count as length."""

import random
import re

import pytest

import grpo_rewards as gr


def as_ids(text):
    """A tokenizer by words, spaces and single other characters, as far as lengths go."""
    return [hash(piece) for piece in re.findall(r" ?[A-Za-z]+|\d|\s+|.", text, re.DOTALL)]


BASE = "We add two and three, which gives five, and check it by counting. So it is \\boxed{5}"
WRONG = BASE.replace("{5}", "{6}")
PADDINGS = {
    "sentence again": lambda text: (text.partition(".")[0] + ". ") * 30 + text,
    "once more": lambda text: text.partition(".")[0] + ". " + text,
    "at the end": lambda text: text + " We add two and three, which gives five." * 40,
    "spaces": lambda text: text + " " * 400,
    "new lines": lambda text: text + "\n" * 400,
    "zero width": lambda text: text + "\u200b" * 300,
    "zero width inside": lambda text: "\u200b".join(text),
    "dots": lambda text: "." * 500 + text,
    "wait": lambda text: "wait" * 200 + text,
    "gaps": lambda text: text.replace(" ", "          "),
}
LENGTHS = [
    gr.soft_overlong.bind(max_tokens=300, buffer=200),
    gr.cosine_length.bind(max_tokens=300),
    gr.target_length.bind(target=200, tolerance=200),
    gr.max_length.bind(max_tokens=300),
    gr.relative_length,
    gr.repetition,
]


@pytest.mark.parametrize("reward", LENGTHS, ids=lambda reward: reward.name)
@pytest.mark.parametrize("pad", PADDINGS.values(), ids=PADDINGS)
@pytest.mark.parametrize("base", [BASE, WRONG], ids=["right", "wrong"])
def test_padding_pays_for_no_length(reward, pad, base):
    def points(text):
        return reward.score(text, completion_ids=as_ids(text), answer="5")

    assert points(pad(base)) <= points(base) + 1e-6


@pytest.mark.parametrize(
    "text",
    [
        "wait" * 500,
        "wait " * 500,
        "".join(f"wait {number} " for number in range(500)),
        "".join(f"{number}. Let me think.\n" for number in range(200)),
        "我们等等" * 300,
        "wait\u200bwait\u200b\u200b" * 300,
    ],
    ids=["no spaces", "words", "counting", "numbered", "Chinese", "invisible"],
)
def test_repetition_by_characters_sees_through_it(text):
    assert gr.repetition.score(text) < -0.9
    assert gr.repetition.score("wait\u200b" * 300, completion_ids=range(300)) < -0.9


NEW = " ".join(f"w{chr(97 + a)}{chr(97 + b)}x" for a in range(20) for b in range(15))
INVISIBLE = ["\U000e0041", "\U000e0100", "\U0001d173", "\ufff9", "\x01", "\x7f", "\x80", "\x0c", "\u2800"]


HIDDEN = {
    **{f"{ord(one):x}": WRONG.replace(" ", f" {one * 5}") for one in INVISIBLE},
    "counting": WRONG + " " + " ".join(map(str, range(1000, 1400))),
    "numbered": WRONG + "\n" + "\n".join(map(str, range(400))),
    "behind the end": f"{WRONG}<|im_end|>{NEW}",
}


def by_whole_numbers(text):
    """A tokenizer that takes a number for one token."""
    return [hash(piece) for piece in re.findall(r" ?[A-Za-z]+|\d+|\s+|.", text, re.DOTALL)]


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize(
    "reward", [gr.cosine_length.bind(max_tokens=300), gr.target_length.bind(target=200, tolerance=200), gr.repetition]
)
def test_no_padding_pays(reward, text):
    def points(text):
        return reward.score(text, completion_ids=by_whole_numbers(text), answer="5")

    assert points(text) <= points(WRONG) + 0.02  # the tokens up to a marker are guessed by characters


def test_a_repetition_is_not_hidden():
    gaps = random.Random(0)
    uneven = "".join("wait" + gaps.choice([" ", "  ", "\n", "\n\n", "\t", " \n", "   ", "\n "]) for _ in range(300))
    assert gr.repetition.score(uneven, completion_ids=by_whole_numbers(uneven)) < -0.9
    for one in INVISIBLE:
        hidden = "".join("wait" + one * (1 + gaps.randrange(9)) for _ in range(300))
        assert gr.repetition.score(hidden, completion_ids=by_whole_numbers(hidden)) < -0.9
    behind = "wait " * 100 + "<|im_end|>" + NEW
    assert gr.repetition.score(behind) < -0.9


def test_prose_in_paragraphs_is_judged_by_its_tokens():
    text = NEW.replace("waax", "\n\nwaax").replace("wbbx", "\nwbbx")
    assert gr.repetition.explain(text, completion_ids=by_whole_numbers(text)).reason == "distinct"
