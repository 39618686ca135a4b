"""The reward that a function becomes: binding its options, and what it says where the function is wrong."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, make_dataclass
from typing import Any, Literal

import contract_rewards
import pytest
from tables import each_row, refused, tables_beside

import grpo_rewards as gr
from grpo_rewards import RewardError, batch_reward, get_reward, list_rewards, reward
from grpo_rewards.registry.call import Column

TABLES = tables_beside(__file__)


def test_bind_makes_a_new_reward_and_keeps_what_was_bound_before() -> None:
    bound = contract_rewards.sample_ends_with.bind(ending="!", name="shouts")
    assert (bound.__name__, bound.options) == ("shouts", {"ending": "!"})
    assert contract_rewards.sample_ends_with.__name__ == "sample_ends_with"
    assert contract_rewards.sample_ends_with.options == {"ending": "."}
    assert "shouts" not in list_rewards()
    once = gr.soft_overlong.bind(max_tokens=100, name="brief").bind(buffer=20)
    assert (once.name, once.options) == ("brief", {**gr.soft_overlong.options, "max_tokens": 100, "buffer": 20})


def test_rewards_are_equal_if_their_function_name_and_options_are() -> None:
    one = gr.pattern.bind(regex="a")
    assert one == gr.pattern.bind(regex="a")
    assert hash(one) == hash(gr.pattern.bind(regex="a"))
    assert one != gr.pattern.bind(regex="b")
    assert one != gr.pattern.bind(regex="a", name="other")
    assert one != gr.boxed_answer


@each_row("spec, options, said", TABLES["bind_refuses_what_the_reward_could_not_use"])
def test_bind_refuses_what_the_reward_could_not_use(spec: str, options: dict[str, Any], said: str) -> None:
    with refused(said):
        get_reward(spec).bind(**options)


def test_a_reward_whose_options_are_not_bound_says_how_to_bind_them() -> None:
    with refused("reward 'soft_overlong' needs max_tokens. Bind it: soft_overlong.bind(max_tokens=…)"):
        gr.soft_overlong.bind(buffer=1)(completions=["a"], completion_ids=[[1]])


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


@pytest.mark.parametrize("index", [0, 2])
def test_a_bug_in_a_reward_is_shown_with_the_completion_that_met_it(index: int) -> None:
    @reward
    def divides(completion: str) -> float:
        return 1 / int(completion)

    texts = ["1", "1", "1"]
    texts[index] = "0"
    line = divides.function.__code__.co_firstlineno + 2  # type: ignore[attr-defined]
    said = rf"raised ZeroDivisionError: division by zero on completion {index} of 3: '0'"
    with pytest.raises(RewardError, match=rf"reward 'divides' \(.*test_function.py:{line}\) {said}") as error:
        divides(completions=texts)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_rewards_are_equal_whose_options_mean_the_same() -> None:
    one = gr.think_format.bind(reasoning="<reasoning>")
    assert one == gr.get_reward("think_format(reasoning=['<reasoning>','</reasoning>'])")
    assert one != gr.think_format
    assert one != gr.think_format.bind(reasoning="<thinking>")
    assert one != one.bind(think_opened=True)
    assert gr.think_format == gr.think_format.bind(reasoning="<think>")


def returning(value: Any) -> gr.Reward:
    @batch_reward
    def returns_values(completions: list[str]) -> Any:
        return value

    return returns_values


@each_row(
    "value, got",
    [
        ([1.0], "1 values"),
        ([], "0 values"),
        (None, "None"),
        ({0: 1.0, 1: 1.0}, "{0: 1.0, 1: 1.0}"),
        ("ab", "'ab'"),
        (gr.Verdict(1.0), "Verdict(reward=1.0, reason='')"),
    ],
)
def test_a_batch_reward_that_returns_another_number_of_values_is_refused(value: Any, got: str) -> None:
    with refused(f"returned {got} for 2 completions."):
        returning(value)(completions=["a", "b"])


class ArrayOfAnotherLibrary:
    """As a numpy array or a torch tensor."""

    def tolist(self) -> list[float]:
        return [0.25, 0.75]


@each_row("value", [[0.25, 0.75], (0.25, 0.75), ArrayOfAnotherLibrary()])
def test_a_batch_reward_may_return_any_sequence_of_numbers(value: Any) -> None:
    assert returning(value)(completions=["a", "b"]) == [0.25, 0.75]


BOX = r"\boxed{4}"


# Columns under other names.


def test_a_column_is_read_under_another_name_alone() -> None:
    mine = gr.boxed_answer.bind(columns={"answer": "solution"})
    assert mine(completions=[BOX, BOX], solution=["4", "5"]) == [1.0, 0.0]
    assert mine.score(BOX, answer="5", solution="4") == 1.0
    assert (mine.columns, mine.read_columns) == (("solution",), (Column("solution", read_as="answer"),))
    assert mine != gr.boxed_answer
    mine = gr.multiple_choice.bind(columns={"choices": "options"})  # which is optional
    assert mine.score("The answer is Rome.", answer="B", options=["Paris", "Rome"]) == 1.0
    assert mine.score("The answer is B.", answer="B") == 1.0
    assert mine.columns == ("answer",)


def test_names_of_columns_add_up_and_the_own_name_takes_one_back() -> None:
    both = gr.multiple_choice.bind(columns={"answer": "key"}).bind(columns={"choices": "options"})
    assert both.columns == ("key",)
    assert both.score("B", key="B", options=["Paris", "Rome"]) == 1.0
    assert both.bind(columns={"answer": "answer", "choices": "choices"}) == gr.multiple_choice


def test_a_missing_column_proposes_to_bind_one_that_is_there() -> None:
    with pytest.raises(RewardError) as error:
        gr.boxed_answer(completions=[BOX], solution=["4"])
    assert 'or read it as it is: boxed_answer.bind(columns={"answer": "solution"}).' in str(error.value)
    with pytest.raises(RewardError, match=r'boxed_answer.bind\(columns=\{"answer": "solutions"\}\)'):
        gr.boxed_answer.bind(columns={"answer": "solution"})(completions=[BOX], solutions=["4"])
    with pytest.raises(RewardError, match=r"There is 'answer', .*: leave 'solution' out\."):
        gr.boxed_answer.bind(columns={"answer": "solution"})(completions=[BOX], answer=["4"])


# Options that were given where columns are.


@each_row("spec, name, value", TABLES["an_option_in_a_call_is_an_error"])
def test_an_option_in_a_call_is_an_error_that_says_to_bind(spec: str, name: str, value: Any) -> None:
    one = get_reward(spec)
    no_column = f"'{name}' is an option of reward '{one.name}', and no column: options are bound before the call. "
    with refused(f"{no_column}Write {one.name}.bind({name}={value!r})."):
        one(completions=[BOX], answer=["4"], completion_ids=[[1]], **{name: value})
    with refused(no_column):
        one.score(BOX, answer="4", **{name: value})


def test_a_dataset_may_have_a_column_of_the_name_of_an_option() -> None:
    # TRL hands over every column of the dataset: one called 'units' or 'language' must not stop a run
    assert gr.boxed_answer(completions=[BOX, BOX], answer=["4", "4"], units=["cm", None]) == [1.0, 1.0]
    assert gr.language_consistency.bind(script="Latin")(completions=["a"], script=["Han"]) == [1.0]


# Groups of options.


@dataclass(frozen=True)
class Style:
    """Options that several rewards share."""

    mark: str
    case: Literal["any", "upper"] = "any"


@reward
def sample_styled(completion: str, *, bonus: float = 0.0, style: Style) -> float:
    """1 if the completion ends with the mark."""
    text = completion.upper() if style.case == "any" else completion
    return float(text.endswith(style.mark)) + bonus


def test_the_fields_of_a_dataclass_behind_the_star_are_options() -> None:
    styled = sample_styled.bind(mark="A")
    assert styled.score("a") == 1.0
    assert styled.bind(case="upper").score("a") == 0.0
    assert styled.bind(bonus=1.0).options == {"bonus": 1.0, "mark": "A", "case": "any"}
    assert repr(styled) == "sample_styled(mark='A')"
    assert get_reward("sample_styled(mark='A', case='upper')").score("A") == 1.0
    with pytest.raises(RewardError, match=r"needs mark\. Bind it: sample_styled\.bind\(mark=…\)"):
        sample_styled.score("a")
    with pytest.raises(RewardError, match="option 'case' of reward 'sample_styled' must be one of 'any', 'upper'"):
        sample_styled.bind(case="lower")
    with pytest.raises(RewardError, match="has no option 'style'"):
        sample_styled.bind(style=Style("A"))
    parameters = inspect.signature(sample_styled).parameters
    assert list(parameters) == ["completion", "bonus", "mark", "case"]
    assert (parameters["mark"].default, parameters["case"].default) == (inspect.Parameter.empty, "any")
    assert parameters["mark"].kind is inspect.Parameter.KEYWORD_ONLY


@dataclass
class Many:
    tags: list[str] = field(default_factory=lambda: ["a"])
    made: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if not self.tags:
            raise ValueError("no tags")


@reward
def sample_many(completion: str, *, many: Many, style: Style = Style("!", case="upper")) -> float:
    return float(any(tag in completion for tag in many.tags)) + completion.endswith(style.mark)


def test_a_group_may_have_factories_its_own_fields_and_a_default_object() -> None:
    assert sample_many.options == {"tags": ["a"], "mark": "!", "case": "upper"}
    assert sample_many.score("a!") == 2.0
    assert sample_many.bind(tags=["z"]).score("a!") == 1.0
    with pytest.raises(RewardError, match="reward 'sample_many': no tags"):
        sample_many.bind(tags=[])


@each_row("name, said", [("columns", "has an option called 'columns'"), ("bonus", "two parameters called 'bonus'")])
def test_a_field_cannot_have_a_name_that_something_else_has(name: str, said: str) -> None:
    def sample_group(completion: str, *, bonus: float = 0.0, group: Any) -> float:
        return 0.0

    sample_group.__annotations__["group"] = make_dataclass("Taken", [(name, str, "")])
    with refused(said):
        reward(sample_group)


def test_one_type_that_cannot_be_resolved_does_not_hide_the_others(write_module: Any) -> None:
    source = """
from __future__ import annotations
from dataclasses import dataclass, field, make_dataclass
from typing import TYPE_CHECKING
from grpo_rewards import reward
if TYPE_CHECKING:
    from nowhere import Unknown

@dataclass
class Marks:
    mark: str = "!"

@reward
def sample_hints(completion: str, answer: Unknown, *, marks: Marks, points: float = 1.0) -> float:
    return points * completion.endswith(marks.mark)
"""
    made = write_module("sample_hints", source).sample_hints
    assert made.bind(mark="?", points=2).score("a?", answer=None) == 2.0
    with pytest.raises(RewardError, match="option 'points'"):
        made.bind(points="2")
