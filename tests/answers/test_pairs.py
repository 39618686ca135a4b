"""Pairs of answers that are equal and pairs that are not, class by class, in the ``pairs_*.toml`` of each folder.

The verdicts are what a teacher of mathematics would say. A table of a file says what is asserted of its pairs, of a
prediction and an answer each: ``equal`` and ``equal_both_ways``; ``different``, as well both ways, or by value, with a
reason; ``not_rewarded``, whatever the outcome, and ``not_rewarded_both_ways``; ``undecided``.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path

from tables import each_row_by_kind

from grpo_rewards.answers import compare


def assert_equal_both_ways(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"
    if "." not in prediction:  # a decimal stands for a repeating gold, not the other way round
        assert compare(answer, prediction).outcome == "correct"


def assert_equal(prediction: str, answer: str) -> None:
    found = compare(prediction, answer)
    assert found.outcome == "correct"
    assert found.step != "symbolic"


def assert_different(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "wrong"


def assert_different_by_value(prediction: str, answer: str) -> None:
    found = compare(prediction, answer)
    assert (found.outcome, found.step) == ("wrong", "value")
    assert found.why


def assert_different_both_ways(prediction: str, answer: str) -> None:
    assert_different(prediction, answer)
    assert_different(answer, prediction)


def assert_not_rewarded(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


def assert_not_rewarded_both_ways(prediction: str, answer: str) -> None:
    assert_not_rewarded(prediction, answer)
    assert_not_rewarded(answer, prediction)


def assert_undecided(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "not_compared"


ASSERTIONS: dict[str, Callable[[str, str], None]] = {
    "equal": assert_equal,
    "equal_both_ways": assert_equal_both_ways,
    "different": assert_different,
    "different_both_ways": assert_different_both_ways,
    "different_by_value": assert_different_by_value,
    "not_rewarded": assert_not_rewarded,
    "not_rewarded_both_ways": assert_not_rewarded_both_ways,
    "undecided": assert_undecided,
}
FILES = sorted(Path(__file__).parent.glob("*/pairs_*.toml"))
PAIRS = {
    f"{path.parent.name}, {path.stem.removeprefix('pairs_')}: {name}": [
        (name, *pair) for pairs in classes.values() for pair in pairs
    ]
    for path in FILES
    for name, classes in tomllib.loads(path.read_text(encoding="utf-8")).items()
}


@each_row_by_kind("asserted, prediction, answer", PAIRS)
def test_pairs(asserted: str, prediction: str, answer: str) -> None:
    ASSERTIONS[asserted](prediction, answer)
