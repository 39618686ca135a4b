"""What the screens stop, which is not looked at closely, and what they let through."""

from __future__ import annotations

import random

import pytest
from places import DATA, labelled
from tables import each_row

from grpo_rewards.checks import assert_linear
from grpo_rewards.completion.padding import folding as screening
from grpo_rewards.completion.padding.folding import (
    compressible_share,
    may_have_few_words,
    may_repeat_sentences,
    plain,
)

PAGE = (
    "The lighthouse keeper logged every ship in a green ledger, with the hour, the wind and whatever flag it flew. "
    "When the automatic lamp came he kept on writing, though nobody asked, and his daughter found forty volumes under "
    "the stairs. A historian now uses them to trace how trade moved north as the ice drew back."
)
WORDS = PAGE.replace(".", "").replace(",", "").split()
NEW = " ".join(f"{random.Random(one).choice(WORDS)}{one * 7919 % 4001:o}" for one in range(600))
CYRILLIC = str.maketrans("aeopcx", "аеорсх")
REPEATED = {
    "a copy": PAGE * 2,
    "a loop": NEW[:3000] + "Wait, let me check that again. " * 70,
    "counting": NEW[:3000] + "".join(f"Step {one}: so we go on. " for one in range(100)),
    "hexadecimal": "".join(f"0x{one:04x} " for one in range(600)),
    "capitals": NEW + NEW.upper(),
    "look-alikes": NEW + NEW.translate(CYRILLIC),
    "another script": "Надо ещё раз проверить. " * 120,
    "digits of another script": "".join(f"ข้อ {chr(0xE50 + one % 10)}{chr(0xE50 + one // 10)} " for one in range(100))
    * 4,
    "control characters": "".join(one + chr(1 + at % 7) for at, one in enumerate(NEW[:2000])) + NEW[:2000],
    "longer than deflate remembers": NEW * 10,
}


@each_row("text", REPEATED.values())
def test_what_repeats_is_let_through(text: str) -> None:
    assert compressible_share(text) > 0.25


@each_row("text", [PAGE, PAGE.replace("e", "é"), WORDS[0], "", "4"])
def test_prose_is_stopped(text: str) -> None:
    assert compressible_share(text) == 0.0
    assert not may_repeat_sentences(plain(text))


@each_row(
    "text, may",
    [
        (PAGE * 1, False),
        (" ".join(random.Random(7).choices("so we see what it was and can say that now".split(), k=400)), True),
        (" ".join(random.Random(8).choices(WORDS, k=600)), True),
        ("请稍等一下，" * 150, True),  # none of its words is Latin: nothing is known
        ("too short", True),
    ],
)
def test_what_may_have_few_words(text: str, may: bool) -> None:
    assert may_have_few_words(plain(text)) is may


@each_row(
    "text, may",
    [
        ("One sentence that is said. " * 3 + "And another one that is not!", True),
        ("一句话说了两次。一句话说了两次。另外一句话只说了一次。", True),
        ("The 1st time it took 3.5 seconds. The 2nd time it did not take 4 of them.", False),
    ],
)
def test_what_may_repeat_sentences(text: str, may: bool) -> None:
    assert may_repeat_sentences(plain(text)) is may


def test_a_text_is_compressed_once_and_few_numbers_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "_known", {})
    monkeypatch.setattr(screening, "KNOWN_TEXTS", 3)
    shares = [compressible_share(PAGE * copies) for copies in (1, 2, 3, 4, 1)]
    assert shares == [0.0, 1.0, 1.0, 1.0, 0.0]
    assert len(screening._known) == 2
    monkeypatch.setattr(screening, "plain", None)
    assert compressible_share(PAGE) == 0.0


@labelled
def test_most_solutions_and_reasoning_are_stopped() -> None:
    lines = (DATA / "gsm8k" / "train.jsonl").read_text(encoding="utf-8").splitlines()[:1000:2]
    joined = ["\n".join(lines[at : at + 20]) for at in range(0, len(lines), 20)]
    for screen in (lambda data, text: compressible_share(text) > 0.25, lambda data, text: may_have_few_words(data)):
        assert not any(screen(plain(text), text) for text in joined)


def test_screens_take_linear_time() -> None:
    def screened(text: str) -> None:
        data = plain(text)
        may_have_few_words(data), may_repeat_sentences(data), compressible_share(text)

    for piece in ("0a", "a. ", "é", "\u0301\u0323", "\ufdfa", "．"):
        assert_linear(screened, lambda size, piece=piece: piece * (size // len(piece)), 100_000, repr(piece))
