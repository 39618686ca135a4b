"""The star rule: before the ``*`` what the trainer gives, after it what users configure."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import pytest

from grpo_rewards import Reward, RewardError, Verdict, batch_reward, reward

if TYPE_CHECKING:
    from decimal import Decimal as OnlyForTypeCheckers


def define(source: str) -> Any:
    """What ``source`` defines as ``f``, in a file called ``mine.py``."""
    namespace: dict[str, Any] = {"__name__": "mine"}
    exec(compile(source, "mine.py", "exec"), namespace)  # noqa: S102  # a table of signatures reads best as text
    return namespace["f"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(): ...", "reads nothing. Before the '*' it may read completion, messages, prompt, "),
        ("def f(*, option=1): ...", "reads nothing. Before the '*' it may read completion"),
        ("def f(completion, *rest): ...", "takes *rest. Name what it reads: dataset columns before a bare '*'"),
        ("def f(completion, **kwargs): ...", "takes **kwargs. Name what it reads: dataset columns before a bare '*'"),
        ("def f(completion, /): ...", "has the positional-only parameter 'completion'. Remove the '/'."),
        ("def f(completions): ...", "reads 'completions', but @reward sees one completion. Write 'completion', or use"),
        ("def f(prompts): ...", "reads 'prompts', but @reward sees one completion. Write 'prompt', or use @batch_"),
        ("def f(completion, log_metric): ...", "reads 'log_metric'. Return a Verdict with a reason instead"),
        ("def f(completion, log_extra=None): ...", "reads 'log_extra'. Return a Verdict with a reason instead"),
        ("def f(completion, *, log_extra): ...", "reads 'log_extra'."),
        ("def f(completion, *, name): ...", "has an option called 'name', but bind(name=…) renames a reward."),
        ("def f(completion, *, prompt=''): ...", "has an option called 'prompt', but the trainer gives it: write it"),
        ("def f(completion, *, trainer_state): ...", "has an option called 'trainer_state', but the trainer gives it"),
        ("async def f(completion, *, timeout): ...", "has a parameter 'timeout', which every async reward has"),
    ],
)
def test_a_signature_that_breaks_the_rule_is_refused_by_the_decorator(source: str, said: str) -> None:
    with pytest.raises(RewardError) as error:
        reward(define(source))
    assert said in str(error.value)
    assert "reward 'f' (mine.py:1)" in str(error.value)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "def f(completion): ...",
            "reads 'completion', but @batch_reward sees the whole call. Write 'completions', or",
        ),
        ("def f(completions, prompt): ...", "reads 'prompt', but @batch_reward sees the whole call. Write 'prompts', "),
        ("def f(completions, *, prompts): ...", "has an option called 'prompts', but the trainer gives it"),
        ("def f(): ...", "reads nothing. Before the '*' it may read completions, messages, prompts, "),
    ],
)
def test_a_batch_signature_that_breaks_the_rule_is_refused_by_the_decorator(source: str, said: str) -> None:
    with pytest.raises(RewardError) as error:
        batch_reward(define(source))
    assert said in str(error.value)
    assert "reward 'f' (mine.py:1)" in str(error.value)


@pytest.mark.parametrize(
    ("thing", "shown"), [(3, "3"), ("a_name", "'a_name'"), (dict, "<class 'dict'>"), (len, "<built-in")]
)
def test_only_a_function_can_be_decorated(thing: Any, shown: str) -> None:
    with pytest.raises(RewardError, match="@reward goes on a function, not on") as error:
        reward(thing)
    assert shown in str(error.value)
    with pytest.raises(RewardError, match="@batch_reward goes on a function, not on"):
        batch_reward(thing)


@pytest.mark.parametrize(
    ("source", "columns", "options"),
    [
        ("def f(completion): ...", (), {}),
        ("def f(answer): ...", ("answer",), {}),
        ("def f(completion, answer, question): ...", ("answer", "question"), {}),
        ("def f(messages, prompt, completion_ids, trainer_state, environments): ...", (), {}),
        ("def f(completion, hint=None): ...", (), {}),  # a default makes a column optional
        ("def f(completion, *, weight=1.0): ...", (), {"weight": 1.0}),
        ("def f(completion, *, weight): ...", (), {}),  # there is no value yet
        ("def f(completion, name): ...", ("name",), {}),  # 'name' is reserved among options alone
    ],
)
def test_what_stands_before_the_star_is_read_and_what_stands_after_it_is_an_option(
    source: str, columns: tuple[str, ...], options: dict[str, Any]
) -> None:
    made = reward(define(source))
    assert (made.columns, made.options) == (columns, options)


STATE = SimpleNamespace(global_step=7)
CHAT = [{"role": "assistant", "content": "a"}]
GIVEN: dict[str, Any] = {
    "prompts": ["p", "q"],
    "completions": [CHAT, "b"],
    "completion_ids": [[1], [2, 3]],
    "trainer_state": STATE,
    "environments": ["first", "second"],
    "answer": [4, 5],
}
PLAIN = [{"role": "assistant", "content": "b"}]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("completion", ["a", "b"]),
        ("messages", [CHAT, PLAIN]),
        ("prompt", ["p", "q"]),
        ("completion_ids", [[1], [2, 3]]),
        ("trainer_state", [STATE, STATE]),
        ("environments", ["first", "second"]),
        ("answer", [4, 5]),
    ],
)
def test_a_reward_is_given_what_it_names_one_row_at_a_time(name: str, values: list[Any]) -> None:
    seen: list[Any] = []
    source = f"def f({name}, *, seen):\n    seen.append({name})\n    return 0.0"
    reward(define(source)).bind(seen=seen)(**GIVEN)
    assert seen == values


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("completions", ["a", "b"]),
        ("messages", [CHAT, PLAIN]),
        ("prompts", ["p", "q"]),
        ("completion_ids", [[1], [2, 3]]),
        ("trainer_state", STATE),
        ("environments", ["first", "second"]),
        ("answer", [4, 5]),
    ],
)
def test_a_batch_reward_is_given_what_it_names_for_the_whole_call(name: str, value: Any) -> None:
    seen: list[Any] = []
    source = f"def f({name}, *, seen):\n    seen.append({name})\n    return [0.0, 0.0]"
    batch_reward(define(source)).bind(seen=seen)(**GIVEN)
    assert seen == [value]


@pytest.mark.parametrize("decorator", [reward, batch_reward])
def test_what_a_trainer_has_not_got_is_none(decorator: Any) -> None:
    # RLOO has no environments, an asynchronous trainer no state; both are optional everywhere.
    seen: list[Any] = []
    many = decorator is batch_reward
    names = "prompts" if many else "prompt"
    source = (
        f"def f(trainer_state, environments, {names}, *, seen):\n"
        f"    seen.append((trainer_state, environments, {names}))\n    return {[0.0] if many else 0.0}"
    )
    decorator(define(source)).bind(seen=seen)(completions=["a"])
    one = [None] if many else None
    assert seen == [(None, one, one)]


def test_a_reward_that_counts_tokens_says_where_they_come_from() -> None:
    counts = reward(define("def f(completion_ids): return len(completion_ids)"))
    assert counts(completions=["a"], completion_ids=[[1, 2]]) == [2.0]
    with pytest.raises(RewardError, match=r"reward 'f' counts tokens and needs completion_ids.*f\.score\(text, comp"):
        counts(completions=["a"])


def test_an_optional_column_is_its_default_where_the_dataset_lacks_it() -> None:
    with_hint = reward(define("def f(completion, hint=2.0): return hint"))
    assert with_hint(completions=["a", "b"]) == [2.0, 2.0]
    assert with_hint(completions=["a", "b"], hint=[3.0, 4.0]) == [3.0, 4.0]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"solution": ["4"], "question": ["?"]},
            "reward 'f' reads column 'answer', which the dataset does not have. Columns: solution, question. "
            'Rename one with dataset.rename_column("solution", "answer").',
        ),
        (
            {"Answer": ["4"], "id": [1]},
            'Columns: Answer, id. Rename one with dataset.rename_column("Answer", "answer").',
        ),
        ({"id": [1]}, "Columns: id. Add it to the dataset: one 'answer' per row."),
        ({}, "Columns: none. Add it to the dataset: one 'answer' per row."),
    ],
)
def test_a_missing_column_is_named_with_those_there_are(columns: dict[str, Any], said: str) -> None:
    with pytest.raises(RewardError) as error:
        reward(define("def f(completion, answer): return 1.0"))(completions=["a"], **columns)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"completions": ["a", "b"], "answer": ["4"]}, "reward 'f' got 1 values in column 'answer' for 2 completions."),
        ({"completions": ["a"], "answer": "4"}, "reward 'f' got '4' as column 'answer'; it must be a list"),
        ({"completions": ["a"], "answer": 4}, "reward 'f' got 4 as column 'answer'; it must be a list"),
        ({"completions": "a", "answer": ["4"]}, "reward 'f' got 'a' for completions; it must be a list"),
        ({"answer": ["4"]}, "reward 'f' got None for completions; it must be a list"),
        ({"completions": 3, "answer": ["4"]}, "reward 'f' got 3 for completions; it must be a list"),
        ({"completions": ["a"], "answer": ["4"], "prompts": []}, "got 0 values in 'prompts' for 1 completions."),
        ({"completions": ["a"], "answer": ["4"], "prompts": "p"}, "got 'p' as 'prompts'; it must be a list"),
    ],
)
def test_a_call_with_values_that_do_not_fit_says_which(given: dict[str, Any], said: str) -> None:
    with pytest.raises(RewardError) as error:
        reward(define("def f(completion, answer, prompt=None): return 1.0"))(**given)
    assert said in str(error.value)


def test_a_long_value_is_cut_in_a_message() -> None:
    with pytest.raises(RewardError) as error:
        reward(define("def f(completion): return 1.0"))(completions="x" * 1_000_000)
    assert len(str(error.value)) < 1000


# Options have types.

TYPES = {"Literal": Literal, "Any": Any}


@pytest.mark.parametrize(
    ("annotation", "fitting", "others", "spoken"),
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


@pytest.mark.parametrize("annotation", ["", ": Any", ": Path", ": 'not_defined_anywhere'"])
def test_an_option_without_a_type_that_can_be_checked_takes_anything(annotation: str) -> None:
    source = f"from typing import Any\nfrom pathlib import Path\ndef f(completion, *, option{annotation}=1): return 1.0"
    assert reward(define(source)).bind(option="anything").options == {"option": "anything"}


def test_annotations_that_only_type_checkers_can_resolve_do_no_harm() -> None:
    @reward
    def annotated_for_type_checkers(completion: str, gold: OnlyForTypeCheckers, *, places: int = 2) -> float:
        return round(float(gold), places)

    assert annotated_for_type_checkers.score("", gold=0.125) == 0.12


def test_a_check_of_the_options_runs_as_soon_as_they_are_complete() -> None:
    checked: list[dict[str, Any]] = []

    @reward(check=lambda **options: checked.append(options))
    def checked_when_complete(completion: str, *, low: int, high: int = 9) -> float:
        return 1.0

    assert checked == []  # low has no value yet
    checked_when_complete.bind(high=8)
    assert checked == []
    checked_when_complete.bind(low=1)
    assert checked == [{"low": 1, "high": 9}]


def test_a_check_of_the_options_names_the_reward_that_refused_them() -> None:
    def refuse(**options: Any) -> None:
        raise RewardError(f"low is {options['low']}.")

    with pytest.raises(RewardError, match=r"^reward 'refuses_at_once': low is 5\.$"):

        @reward(check=refuse)
        def refuses_at_once(completion: str, *, low: int = 5) -> float:
            return 1.0


# What comes out.


class NumberOfAnotherLibrary:
    """As a numpy or torch scalar: no subclass of float, but one can be made of it."""

    def __float__(self) -> float:
        return 0.25


def returning(value: Any) -> Reward:
    @reward
    def returns_a_value(completion: str) -> Any:
        return value

    return returns_a_value


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.5, 0.5),
        (1, 1.0),
        (True, 1.0),
        (False, 0.0),
        (NumberOfAnotherLibrary(), 0.25),
        (None, None),
        (Verdict(0.5, "half"), 0.5),
        (Verdict(1, "whole"), 1.0),
        (Verdict(None, "no_gold"), None),
    ],
)
def test_a_reward_hands_over_floats_and_none(value: Any, number: float | None) -> None:
    (handed_over,) = returning(value)(completions=["a"])
    assert handed_over == number
    assert type(handed_over) is type(number)


UNFIT = [
    (float("nan"), "returned nan for completion 0; return None where a row cannot be scored"),
    (float("inf"), "returned inf for completion 0"),
    ("1.0", "returned '1.0' for completion 0; return a number, a Verdict or None."),
    ([1.0], "returned [1.0] for completion 0"),
    ({"reward": 1.0}, "returned {'reward': 1.0} for completion 0"),
    (1j, "returned 1j for completion 0"),
    (Verdict(float("nan"), "x"), "returned nan for completion 0"),
    (Verdict("1.0", "x"), "returned '1.0' for completion 0"),  # type: ignore[arg-type]  # that is the mistake
]


@pytest.mark.parametrize(("value", "said"), UNFIT)
def test_a_reward_that_returns_something_else_is_told_what_to_return(value: Any, said: str) -> None:
    with pytest.raises(RewardError) as error:
        returning(value)(completions=["a"])
    assert f"reward 'returns_a_value' {said}" in str(error.value)


@pytest.mark.parametrize(("value", "said"), UNFIT)
def test_by_hand_it_is_told_the_same(value: Any, said: str) -> None:
    with pytest.raises(RewardError) as error:
        returning(value).score("a")
    assert f"reward 'returns_a_value' {said}" in str(error.value)


@pytest.mark.parametrize("index", [0, 2])
def test_a_bug_in_a_reward_is_shown_with_the_completion_that_met_it(index: int) -> None:
    @reward
    def divides(completion: str) -> float:
        return 1 / int(completion)

    texts = ["1", "1", "1"]
    texts[index] = "0"
    with pytest.raises(RewardError) as error:
        divides(completions=texts)
    said = str(error.value)
    assert f"raised ZeroDivisionError: division by zero on completion {index} of 3: '0'" in said
    assert "reward 'divides'" in said
    assert "test_signature.py:" in said
    assert isinstance(error.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([1.0], "returned 1 values for 2 completions."),
        ([1.0] * 3, "returned 3 values for 2 completions."),
        ([], "returned 0 values for 2 completions."),
        (1.0, "returned 1.0 for 2 completions."),
        (None, "returned None for 2 completions."),
        ({0: 1.0, 1: 1.0}, "returned {0: 1.0, 1: 1.0} for 2 completions."),
        ("ab", "returned 'ab' for 2 completions."),
    ],
)
def test_a_batch_reward_that_returns_another_number_of_values_is_refused(value: Any, said: str) -> None:
    @batch_reward
    def returns_values(completions: list[str]) -> Any:
        return value

    with pytest.raises(RewardError) as error:
        returns_values(completions=["a", "b"])
    assert said in str(error.value)
    assert "reward 'returns_values' (" in str(error.value)


class ArrayOfAnotherLibrary:
    """As a numpy array or a torch tensor."""

    def tolist(self) -> list[float]:
        return [0.25, 0.75]


@pytest.mark.parametrize("value", [[0.25, 0.75], (0.25, 0.75), ArrayOfAnotherLibrary()])
def test_a_batch_reward_may_return_any_sequence_of_numbers(value: Any) -> None:
    @batch_reward
    def returns_a_sequence(completions: list[str]) -> Any:
        return value

    assert returns_a_sequence(completions=["a", "b"]) == [0.25, 0.75]
