"""Padding earns nothing, and hides no repetition: what says nothing new does not count as length.

What hides a repetition is folded away, what a text says with numbers stays, and what shows nothing is counted.
"""

import json
import random
import re

from places import DATA, labelled
from tables import each_row, tables_beside

import grpo_rewards as gr
from grpo_rewards.completion.padding import (
    PIECES,
    alike,
    count_informative_tokens,
    counted,
    empty_tokens,
    repeated_sentences,
)

TABLES = tables_beside(__file__)


@each_row("text, wanted", TABLES["folded"])
def test_folded(text, wanted):
    assert "".join(PIECES.findall(counted(alike(text)))) == wanted


def test_a_number_counts_up_to_eight_numbers_behind():
    assert counted("500 11 21 32 45 61 79 98 501") == "500 11 21 32 45 61 79 98 000"
    assert counted("500 11 21 32 45 61 79 98 113 501").endswith(" 501")


WORDS = "some words that are seen and make a text of a common length, as one may well write it"


@each_row("text", TABLES["spelling_and_layout_cost_nothing"])
def test_spelling_and_layout_cost_nothing(text):
    assert empty_tokens(text) == 0


def test_empty_lines_and_alignment_are_excused_up_to_a_share():
    assert empty_tokens(WORDS.replace(" ", "  ")) == 0
    assert empty_tokens(WORDS.replace(" ", " " * 10)) > len(WORDS.split()) * 8
    assert empty_tokens(WORDS.replace(" ", "\n" + " " * 5)) == 0
    assert empty_tokens(WORDS.replace(" ", "\n" + " " * 60)) > len(WORDS.split()) * 50


def as_ids(text):
    """A tokenizer by words, spaces and single other characters, as far as lengths go."""
    return [hash(piece) for piece in re.findall(r" ?[A-Za-z]+|\d|\s+|.", text, re.DOTALL)]


def by_whole_numbers(text):
    """A tokenizer that takes a number for one token."""
    return [hash(piece) for piece in re.findall(r" ?[A-Za-z]+|\d+|\s+|.", text, re.DOTALL)]


NEW = " ".join(f"w{chr(97 + a)}{chr(97 + b)}x" for a in range(20) for b in range(15))
INVISIBLE = ["\U000e0041", "\U000e0100", "\U0001d173", "\ufff9", "\x01", "\x7f", "\x80", "\x0c", "\u2800"]
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
    "counting": lambda text: text + " " + " ".join(map(str, range(1000, 1400))),
    "numbered": lambda text: text + "\n" + "\n".join(map(str, range(400))),
    "behind the end": lambda text: f"{text}<|im_end|>{NEW}",
    **{f"{ord(one):x}": lambda text, one=one: text.replace(" ", f" {one * 5}") for one in INVISIBLE},
}
LENGTHS = [
    gr.soft_overlong.bind(max_tokens=300, buffer=200),
    gr.cosine_length.bind(max_tokens=300),
    gr.target_length.bind(target=200, tolerance=200),
    gr.max_length.bind(max_tokens=300),
    gr.relative_length,
    gr.repetition,
]


@each_row("reward", LENGTHS)
@each_row("pad", PADDINGS.values())
@each_row("base", [BASE, WRONG])
def test_padding_rewards_for_no_length(reward, pad, base):
    def points(text):
        return reward.score(text, completion_ids=by_whole_numbers(text), answer="5")

    padded = pad(base)
    # the tokens up to a marker are guessed by characters
    assert points(padded) <= points(base) + (0.02 if "<|im_end|>" in padded else 1e-6)


@each_row(
    "text",
    [
        "wait" * 500,
        "wait " * 500,
        "".join(f"wait {number} " for number in range(500)),
        "".join(f"{number}. Let me think.\n" for number in range(200)),
        "我们等等" * 300,
        "wait\u200bwait\u200b\u200b" * 300,
    ],
)
def test_repetition_by_characters_sees_through_it(text):
    assert gr.repetition.score(text) < -0.9
    assert gr.repetition.score("wait\u200b" * 300, completion_ids=range(300)) < -0.9


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


def nested(depth, start=0):
    return {f"key{start + at}": nested(depth - 1, 7 * (start + at)) if depth else start + 31 * at for at in range(3)}


