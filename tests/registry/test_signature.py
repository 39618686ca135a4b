"""The star rule: before the ``*`` what the trainer gives, after it what users configure."""

from typing import Any, Literal

import pytest
from defining import define
from tables import each_row, tables_beside

from grpo_rewards import RewardError, batch_reward, get_reward, list_rewards, reward

TABLES = tables_beside(__file__)


BROKEN = [
    *((reward, *row) for row in TABLES["a_signature_that_breaks_the_rule"]),
    *((batch_reward, *row) for row in TABLES["a_batch_signature_that_breaks_the_rule"]),
]


@each_row("decorator, source, said", BROKEN)
def test_a_signature_that_breaks_the_rule_is_refused_by_the_decorator(decorator: Any, source: str, said: str) -> None:
    with pytest.raises(RewardError) as error:
        decorator(define(source))
    assert said in str(error.value)
    assert "reward 'f' (mine.py:1)" in str(error.value)


@each_row("source, columns, options", TABLES["what_stands_before_the_star_is_read"])
def test_what_stands_before_the_star_is_read(source: str, columns: list[str], options: dict[str, Any]) -> None:
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


@each_row("thing, shown", [(3, "3"), ("a_name", "'a_name'"), (dict, "<class 'dict'>"), (len, "<built-in")])
def test_only_a_function_can_be_decorated(thing: Any, shown: str) -> None:
    with pytest.raises(RewardError, match="@reward goes on a function, not on") as error:
        reward(thing)
    assert shown in str(error.value)
    with pytest.raises(RewardError, match="@batch_reward goes on a function, not on"):
        batch_reward(thing)


def test_a_decorator_with_a_name_registers_under_that_name_alone() -> None:
    @reward(name="named_by_hand")
    def some_function(completion: str) -> float:
        """What it does."""
        return 1.0

    assert some_function.__doc__ == "What it does."
    assert some_function.__name__ == "named_by_hand"
    assert get_reward("named_by_hand") is some_function
    assert "some_function" not in list_rewards()
