"""The star rule: before the ``*`` what the trainer gives, after it what users configure."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from defining import define
from tables import each_row, tables_beside

from grpo_rewards import RewardError, batch_reward, reward

TABLES = tables_beside(__file__)


@each_row("source, said", TABLES["a_signature_that_breaks_the_rule_is_refused_by_the_decorator"])
def test_a_signature_that_breaks_the_rule_is_refused_by_the_decorator(source: str, said: str) -> None:
    with pytest.raises(RewardError) as error:
        reward(define(source))
    assert said in str(error.value)
    assert "reward 'f' (mine.py:1)" in str(error.value)


@each_row("source, said", TABLES["a_batch_signature_that_breaks_the_rule_is_refused_by_the_decorator"])
def test_a_batch_signature_that_breaks_the_rule_is_refused_by_the_decorator(source: str, said: str) -> None:
    with pytest.raises(RewardError) as error:
        batch_reward(define(source))
    assert said in str(error.value)
    assert "reward 'f' (mine.py:1)" in str(error.value)


@each_row(
    "source, columns, options",
    TABLES["what_stands_before_the_star_is_read_and_what_stands_after_it_is_an_option"],
)
def test_what_stands_before_the_star_is_read_and_what_stands_after_it_is_an_option(
    source: str, columns: list[str], options: dict[str, Any]
) -> None:
    made = reward(define(source))
    assert ([*made.columns], made.options) == (columns, options)


# Options have types.


TYPES = {"Literal": Literal, "Any": Any}


@each_row(
    "annotation, fitting, others, spoken",
    [
        ("int", [0, -3], [1.0, "1", True, None], "a whole number"),
        ("float", [0.5, 2], ["0.5", True, None, float("inf"), float("nan")], "a finite number"),
        ("str", ["", "a"], [1, None, b"a"], "a string"),
        ("bool", [True, False], [0, 1, "True", None], "True or False"),
        ("int | None", [None, 3], [1.5, "None"], "a whole number or None"),
        ("Literal['a', 'b']", ["a", "b"], ["c", "", 0], "one of 'a', 'b'"),
        ("list[int]", [[], [1]], [(1,), "1"], "of type list"),
        ("dict[str, int]", [{}, {"a": 1}], [[], "{}"], "of type dict"),
    ],
)
def test_an_option_takes_values_of_its_annotation_alone(
    annotation: str, fitting: list[Any], others: list[Any], spoken: str
) -> None:
    namespace: dict[str, Any] = {"__name__": "mine", **TYPES}
    exec(f"def f(completion: str, *, option: {annotation}) -> float: return 1.0", namespace)  # noqa: S102  # a table
    made = reward(namespace["f"])
    for value in fitting:
        assert made.bind(option=value).options == {"option": value}
    for value in others:
        with pytest.raises(RewardError, match=f"option 'option' of reward 'f' must be {spoken}") as error:
            made.bind(option=value)
        assert repr(value) in str(error.value)


@each_row("annotation", ["", ": Any", ": Path", ": 'not_defined_anywhere'"])
def test_an_option_without_a_type_that_can_be_checked_takes_anything(annotation: str) -> None:
    source = f"from typing import Any\nfrom pathlib import Path\ndef f(completion, *, option{annotation}=1): return 1.0"
    assert reward(define(source)).bind(option="anything").options == {"option": "anything"}