HONEST = {
    **TABLES["honest"],
    "calculation": "".join(f"{a} * {b} = {a * b}, and {a} + {b} = {a + b}.\n" for a in range(12, 20) for b in (3, 7)),
    "deep JSON": json.dumps(nested(5), indent=4),
    "JSON with wide indentation": json.dumps(nested(3), indent=8),
    "JSON with tabs": json.dumps(nested(6), indent="\t"),
    "deep code": "".join(f"{'':48}value_{at} = table[{at * 7 % 31}][x{at % 5 + 1}]\n" for at in range(60)),
    "names": "".join(f'"m{a}{b}.{b}xlarge",\n' for a in "abcdefgh" for b in (2, 4, 8, 16)),
    "key": "\n".join(
        "".join(random.Random(at).choices("abcdefghijklmnopqrstuvwxyz0123456789+/", k=64)) for at in range(20)
    ),
}


@each_row("text", HONEST.values())
@each_row("tokens", [as_ids, by_whole_numbers, list])
def test_honest_text_costs_nothing(text, tokens):
    ids = tokens(text)
    assert count_informative_tokens(ids, text) == len(ids)


PAGE = (
    "The lighthouse keeper logged every ship in a green ledger, with the hour, the wind and whatever flag it flew. "
    "When the automatic lamp came he kept on writing, though nobody asked, and his daughter found forty volumes under "
    "the stairs. A historian now uses them to trace how trade moved north as the ice drew back."
)
SUBJECTS = ["All of it", "Little", "Much", "The rest", "None of it", "Each side", "What we saw"]
FILLERS = ["let me see.", "right.", "so it goes.", "hold on.", "one moment.", "as i said."]
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ONES = "one two three four five six seven eight nine".split()
CYRILLIC = str.maketrans("aeopcx", "аеорсх")
THAI = {48 + one: 0xE50 + one for one in range(10)}
ARABIC = {48 + one: 0x660 + one for one in range(10)}
LOOPS = {
    "word": "well" * 300,
    "Chinese": "请稍等一下，" * 150,
    "Russian": "Надо ещё раз проверить. " * 50,
    "Arabic": "دعنا نتحقق مرة أخرى. " * 50,
    "in turn": "That is right. But is it? " * 40,
    "copy": PAGE * 3,
    "copy with control characters": "".join(one + chr(1 + at % 7) for at, one in enumerate(PAGE)) + PAGE * 2,
    "capitals": PAGE.upper() * 3,
    "look-alikes": PAGE.translate(CYRILLIC) * 3,
    "letters apart": " ".join(PAGE) * 2,
    "counting down": "".join(f"{900 - one} left. " for one in range(150)),
    "hexadecimal": "".join(f"0x{one:04x} " for one in range(200)),
    "by sevens": "".join(f"{7 * one}, " for one in range(200)),
    "nothing added": "".join(f"{one} + 0 = {one}. " for one in range(100)),
    "numbered": "".join(f"{one}. Let me consider this.\n" for one in range(60)),
    "times": "".join(f"{one // 60:02d}:{one % 60:02d} " for one in range(200)),
    "numbers in words": " ".join(f"{ten} {one}" for ten in TENS for one in ONES),
    "short fillers": " ".join(random.Random(9).choices(FILLERS, k=240)),
    "fillers": " ".join(random.Random(1).choices([f"{one} is worth a thought here." for one in SUBJECTS], k=60)),
    "emoji": "".join(random.Random(2).choices("🎉🙏🚀😀🔥👍💯", k=200)),
    "signs": "".join(random.Random(3).choices("?!.,;:", k=400)),
    "stacked marks": "o" + "".join(random.Random(4).choices("\u0301\u0302\u0310\u0327\u0336", k=300)),
    "no-break": "\u00a0 " * 300,
    "tabs and lines": "\t\n \n" * 200,
    "zero width": "".join(random.Random(5).choices("\u200b\u200c\u2060\ufeff", k=400)),
    "zero width in a loop": "m\u200bo\u200br\u200be\u200b " * 60,
    "empty cells": "| | | |\n" * 80,
    "any numbers": "".join(f"Entry {random.Random(one).randrange(9999)} was looked at. " for one in range(60)),
    "any order": " ".join(random.Random(7).choices("so we see what it was and can say that now".split(), k=400)),
    "Chinese numbers": "、".join(f"一百{ten}十{one}" for ten in "二三四五六七八九" for one in "一二三四五六七八九") * 3,
    "Thai digits": " ".join(str(one).translate(THAI) for one in range(200, 400)),
    "Arabic digits": "، ".join(str(one).translate(ARABIC) for one in range(200, 400)),
    "lone surrogates": "\ud800" * 300,
    "spaces in LaTeX": "\\quad " * 120,
}


