"""Numbers that count on are zeros, whichever way a text is divided."""

import random

from grpo_rewards.completion.padding.folding import NUMERALS, Before, following

NOTHING = Before((), ())


def marked(numerals):
    written, _ = following(numerals, NOTHING)
    return "".join("0" if new != old else "." for new, old in zip(written, numerals, strict=True))


def test_what_follows_is_zero():
    assert marked(["7", "9", "8", "30"]) == "..0."
    # the ninth number before is too far away
    assert marked(["500", "11", "21", "32", "45", "61", "79", "98", "501"]) == "........0"
    assert marked(["500", "11", "21", "32", "45", "61", "79", "98", "113", "501"])[-1] == "."
    # each of three columns grows by its own step
    assert marked(["10", "200", "3000", "14", "260", "3700", "18", "320", "4400"]) == "......000"
    # 1f and 20 are next to each other, and so are 19 and 20, but not 19 and 1f
    assert marked(["1f", "55", "20"]) == "..0"
    assert marked(["19", "1f", "20"]) == "..0"
    assert marked(["19", "1f"]) == ".."


def test_numerals_that_are_given_in_parts_follow_as_they_do_together():
    draw = random.Random(0)
    for alphabet in ("01", "0123456789", "09af", "0123456789abcdef"):
        text = " ".join("".join(draw.choices(alphabet, k=draw.randint(1, 3))) for _ in range(400))
        numerals = NUMERALS.findall(text)
        together, parts, before = following(numerals, NOTHING)[0], [], NOTHING
        for at in range(0, len(numerals), 7):
            part, before = following(numerals[at : at + 7], before)
            parts += part
        assert parts == together
        assert "0" in together
