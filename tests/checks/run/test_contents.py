"""What one completion looks like, by hand."""

from typing import Any

from tables import each_row, tables_beside

from grpo_rewards.checks.run.contents import (
    CHARACTERS_READ,
    candidates,
    contents_of,
    folded,
    known_weights,
    spoken_words,
)

TABLES = tables_beside(__file__)


@each_row("text, expected", TABLES["answers_offered"])
def test_answers_offered(text: str, expected: int) -> None:
    assert candidates(text) == expected


def test_words_are_those_outside_markup() -> None:
    assert spoken_words(r"<think>So we have \frac{1}{2} of it</think>") == (["have"], 7)
    assert folded(" A\u200bb  C\n") == "ab c"


@each_row("piece", ["<", "1,", r"\boxed{", "1 or ", "<abcdef>", "12"])
def test_of_a_hostile_text_as_much_is_read_as_of_another_one(piece: str) -> None:
    """A scan that is not linear would not come to an end."""
    texts = [piece * (size // len(piece)) for size in (CHARACTERS_READ + len(piece), 20 * CHARACTERS_READ)]
    short, long = (contents_of({"prompt": ["?"], "completion": [text]}, []).numbers for text in texts)
    assert short == long
    assert long["empty"] == float(not piece[0].isdigit())


LOG = {"reward": 1.5, "rewards/a/mean": 1.0, "rewards/b/mean": 0.5}


@each_row(
    "given, logs, expected",
    [
        ([1, 0.2], [], {"a": 1.0, "b": 0.2}),
        ([1.0], [], None),
        (["much", 1.0], [], None),
        # none are given: 1 where the log adds up so
        (None, [LOG], {"a": 1.0, "b": 1.0}),
        (None, [LOG, {"reward": 1.1, "rewards/a/mean": 1.0}], {"a": 1.0, "b": 1.0}),  # what b gave is not there
        (None, [], None),
        (None, [LOG, {**LOG, "reward": 1.1}], None),
    ],
)
def test_weights_are_one_for_each_or_1_where_the_log_adds_up_so(given: Any, logs: list[Any], expected: Any) -> None:
    assert known_weights(given, ["a", "b"], logs) == expected
    assert known_weights(None, ["a"]) == {"a": 1.0}