@each_row("padding", LOOPS.values())
@each_row("tokens", [as_ids, by_whole_numbers, list])
@each_row("place", ["end", "front", "middle"])
def test_padding_earns_less_than_a_tenth_of_its_tokens(padding, tokens, place):
    at = {"end": len(PAGE), "front": 0, "middle": 150}[place]
    text = f"{PAGE[:at]} {padding} {PAGE[at:]}"
    own, added = len(tokens(PAGE)), len(tokens(padding))
    assert count_informative_tokens(tokens(text), text) < own + max(0.1 * added, 3)


def test_tokens_that_the_text_does_not_show_are_looked_at():
    hidden = [*range(300), *[7] * 300]
    assert count_informative_tokens(hidden, PAGE) <= 300


def test_the_known_holes_are_as_they_are_stated_to_be():
    letters = random.Random(6)
    noise = " ".join("".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(200))
    ids = as_ids(noise)
    assert count_informative_tokens(ids, noise) == len(ids)


ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def test_sentences_of_few_words_are_no_repetition_and_numbers_differ():
    assert repeated_sentences("then we add thirty and 4 to it. " * 4) == 0.75
    assert repeated_sentences("then we add thirty and 4 to it. then we add thirty and 5 to it.") == 0
    assert repeated_sentences("yes. it is. return something_long\n" * 4) == 0


LETTERS = random.Random(6)


def noise(size):
    words = ("".join(LETTERS.choices(ALPHABET, k=6)) for _ in range(size // 7 + 1))
    return " ".join(words)[:size]


@each_row("size", [42_000, 400_000])
def test_a_loop_in_a_long_text_costs_wherever_it_stands(size):
    honest = noise(size)
    loop = "wait, i must check that again. " * 2_000 * (size // 42_000)
    for text in (honest + loop, loop + honest, honest[: size // 2] + loop + honest[size // 2 :]):
        left = count_informative_tokens([*map(ord, text)], text)
        assert left < len(text) - len(loop)
    left = count_informative_tokens([*map(ord, honest)], honest)
    assert left == len(honest)


def test_a_copy_from_far_back_costs():
    page = noise(60_000).replace("a", ", ")
    text = f"{page} {page}"
    assert count_informative_tokens([*map(ord, page)], page) == len(page)
    assert count_informative_tokens([*map(ord, text)], text) < 0.1 * len(text)


FEW_WORDS = " ".join(random.Random(8).choices([f"{one}{two}lo" for one in "ktsmr" for two in "aeiou"], k=80_000))


@each_row("padding", ["The answer is probably right and we go on. " * 10_000, FEW_WORDS])
@each_row("size, places, share", [(16_000, 3, 0.2), (64_000, 8, 0.5), (200_000, 8, 0.2), (400_000, 8, 0.5)])
def test_padding_earns_nothing_between_regular_places(padding, size, places, share):
    apart = size // places
    honest = int(share * apart)
    text = "".join(noise(honest) + padding[at + honest : at + apart] for at in range(0, size, apart))
    assert count_informative_tokens([*map(ord, text)], text) < share * len(text)


@labelled
def test_human_solutions_lose_nothing():
    lines = (DATA / "gsm8k" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    solutions = [json.loads(line)["answer"] for line in lines[::10]]
    lost = [1 - count_informative_tokens(as_ids(text), text) / len(as_ids(text)) for text in solutions]
    assert sum(lost) / len(lost) < 0.01
    assert sum(one > 0.05 for one in lost) / len(lost) < 0.02
    for text in solutions[:20]:
        ids = as_ids(text)
        assert gr.target_length.bind(target=len(ids), tolerance=50).score(text, completion_ids=ids) == 1.0
